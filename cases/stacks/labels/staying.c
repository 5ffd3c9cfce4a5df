/* Computed gotos whose labels' addresses stay where the compiler can see them. */
#include "body.h"
#include "labels.h"

ONE_COPY uint64_t in_a_local_array(uint64_t n) {
    void *stack[256];
    void **top = stack;
#define PUSH(label) *top++ = &&label
#define JUMP() goto *(*--top)
    FIBONACCI_BODY;
#undef PUSH
#undef JUMP
}

ONE_COPY uint64_t changed_on_the_way(uint64_t n) {
    void *stack[256];
    void **top = stack;
#define PUSH(label) *top++ = (void *)((uintptr_t)&&label ^ 0x55)
#define JUMP() goto *(void *)((uintptr_t)*--top ^ 0x55)
    FIBONACCI_BODY;
#undef PUSH
#undef JUMP
}

/* From one pair of neighbours to the next, in two ways that take turns. */
#define STEPS(JUMP)  \
    JUMP;            \
    odd:             \
    n--;             \
    sum = a + b;     \
    a = b;           \
    b = sum;         \
    JUMP;            \
    even:            \
    n--;             \
    b += a;          \
    a = b - a;       \
    JUMP;            \
    done:            \
    return a

ONE_COPY uint64_t in_a_static_table(uint64_t n) {
    static void *const table[] = {&&done, &&odd, &&even};
    uint64_t a = 0, b = 1, sum;
    STEPS(goto *table[n == 0 ? 0 : 2 - (n & 1)]);
}

ONE_COPY uint64_t in_a_table_of_differences(uint64_t n) {
    static const int table[] = {&&done - &&done, &&odd - &&done, &&even - &&done};
    uint64_t a = 0, b = 1, sum;
    STEPS(goto *(&&done + table[n == 0 ? 0 : 2 - (n & 1)]));
}

ONE_COPY uint64_t by_choice(uint64_t n) {
    uint64_t a = 0, b = 1, sum;
    STEPS(goto *(n == 0 ? &&done : n & 1 ? &&odd : &&even));
}
