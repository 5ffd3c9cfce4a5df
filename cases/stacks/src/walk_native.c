/* The walk on the native stack: `call` and `ret`, which the processor's return stack predicts. */
#include "walk.h"

#define CALL(place)                            \
    case place:                                \
        MARK(choices, place);                  \
        result = walk(choices + 1, depth - 1); \
        MARK(result, place);                   \
        return AFTER(result, place)

__attribute__((noinline)) uint64_t walk(const uint8_t *choices, unsigned depth) {
    uint64_t result;
    if (depth == 0) return 1;
    switch (*choices) {
        CALL(0);
        CALL(1);
        CALL(2);
        CALL(3);
    }
    __builtin_unreachable();
}
