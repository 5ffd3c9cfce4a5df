/* Two threads in turn: each waits for the other's step without giving up its core. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "work.h"

static atomic_int turn;

static void *steps(void *which) {
    int mine = which != 0;
    for (int step = 0; step < STEPS; step++) {
        while (atomic_load(&turn) != mine)
            ;
        work(WORK / STEPS);
        atomic_store(&turn, !mine);
    }
    return 0;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, steps, (void *)1);
    steps(0);
    pthread_join(other, 0);
    puts("done");
}
