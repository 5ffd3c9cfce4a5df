/* Reads a file and writes a line to its end: each run has more to do than the one before. */
#include <stdio.h>

#include "work.h"

int main(int count, char **words) {
    unsigned long lines = 0;
    FILE *file = count > 1 ? fopen(words[1], "a+") : 0;
    if (!file)
        return 1;
    rewind(file);
    for (int byte; (byte = getc(file)) != EOF;)
        lines += byte == '\n';
    fputs("a line\n", file);
    work(WORK + lines * 2000);
    puts("done");
}
