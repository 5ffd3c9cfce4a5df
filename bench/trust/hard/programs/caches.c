/* A random walk over KIB of memory: what shares the core between two slices evicts it. */
#include <stdint.h>
#include <stdio.h>

enum { LINES = KIB * 16 };

static uint32_t order[LINES], next[LINES][16];

int main(void) {
    uint64_t draw = 12345;
    for (uint32_t line = 0; line < LINES; line++)
        order[line] = line;
    /* Sattolo's shuffle: one cycle through all lines. */
    for (uint32_t line = LINES - 1; line > 0; line--) {
        draw = draw * 6364136223846793005ULL + 1442695040888963407ULL;
        uint32_t other = (draw >> 33) % line, kept = order[line];
        order[line] = order[other];
        order[other] = kept;
    }
    for (uint32_t line = 0; line < LINES; line++)
        next[line][0] = order[line];
    volatile uint32_t line = 0;
    for (uint32_t step = 0; step < STEPS; step++)
        line = next[line][0];
    puts("done");
}
