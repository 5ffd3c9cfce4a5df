/* Two threads count, each for itself: in one cache line, or APART bytes from each other. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct {
    atomic_ulong one;
    char between[APART];
    atomic_ulong other;
} counts __attribute__((aligned(128)));

static void *count(void *which) {
    for (int turn = 0; turn < TURNS; turn++)
        atomic_fetch_add((atomic_ulong *)which, 1);
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, count, &counts.other);
    count(&counts.one);
    pthread_join(other, 0);
    printf("%lu\n", counts.one + counts.other);
}
