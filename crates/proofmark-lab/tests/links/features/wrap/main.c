#include <stdio.h>
int work(int);
int main(void) {
  printf("%d\n", work(4));
  return 0;
}
