#include <stdio.h>
const char *const words[] = {"one", "two", "three"};
static int counts[3];
__attribute__((noinline)) static int work(int n) { return ++counts[n] * VALUE; }
int (*functions[])(int) = {work, work};
int main(int c, char **v) {
  (void)v;
  printf("%s %d %d\n", words[c], functions[0](c), functions[1](c));
  return 0;
}
