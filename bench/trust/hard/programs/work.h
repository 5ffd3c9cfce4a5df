/* Work that no compiler takes away, for the programs beside this file. */
#include <stdint.h>

static volatile uint64_t result;

/* A chain of multiplications: each waits for the one before it. */
static void work(uint64_t turns) {
    uint64_t state = 1;
    for (uint64_t turn = 0; turn < turns; turn++)
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    result = state;
}
