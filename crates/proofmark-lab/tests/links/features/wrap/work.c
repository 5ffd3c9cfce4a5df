int work(int a) { return a + 1; }
