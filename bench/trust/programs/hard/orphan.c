/* A child that nobody waits for does the work: the kernel reaps it (HOW 1), or it has lost its parent (HOW 2). */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

int main(void) {
    int ends[2];
    char byte;
    if (pipe(ends))
        return 1;
    if (HOW == 1)
        signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) {
        if (HOW == 1 || fork() == 0) {
            work(WORK);
            byte = 'x';
            _exit(write(ends[1], &byte, 1) != 1);
        }
        _exit(0);
    }
    if (HOW == 2)
        wait(0);
    if (read(ends[0], &byte, 1) != 1)
        return 1;
    puts("done");
}
