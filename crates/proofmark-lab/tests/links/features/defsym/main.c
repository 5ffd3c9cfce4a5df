#include <stdio.h>
int chosen(int);
extern int second;
int main(void) {
  printf("%d %d\n", chosen(4), second);
  return 0;
}
