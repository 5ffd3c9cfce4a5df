static int helper(int a) { return a + VALUE; }
int one(int a) { return helper(a) * 10; }
