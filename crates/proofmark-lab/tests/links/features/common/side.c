int room[COUNT];
int other[COUNT];
int side(void) {
  other[COUNT - 1] = 3;
  return room[2] * 10 + other[COUNT - 1] + (int)sizeof room * 100;
}
