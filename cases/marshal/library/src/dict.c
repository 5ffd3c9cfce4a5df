/* Dicts of a size that is known beforehand: open addressing with linear probing. */
#include "object.h"

struct dict *dict_new(struct heap *heap, size_t capacity) {
    struct dict *made = heap_alloc(heap, sizeof *made);
    size_t slots = 8;
    while (slots < capacity * 2)
        slots *= 2;
    made->head.kind = DICT;
    made->capacity = capacity;
    made->mask = slots - 1;
    made->entries = heap_alloc(heap, capacity * sizeof *made->entries);
    made->slots = heap_alloc(heap, slots * sizeof *made->slots);
    return made;
}

/* The slot of a key, or the empty one where it would go. */
static uint32_t *slot_of(const struct dict *dict, struct object *key) {
    size_t at = hash_of(key) & dict->mask;
    while (dict->slots[at] != 0 && !equal(dict->entries[dict->slots[at] - 1].key, key))
        at = (at + 1) & dict->mask;
    return &dict->slots[at];
}

int dict_add(struct dict *dict, struct object *key, struct object *value) {
    uint32_t *slot;
    if (dict->size == dict->capacity || !hashable(key))
        return 0;
    slot = slot_of(dict, key);
    if (*slot != 0)
        return 0;
    dict->entries[dict->size++] = (struct entry){key, value};
    *slot = (uint32_t)dict->size;
    return 1;
}

struct object *dict_get(const struct dict *dict, struct object *key) {
    uint32_t slot = hashable(key) ? *slot_of(dict, key) : 0;
    return slot == 0 ? NULL : dict->entries[slot - 1].value;
}
