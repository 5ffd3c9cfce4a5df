#include <dlfcn.h>
#include <stdio.h>
__attribute__((used)) int one(int a) { return a + 1; }
__attribute__((used)) int two(int a) { return a + 2; }
static int called(const char *name) {
  int (*found)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, name);
  return found ? found(10) : 0;
}
int main(void) {
  printf("%d %d\n", called("one"), called("two"));
  return 0;
}
