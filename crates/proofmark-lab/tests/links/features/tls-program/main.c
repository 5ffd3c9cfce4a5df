#include <pthread.h>
#include <stdio.h>
int part(int);
static void *run(void *sum) {
  *(int *)sum = part(1) + part(2);
  return 0;
}
int main(void) {
  int sums[2];
  pthread_t thread;
  pthread_create(&thread, 0, run, &sums[0]);
  pthread_join(thread, 0);
  run(&sums[1]);
  printf("%d %d %d\n", sums[0], sums[1], part(3));
  return 0;
}
