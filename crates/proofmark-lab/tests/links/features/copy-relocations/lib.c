int values[COUNT] = {1, 2, 3};
int sum(void) {
  int all = 0;
  for (int i = 0; i < COUNT; i++) all += values[i];
  return all;
}
