/* The reader's table of references: which object has which number, and whether it is complete. */
#ifndef REFS_H
#define REFS_H

#include "object.h"

#ifndef REFS
#define REFS /* how its functions are declared; who includes refs.c has them in a unit of its own */
#endif

enum { FIRST_REFS = 16 }; /* how many have room at first */

enum state { OPEN, COMPLETE };

struct refs {
    struct heap *heap;
    struct object *objects; /* a list */
    uint8_t *states;        /* as many as the list has items */
    size_t capacity;        /* of the states */
};

REFS void refs_begin(struct refs *refs, struct heap *heap);
/* The number of an object from now on. */
REFS size_t refs_add(struct refs *refs, struct object *object, enum state state);
REFS void refs_complete(struct refs *refs, size_t number);
/* NULL where no object has that number. */
REFS struct object *refs_get(const struct refs *refs, size_t number, enum state *state);

#endif
