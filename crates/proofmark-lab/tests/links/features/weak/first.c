__attribute__((weak)) int chosen(int a) { return a + 10; }
__attribute__((weak)) int table[2] = {1, 2};
