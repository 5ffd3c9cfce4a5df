/* Objects and their garbage collection: mark and sweep, stop-the-world, from the roots that the owner marks. */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

#include "value.h"

typedef struct Class Class;
typedef struct Heap Heap;

typedef enum { OBJECT_STRING, OBJECT_ARRAY, OBJECT_INSTANCE, OBJECT_FUNCTION } ObjectKind;

struct Object {
    Object *next;
    ObjectKind kind;
    bool marked;
};

typedef struct {
    Object object;
    size_t length;
    char bytes[]; /* never changed once made */
} String;

typedef struct {
    Object object;
    size_t count, capacity;
    Value *items;
} Array;

typedef struct {
    Object object;
    Class *class;
    size_t count;
    Value fields[];
} Instance;

struct Heap {
    Object *objects; /* all of them, linked */
    Object **gray;   /* marked, but not what they refer to */
    size_t gray_count, gray_capacity;
    size_t bytes, next_collection;
    void (*mark_roots)(void *owner, Heap *heap); /* NULL: nothing is collected yet */
    void *owner;
};

/* More live data than this is a run-time error: `heap_full`. */
#define HEAP_LIMIT ((size_t)1 << 30)

Heap heap_start(void);
void heap_free(Heap *heap);

/* Whether so many more bytes would be too much, collecting first where that helps. To be asked before large objects are made. */
bool heap_full(Heap *heap, size_t bytes);

/* Each may collect: whatever is to be kept must be reachable from the roots. */
String *heap_string(Heap *heap, size_t length); /* bytes not set yet */
Array *heap_array(Heap *heap, size_t count);    /* of nil */
Instance *heap_instance(Heap *heap, Class *class, size_t count);

/* The array must be reachable, and so must the value. */
void heap_append(Heap *heap, Array *array, Value value);

void heap_mark(Heap *heap, Value value);

static inline bool has_kind(Value value, ObjectKind kind) { return is_object(value) && object_of(value)->kind == kind; }
static inline bool is_string(Value value) { return has_kind(value, OBJECT_STRING); }
static inline bool is_array(Value value) { return has_kind(value, OBJECT_ARRAY); }
static inline bool is_instance(Value value) { return has_kind(value, OBJECT_INSTANCE); }
static inline bool is_function(Value value) { return has_kind(value, OBJECT_FUNCTION); }
static inline String *string_of(Value value) { return (String *)object_of(value); }
static inline Array *array_of(Value value) { return (Array *)object_of(value); }
static inline Instance *instance_of(Value value) { return (Instance *)object_of(value); }

#endif
