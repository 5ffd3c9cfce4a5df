__attribute__((noinline)) static int rare(int n) { return n * 17 % 5; }
int side(int n) { return n % 1000 == 7 ? rare(n) : n + 5; }
