KIND int chosen(int a) { return a + 20; }
KIND int table[2] = {3, 4};
