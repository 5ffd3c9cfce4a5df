int table[3] = {5, 6, 7};
int one(int a) { return a + 1; }
int two(int a) { return a + 2; }
