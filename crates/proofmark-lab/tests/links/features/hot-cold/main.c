#include <stdio.h>
#include <stdlib.h>
__attribute__((cold, noinline)) static void fail(int n) {
  printf("failed %d\n", n);
  exit(0);
}
__attribute__((KIND, noinline)) int work(int n) {
  if (__builtin_expect(n > 1000, 0)) fail(n);
  return n * VALUE;
}
__attribute__((hot, noinline)) int always(int n) { return work(n) + 1; }
int main(int c, char **v) {
  (void)v;
  printf("%d\n", always(c));
  return 0;
}
