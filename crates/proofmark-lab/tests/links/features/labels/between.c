__attribute__((aligned(16))) int between(int n) { return n * 3; }
#ifdef MORE
__attribute__((aligned(64))) int more(int n) { return n ^ 5; }
int entries[] = {5, 6, 7};
#else
int entries[] = {5};
#endif
