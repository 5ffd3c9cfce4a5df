#include <stdio.h>
#define SAME(n) \
  __attribute__((noinline)) int same##n(unsigned a) { \
    for (int i = 0; i < 3; i++) { a ^= a * 7; a += a >> 3; } \
    return (int)(a & 255); \
  }
SAME(1) SAME(2) SAME(3) SAME(4)
__attribute__((noinline)) int other(unsigned a) { return same1(a) + VALUE; }
int (*volatile table[])(unsigned) = {same1, same2, same3, same4, other};
int main(void) {
  int folded = 0, sum = 0;
  for (int i = 0; i < 5; i++) {
    folded += table[i] == table[0];
    sum += table[i]((unsigned)i + 1);
  }
  printf("%d %d\n", folded, sum);
  return 0;
}
