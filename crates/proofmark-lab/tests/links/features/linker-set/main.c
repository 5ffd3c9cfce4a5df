#include <stdio.h>
#include "item.h"
ITEM(one, 1);
#ifdef MORE
ITEM(more, 7);
#endif
ITEM(two, 2);
extern const struct item *const __start_items[], *const __stop_items[];
int main(void) {
  int sum = 0, count = 0;
  for (const struct item *const *at = __start_items; at != __stop_items; at++) {
    sum = sum * 10 + (*at)->value(count++);
  }
  printf("%d %d\n", sum, count);
  return 0;
}
