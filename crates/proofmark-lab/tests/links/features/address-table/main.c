#include <stdio.h>

extern const unsigned long table[4];

__attribute__((noinline, used)) int zero(int n) { return n; }
__attribute__((noinline, used)) int one(int n) { return n * 10 + 1; }
__attribute__((noinline, used)) int two(int n) { return n * 35 + 2; }
__attribute__((noinline, used)) int three(int n) { return n - 3; }

int main(void) {
    /* The table counts from the same place as the program's own functions do. */
    unsigned long moved = (unsigned long)main - table[3];
    int (*chosen)(int) = (int (*)(int))(table[1] + moved);
    printf("%d\n", chosen(3) + zero(0) + one(0) - 1 + two(0) - 2 + three(3));
    return 0;
}
