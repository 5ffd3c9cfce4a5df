#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef MORE
char inserted[100] = "inserted";
#endif
int numbers[] = {5, 3, 9, 1};
const char *const words[] = {"one", "two", "three", "one"};
int side(int);
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int (*const functions[])(int) = {side, abs};
int main(void) {
  qsort(numbers, 4, sizeof(int), less);
  char *copy = malloc(10);
  strcpy(copy, words[2]);
  int extra = 0;
#ifdef MORE
  for (int i = 0; inserted[i]; i++) extra += inserted[i] == 'e' ? functions[0](i) : 2;
#endif
  printf("%d %s %d %d %d\n", numbers[1], copy, functions[0](2), functions[1](-4), extra);
  return 0;
}
