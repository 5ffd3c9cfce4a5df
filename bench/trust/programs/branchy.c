/* Branchy: a machine of 16 operations over a pseudo-random program, with branches that depend on data. */
#ifdef RENAMED
#define step obey
#define choose decide
#define work labour
#endif
#define OUTLINED __attribute__((noinline))

extern volatile unsigned long bound;
int usage(int argc);
unsigned long checksum(const unsigned char *bytes, unsigned long length);
int printf(const char *format, ...);

static unsigned char program[4096];

static OUTLINED unsigned choose(unsigned a, unsigned b) {
  if (a & 4) return a > b ? a - b : b - a;
  if (b & 8) return a + 3 * b;
  return a ^ b;
}

static OUTLINED unsigned step(unsigned char operation, unsigned a) {
  switch (operation & 15) {
  case 0: return a + 1;
  case 1: return a * 3;
  case 2: return a & 1 ? a >> 1 : a + 7;
  case 3: return choose(a, 77);
  case 4: return a ^ (a << 3);
  case 5: return a % 1000 > 500 ? a - 333 : a + 222;
  case 6: return ~a;
  case 7: return a << 1 | a >> 31;
  case 8: return choose(a, operation);
  case 9: return a - 99;
  case 10: return a & 64 ? a / 7 : a * 7;
  case 11: return a + (a >> 5);
  case 12: return a ^ 0xa5a5a5a5u;
  case 13: return choose(a >> 2, a);
  case 14: return a | 0x1001u;
  default: return a + 12345;
  }
}

static OUTLINED unsigned work(unsigned long turns) {
  unsigned a = 1;
  for (unsigned i = 0; i < sizeof program; i++) program[i] = (unsigned char)((i * 2654435761u) >> 21);
  for (unsigned long turn = 0; turn < turns; turn++)
    for (unsigned at = 0; at < 64; at++) a = step(program[(turn * 64 + at) & 4095], a);
  return a + (unsigned)checksum(program, sizeof program);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return usage(argc);
  unsigned found = work(bound);
  return printf("%s\n", found == 0x12345678u ? "a rare result" : "done") < 0;
}
