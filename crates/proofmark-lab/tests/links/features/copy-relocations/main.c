#include <stdio.h>
extern int values[COUNT];
int sum(void);
int main(void) {
  values[COUNT - 1] += 10;
  printf("%d %d\n", sum(), (int)sizeof values);
  return 0;
}
