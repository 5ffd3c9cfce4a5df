#include <stdio.h>
__attribute__((section(".fixed"), used)) int fixed[4] = {VALUE, 1, 2};
int main(void) {
  int *volatile at = fixed;
  printf("%p %d\n", (void *)at, *at);
  return 0;
}
