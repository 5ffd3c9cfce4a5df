static int helper(int a) { return a + 2; }
int two(int a) { return helper(a) * 10; }
int unused(int a) { return helper(a) * 11; }
