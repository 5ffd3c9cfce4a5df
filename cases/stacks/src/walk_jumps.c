/* The walk on a stack of its own: a return is an indirect jump, which the processor predicts from where it stands and from
 * what was before. */
#include "walk.h"

static void *stack[DEEPEST + 1];

#define CALL(place)            \
    case place:                \
        MARK(choices, place);  \
        *top++ = &&back_##place; \
        choices++;             \
        depth--;               \
        goto enter

#define BACK(place)                \
    back_##place:                  \
    MARK(result, place);           \
    result = AFTER(result, place); \
    goto *(*--top)

__attribute__((noinline)) uint64_t walk(const uint8_t *choices, unsigned depth) {
    void **top = stack;
    uint64_t result;
    *top++ = &&done;

enter:
    if (depth == 0) {
        result = 1;
        goto *(*--top);
    }
    switch (*choices) {
        CALL(0);
        CALL(1);
        CALL(2);
        CALL(3);
    }
    __builtin_unreachable();

    BACK(0);
    BACK(1);
    BACK(2);
    BACK(3);

done:
    return result;
}
