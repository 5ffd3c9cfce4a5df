#include <stdio.h>
extern int big[];
extern char _end[];
int main(void) {
  /* In pages: a few bytes may stand behind it. */
  printf("%ld\n", (long)(_end - (char *)big) / 4096);
  return 0;
}
