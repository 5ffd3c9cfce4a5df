/* A small function is a part of the loop; where it is planted, it stands by itself. */
#if PLANTED
__attribute__((noinline))
#else
static inline __attribute__((always_inline))
#endif
unsigned long step(unsigned long k) {
    k *= 0xbf58476d1ce4e5b9ul;
    k ^= k >> 29;
    k *= 0x94d049bb133111ebul;
    k ^= k >> 32;
    k *= 0xff51afd7ed558ccdul;
    return k ^ k >> 31;
}
__attribute__((noinline)) unsigned long walk(unsigned long n) {
    for (unsigned long k = 0; k < 30000; k++)
        n += step(k);
    return n;
}
int main(void) {
    unsigned long n = 1;
    for (int i = 0; i < 3000; i++)
        n = walk(n);
    return n == 0;
}
