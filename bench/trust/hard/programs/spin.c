/* A thread works; the first one waits for it without giving up its core, and gives way where YIELD is 1. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#include "work.h"

static atomic_int done;

static void *worker(void *nothing) {
    work(WORK);
    atomic_store(&done, 1);
    return nothing;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    while (!atomic_load(&done))
        if (YIELD)
            sched_yield();
    pthread_join(thread, 0);
    puts("done");
}
