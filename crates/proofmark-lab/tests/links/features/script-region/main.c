#include <stdio.h>
extern char hot_begin[], hot_end[];
#define FAST(more) __attribute__((section(".text.fastpath" more), noinline))
FAST("") unsigned work(unsigned n) { return n * 3 + 1; }
#ifdef MORE
FAST(".more")
#endif
__attribute__((noinline)) unsigned more(unsigned n) { return n * 5 + work(n); }
__attribute__((noinline)) unsigned slow(unsigned n) { return work(3 * n); }
int main(void) {
  char *at[] = {(char *)work, (char *)more, (char *)slow};
  int inside = 0;
  for (int i = 0; i < 3; i++) inside = inside * 10 + (at[i] >= hot_begin && at[i] < hot_end);
  printf("%d %u\n", inside, slow(5) + more(2));
  return 0;
}
