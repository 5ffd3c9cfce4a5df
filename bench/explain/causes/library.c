/* A library does half of the work. */
unsigned long work(unsigned long n);
__attribute__((noinline)) unsigned long own(unsigned long n) {
    for (int i = 0; i < 2000; i++)
        __asm__ volatile("imul %0, %0\n add $1, %0" : "+r"(n));
    return n;
}
int main(void) {
    unsigned long n = 1;
    for (int i = 0; i < 8000; i++)
        n = own(work(n));
    return n == 0;
}
