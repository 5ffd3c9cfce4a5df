/* Nothing but a function that never runs. */
volatile int never;
#if PLANTED
__attribute__((noinline)) unsigned long more(unsigned long n) {
    for (int i = 0; i < 100; i++)
        n = n * 7 + never;
    return n;
}
#else
static unsigned long more(unsigned long n) { return n; }
#endif
__attribute__((noinline)) unsigned long step(unsigned long n) {
    for (int i = 0; i < 1000; i++)
        n = n * 6364136223846793005ul + 1442695040888963407ul;
    return n;
}
int main(void) {
    unsigned long n = 1;
    for (int i = 0; i < 60000; i++)
        n = step(n);
    if (never)
        n = more(n);
    return n == 0;
}
