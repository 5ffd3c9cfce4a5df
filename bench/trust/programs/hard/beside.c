/* Reads how much to do from a file beside itself, as many programs look for their settings. */
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

int main(void) {
    char self[4096], beside[4200];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return 1;
    self[length] = 0;
    snprintf(beside, sizeof beside, "%s/turns", dirname(self));
    unsigned long turns = WORK;
    FILE *file = fopen(beside, "r");
    if (file && fscanf(file, "%lu", &turns) != 1)
        return 1;
    work(turns);
    puts("done");
}
