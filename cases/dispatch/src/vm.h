/* The virtual machine: its registers, frames and errors, and what handlers of opcodes call when a case is not the common one. */
#ifndef VM_H
#define VM_H

#include "heap.h"
#include "natives.h"
#include "program.h"

enum {
    STACK_SIZE = 1 << 16,  /* registers of all activations together */
    FRAME_LIMIT = 1 << 14, /* activations */
};

/* Where a call returns to. */
typedef struct {
    const Instruction *pc;
    Value *base;
    const Value *constants;
    const Function *function; /* that was called */
} Frame;

typedef enum { RUN_DONE, RUN_FAILED } Outcome;

struct Vm {
    Heap heap;
    const Program *program;
    Function *const *functions; /* program->functions */
    Class *const *classes;      /* program->classes */
    Value *globals;
    Frame *frame; /* of the activation that runs; frames[0] is the main program's */
    Frame *last_frame;
    Frame frames[FRAME_LIMIT];
    Value stack[STACK_SIZE];
    Value *stack_end;
    /* Up to date only while something outside the interpreter's loop runs: */
    const Instruction *pc;
    Value *base;
    String *bytes[256]; /* the strings of one byte */
    const char *path;
    char **arguments; /* of the program */
    int argument_count;
};

/* Runs the program to its end; false when an error was reported. Arguments are what `argument` sees. */
bool vm_run(Vm *vm, const Program *program, const char *path, int argument_count, char **arguments);

/* The interpreter's loop, in one of its forms: run.c. */
Outcome run(Vm *vm);

/* Reports a run-time error where the machine is, with the calls that led there. Always false. */
__attribute__((format(printf, 2, 3), cold)) bool vm_error(Vm *vm, const char *format, ...);

/* A string of these bytes; NULL, with the error reported, when there is no room. */
String *vm_string(Vm *vm, const char *bytes, size_t length);

/* "a number", "nil"…, for messages. */
const char *type_name(Value value);

/* What the natives take: false, with the error reported, when it is something else. */
bool whole_number(Vm *vm, Value value, const char *what, int32_t *result);

/* Writes a number as the language shows it; returns its length. */
enum { NUMBER_LENGTH = 32 };
size_t number_text(Value number, char text[NUMBER_LENGTH]);

#endif
