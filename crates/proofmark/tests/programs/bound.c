/* The bound of the benchmark's loop. */
#ifndef BOUND
#define BOUND 10000000
#endif
const volatile unsigned long bound = BOUND;
