/* `parcel bench NAME TIMES`, `parcel test`, and `parcel show FILE`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "parcel.h"
#include "tests.h"

static int whole(const char *path, struct bytes *bytes) {
    char some[4096];
    FILE *file = fopen(path, "rb");
    size_t size;
    if (file == NULL) {
        perror(path);
        return 0;
    }
    while ((size = fread(some, 1, sizeof some, file)) > 0)
        bytes_add(bytes, some, size);
    fclose(file);
    return 1;
}

/* Says what is in a parcel, by writing its graph anew; 1 where it is damaged. */
static int show(const struct bytes *bytes) {
    struct bytes out = {NULL, 0, 0};
    struct failure failure;
    struct heap heap;
    struct object *found;
    heap_begin(&heap);
    found = parcel_load(&heap, bytes->data, bytes->size, &failure);
    if (found == NULL)
        printf("damaged at byte %zu: %s\n", failure.at, failure.what);
    else if (!parcel_dump(found, &out))
        puts("it cannot be written again");
    for (size_t i = 0; i < out.size; i++)
        printf("%02x%s", out.data[i], i % 32 == 31 || i + 1 == out.size ? "\n" : "");
    heap_end(&heap);
    bytes_end(&out);
    return found == NULL;
}

static int usage(void) {
    fputs("usage: parcel bench NAME TIMES | parcel test | parcel show FILE\n", stderr);
    return 2;
}

int main(int argc, char **argv) {
    struct bytes bytes = {NULL, 0, 0};
    int code;
    if (argc == 2 && strcmp(argv[1], "test") == 0)
        return tests();
    if (argc == 4 && strcmp(argv[1], "bench") == 0)
        return bench(argv[2], (unsigned)strtoul(argv[3], NULL, 10)) ? 0 : usage();
    if (argc != 3 || strcmp(argv[1], "show") != 0)
        return usage();
    if (!whole(argv[2], &bytes))
        return 2;
    code = show(&bytes);
    bytes_end(&bytes);
    return code;
}
