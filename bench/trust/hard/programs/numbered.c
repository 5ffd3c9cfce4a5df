/* Does MORE work on cores of odd numbers, which it asks for without a system call. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

#include "work.h"

int main(void) {
    work(sched_getcpu() % 2 ? WORK + MORE : WORK);
    puts("done");
}
