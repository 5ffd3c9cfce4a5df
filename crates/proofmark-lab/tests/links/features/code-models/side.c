static int table[30000] = {9};
int side(int a) { return table[a - 1]++ + a; }
