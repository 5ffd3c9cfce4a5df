/* A program that behaves as its build was told: each way of going wrong that a comparison must survive. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef BEHAVE
#define BEHAVE "well"
#endif

static const char *volatile behave = BEHAVE;

static void work(void) {
  volatile unsigned long x = 1;
  for (unsigned long i = 0; i < 8000000; i++) x = x * 3 + 1;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : behave;
  if (strcmp(how, "briefly") == 0) return 0;
  work();
  if (strcmp(how, "exits") == 0) {
    fputs("no such thing as a free lunch\n", stderr);
    return 7;
  }
  if (strcmp(how, "crashes") == 0) raise(SIGSEGV);
  if (strcmp(how, "hangs") == 0) pause();
  if (strcmp(how, "forks") == 0 && fork() == 0) {
    pause();
    return 0;
  }
  puts(strcmp(how, "differs") == 0 ? "six times nine" : "forty-two");
  return 0;
}
