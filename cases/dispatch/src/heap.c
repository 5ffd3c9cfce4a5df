/* Allocation, marking and sweeping of objects. */
#include "heap.h"

#include <stdlib.h>

#include "memory.h"

/* -DFIRST_COLLECTION=0 collects at each allocation, so that a root forgotten shows at once. */
#ifndef FIRST_COLLECTION
#define FIRST_COLLECTION ((size_t)8 << 20)
#endif

Heap heap_start(void) { return (Heap){.next_collection = FIRST_COLLECTION}; }

static size_t size_of(const Object *object) {
    switch (object->kind) {
    case OBJECT_STRING:
        return sizeof(String) + ((const String *)object)->length;
    case OBJECT_ARRAY:
        return sizeof(Array) + ((const Array *)object)->capacity * sizeof(Value);
    case OBJECT_INSTANCE:
        return sizeof(Instance) + ((const Instance *)object)->count * sizeof(Value);
    case OBJECT_FUNCTION:
        break;
    }
    return 0;
}

static void release(Object *object) {
    if (object->kind == OBJECT_ARRAY) {
        free(((Array *)object)->items);
    }
    free(object);
}

void heap_free(Heap *heap) {
    for (Object *object = heap->objects; object != NULL;) {
        Object *next = object->next;
        release(object);
        object = next;
    }
    free(heap->gray);
    *heap = (Heap){0};
}

void heap_mark(Heap *heap, Value value) {
    if (!is_object(value)) {
        return;
    }
    Object *object = object_of(value);
    if (object->kind == OBJECT_FUNCTION || object->marked) {
        return;
    }
    object->marked = true;
    if (object->kind == OBJECT_STRING) {
        return;
    }
    if (heap->gray_count == heap->gray_capacity) {
        heap->gray_capacity = heap->gray_capacity == 0 ? 256 : heap->gray_capacity * 2;
        heap->gray = reallocate(heap->gray, heap->gray_capacity * sizeof *heap->gray);
    }
    heap->gray[heap->gray_count++] = object;
}

static void mark_contents(Heap *heap, const Object *object) {
    const bool is_list = object->kind == OBJECT_ARRAY;
    const Value *values = is_list ? ((const Array *)object)->items : ((const Instance *)object)->fields;
    const size_t count = is_list ? ((const Array *)object)->count : ((const Instance *)object)->count;
    for (size_t i = 0; i < count; i++) {
        heap_mark(heap, values[i]);
    }
}

static void sweep(Heap *heap) {
    for (Object **link = &heap->objects; *link != NULL;) {
        Object *object = *link;
        if (object->marked) {
            object->marked = false;
            link = &object->next;
        } else {
            *link = object->next;
            heap->bytes -= size_of(object);
            release(object);
        }
    }
}

static void collect(Heap *heap) {
    heap->mark_roots(heap->owner, heap);
    while (heap->gray_count > 0) {
        mark_contents(heap, heap->gray[--heap->gray_count]);
    }
    sweep(heap);
    const size_t twice = FIRST_COLLECTION == 0 ? 0 : heap->bytes * 2;
    heap->next_collection = twice > FIRST_COLLECTION ? twice : FIRST_COLLECTION;
}

/* Counts bytes about to be allocated, and collects when enough came together. */
static void account(Heap *heap, size_t bytes) {
    if (heap->bytes + bytes > heap->next_collection && heap->mark_roots != NULL) {
        collect(heap);
    }
    heap->bytes += bytes;
}

bool heap_full(Heap *heap, size_t bytes) {
    if (bytes <= HEAP_LIMIT && heap->bytes + bytes > HEAP_LIMIT && heap->mark_roots != NULL) {
        collect(heap);
    }
    return bytes > HEAP_LIMIT || heap->bytes + bytes > HEAP_LIMIT;
}

static void *new_object(Heap *heap, ObjectKind kind, size_t bytes) {
    Object *object = allocate(bytes);
    *object = (Object){.next = heap->objects, .kind = kind};
    heap->objects = object;
    return object;
}

String *heap_string(Heap *heap, size_t length) {
    account(heap, sizeof(String) + length);
    String *string = new_object(heap, OBJECT_STRING, sizeof(String) + length);
    string->length = length;
    return string;
}

Array *heap_array(Heap *heap, size_t count) {
    account(heap, sizeof(Array) + count * sizeof(Value));
    Array *array = new_object(heap, OBJECT_ARRAY, sizeof(Array));
    array->count = array->capacity = count;
    array->items = count > 0 ? allocate(count * sizeof(Value)) : NULL;
    for (size_t i = 0; i < count; i++) {
        array->items[i] = NIL_VALUE;
    }
    return array;
}

Instance *heap_instance(Heap *heap, Class *class, size_t count) {
    account(heap, sizeof(Instance) + count * sizeof(Value));
    Instance *instance = new_object(heap, OBJECT_INSTANCE, sizeof(Instance) + count * sizeof(Value));
    instance->class = class;
    instance->count = count;
    for (size_t i = 0; i < count; i++) {
        instance->fields[i] = NIL_VALUE;
    }
    return instance;
}

void heap_append(Heap *heap, Array *array, Value value) {
    if (array->count == array->capacity) {
        const size_t capacity = array->capacity < 8 ? 8 : array->capacity * 2;
        account(heap, (capacity - array->capacity) * sizeof(Value));
        array->items = reallocate(array->items, capacity * sizeof(Value));
        array->capacity = capacity;
    }
    array->items[array->count++] = value;
}
