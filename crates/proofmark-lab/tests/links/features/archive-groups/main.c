#include <stdio.h>
int one(int);
int main(void) {
  printf("%d\n", one(3));
  return 0;
}
