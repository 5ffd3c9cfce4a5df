#include <stdio.h>
int room[3];
int side(void);
int main(void) {
  room[2] = 5;
  printf("%d\n", side());
  return 0;
}
