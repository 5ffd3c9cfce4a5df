/* Lists: they grow by an eighth, and a little, so that long ones waste little memory. */
#include <string.h>

#include "object.h"

struct list *list_new(struct heap *heap, size_t capacity) {
    struct list *made = heap_alloc(heap, sizeof *made);
    made->head.kind = LIST;
    made->capacity = capacity;
    made->items = heap_alloc(heap, capacity * sizeof *made->items);
    return made;
}

static void grow(struct heap *heap, struct list *list) {
    size_t capacity = list->size + list->size / 8 + 6;
    struct object **items = heap_alloc(heap, capacity * sizeof *items);
    memcpy(items, list->items, list->size * sizeof *items);
    list->items = items;
    list->capacity = capacity;
}

int list_append(struct heap *heap, struct object *object, struct object *item) {
    struct list *list = (struct list *)object;
    if (object->kind != LIST || item == NULL)
        return 0;
    if (list->size == list->capacity)
        grow(heap, list);
    list->items[list->size++] = item;
    return 1;
}
