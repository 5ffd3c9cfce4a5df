/* Objects, the search for methods, and the message send. */
#include "runtime.h"
#include "cache.h"

#include <stdlib.h>
#include <string.h>

word send(struct object *self, unsigned selector, word argument) {
    struct cached *place = &cache[(self->kind * 8 + selector) % CACHED];
    if (place->kind != self->kind || place->selector != selector)
        place = fill(place, self->kind, selector);
    return place->method(self, argument);
}

method find(unsigned kind, unsigned selector) {
    const struct class *class = classes[kind];
    for (unsigned at = 0; at < class->count; at++)
        if (class->table[at].selector == selector)
            return class->table[at].method;
    return 0;
}

struct object *make(unsigned kind) {
    struct object *made = aligned_alloc(64, 64);
    if (!made)
        abort();
    memset(made, 0, sizeof *made);
    made->kind = kind;
    made->heat = classes[kind]->weight;
    return made;
}

struct object *copy(const struct object *of) {
    struct object *made = make(of->kind);
    *made = *of;
    return made;
}

word same(const struct object *one, const struct object *other) {
    return one->kind == other->kind && one->mass == other->mass && one->size == other->size;
}

word digest(const struct object *of) {
    return of->mass * 31 + of->speed * 37 + of->heat;
}
