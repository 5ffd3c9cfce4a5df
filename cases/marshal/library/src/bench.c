/* `parcel bench NAME TIMES`: reads and writes graphs, and prints a sum over what came out.
 *
 * Micro benchmarks take one large graph, again and again. The real ones are programs that read many small ones: an
 * import of modules, and a server of messages. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphs.h"
#include "parcel.h"

static struct object *load(struct heap *heap, const struct bytes *bytes) {
    struct failure failure;
    struct object *found = parcel_load(heap, bytes->data, bytes->size, &failure);
    if (found == NULL) {
        fprintf(stderr, "parcel: byte %zu: %s\n", failure.at, failure.what);
        exit(1);
    }
    return found;
}

static void dump(struct object *root, struct bytes *out) {
    if (!parcel_dump(root, out))
        exit(1);
}

static uint64_t loads(struct object *root, unsigned times) {
    struct bytes bytes = {NULL, 0, 0}, again = {NULL, 0, 0};
    uint64_t sum = 0;
    dump(root, &bytes);
    for (unsigned i = 0; i < times; i++) {
        struct heap heap;
        struct object *found;
        heap_begin(&heap);
        found = load(&heap, &bytes);
        if (i == 0)
            dump(found, &again);
        sum += found->kind;
        heap_end(&heap);
    }
    for (size_t i = 0; i < again.size; i++)
        sum = sum * 31 + again.data[i];
    bytes_end(&bytes);
    bytes_end(&again);
    return sum;
}

static uint64_t dumps(struct object *root, unsigned times) {
    struct bytes bytes = {NULL, 0, 0};
    uint64_t sum = 0;
    for (unsigned i = 0; i < times; i++) {
        bytes.size = 0;
        dump(root, &bytes);
        sum = sum * 31 + bytes.data[bytes.size / 2] + bytes.size;
    }
    bytes_end(&bytes);
    return sum;
}

enum { MODULES = 256, MESSAGES = 256 };

/* What an import does with a module: its functions are put under their names. */
static uint64_t bind(struct heap *heap, const struct tuple *module) {
    struct dict *names = dict_new(heap, module->size);
    uint64_t bound = 0;
    for (size_t i = 0; i < module->size; i++) {
        struct tuple *function = (struct tuple *)module->items[i];
        if (dict_add(names, function->items[0], &function->head))
            bound += function->size;
    }
    return bound;
}

static uint64_t import(unsigned times) {
    struct bytes modules[MODULES] = {{NULL, 0, 0}};
    uint64_t sum = 0;
    for (unsigned i = 0; i < MODULES; i++) {
        struct heap heap;
        heap_begin(&heap);
        dump(graph_module(&heap, i, 1 + i % 7), &modules[i]);
        heap_end(&heap);
    }
    for (unsigned i = 0; i < times * MODULES; i++) {
        struct heap heap;
        heap_begin(&heap);
        sum = sum * 31 + bind(&heap, (struct tuple *)load(&heap, &modules[i % MODULES]));
        heap_end(&heap);
    }
    for (unsigned i = 0; i < MODULES; i++)
        bytes_end(&modules[i]);
    return sum;
}

/* Reads a message, and answers with its id and its method. */
static uint64_t answer(const struct bytes *message, struct bytes *out) {
    struct heap heap;
    struct object *names[2];
    struct dict *found, *answer;
    heap_begin(&heap);
    found = (struct dict *)load(&heap, message);
    answer = dict_new(&heap, 2);
    names[0] = string_new(&heap, "id", 2);
    names[1] = string_new(&heap, "method", 6);
    for (unsigned i = 0; i < 2; i++)
        dict_add(answer, names[i], dict_get(found, names[i]));
    out->size = 0;
    dump(&answer->head, out);
    heap_end(&heap);
    return out->data[out->size - 1] + out->size;
}

static uint64_t messages(unsigned times) {
    struct bytes messages[MESSAGES] = {{NULL, 0, 0}}, out = {NULL, 0, 0};
    uint64_t sum = 0;
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct heap heap;
        heap_begin(&heap);
        dump(graph_message(&heap, i), &messages[i]);
        heap_end(&heap);
    }
    for (unsigned i = 0; i < times * MESSAGES; i++)
        sum = sum * 31 + answer(&messages[i % MESSAGES], &out);
    for (unsigned i = 0; i < MESSAGES; i++)
        bytes_end(&messages[i]);
    bytes_end(&out);
    return sum;
}

int bench(const char *name, unsigned times) {
    struct heap heap;
    uint64_t sum;
    heap_begin(&heap);
    if (strcmp(name, "tuples") == 0)
        sum = loads(graph_tuples(&heap, 1000), times);
    else if (strcmp(name, "dicts") == 0)
        sum = loads(graph_dicts(&heap, 150), times);
    else if (strcmp(name, "code") == 0)
        sum = loads(graph_module(&heap, 1, 120), times);
    else if (strcmp(name, "dumps") == 0)
        sum = dumps(graph_module(&heap, 1, 120), times);
    else if (strcmp(name, "import") == 0)
        sum = import(times);
    else if (strcmp(name, "messages") == 0)
        sum = messages(times);
    else
        return 0;
    heap_end(&heap);
    printf("%s %u: %016" PRIx64 "\n", name, times, sum);
    return 1;
}
