/* One process makes blocks, another works on each as it comes; with a word, one stage of a shell's pipeline. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

enum { BLOCKS = 64, BYTES = 4096 };

static int make(int to) {
    static char block[BYTES];
    for (int turn = 0; turn < BLOCKS; turn++) {
        work(MAKE / BLOCKS);
        if (write(to, block, BYTES) != BYTES)
            return 1;
    }
    return 0;
}

static int take(int from) {
    static char block[BYTES];
    long bytes = 0, length;
    while ((length = read(from, block, BYTES)) > 0) {
        bytes += length;
        work(TAKE / BLOCKS * length / BYTES);
    }
    printf("%ld\n", bytes);
    fflush(stdout);
    return 0;
}

int main(int count, char **words) {
    if (count > 1)
        return strcmp(words[1], "make") == 0 ? make(1) : take(0);
    int ends[2], status = 0;
    if (pipe(ends))
        return 1;
    if (fork() == 0) {
        close(ends[0]);
        _exit(make(ends[1]));
    }
    if (fork() == 0) {
        close(ends[1]);
        _exit(take(ends[0]));
    }
    close(ends[0]);
    close(ends[1]);
    for (int child = 0; child < 2; child++) {
        int one;
        wait(&one);
        status |= one;
    }
    return status != 0;
}
