/* Computes a Fibonacci number again and again: `fib-FORM INDEX TIMES`.
 *
 * With SAYING defined it also says what it does, by two printfs that are not in the loop. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fib.h"

int main(int argc, char **argv) {
    uint64_t index, times, sum = 0;
    if (argc != 3) {
        puts("usage: fib INDEX TIMES");
        return 2;
    }
    index = strtoull(argv[1], NULL, 10);
    times = strtoull(argv[2], NULL, 10);
    if (index > 90) {
        puts("an INDEX above 90 has a number that does not fit");
        return 2;
    }
#ifdef SAYING
    printf("computing\n");
#endif
    for (; times > 0; times--) sum += fib(index);
#ifdef SAYING
    printf("computed\n");
#endif
    printf("sum %" PRIu64 "\n", sum);
    return 0;
}
