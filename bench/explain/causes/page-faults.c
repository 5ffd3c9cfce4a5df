/* The same memory is written again and again; where it is planted, it was given back before. */
#include <sys/mman.h>
int main(void) {
    enum { SIZE = 8 << 20 };
    char *memory = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, SIZE, MADV_NOHUGEPAGE);
    unsigned long n = 1;
    for (int round = 0; round < 15; round++) {
        for (int at = 0; at < SIZE; at += 4096)
            memory[at] = (char)n++;
        for (int i = 0; i < 3000000; i++)
            __asm__ volatile("" : "+r"(n) : "r"(i));
        madvise(memory, SIZE, PLANTED ? MADV_DONTNEED : MADV_NORMAL);
    }
    return n == 0;
}
