/* What a program carries besides its hot code: where the changes of the 0 % pairs are made. Nothing in it is hot; `usage` never runs. */
#include <stdio.h>

#ifndef MESSAGE
#define MESSAGE "usage: the program takes no arguments\n"
#endif

static unsigned long mix(unsigned long x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15ul;
#ifdef COLD
  for (int i = 0; i < 7; i++) x = (x << 5) + (x >> 3) + (unsigned long)i * 2654435761ul;
  if (x % 3 == 0) fprintf(stderr, "a multiple of three: %lu\n", x);
#endif
  return x ^ (x >> 29);
}

#ifdef UNUSED
/* Reached by nobody; long enough to move what is behind it. */
unsigned long unused_by_all(unsigned long x) {
  for (int i = 0; i < 11; i++) x = mix(x + (unsigned long)i) ^ (x << 7);
  return x % 1000003;
}
#endif

int usage(int argc) {
  fputs(MESSAGE, stderr);
  return (int)(mix((unsigned long)argc) & 1) + 2;
}

unsigned long checksum(const unsigned char *bytes, unsigned long length) {
  unsigned long sum = 1469598103934665603ul;
  for (unsigned long i = 0; i < length; i++) sum = (sum ^ bytes[i]) * 1099511628211ul;
  return sum;
}
