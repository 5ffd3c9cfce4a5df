#include <stdio.h>
#ifdef CODE
extern char code_begin[], code_end[];
#else
extern int table[], table_end[];
#endif
__attribute__((noinline)) static unsigned other(unsigned n) { return n * 7 + 1; }
int main(void) {
  unsigned sum = 0, count = 0;
#ifdef CODE
  for (char *p = code_begin; p < code_end; p += 16, count++) sum += other(16);
#else
  for (int *p = table; p < table_end; p++, count++) sum += other((unsigned)*p);
#endif
  printf("%u %u\n", sum, count);
}
