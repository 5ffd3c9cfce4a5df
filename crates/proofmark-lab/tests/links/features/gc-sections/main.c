#include <stdio.h>
int dead(int);
int alive(int);
int bare(int a) { return dead(a) * 2; }
int main(int c, char **v) {
  (void)v;
#ifdef MORE
  c += bare(c);
#endif
  printf("%d\n", alive(c));
  return 0;
}
