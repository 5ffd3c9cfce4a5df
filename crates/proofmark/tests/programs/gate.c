/* A benchmark that can be stopped at a known place: where the file `.proofmark/hold` exists it says
   so through the pipe `held`, and then never ends. That folder is none of its inputs. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void work(void) {
  volatile unsigned long x = 1;
  for (unsigned long i = 0; i < 400000; i++) x = x * 3 + 1;
}

int main(void) {
  work();
  if (access(".proofmark/hold", F_OK) == 0) {
    int pipe = open("held", O_WRONLY);
    if (pipe < 0 || write(pipe, "!", 1) != 1) return 3;
    for (;;) pause();
  }
  puts("through");
  return 0;
}
