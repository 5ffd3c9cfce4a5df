extern int counter;
__attribute__((noinline)) static int helper(int n) { return n * 5 + counter++; }
int one(int n) { return helper(n) + helper(n + 1); }
