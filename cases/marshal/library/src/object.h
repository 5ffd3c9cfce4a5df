/* The objects of a graph. They live in a heap, and go with it. */
#ifndef OBJECT_H
#define OBJECT_H

#include <stdint.h>

#include "heap.h"

enum kind { NONE, FALSE, TRUE, INT, STRING, TUPLE, LIST, DICT };

struct object {
    uint32_t kind;
    uint32_t hash; /* of strings and tuples; 0 is one that nobody asked for yet */
};

struct integer {
    struct object head;
    int64_t value;
};

struct string {
    struct object head;
    size_t size;
    char bytes[];
};

struct tuple {
    struct object head;
    size_t size;
    struct object *items[];
};

struct list {
    struct object head;
    size_t size, capacity;
    struct object **items;
};

struct entry {
    struct object *key, *value;
};

/* Entries stand in the order in which they came; slots say where one is, by its key's hash, plus 1. */
struct dict {
    struct object head;
    size_t size, capacity, mask;
    struct entry *entries;
    uint32_t *slots;
};

extern struct object none_object, false_object, true_object;

struct object *integer_new(struct heap *heap, int64_t value);
struct object *string_new(struct heap *heap, const char *bytes, size_t size);
struct tuple *tuple_new(struct heap *heap, size_t size);

/* A list with room for so many. */
struct list *list_new(struct heap *heap, size_t capacity);
/* 0 where it is no list. */
int list_append(struct heap *heap, struct object *list, struct object *item);

/* A dict with room for so many. */
struct dict *dict_new(struct heap *heap, size_t capacity);
/* 0 where the key is there already, or can be none. */
int dict_add(struct dict *dict, struct object *key, struct object *value);
struct object *dict_get(const struct dict *dict, struct object *key);

/* Whether an object can be a key: an int, a string, a constant, or a tuple of such, but not of tuples. */
int hashable(struct object *object);
/* 0 where it can be none. */
uint32_t hash_of(struct object *object);
/* Whether two keys are the same one. */
int equal(struct object *one, struct object *other);

#endif
