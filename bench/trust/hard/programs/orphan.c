/* A process that the program does not wait for does the work. HOW 1: the kernel reaps it. HOW 2: it has lost its parent. HOW 3: a child,
   which is waited for, leaves its own to the kernel. HOW 4: as 2, in a session of its own. HOW 5: as 2, and it goes on when the program has
   ended. HOW 6: as 2, and it ends at the same moment as the program. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

/* A process that works and then says so; what it says comes to the descriptor that is returned. */
static int start(int twice) {
    int ends[2];
    char byte = 'x';
    if (pipe(ends))
        _exit(1);
    if (fork() == 0) {
        if (HOW >= 4)
            setsid();
        if (!twice || fork() == 0) {
            work(WORK);
            _exit(write(ends[1], &byte, 1) != 1);
        }
        _exit(0);
    }
    if (twice)
        wait(0);
    return ends[0];
}

static int wait_for_word(int from) {
    char byte;
    return read(from, &byte, 1) != 1;
}

int main(void) {
    if (HOW == 1)
        signal(SIGCHLD, SIG_IGN);
    if (HOW == 3) {
        int status;
        if (fork() == 0) {
            signal(SIGCHLD, SIG_IGN);
            _exit(wait_for_word(start(0)));
        }
        wait(&status);
        if (status)
            return 1;
    } else {
        int word = start(HOW != 1);
        if (HOW != 5 && wait_for_word(word))
            return 1;
    }
    /* Who has said his last word is not quite dead yet. */
    if (HOW < 5)
        usleep(3000);
    puts("done");
}
