/* Allocation that cannot fail, and arenas as a list of growing chunks. */
#include "memory.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Chunk {
    Chunk *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

static void *present(void *block, size_t bytes) {
    if (block == NULL && bytes > 0) {
        fprintf(stderr, "sprig: out of memory (%zu bytes wanted)\n", bytes);
        exit(1);
    }
    return block;
}

void *allocate(size_t bytes) { return present(malloc(bytes), bytes); }

void *reallocate(void *block, size_t bytes) { return present(realloc(block, bytes), bytes); }

void *arena_allocate(Arena *arena, size_t bytes) {
    const size_t alignment = alignof(max_align_t);
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    Chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->size - chunk->used < rounded) {
        const size_t size = rounded > 65536 ? rounded : 65536;
        chunk = allocate(sizeof *chunk + size);
        *chunk = (Chunk){.next = arena->chunks, .size = size};
        arena->chunks = chunk;
    }
    void *block = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memset(block, 0, rounded);
}

void *arena_copy(Arena *arena, const void *from, size_t bytes) {
    void *copy = arena_allocate(arena, bytes);
    return bytes > 0 ? memcpy(copy, from, bytes) : copy;
}

void arena_free(Arena *arena) {
    for (Chunk *chunk = arena->chunks; chunk != NULL;) {
        Chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    arena->chunks = NULL;
}
