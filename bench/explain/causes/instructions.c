/* A tenth more of the same work. */
__attribute__((noinline)) unsigned long step(unsigned long n) {
    for (int i = 0; i < 1000 + 150 * PLANTED; i++)
        n = n * 6364136223846793005ul + 1442695040888963407ul;
    return n;
}
int main(void) {
    unsigned long n = 1;
    for (int i = 0; i < 60000; i++)
        n = step(n);
    return n == 0;
}
