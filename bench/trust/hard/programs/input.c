/* Does as much as the file says that its first argument names, and MORE. */
#include <stdio.h>

#include "work.h"

int main(int count, char **words) {
    unsigned long turns = 0;
    FILE *file = count > 1 ? fopen(words[1], "r") : 0;
    if (!file || fscanf(file, "%lu", &turns) != 1)
        return 1;
    work(turns + MORE);
    puts("done");
}
