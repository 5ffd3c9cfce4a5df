/* Prints Fibonacci numbers by all functions with computed gotos of one kind: `labels staying|leaving TIMES`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "labels.h"

struct way {
    const char *kind, *name;
    fibonacci *fib;
};

#define WAY(kind, name) {kind, #name, name}

static const struct way ways[] = {
    WAY("staying", in_a_local_array),
    WAY("staying", changed_on_the_way),
    WAY("staying", in_a_static_table),
    WAY("staying", in_a_table_of_differences),
    WAY("staying", by_choice),
    WAY("leaving", in_a_static_array),
    WAY("leaving", in_memory_from_elsewhere),
    WAY("leaving", through_a_function),
    WAY("leaving", through_a_volatile),
    WAY("leaving", put_by_a_function),
    WAY("leaving", across_calls),
};

int main(int argc, char **argv) {
    unsigned found = 0;
    uint64_t times;
    if (argc != 3) {
        fprintf(stderr, "usage: %s staying|leaving TIMES\n", argv[0]);
        return 2;
    }
    times = strtoull(argv[2], NULL, 10);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];
        if (strcmp(way->kind, argv[1]) != 0) continue;
        found++;
        printf("%-26s", way->name);
        for (uint64_t n = 0; n <= 18; n++) {
            uint64_t number = 0;
            for (uint64_t time = 0; time < times; time++) number = way->fib(n);
            printf(" %" PRIu64, number);
        }
        printf("\n");
    }
    if (found == 0) {
        fprintf(stderr, "%s: %s is neither staying nor leaving\n", argv[0], argv[1]);
        return 2;
    }
    return 0;
}
