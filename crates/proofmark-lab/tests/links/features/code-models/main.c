#include <stdio.h>
int zeroed[COUNT];
int filled[COUNT] = {1, 2, 3};
const int constant[COUNT] = {4, 5, 6};
int side(int);
int main(int c, char **v) {
  (void)v;
  zeroed[COUNT - c] = 7;
  int sum = 0;
  for (int i = 0; i < COUNT; i++) sum += zeroed[i] + filled[i] + constant[i];
  printf("%d %d %d\n", sum, side(c), (int)(sizeof zeroed / sizeof *zeroed));
  return 0;
}
