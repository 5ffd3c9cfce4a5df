/* Writes a parcel. Which number an object has is kept in a table by its address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parcel.h"

struct seen {
    const struct object *object;
    size_t number;
};

struct writer {
    struct bytes *out;
    struct seen *seen;
    size_t count, mask;
    unsigned depth;
};

static void *allocated(void *memory) {
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

void bytes_add(struct bytes *bytes, const void *data, size_t size) {
    if (size > bytes->capacity - bytes->size) {
        bytes->capacity = bytes->capacity * 2 + size + 256;
        bytes->data = allocated(realloc(bytes->data, bytes->capacity));
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void bytes_end(struct bytes *bytes) {
    free(bytes->data);
    *bytes = (struct bytes){NULL, 0, 0};
}

static void write_byte(struct writer *writer, uint8_t byte) {
    bytes_add(writer->out, &byte, 1);
}

static void write_number(struct writer *writer, uint64_t number) {
    for (; number > 127; number >>= 7)
        write_byte(writer, (uint8_t)(number | 128));
    write_byte(writer, (uint8_t)number);
}

static struct seen *place_of(const struct writer *writer, const struct object *object) {
    size_t at = ((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15u >> 32 & writer->mask;
    while (writer->seen[at].object != NULL && writer->seen[at].object != object)
        at = (at + 1) & writer->mask;
    return &writer->seen[at];
}

static void grow(struct writer *writer) {
    struct seen *old = writer->seen;
    size_t places = writer->mask + 1;
    writer->mask = places * 2 - 1;
    writer->seen = allocated(calloc(places * 2, sizeof *old));
    for (size_t i = 0; i < places; i++)
        if (old[i].object != NULL)
            *place_of(writer, old[i].object) = old[i];
    free(old);
}

/* Whether an object was written before; then its number is written, and else it has one from now on. */
static int write_ref(struct writer *writer, const struct object *object) {
    struct seen *place = place_of(writer, object);
    if (place->object != NULL) {
        write_byte(writer, 'r');
        write_number(writer, place->number);
        return 1;
    }
    *place = (struct seen){object, writer->count++};
    if (writer->count * 2 > writer->mask)
        grow(writer);
    return 0;
}

static int write_object(struct writer *writer, struct object *object);

static int write_items(struct writer *writer, uint8_t kind, struct object *const *items, size_t size) {
    write_byte(writer, kind);
    write_number(writer, size);
    for (size_t i = 0; i < size; i++)
        if (!write_object(writer, items[i]))
            return 0;
    return 1;
}

static int write_dict(struct writer *writer, const struct dict *dict) {
    write_byte(writer, '{');
    write_number(writer, dict->size);
    for (size_t i = 0; i < dict->size; i++)
        if (!write_object(writer, dict->entries[i].key) || !write_object(writer, dict->entries[i].value))
            return 0;
    return 1;
}

static int write_string(struct writer *writer, const struct string *string) {
    write_byte(writer, 's');
    write_number(writer, string->size);
    bytes_add(writer->out, string->bytes, string->size);
    return 1;
}

static int write_int(struct writer *writer, int64_t value) {
    write_byte(writer, 'i');
    write_number(writer, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
    return 1;
}

static int write_container(struct writer *writer, struct object *object) {
    const struct tuple *tuple = (const struct tuple *)object;
    const struct list *list = (const struct list *)object;
    if (object->kind == TUPLE)
        return write_items(writer, '(', tuple->items, tuple->size);
    if (object->kind == LIST)
        return write_items(writer, '[', list->items, list->size);
    return write_dict(writer, (const struct dict *)object);
}

static int write_whole(struct writer *writer, struct object *object) {
    if (object->kind <= TRUE) {
        write_byte(writer, (uint8_t) "NFT"[object->kind]);
        return 1;
    }
    if (object->kind == INT)
        return write_int(writer, ((const struct integer *)object)->value);
    if (write_ref(writer, object))
        return 1;
    if (object->kind == STRING)
        return write_string(writer, (const struct string *)object);
    return write_container(writer, object);
}

static int write_object(struct writer *writer, struct object *object) {
    int done;
    if (writer->depth == DEEPEST)
        return 0;
    writer->depth++;
    done = write_whole(writer, object);
    writer->depth--;
    return done;
}

int parcel_dump(struct object *root, struct bytes *out) {
    struct writer writer = {.out = out, .mask = 63};
    size_t before = out->size;
    int done;
    writer.seen = allocated(calloc(writer.mask + 1, sizeof *writer.seen));
    bytes_add(out, "P1", 2);
    done = write_object(&writer, root);
    free(writer.seen);
    if (!done)
        out->size = before;
    return done;
}
