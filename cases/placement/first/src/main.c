/* The benchmark: some rounds of one message to an object of each class. */
#include "methods.h"
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    long rounds = count > 1 ? atol(words[1]) : 10000;
    struct object **objects = malloc(class_count * sizeof *objects);
    if (!objects)
        return 1;
    for (unsigned kind = 0; kind < class_count; kind++)
        objects[kind] = make(kind);
    word sum = 0;
    for (long round = 0; round < rounds; round++)
        for (unsigned at = 0; at < class_count; at++)
            sum += send(objects[at], SEL_step, round);
    printf("%ld\n", sum);
    return 0;
}
