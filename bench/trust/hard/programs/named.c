/* Does more when it is called `slow`. */
#include <stdio.h>
#include <string.h>

#include "work.h"

int main(int count, char **words) {
    const char *name = count > 0 ? strrchr(words[0], '/') : 0;
    work(name && strcmp(name, "/slow") == 0 ? WORK + MORE : WORK);
    puts("done");
}
