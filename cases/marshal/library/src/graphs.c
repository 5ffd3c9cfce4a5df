/* Graphs that are the same each time. */
#include "graphs.h"

#include <stdio.h>
#include <string.h>

enum { NAMES = 64 };

static struct object *text(struct heap *heap, const char *format, unsigned number) {
    char made[64];
    int size = snprintf(made, sizeof made, format, number);
    return string_new(heap, made, (size_t)size);
}

/* The same name each time: names are shared, as those of a compiler are. */
static struct object *name(struct heap *heap, struct object **names, unsigned which) {
    which %= NAMES;
    if (names[which] == NULL)
        names[which] = text(heap, "name_%u", which);
    return names[which];
}

static struct object *tuple_of(struct heap *heap, size_t size, struct object *const *items) {
    struct tuple *made = tuple_new(heap, size);
    memcpy(made->items, items, size * sizeof *items);
    return &made->head;
}

struct object *graph_tuples(struct heap *heap, unsigned size) {
    struct tuple *made = tuple_new(heap, size);
    struct object *names[NAMES] = {NULL};
    for (unsigned i = 0; i < size; i++) {
        struct object *items[] = {integer_new(heap, i), name(heap, names, i * 7), &none_object};
        made->items[i] = tuple_of(heap, 3, items);
    }
    return &made->head;
}

struct object *graph_dicts(struct heap *heap, unsigned size) {
    struct dict *made = dict_new(heap, size);
    struct object *names[NAMES] = {NULL};
    for (unsigned i = 0; i < size; i++) {
        struct dict *inner = dict_new(heap, 4);
        for (unsigned j = 0; j < 4; j++) {
            struct dict *leaf = dict_new(heap, 2);
            dict_add(leaf, name(heap, names, j), integer_new(heap, i * j));
            dict_add(leaf, name(heap, names, j + 20), j % 2 ? &true_object : &false_object);
            dict_add(inner, name(heap, names, i + j), &leaf->head);
        }
        dict_add(made, integer_new(heap, i), &inner->head);
    }
    return &made->head;
}

static struct object *some_names(struct heap *heap, struct object **names, unsigned from, unsigned size) {
    struct tuple *made = tuple_new(heap, size);
    for (unsigned i = 0; i < size; i++)
        made->items[i] = name(heap, names, from + i * 5);
    return &made->head;
}

static struct object *code(struct heap *heap, unsigned size, unsigned which) {
    char made[256];
    for (unsigned i = 0; i < size; i++)
        made[i] = (char)(i * which);
    return string_new(heap, made, size);
}

struct object *graph_module(struct heap *heap, unsigned which, unsigned functions) {
    struct tuple *made = tuple_new(heap, functions);
    struct object *names[NAMES] = {NULL}, *file = text(heap, "library/module_%u.x", which);
    for (unsigned i = 0; i < functions; i++) {
        unsigned drawn = which * 31 + i * 7;
        struct object *constants[] = {&none_object, integer_new(heap, drawn), text(heap, "says %u", drawn), &true_object};
        struct object *items[] = {
            name(heap, names, drawn),
            code(heap, 24 + drawn % 60, drawn),
            tuple_of(heap, 2 + drawn % 3, constants),
            some_names(heap, names, drawn, drawn % 5),
            some_names(heap, names, drawn + 1, drawn % 4),
            file,
            integer_new(heap, i * 11),
            code(heap, 4 + drawn % 12, 3),
        };
        made->items[i] = tuple_of(heap, sizeof items / sizeof *items, items);
    }
    return &made->head;
}

struct object *graph_message(struct heap *heap, unsigned which) {
    struct dict *made = dict_new(heap, 5);
    struct list *tags = list_new(heap, 4);
    for (unsigned i = 0; i < which % 5; i++)
        list_append(heap, &tags->head, text(heap, "tag %u", which + i));
    dict_add(made, string_new(heap, "method", 6), text(heap, "method_%u", which % 8));
    dict_add(made, string_new(heap, "id", 2), integer_new(heap, which * 1000));
    dict_add(made, string_new(heap, "tags", 4), &tags->head);
    dict_add(made, string_new(heap, "user", 4), text(heap, "user %u", which % 100));
    dict_add(made, string_new(heap, "again", 5), which % 2 ? &true_object : &false_object);
    return &made->head;
}
