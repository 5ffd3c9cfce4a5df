#include <stdio.h>
#ifndef ALIGNED
#define ALIGNED __attribute__((aligned(32)))
#endif
ALIGNED int table[64] = {1, 2, 3};
__attribute__((noinline)) int one(int a) { return a * 3 + table[a]; }
__attribute__((noinline)) int two(int a) { return one(a) + table[a + 1]; }
int main(int c, char **v) {
  (void)v;
  printf("%d\n", two(c));
  return 0;
}
