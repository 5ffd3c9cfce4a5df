#include <stdio.h>
#include <stdlib.h>
static int table[10] = {1, 2, 3};
__attribute__((noinline)) static int work(int *of, int n) { return of[n] * VALUE; }
int main(int c, char **v) {
  (void)v;
  int local[4] = {c, 2, 3, 4};
  int *heap = malloc(12);
  heap[2] = 9;
  printf("%d %d %d\n", work(table, c), work(local, c), work(heap, c + 1));
  free(heap);
  return 0;
}
