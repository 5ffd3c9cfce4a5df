#include <stdio.h>
int start(void);
__attribute__((noinline)) static int far(int n) { return n * n; }
int main(int argc, char **argv) {
  (void)argv;
  printf("%d\n", start() + far(argc));
}
