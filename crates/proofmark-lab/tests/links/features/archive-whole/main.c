#include <stdio.h>
int plugins;
int main(void) {
  printf("%d\n", plugins);
  return 0;
}
