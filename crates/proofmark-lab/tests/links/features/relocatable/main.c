#include <stdio.h>
int one(int);
int main(void) {
  printf("%d\n", one(1));
  return 0;
}
