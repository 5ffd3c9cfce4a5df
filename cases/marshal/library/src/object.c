/* Constants, ints, strings and tuples, and what makes them keys. */
#include "object.h"

#include <string.h>

struct object none_object = {.kind = NONE}, false_object = {.kind = FALSE}, true_object = {.kind = TRUE};

struct object *integer_new(struct heap *heap, int64_t value) {
    struct integer *made = heap_alloc(heap, sizeof *made);
    made->head.kind = INT;
    made->value = value;
    return &made->head;
}

struct object *string_new(struct heap *heap, const char *bytes, size_t size) {
    struct string *made = heap_alloc(heap, sizeof *made + size);
    made->head.kind = STRING;
    made->size = size;
    memcpy(made->bytes, bytes, size);
    return &made->head;
}

struct tuple *tuple_new(struct heap *heap, size_t size) {
    struct tuple *made = heap_alloc(heap, sizeof *made + size * sizeof *made->items);
    made->head.kind = TUPLE;
    made->size = size;
    return made;
}

static uint32_t hash_of_string(const struct string *string) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < string->size; i++)
        hash = (hash ^ (unsigned char)string->bytes[i]) * 16777619u;
    return hash | 1;
}

static uint32_t hash_of_int(const struct integer *integer) {
    uint64_t value = (uint64_t)integer->value;
    return (uint32_t)(value ^ value >> 32) * 2654435761u | 1;
}

static uint32_t hash_of_tuple(const struct tuple *tuple) {
    uint32_t hash = 97;
    for (size_t i = 0; i < tuple->size; i++) {
        if (tuple->items[i]->kind > STRING)
            return 0;
        hash = (hash ^ hash_of(tuple->items[i])) * 2654435761u;
    }
    return hash | 1;
}

uint32_t hash_of(struct object *object) {
    if (object->kind == INT)
        return hash_of_int((const struct integer *)object);
    if (object->kind < INT)
        return object->kind * 2 + 1;
    if (object->hash == 0 && object->kind == STRING)
        object->hash = hash_of_string((const struct string *)object);
    if (object->hash == 0 && object->kind == TUPLE)
        object->hash = hash_of_tuple((const struct tuple *)object);
    return object->hash;
}

int hashable(struct object *object) {
    return hash_of(object) != 0;
}

static int equal_strings(const struct string *one, const struct string *other) {
    return one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0;
}

static int equal_tuples(const struct tuple *one, const struct tuple *other) {
    if (one->size != other->size)
        return 0;
    for (size_t i = 0; i < one->size; i++)
        if (!equal(one->items[i], other->items[i]))
            return 0;
    return 1;
}

int equal(struct object *one, struct object *other) {
    if (one == other)
        return 1;
    if (one->kind != other->kind || hash_of(one) != hash_of(other))
        return 0;
    if (one->kind == INT)
        return ((const struct integer *)one)->value == ((const struct integer *)other)->value;
    if (one->kind == STRING)
        return equal_strings((const struct string *)one, (const struct string *)other);
    return one->kind == TUPLE && equal_tuples((const struct tuple *)one, (const struct tuple *)other);
}
