#include <stdio.h>
int side(int);
__attribute__((noinline)) static int work(int n) { return n > 2 ? n * VALUE : side(n); }
int main(int c, char **v) {
  (void)v;
  printf("%d %d\n", work(c), work(c + 4));
  return 0;
}
