/* Memory of one graph: handed out piece by piece, zeroed, and given back all at once. */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

struct chunk;

struct heap {
    struct chunk *chunks; /* the newest first */
    char *free, *end;
    size_t next; /* bytes of the next chunk */
};

void heap_begin(struct heap *heap);
void *heap_alloc(struct heap *heap, size_t size);
void heap_end(struct heap *heap);

#endif
