/* Computed gotos whose labels' addresses leave the function before they are jumped to. */
#include "body.h"
#include "labels.h"

/* Words of a stack. */
enum { WORDS = 256 };

ONE_COPY uint64_t in_a_static_array(uint64_t n) {
    static void *stack[WORDS];
    void **top = stack;
#define PUSH(label) *top++ = &&label
#define JUMP() goto *(*--top)
    FIBONACCI_BODY;
}

ONE_COPY uint64_t in_memory_from_elsewhere(uint64_t n) {
    void **top = room(WORDS);
    FIBONACCI_BODY;
#undef PUSH
#undef JUMP
}

ONE_COPY uint64_t through_a_function(uint64_t n) {
    void *stack[WORDS];
    void **top = stack;
#define PUSH(label) *top++ = handed_back(&&label)
#define JUMP() goto *handed_back(*--top)
    FIBONACCI_BODY;
#undef PUSH
#undef JUMP
}

ONE_COPY uint64_t through_a_volatile(uint64_t n) {
    void *stack[WORDS];
    void **top = stack;
    void *volatile label_of_now;
#define PUSH(label) *top++ = (label_of_now = &&label, label_of_now)
#define JUMP()              \
    label_of_now = *--top;  \
    goto *label_of_now
    FIBONACCI_BODY;
#undef PUSH
#undef JUMP
}

ONE_COPY uint64_t put_by_a_function(uint64_t n) {
    void *stack[WORDS];
    void **top = stack;
#define PUSH(label) put(top++, &&label)
#define JUMP() goto *(*--top)
    FIBONACCI_BODY;
#undef PUSH
#undef JUMP
}

/* What a generator remembers between its calls. */
struct generator {
    uintptr_t resume;
    uint64_t a, b;
};

/* The next Fibonacci number: goes on where the last call left. */
ONE_COPY static uint64_t step(struct generator *self) {
    if (self->resume) goto *(void *)self->resume;
    self->a = 0;
    self->b = 1;
    for (;;) {
        self->resume = (uintptr_t)&&one;
        return self->a;
    one:
        self->a += self->b;
        self->resume = (uintptr_t)&&other;
        return self->b;
    other:
        self->b += self->a;
    }
}

ONE_COPY uint64_t across_calls(uint64_t n) {
    struct generator generator = {0};
    uint64_t number = 0;
    for (uint64_t i = 0; i <= n; i++) number = step(&generator);
    return number;
}
