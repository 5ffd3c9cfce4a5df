#include <stdio.h>
int zebra[4] = {1, 2}, ant[4] = {3, 4};
int main(void) {
  int *volatile a = ant, *volatile z = zebra;
  printf("%d %d\n", a < z, a[1] + z[1]);
  return 0;
}
