/* As many instructions; where it is planted, each eighth condition cannot be foreseen. */
static unsigned char bits[1 << 16];
__attribute__((noinline)) long walk(long n) {
    for (int i = 0; i < 1 << 16; i++)
        if (bits[i])
            __asm__ volatile("add $1, %0" : "+r"(n));
        else
            __asm__ volatile("sub $1, %0" : "+r"(n));
    return n;
}
int main(void) {
    unsigned long state = 88172645463325252ul;
    for (int i = 0; i < 1 << 16; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        bits[i] = PLANTED && i % 8 == 0 ? state >> 20 & 1 : i & 1;
    }
    long n = 0;
    for (int i = 0; i < 1500; i++)
        n = walk(n);
    return n == 1;
}
