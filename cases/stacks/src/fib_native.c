/* Fibonacci on the native stack: recursion is a call, and its return is a `ret`. */
#include "fib.h"

__attribute__((noinline)) uint64_t fib(uint64_t n) {
    uint64_t first, second;
    if (n < 2) return n;
    first = fib(n - 1);
    HOLD(first);
    second = fib(n - 2);
    HOLD(second);
    return first + second;
}
