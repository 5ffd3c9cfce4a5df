#include <stdio.h>
__attribute__((noinline)) int one(int a) { return a * 3 + 1; }
__attribute__((noinline)) int two(int a) { return a * 5 + 1; }
int (*volatile table[])(int) = {one, two};
int main(void) {
  printf("%d %d\n", table[0](1) + table[1](2), (char *)table[0] < (char *)table[1]);
  return 0;
}
