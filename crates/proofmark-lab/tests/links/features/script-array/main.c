#include <stdio.h>
struct cmd { const char *name; unsigned n; };
#define CMD(id, k) \
  __attribute__((section(".rodata.cmds." #id), used)) const struct cmd c_##id = {0, k};
extern const struct cmd cmds_begin[], cmds_end[];
CMD(c, 8)
#ifdef MORE
CMD(b, 2)
CMD(bb, 3)
#endif
CMD(a, 1)
__attribute__((noinline)) unsigned other(unsigned n) { return n * 7 + 1; }
int main(void) {
  unsigned sum = 0, count = 0;
  for (const struct cmd *c = cmds_begin; c < cmds_end; c++) {
    sum = sum * 10 + other(c->n);
    count++;
  }
  printf("%u %u\n", sum, count);
  return 0;
}
