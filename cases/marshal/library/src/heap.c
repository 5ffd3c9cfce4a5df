/* Memory by chunks that double in size. Who has none left ends the program: no test here is about that. */
#include "heap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST = 2048, LARGEST = 65536, ALIGNMENT = 16 };

struct chunk {
    struct chunk *before;
    max_align_t bytes[];
};

void heap_begin(struct heap *heap) {
    *heap = (struct heap){.next = FIRST};
}

static void grow(struct heap *heap, size_t size) {
    size_t bytes = size > heap->next ? size : heap->next;
    struct chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (chunk == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    chunk->before = heap->chunks;
    heap->chunks = chunk;
    heap->free = (char *)chunk->bytes;
    heap->end = heap->free + bytes;
    if (heap->next < LARGEST)
        heap->next *= 2;
}

void *heap_alloc(struct heap *heap, size_t size) {
    void *found;
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size > (size_t)(heap->end - heap->free))
        grow(heap, size);
    found = heap->free;
    heap->free += size;
    return found;
}

void heap_end(struct heap *heap) {
    while (heap->chunks != NULL) {
        struct chunk *before = heap->chunks->before;
        free(heap->chunks);
        heap->chunks = before;
    }
    heap_begin(heap);
}
