#include <stdio.h>
const char *side(int), *volatile own = "a long tail";
double scaled(double);
int main(int c, char **v) {
  (void)v;
#ifdef MORE
  printf("another %s %.2f ", "with a long tail", 2.75 * c);
#endif
  printf("%s %s %.2f %d %d\n", own, side(c), scaled(c * 1.25), own[0] == side(c)[2], own == side(c - 1));
  return 0;
}
