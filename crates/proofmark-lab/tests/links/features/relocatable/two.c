static int calls;
int two(int a) { return a * 3 + ++calls; }
