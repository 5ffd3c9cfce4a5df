/* Fibonacci on a stack of its own, for a function that has `void **top` set to its stack and says how a label is pushed
 * (PUSH) and how it is jumped to (JUMP). */
#define FIBONACCI_BODY                        \
    uint64_t result;                          \
    PUSH(done);                               \
    enter:                                    \
    if (n < 2) {                              \
        result = n;                           \
        JUMP();                               \
    }                                         \
    *top++ = (void *)(uintptr_t)n;            \
    PUSH(first);                              \
    n -= 1;                                   \
    goto enter;                               \
    first:                                    \
    n = (uint64_t)(uintptr_t)top[-1] - 2;     \
    top[-1] = (void *)(uintptr_t)result;      \
    PUSH(second);                             \
    goto enter;                               \
    second:                                   \
    result += (uint64_t)(uintptr_t) * --top;  \
    JUMP();                                   \
    done:                                     \
    return result

/* Labels belong to one copy of a function: it must be neither inlined nor cloned, as gcc's manual says of labels as values. */
#if defined(__clang__)
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY __attribute__((noinline, noclone))
#endif
