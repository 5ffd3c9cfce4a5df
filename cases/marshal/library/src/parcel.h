/* A graph of objects as bytes, and back.
 *
 * A parcel is two bytes, `P1`, and an object: one byte that says of which kind, and what belongs to it.
 *
 *   N F T            none, false, true
 *   i VALUE          an int: zigzag, then 7 bits a byte, the lowest first
 *   s SIZE BYTES     a string
 *   ( SIZE OBJECTS   a tuple
 *   [ SIZE OBJECTS   a list
 *   { SIZE PAIRS     a dict: keys and values in turn, no key twice
 *   r NUMBER         an object that came before: strings, tuples, lists and dicts are numbered as they begin
 *
 * So a list can hold itself. A key cannot hold a tuple that is not complete yet: nobody knows its hash. */
#ifndef PARCEL_H
#define PARCEL_H

#include "object.h"

enum { DEEPEST = 400 }; /* levels of a graph that is read or written */

struct failure {
    const char *what; /* NULL as long as all is well */
    size_t at;        /* which byte */
};

struct bytes {
    uint8_t *data;
    size_t size, capacity;
};

/* The graph, in the heap; or NULL, with the failure. */
struct object *parcel_load(struct heap *heap, const uint8_t *data, size_t size, struct failure *failure);

/* Adds the parcel of a graph; 0 where it is too deep, and then nothing was added. */
int parcel_dump(struct object *root, struct bytes *out);

void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_end(struct bytes *bytes);

#endif
