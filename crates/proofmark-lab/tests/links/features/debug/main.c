#include <stdio.h>
int side(int);
struct point { int x, y; };
__attribute__((noinline)) static int work(struct point p) { return p.x * VALUE + p.y; }
int main(void) {
  struct point p = {2, side(3)};
  printf("%d\n", work(p));
  return 0;
}
