#include <stdio.h>
__attribute__((noinline)) static int run(const unsigned char *code) {
  static const void *const labels[] = {&&stop, &&add, &&twice, &&less
#ifdef MORE
    , &&more
#endif
  };
  static const int distances[] = {&&stop - &&stop, &&add - &&stop, &&twice - &&stop, &&less - &&stop};
  int value = 1;
  goto *labels[*code++];
add: value += 3; goto *((char *)&&stop + distances[*code++]);
twice: value *= 2; goto *labels[*code++];
less: value -= 1; goto *labels[*code++];
#ifdef MORE
more: value *= 7; goto *labels[*code++];
#endif
stop: return value;
}
int main(void) {
  static const unsigned char code[] = {1, 2, 3, 2,
#ifdef MORE
    4,
#endif
    1, 0};
  printf("%d\n", run(code));
  return 0;
}
