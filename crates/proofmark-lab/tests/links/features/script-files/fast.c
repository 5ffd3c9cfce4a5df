unsigned work(unsigned n) { return n * VALUE + 1; }
unsigned two(unsigned n) { return n ? work(n) : 7; }
