/* The function whose address the story is about. */
#ifndef FIB_H
#define FIB_H

#include <stdint.h>

/* Keeps a value as it is, and keeps the compiler from looking through it: recursion stays recursion. */
#define HOLD(value) __asm__ volatile("" : "+r"(value))

/* The n-th Fibonacci number by 2 * fib(n + 1) - 1 calls; n is at most 90. */
uint64_t fib(uint64_t n);

#endif
