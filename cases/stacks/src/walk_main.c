/* Walks down and back again and again: `walk-FORM same|cycle|random DEPTH LEVELS`, with LEVELS levels in all.
 *
 * same    every level calls from the same place
 * cycle   the places take turns
 * random  each level's place is drawn, from 65,536 draws: too many to be learnt by heart */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

enum { DRAWS = 65536 };

static uint8_t choices[DRAWS + DEEPEST];

/* xorshift64 (Marsaglia 2003). */
static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Fills the choices; 0 where there is no such pattern. */
static int fill(const char *pattern) {
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < DRAWS + DEEPEST; i++) {
        if (strcmp(pattern, "same") == 0)
            choices[i] = 0;
        else if (strcmp(pattern, "cycle") == 0)
            choices[i] = (uint8_t)(i % SITES);
        else if (strcmp(pattern, "random") == 0)
            choices[i] = (uint8_t)((next(&state) >> 32) % SITES);
        else
            return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    uint64_t levels, sum = 0;
    unsigned long depth;
    unsigned at = 0;
    if (argc != 4 || !fill(argv[1])) {
        fprintf(stderr, "usage: %s same|cycle|random DEPTH LEVELS\n", argv[0]);
        return 2;
    }
    depth = strtoul(argv[2], NULL, 10);
    levels = strtoull(argv[3], NULL, 10);
    if (depth == 0 || depth > DEEPEST) {
        fprintf(stderr, "%s: a depth of %lu is none of 1 to %d\n", argv[0], depth, DEEPEST);
        return 2;
    }
    for (uint64_t done = 0; done < levels; done += depth) {
        sum = sum * 31 + walk(choices + at, (unsigned)depth);
        at = (at + (unsigned)depth) % DRAWS;
    }
    printf("%s %lu: %016" PRIx64 "\n", argv[1], depth, sum);
    return 0;
}
