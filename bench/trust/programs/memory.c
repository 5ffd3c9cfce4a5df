/* Memory-bound: a random walk in which each address depends on the last load, over FOOTPRINT KiB of touched memory. The footprint is a data
   word as well, so that walks of different footprints have the same code bytes. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef RENAMED
#define walk wander
#define touched prepared
#endif
#define OUTLINED __attribute__((noinline))
#ifndef FOOTPRINT
#error "FOOTPRINT: KiB"
#endif

extern volatile unsigned long bound;
volatile unsigned long footprint = FOOTPRINT * 1024ul;
int usage(int argc);
unsigned long checksum(const unsigned char *bytes, unsigned long length);
int printf(const char *format, ...);

static OUTLINED unsigned *touched(unsigned long bytes) {
  unsigned long huge = 2ul << 20;
  unsigned *words = aligned_alloc(huge, (bytes + huge - 1) / huge * huge);
  if (words == NULL) return NULL;
  /* Large pages where there are any: fewer faults at the start, and the walk waits for memory, not for the page tables. */
  (void)madvise(words, bytes, MADV_HUGEPAGE);
  memset(words, 1, bytes);
  return words;
}

static OUTLINED unsigned long walk(const unsigned *words, unsigned long count, unsigned long steps) {
  unsigned long x = 88172645463325252ul;
  for (unsigned long step = 0; step < steps; step++) {
    x = x * 6364136223846793005ul + 1442695040888963407ul;
    /* Every word holds the same value; the processor does not know. */
    x += words[((x >> 32) * count) >> 32];
  }
  return x;
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) return usage(argc);
  unsigned *words = touched(footprint);
  if (words == NULL) return 1;
  unsigned long found = walk(words, footprint / sizeof *words, bound);
  found += checksum((const unsigned char *)words, 4096);
  free(words);
  return printf("%s\n", found == 0x12345678u ? "a rare result" : "done") < 0;
}
