#include <stdio.h>
int side(int);
__attribute__((noinline)) static int work(int n) {
  if (n % 100 == 99) return n * VALUE;
  return side(n);
}
__attribute__((noinline)) static int never(int n) { return side(n) * side(n + 1) + work(n); }
int main(int c, char **v) {
  (void)v;
  int sum = 0;
  for (int i = 0; i < 10000; i++) sum += c > 5 ? never(i) : work(i);
  printf("%d\n", sum);
  return 0;
}
