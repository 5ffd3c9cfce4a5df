/* Reading a source file and reporting errors in it. */
#include "source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { SOURCE_LIMIT = 64 << 20 };

bool source_read(Source *source, const char *path) {
    *source = (Source){.path = path};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "sprig: cannot open %s: %s\n", path, strerror(errno));
        return false;
    }
    size_t capacity = 4096, length = 0;
    char *text = allocate(capacity);
    for (size_t got; (got = fread(text + length, 1, capacity - length, file)) > 0;) {
        length += got;
        if (length > SOURCE_LIMIT) {
            break;
        }
        if (length == capacity) {
            capacity *= 2;
            text = reallocate(text, capacity);
        }
    }
    const bool unread = ferror(file) != 0;
    fclose(file);
    if (unread || length > SOURCE_LIMIT) {
        fprintf(stderr, "sprig: cannot read %s: %s\n", path, unread ? "read error" : "larger than 64 MiB");
        free(text);
        return false;
    }
    source->text = (Text){text, length};
    return true;
}

void source_free(Source *source) { free((char *)source->text.start); }

void source_error(Source *source, Position at, const char *format, ...) {
    if (source->failed) {
        return;
    }
    source->failed = true;
    fprintf(stderr, "%s:%u:%u: error: ", source->path, at.line, at.column);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

bool text_equals(Text x, Text y) {
    return x.length == y.length && (x.length == 0 || memcmp(x.start, y.start, x.length) == 0);
}

bool text_is(Text text, const char *word) { return text_equals(text, (Text){word, strlen(word)}); }
