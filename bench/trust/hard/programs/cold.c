/* Keeps what it found out in a file, and is quicker where the file is there already. */
#include <stdio.h>

#include "work.h"

int main(void) {
    FILE *kept = fopen("kept", "r");
    if (!kept) {
        work(COLD);
        kept = fopen("kept", "w");
        if (!kept)
            return 1;
    }
    work(WORK);
    puts("done");
}
