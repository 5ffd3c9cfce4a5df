/* A program that takes about a millisecond: a fixed number of dependent multiplications. The argument is their number, in thousands. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    unsigned long rounds = (argc > 1 ? strtoul(argv[1], NULL, 10) : 600) * 1000, value = 1;
    for (unsigned long at = 0; at < rounds; at++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(value));
    }
    return value == 0;
}
