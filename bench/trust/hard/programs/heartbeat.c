/* A heartbeat every 60 ms of real time. A bare run is over before the first one. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "work.h"

static void beat(int signal) {
    (void)signal;
    work(BEAT);
}

int main(void) {
    struct itimerval every = {{0, 60000}, {0, 60000}};
    signal(SIGALRM, beat);
    setitimer(ITIMER_REAL, &every, 0);
    work(WORK);
    puts("done");
}
