#include <stdio.h>
#define IN __attribute__((section("fastcode"), noinline, used))
IN int one(int n) { return n * 3; }
#ifdef MORE
IN int more(int n) { return n * 5; }
#else
int more(int n) { return n * 5; }
#endif
extern char __start_fastcode[], __stop_fastcode[];
__attribute__((noinline)) int outside(int n) { return one(n) + more(n); }
int main(void) {
  char *at[] = {(char *)one, (char *)more, (char *)outside};
  int inside = 0;
  for (int i = 0; i < 3; i++) inside = inside * 10 + (at[i] >= __start_fastcode && at[i] < __stop_fastcode);
  printf("%d %d\n", inside, outside(2));
  return 0;
}
