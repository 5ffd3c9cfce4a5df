int __real_work(int);
int __wrap_work(int a) { return 10 * __real_work(a) + 1; }
