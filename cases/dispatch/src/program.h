/* A compiled program: functions, their instructions, and classes. Made by the compiler, read by the interpreter. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>

#include "heap.h"
#include "memory.h"
#include "opcodes.h"
#include "source.h"

/* 32 bits: the opcode and up to three operands. Jumps count instructions, from the one behind the jump. */
typedef struct {
    uint8_t op, a;
    union {
        struct {
            uint8_t b, c;
        };
        uint16_t wide;
        int16_t jump;
    };
} Instruction;

enum {
    REGISTER_LIMIT = 250,    /* of one function; an operand is a byte */
    CODE_LIMIT = 32000,      /* instructions of one function; a jump has 16 bits */
    CONSTANT_LIMIT = 65536,  /* of one function; also globals, functions, classes */
    MEMBER_LIMIT = 256,      /* different names of fields, and of methods, in a program */
};

typedef struct {
    Object object; /* functions are values; the heap does not own them */
    Text name;
    unsigned arity;     /* parameters; a method's `self` is not one */
    unsigned registers; /* that one activation needs */
    Instruction *code;
    Position *positions; /* of each instruction */
    size_t length;
    Value *constants;
    size_t constant_count;
} Function;

struct Class {
    Text name;
    size_t field_count;
    int16_t slot_of_field[MEMBER_LIMIT]; /* by number of the name; -1: has none */
    Function *method_of[MEMBER_LIMIT];   /* by number of the name; NULL: has none */
};

typedef struct {
    Arena arena;
    Function **functions;
    size_t function_count;
    Class **classes;
    size_t class_count;
    Function main;
    size_t global_count;
    Text fields[MEMBER_LIMIT], methods[MEMBER_LIMIT];
    size_t field_count, method_count;
} Program;

/* Compiles the source; what is wrong is reported there, and then the program must only be freed. Strings go to the heap. */
Program *compile(Source *source, Heap *heap);
void program_free(Program *program);

/* Lists all instructions, for people. */
void program_print(const Program *program, FILE *out);

/* Marks the strings of a program's constants as in use. */
void program_mark(const Program *program, Heap *heap);

#endif
