int one(int);
int two(int a) { return a ? one(a - 1) * 3 : 2; }
