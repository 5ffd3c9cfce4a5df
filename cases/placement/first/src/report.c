/* What is printed of an object. The benchmark prints none. */
#include "runtime.h"

#include <stdio.h>

word show(const struct object *of, word how) {
    return printf("%s mass %ld size %ld (%ld)\n", classes[of->kind]->name, of->mass, of->size, how);
}

word refuse(const struct object *of, unsigned selector) {
    return fprintf(stderr, "%s has no method %u\n", classes[of->kind]->name, selector);
}
