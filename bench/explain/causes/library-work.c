/* The library: as many instructions; where it is planted, each waits for the one before. */
unsigned long work(unsigned long n) {
    unsigned long a = n, b = n + 1, c = n + 2, d = n + 3;
    for (int i = 0; i < 1000; i++) {
#if PLANTED
        __asm__ volatile("imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0" : "+r"(a));
#else
        __asm__ volatile("imul %0, %0\n imul %1, %1\n imul %2, %2\n imul %3, %3"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
#endif
    }
    return a + b + c + d;
}
