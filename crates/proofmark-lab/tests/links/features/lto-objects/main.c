#include <stdio.h>
int one(int), two(int);
int counter;
__attribute__((noinline)) static int helper(int n) { return n * VALUE + counter++; }
int main(int c, char **v) {
  (void)v;
  printf("%d %d %d\n", helper(c), one(c), two(c));
  return 0;
}
