#include <stdio.h>
/* In this order neither forwards nor backwards: compilers write data in either. */
int zebra[4] = {1, 2}, ant[COUNT] = {3, 4}, middle[4] = {5, 6};
int main(void) {
  int *volatile a = ant, *volatile m = middle, *volatile z = zebra;
  printf("%d %d %d\n", a < m, m < z, (int)sizeof ant + a[1] + m[1] + z[1]);
  return 0;
}
