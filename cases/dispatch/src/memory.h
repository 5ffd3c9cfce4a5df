/* Memory that is never NULL, and arenas: memory that is given back all at once. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Ends the process with a message and exit code 1 when there is no memory. */
void *allocate(size_t bytes);
void *reallocate(void *block, size_t bytes);

typedef struct Chunk Chunk;

typedef struct {
    Chunk *chunks;
} Arena;

/* Zeroed, and aligned for any type. */
void *arena_allocate(Arena *arena, size_t bytes);
void *arena_copy(Arena *arena, const void *from, size_t bytes);
void arena_free(Arena *arena);

#endif
