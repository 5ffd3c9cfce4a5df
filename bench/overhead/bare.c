/* The floor: posix_spawn and wait4 in a loop; prints the time of each run in nanoseconds, a line each. */
#define _GNU_SOURCE
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: bare RUNS PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    int runs = atoi(argv[1]);
    long long *times = calloc(runs > 0 ? runs : 1, sizeof *times);
    char *environment[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", 1, 0);
    for (int run = 0; run < runs; run++) {
        long long start = now();
        pid_t child;
        int status;
        struct rusage usage;
        if (posix_spawn(&child, argv[2], &files, NULL, argv + 2, environment) != 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
            fprintf(stderr, "bare: a run failed\n");
            return 1;
        }
        times[run] = now() - start;
    }
    for (int run = 0; run < runs; run++) printf("%lld\n", times[run]);
    return 0;
}
