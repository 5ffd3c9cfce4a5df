/* `parcel test`: what has to be read as it was written, and what has to be refused. */
#include "tests.h"

#include <stdio.h>
#include <string.h>

#include "graphs.h"
#include "parcel.h"

static int dumped(struct object *root, struct bytes *out) {
    *out = (struct bytes){NULL, 0, 0};
    return parcel_dump(root, out);
}

/* Whether a graph is the same when it was written, read and written again. */
static int round_trip(struct object *root) {
    struct bytes once, again = {NULL, 0, 0};
    struct failure failure;
    struct heap heap;
    struct object *found;
    int same;
    heap_begin(&heap);
    if (!dumped(root, &once))
        return 0;
    found = parcel_load(&heap, once.data, once.size, &failure);
    same = found != NULL && dumped(found, &again) && again.size == once.size && memcmp(again.data, once.data, once.size) == 0;
    heap_end(&heap);
    bytes_end(&once);
    bytes_end(&again);
    return same;
}

/* Whether a parcel is refused, at that byte and with these words. */
static int refused(const char *parcel, size_t size, size_t at, const char *what) {
    struct failure failure;
    struct heap heap;
    int as_said;
    heap_begin(&heap);
    as_said = parcel_load(&heap, (const uint8_t *)parcel, size, &failure) == NULL && failure.at == at;
    as_said = as_said && strcmp(failure.what, what) == 0;
    heap_end(&heap);
    return as_said;
}

#define REFUSED(parcel, at, what) refused(parcel, sizeof(parcel) - 1, at, what)

static int constants(struct heap *heap) {
    struct list *list = list_new(heap, 0);
    list_append(heap, &list->head, &none_object);
    list_append(heap, &list->head, &true_object);
    list_append(heap, &list->head, &false_object);
    return round_trip(&list->head) && round_trip(&none_object);
}

static int ints(struct heap *heap) {
    const int64_t values[] = {0, 1, -1, 63, 64, -65, 1 << 20, INT64_MAX, INT64_MIN};
    int same = 1;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct bytes bytes;
        struct failure failure;
        struct integer *found;
        same &= dumped(integer_new(heap, values[i]), &bytes);
        found = (struct integer *)parcel_load(heap, bytes.data, bytes.size, &failure);
        same &= found != NULL && found->value == values[i];
        bytes_end(&bytes);
    }
    return same;
}

static int strings(struct heap *heap) {
    char long_one[1000];
    memset(long_one, 'x', sizeof long_one);
    return round_trip(string_new(heap, "", 0)) && round_trip(string_new(heap, "a\0b", 3)) &&
           round_trip(string_new(heap, long_one, sizeof long_one));
}

static int large_graphs(struct heap *heap) {
    return round_trip(graph_tuples(heap, 5000)) && round_trip(graph_dicts(heap, 200)) && round_trip(graph_module(heap, 3, 80));
}

/* What is shared is one object again, and not two that are alike. */
static int shared(struct heap *heap) {
    struct tuple *pair = tuple_new(heap, 2), *found;
    struct bytes bytes;
    struct failure failure;
    int one;
    pair->items[0] = pair->items[1] = string_new(heap, "both", 4);
    if (!dumped(&pair->head, &bytes))
        return 0;
    found = (struct tuple *)parcel_load(heap, bytes.data, bytes.size, &failure);
    one = found != NULL && found->items[0] == found->items[1];
    bytes_end(&bytes);
    return one;
}

/* A list that holds itself; a tuple in a list in that tuple; a dict that is a value of its own. */
static int cycles(struct heap *heap) {
    struct list *list = list_new(heap, 1), *inner = list_new(heap, 1);
    struct tuple *tuple = tuple_new(heap, 1);
    struct dict *dict = dict_new(heap, 1);
    list_append(heap, &list->head, &list->head);
    tuple->items[0] = &inner->head;
    list_append(heap, &inner->head, &tuple->head);
    dict_add(dict, &none_object, &dict->head);
    return round_trip(&list->head) && round_trip(&tuple->head) && round_trip(&dict->head);
}

static int levels(struct heap *heap) {
    struct object *object = &none_object;
    struct bytes bytes;
    int as_said = 1;
    for (unsigned level = 2; level <= DEEPEST + 1; level++) {
        struct list *list = list_new(heap, 1);
        list_append(heap, &list->head, object);
        object = &list->head;
        if (level == DEEPEST)
            as_said &= round_trip(object);
    }
    as_said &= !dumped(object, &bytes) && bytes.size == 0;
    bytes_end(&bytes);
    return as_said;
}

static int keys(struct heap *heap) {
    struct dict *dict = dict_new(heap, 2);
    struct tuple *tuple = tuple_new(heap, 2);
    tuple->items[0] = integer_new(heap, 7);
    tuple->items[1] = string_new(heap, "k", 1);
    dict_add(dict, &tuple->head, &tuple->head);
    dict_add(dict, integer_new(heap, 7), &none_object);
    return round_trip(&dict->head) && REFUSED("P1{\2i\2Ni\2N", 10, "a key is there twice") &&
           REFUSED("P1{\1[\0N", 7, "that is no key") && REFUSED("P1(\1{\1r\0N", 8, "a key holds what is not complete") &&
           REFUSED("P1(\1{\1(\1r\0N", 10, "a key holds what is not complete");
}

static int damage(struct heap *heap) {
    (void)heap;
    return REFUSED("", 0, "it ends too early") && REFUSED("P2N", 2, "that is no parcel") &&
           REFUSED("P1", 2, "it ends too early") && REFUSED("P1?", 3, "no object begins so") &&
           REFUSED("P1NN", 3, "something stands behind it") && REFUSED("P1s\5abcd", 4, "a size is beyond the end") &&
           REFUSED("P1r\0", 4, "no object has that number") &&
           REFUSED("P1i\200\200\200\200\200\200\200\200\200\200\200", 13, "a number is too long");
}

static const struct {
    const char *name;
    int (*passes)(struct heap *heap);
} all[] = {
    {"constants", constants},
    {"ints", ints},
    {"strings", strings},
    {"large graphs", large_graphs},
    {"shared objects", shared},
    {"cycles", cycles},
    {"levels", levels},
    {"keys", keys},
    {"damage", damage},
};

int tests(void) {
    size_t count = sizeof all / sizeof *all;
    int failed = 0;
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        struct heap heap;
        int passed;
        heap_begin(&heap);
        passed = all[i].passes(&heap);
        heap_end(&heap);
        printf("%s %zu - %s\n", passed ? "ok" : "not ok", i + 1, all[i].name);
        failed |= !passed;
    }
    return failed;
}
