#include <stdio.h>
#include <stdlib.h>

extern const char table[80];

__attribute__((noinline, used)) int zero(int n) { return n; }
__attribute__((noinline, used)) int one(int n) { return n * 10 + 1; }
__attribute__((noinline, used)) int two(int n) { return n * 35 + 2; }
__attribute__((noinline, used)) int three(int n) { return n - 3; }

int main(void) {
    /* The table counts from the same place as the program's own functions do. */
    char *at = (char *)table;
    unsigned long read[4];
    for (int i = 0; i < 4; i++)
        read[i] = strtoul(at, &at, 16);
    unsigned long moved = (unsigned long)main - read[3];
    int (*chosen)(int) = (int (*)(int))(read[1] + moved);
    printf("%d\n", chosen(3) + zero(0) + one(0) - 1 + two(0) - 2 + three(3));
    return 0;
}
