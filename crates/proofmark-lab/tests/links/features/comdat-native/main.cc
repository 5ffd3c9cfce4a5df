#include <cstdio>
volatile int zero;
int first(int);
int second(int);
int main() { std::printf("%d %d\n", first(1), second(1)); }
