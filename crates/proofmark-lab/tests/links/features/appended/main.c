#include <stdio.h>
int main(void) {
  char text[5] = "";
  FILE *own = fopen("/proc/self/exe", "rb");
  fseek(own, -4, SEEK_END);
  fread(text, 1, 4, own);
  printf("%d\n", text[0] == '0' ? (text[2] - '0') * 10 + text[3] - '0' : -1);
  return 0;
}
