/* A list object has the objects, and an array beside it what is known of them. */
#include "refs.h"

#include <string.h>

REFS void refs_begin(struct refs *refs, struct heap *heap) {
    refs->heap = heap;
    refs->objects = &list_new(heap, FIRST_REFS)->head;
    refs->capacity = FIRST_REFS;
    refs->states = heap_alloc(heap, FIRST_REFS);
}

REFS size_t refs_add(struct refs *refs, struct object *object, enum state state) {
    size_t number = ((struct list *)refs->objects)->size;
    list_append(refs->heap, refs->objects, object);
    if (number == refs->capacity) {
        uint8_t *states = heap_alloc(refs->heap, refs->capacity * 2);
        memcpy(states, refs->states, refs->capacity);
        refs->states = states;
        refs->capacity *= 2;
    }
    refs->states[number] = (uint8_t)state;
    return number;
}

REFS void refs_complete(struct refs *refs, size_t number) {
    refs->states[number] = COMPLETE;
}

REFS struct object *refs_get(const struct refs *refs, size_t number, enum state *state) {
    const struct list *list = (const struct list *)refs->objects;
    if (number >= list->size)
        return NULL;
    *state = (enum state)refs->states[number];
    return list->items[number];
}
