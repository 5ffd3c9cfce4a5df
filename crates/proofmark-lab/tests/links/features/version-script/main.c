#include <stdio.h>
int call(int);
int helper(void) { return 9; }
int main(void) {
  printf("%d %d\n", call(1), helper());
  return 0;
}
