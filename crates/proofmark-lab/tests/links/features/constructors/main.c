#include <stdio.h>
int trail;
int side(void);
__attribute__((constructor(PRIORITY))) static void early(void) { trail = trail * 10 + 1; }
__attribute__((constructor)) static void plain(void) { trail = trail * 10 + 2; }
__attribute__((destructor(PRIORITY))) static void last(void) { printf(" one"); }
int main(void) {
  printf("%d %d", trail, side());
  return 0;
}
