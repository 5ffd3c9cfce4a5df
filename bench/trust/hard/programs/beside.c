/* Reads how much to do from a file beside itself, as many programs look for their settings. HOW 1: it knows its place from the kernel.
   HOW 2: from its name. */
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

int main(int count, char **words) {
    char self[4096], beside[4200];
    if (HOW == 1) {
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        if (length < 0)
            return 1;
        self[length] = 0;
    } else if (count < 1 || snprintf(self, sizeof self, "%s", words[0]) < 0) {
        return 1;
    }
    snprintf(beside, sizeof beside, "%s/turns", dirname(self));
    unsigned long turns = WORK;
    FILE *file = fopen(beside, "r");
    if (file && fscanf(file, "%lu", &turns) != 1)
        return 1;
    work(turns);
    puts("done");
}
