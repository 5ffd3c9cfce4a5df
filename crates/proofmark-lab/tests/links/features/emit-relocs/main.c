#include <stdio.h>
static int table[3] = {1, 2, 3};
__attribute__((noinline)) static int work(int n) { return table[n] * VALUE; }
int main(int c, char **v) {
  (void)v;
  printf("%d\n", work(c));
  return 0;
}
