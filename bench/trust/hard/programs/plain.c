/* Work, and nothing else. */
#include <stdio.h>

#include "work.h"

int main(void) {
    work(WORK);
    puts("done");
}
