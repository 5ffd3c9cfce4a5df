/* Reads a parcel. What is damaged is told by what is wrong and where; it is never trusted with a size. */
#include "parcel.h"
#include "refs.h"

struct reader {
    const uint8_t *at, *end, *begin;
    struct heap *heap;
    struct refs refs;
    unsigned depth;
    struct failure *failure;
};

static void *fail(struct reader *reader, const char *what) {
    if (reader->failure->what == NULL)
        *reader->failure = (struct failure){what, (size_t)(reader->at - reader->begin)};
    return NULL;
}

/* A byte, or -1. */
static int read_byte(struct reader *reader) {
    if (reader->at == reader->end) {
        fail(reader, "it ends too early");
        return -1;
    }
    return *reader->at++;
}

/* 7 bits a byte, the lowest first; 0 where it is none. */
static int read_number(struct reader *reader, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        int byte = read_byte(reader);
        if (byte < 0)
            return 0;
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return 1;
    }
    fail(reader, "a number is too long");
    return 0;
}

/* How many things follow, each of which takes some bytes. */
static int read_size(struct reader *reader, size_t each, size_t *size) {
    uint64_t number;
    if (!read_number(reader, &number))
        return 0;
    if (number > (size_t)(reader->end - reader->at) / each) {
        fail(reader, "a size is beyond the end");
        return 0;
    }
    *size = (size_t)number;
    return 1;
}

static struct object *read_int(struct reader *reader) {
    uint64_t number;
    if (!read_number(reader, &number))
        return NULL;
    return integer_new(reader->heap, (int64_t)(number >> 1 ^ -(number & 1)));
}

static struct object *read_string(struct reader *reader) {
    struct object *made;
    size_t size;
    if (!read_size(reader, 1, &size))
        return NULL;
    made = string_new(reader->heap, (const char *)reader->at, size);
    reader->at += size;
    refs_add(&reader->refs, made, COMPLETE);
    return made;
}

static struct object *read_object(struct reader *reader, int in_key);

static struct object *read_tuple(struct reader *reader, int in_key) {
    struct tuple *made;
    size_t size, number;
    if (!read_size(reader, 1, &size))
        return NULL;
    made = tuple_new(reader->heap, size);
    number = refs_add(&reader->refs, &made->head, OPEN);
    for (size_t i = 0; i < size; i++)
        if ((made->items[i] = read_object(reader, in_key)) == NULL)
            return NULL;
    refs_complete(&reader->refs, number);
    return &made->head;
}

static struct object *read_list(struct reader *reader, int in_key) {
    struct list *made;
    size_t size, number;
    if (!read_size(reader, 1, &size))
        return NULL;
    made = list_new(reader->heap, size);
    number = refs_add(&reader->refs, &made->head, OPEN);
    for (size_t i = 0; i < size; i++) {
        struct object *item = read_object(reader, in_key);
        if (item == NULL)
            return NULL;
        made->items[made->size++] = item;
    }
    refs_complete(&reader->refs, number);
    return &made->head;
}

static struct object *read_dict(struct reader *reader, int in_key) {
    struct dict *made;
    size_t size, number;
    if (!read_size(reader, 2, &size))
        return NULL;
    made = dict_new(reader->heap, size);
    number = refs_add(&reader->refs, &made->head, OPEN);
    for (size_t i = 0; i < size; i++) {
        struct object *key, *value;
        if ((key = read_object(reader, 1)) == NULL || (value = read_object(reader, in_key)) == NULL)
            return NULL;
        if (!dict_add(made, key, value))
            return fail(reader, hashable(key) ? "a key is there twice" : "that is no key");
    }
    refs_complete(&reader->refs, number);
    return &made->head;
}

static struct object *read_ref(struct reader *reader, int in_key) {
    enum state state = OPEN;
    struct object *found;
    uint64_t number;
    if (!read_number(reader, &number))
        return NULL;
    found = refs_get(&reader->refs, (size_t)number, &state);
    if (found == NULL)
        return fail(reader, "no object has that number");
    if (in_key && state == OPEN)
        return fail(reader, "a key holds what is not complete");
    return found;
}

/* In a key, nothing may be referred to that is not complete. */
static struct object *read_object(struct reader *reader, int in_key) {
    struct object *found;
    if (++reader->depth > DEEPEST)
        return fail(reader, "it is too deep");
    switch (read_byte(reader)) {
    case 'N':
        found = &none_object;
        break;
    case 'F':
        found = &false_object;
        break;
    case 'T':
        found = &true_object;
        break;
    case 'i':
        found = read_int(reader);
        break;
    case 's':
        found = read_string(reader);
        break;
    case '(':
        found = read_tuple(reader, in_key);
        break;
    case '[':
        found = read_list(reader, in_key);
        break;
    case '{':
        found = read_dict(reader, in_key);
        break;
    case 'r':
        found = read_ref(reader, in_key);
        break;
    default:
        return fail(reader, "no object begins so");
    }
    reader->depth--;
    return found;
}

struct object *parcel_load(struct heap *heap, const uint8_t *data, size_t size, struct failure *failure) {
    struct reader reader = {.at = data, .end = data + size, .begin = data, .heap = heap, .failure = failure};
    struct object *found;
    *failure = (struct failure){NULL, 0};
    if (read_byte(&reader) != 'P' || read_byte(&reader) != '1')
        return fail(&reader, "that is no parcel");
    refs_begin(&reader.refs, heap);
    found = read_object(&reader, 0);
    if (found != NULL && reader.at != reader.end)
        return fail(&reader, "something stands behind it");
    return found;
}
