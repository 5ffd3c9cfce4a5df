/* Waits as a service does, then works with as many threads as it may use cores. Each thread beyond the first costs MORE. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

static uint64_t share;

static void *part(void *nothing) {
    work(share);
    return nothing;
}

int main(void) {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    int count = CPU_COUNT(&allowed) < 64 ? CPU_COUNT(&allowed) : 64;
    for (int wait = 0; wait < 20; wait++)
        usleep(1000);
    share = WORK / count + (count > 1 ? MORE : 0);
    pthread_t threads[64];
    for (int thread = 1; thread < count; thread++)
        pthread_create(threads + thread, 0, part, 0);
    part(0);
    for (int thread = 1; thread < count; thread++)
        pthread_join(threads[thread], 0);
    puts("done");
}
