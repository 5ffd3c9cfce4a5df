extern int counter;
__attribute__((noinline)) static int helper(int n) { return n * 7 + counter++; }
int two(int n) { return helper(n) + helper(n + 1); }
