#include <stdio.h>
extern char hot_begin[], hot_end[];
unsigned work(unsigned), two(unsigned);
int main(void) {
  int in = (char *)work >= hot_begin && (char *)two < hot_end;
  printf("%d %d %u\n", in, (int)(hot_end - hot_begin), two(5));
  return 0;
}
