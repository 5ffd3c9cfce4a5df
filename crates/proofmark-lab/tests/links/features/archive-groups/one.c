int two(int);
int one(int a) { return a ? two(a - 1) + VALUE : 1; }
