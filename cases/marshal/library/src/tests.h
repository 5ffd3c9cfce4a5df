/* The library's own tests. */
#ifndef TESTS_H
#define TESTS_H

/* Prints their results as TAP; 1 where one failed. */
int tests(void);

#endif
