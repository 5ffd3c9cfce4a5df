/* The word by which two builds of gate.c differ. */
#ifndef WORD
#define WORD 1
#endif
const volatile int word = WORD;
