#include <stdio.h>
static int slow(int a) { return a + 100; }
static int fast(int a) { return a + 200; }
__attribute__((used)) static int (*pick(void))(int) { return PICKED; }
int work(int) __attribute__((ifunc("pick")));
int (*volatile pointer)(int) = work;
__attribute__((used)) static int (*const others[])(int) = {slow, fast};
int main(void) {
  printf("%d %d\n", work(1), pointer(2));
  return 0;
}
