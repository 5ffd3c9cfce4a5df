/* Something that goes off every PERIOD microseconds, and does a BEAT of work. HOW 1: the interval timer of real time. HOW 2: a POSIX timer.
   HOW 3: a timer of CPU time. HOW 4: the limit of a wait, between two pieces of work. HOW 5: a timer as a file, looked at between two pieces. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

enum { PIECES = 20 };

static void beat(int signal) {
    (void)signal;
    work(BEAT);
}

int main(void) {
    struct itimerval every = {{0, PERIOD}, {0, PERIOD}};
    struct itimerspec same = {{0, PERIOD * 1000L}, {0, PERIOD * 1000L}};
    int file = -1;
    signal(SIGALRM, beat);
    signal(SIGVTALRM, beat);
    if (HOW == 1 || HOW == 3)
        setitimer(HOW == 1 ? ITIMER_REAL : ITIMER_VIRTUAL, &every, 0);
    if (HOW == 2) {
        timer_t timer;
        timer_create(CLOCK_MONOTONIC, 0, &timer);
        timer_settime(timer, 0, &same, 0);
    }
    if (HOW == 5) {
        file = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
        timerfd_settime(file, 0, &same, 0);
    }
    for (int piece = 0; piece < PIECES; piece++) {
        uint64_t times;
        work(WORK / PIECES);
        if (HOW == 4)
            poll(0, 0, PERIOD / 1000);
        if (HOW == 5 && read(file, &times, sizeof times) > 0)
            for (; times > 0; times--)
                beat(0);
    }
    puts("done");
}
