#include <stdio.h>
int one(int);
int two(int);
int main(void) {
  printf("%d %d\n", one(1), two(1));
  return 0;
}
