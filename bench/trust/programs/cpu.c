/* CPU-bound: integer arithmetic and calls between small functions, all in registers and the first cache. */
#ifdef RENAMED
#define twist turn_the_words
#define stir turn_the_bytes
#define work labour
#endif
#define OUTLINED __attribute__((noinline))

extern volatile unsigned long bound;
int usage(int argc);
unsigned long checksum(const unsigned char *bytes, unsigned long length);
int printf(const char *format, ...);

static OUTLINED unsigned twist(unsigned a, unsigned b) {
  a += b;
  return (a << 13 | a >> 19) ^ b;
}

static OUTLINED unsigned stir(unsigned *words, unsigned at) {
  unsigned *word = words + (at & 63);
  *word = twist(*word, at * 2654435761u);
  return *word;
}

static OUTLINED unsigned work(unsigned long turns) {
  unsigned words[64] = {1}, sum = 0;
  for (unsigned long turn = 0; turn < turns; turn++) {
    for (unsigned at = 0; at < 16; at++) sum += stir(words, at + sum);
    for (unsigned at = 0; at < 16; at++) sum ^= words[at] / 3 + words[at + 16] * 5;
  }
  return sum + (unsigned)checksum((const unsigned char *)words, sizeof words);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return usage(argc);
  unsigned found = work(bound);
  /* The bound changes the result; what is printed is the same for all bounds. */
  return printf("%s\n", found == 0x12345678u ? "a rare result" : "done") < 0;
}
