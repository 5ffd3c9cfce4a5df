/* The work of a program, in a data word: builds that differ in it have the same code bytes. */
#ifndef BOUND
#error "BOUND: the number of turns"
#endif
volatile unsigned long bound = BOUND;
