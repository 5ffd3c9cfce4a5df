/* A benchmark whose work is known: a loop whose bound is a data word, so that two builds with different bounds have identical code. */
#include <stdio.h>

extern const volatile unsigned long bound;

static unsigned long next(unsigned long x) { return x * 6364136223846793005UL + 1442695040888963407UL; }

__attribute__((noinline)) static unsigned long churn(unsigned long count) {
  unsigned long x = 1;
  for (unsigned long i = 0; i < count; i++) x = next(x) ^ (x >> 29);
  return x;
}

int main(void) {
  unsigned long x = churn(bound);
  puts(x == 0 ? "zero" : "done");
  return 0;
}
