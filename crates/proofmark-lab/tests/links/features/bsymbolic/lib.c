volatile int three = 3;
__attribute__((noinline)) int helper(void) { return three; }
int call(int a) { return helper() * 100 + a; }
