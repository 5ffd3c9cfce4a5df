/* A program's text, places in it, and the one error message that a compilation may end with. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Line and column count from 1; the column counts bytes. */
typedef struct {
    uint32_t line, column;
} Position;

/* A piece of the source, or any run of bytes; not terminated by a zero. */
typedef struct {
    const char *start;
    size_t length;
} Text;

typedef struct {
    const char *path;
    Text text;
    bool failed; /* an error was reported */
} Source;

/* Reads the whole file; on failure prints why and returns false. */
bool source_read(Source *source, const char *path);
void source_free(Source *source);

/* Prints `path:line:column: error: message`, unless an error was reported before: the first is the one that helps. */
__attribute__((format(printf, 3, 4))) void source_error(Source *source, Position at, const char *format, ...);

bool text_equals(Text x, Text y);
bool text_is(Text text, const char *word);

#endif
