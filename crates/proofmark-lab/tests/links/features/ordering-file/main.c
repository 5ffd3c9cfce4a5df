#include <stdio.h>
__attribute__((noinline)) int one(int a) { return a * 3 + 1; }
__attribute__((noinline)) int two(int a) { return a * 5 + 1; }
int (*volatile table[])(int) = {one, two};
int zebra[4] = {1, 2}, ant[4] = {3, 4}, middle[4] = {5, 6};
int main(void) {
  int *volatile a = ant, *volatile m = middle, *volatile z = zebra;
  printf("%d %d", table[0](1) + table[1](2), (char *)table[0] < (char *)table[1]);
  printf(" %d %d %d\n", a < m, m < z, a[1] + m[1] + z[1]);
  return 0;
}
