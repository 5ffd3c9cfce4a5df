#include <stdio.h>
__attribute__((noinline)) static int work(int n) { return n * VALUE; }
__attribute__((noinline)) static int more(int n) { return work(n) + 1; }
int main(int c, char **v) {
  (void)v;
  printf("%d\n", more(c));
  return 0;
}
