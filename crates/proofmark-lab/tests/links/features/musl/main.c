#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static int work(int n) { return n * VALUE; }
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int numbers[] = {5, 3, 9, 1};
  qsort(numbers, 4, sizeof(int), less);
  char *copy = strdup("text");
  printf("%d %s %d\n", numbers[2], copy, work(4));
  return 0;
}
