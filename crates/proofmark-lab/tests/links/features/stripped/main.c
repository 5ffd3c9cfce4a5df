#include <stdio.h>
__attribute__((section("tuning"), used)) const unsigned values[4] = {0x544e5554, VALUE, 0, 0};
__attribute__((noinline)) static unsigned work(unsigned n) { return n * 3; }
int main(void) {
  const volatile unsigned *at = values;
  printf("%u\n", work(at[1]));
  return 0;
}
