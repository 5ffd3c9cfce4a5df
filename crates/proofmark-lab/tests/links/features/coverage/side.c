int side(int n) { return n ? n + 5 : 1; }
