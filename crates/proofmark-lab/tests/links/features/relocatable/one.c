int two(int);
static const int table[] = {VALUE, 5, 6};
int one(int a) { return two(a) + table[a - 1]; }
