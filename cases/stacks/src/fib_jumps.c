/* Fibonacci on a stack of its own: recursion is a push and a jump, and its return a jump to what was pushed. */
#include "fib.h"

/* Two words for each activation: what it has to remember, and where its caller goes on. */
static uint64_t stack[256];

__attribute__((noinline)) uint64_t fib(uint64_t n) {
    uint64_t *top = stack;
    uint64_t result;
    *top++ = (uint64_t)&&done;

enter:
    if (n < 2) {
        result = n;
        goto *(void *)*--top;
    }
    top[0] = n;
    top[1] = (uint64_t)&&first;
    top += 2;
    n -= 1;
    goto enter;

first:
    n = top[-1] - 2;
    top[-1] = result;
    *top++ = (uint64_t)&&second;
    goto enter;

second:
    result += *--top;
    goto *(void *)*--top;

done:
    return result;
}
