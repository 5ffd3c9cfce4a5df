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

__attribute__((used, force_align_arg_pointer)) void first(void) {
  print(1);
  call(60, 0, 0, 0);
}
__attribute__((used, force_align_arg_pointer)) void second(void) {
  print(2);
  call(60, 0, 0, 0);
}
