/* A chain of reads through 16 KiB, or through 1 MiB. */
#define ROOM (1 << 18)
static unsigned next[ROOM];
__attribute__((noinline)) unsigned chase(unsigned at, int count) {
    while (count--)
        at = next[at];
    return at;
}
int main(void) {
    unsigned used = PLANTED ? ROOM : 4096, step = 16 * 1021 + 1;
    for (unsigned i = 0; i < ROOM; i++)
        next[i] = 0;
    for (unsigned i = 0; i < used; i++)
        next[i] = (i + step) % used;
    for (unsigned i = used; i < ROOM; i++)
        next[i] = i;
    return chase(0, 40000000) == 1;
}
