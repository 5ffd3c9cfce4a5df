/* Computed gotos whose labels' addresses stay in their function, or leave it. */
#ifndef LABELS_H
#define LABELS_H

#include <stdint.h>

/* A function with computed gotos: fib(n), whichever way. */
typedef uint64_t fibonacci(uint64_t n);

/* Labels' addresses stay where the compiler can see them. */
fibonacci in_a_local_array, changed_on_the_way, in_a_static_table, in_a_table_of_differences, by_choice;
/* Labels' addresses leave the function before they are jumped to. */
fibonacci in_a_static_array, in_memory_from_elsewhere, through_a_function, through_a_volatile, put_by_a_function, across_calls;

/* What is in another file, and so not seen: gives back what it is given. */
void *handed_back(void *label);
/* Puts a label where it is told. */
void put(void **place, void *label);
/* Room for a stack of `words` words; the same each time. */
void **room(unsigned words);

#endif
