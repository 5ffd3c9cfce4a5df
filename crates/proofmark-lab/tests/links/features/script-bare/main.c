static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}
__attribute__((noinline)) static void print(unsigned long n) {
  char text[24], *at = text + 23;
  *at = '\n';
  do *--at = (char)('0' + n % 10); while (n /= 10);
  call(1, 1, (long)at, text + 24 - at);
}

struct cmd { unsigned long n; };
#define CMD(id, k) \
  __attribute__((section(".rodata.cmds." #id), used)) const struct cmd c_##id = {k};
extern const struct cmd cmds_begin[], cmds_end[];
CMD(c, 8)
#ifdef MORE
CMD(b, 2)
CMD(bb, 3)
#endif
CMD(a, 1)
unsigned long counted[4];
unsigned long scale = 10;
__attribute__((noinline)) unsigned long other(unsigned long n) { return n + counted[0]++; }
__attribute__((used, section(".text.start"), force_align_arg_pointer)) void _start(void) {
  unsigned long sum = 0;
  for (const struct cmd *c = cmds_begin; c < cmds_end; c++) sum = sum * scale + other(c->n);
  print(sum);
  call(60, 0, 0, 0);
}
