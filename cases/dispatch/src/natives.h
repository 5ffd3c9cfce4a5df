/* The functions that the language brings along. */
#ifndef NATIVES_H
#define NATIVES_H

#include "opcodes.h"
#include "source.h"
#include "value.h"

typedef struct Vm Vm;

/* Arguments are checked in number only. Sets the result, or reports an error and returns false. The result's place is a root. */
typedef bool Native(Vm *vm, const Value *arguments, unsigned count, Value *result);

typedef struct {
    const char *name;
    unsigned least, most; /* arguments */
    Native *run;
} NativeEntry;

extern const NativeEntry natives[];

/* Functions that are an opcode: of one argument, R(a) becomes op R(b); or `push`, op R(a) R(b). */
typedef struct {
    const char *name;
    unsigned count;
    Opcode op;
} Intrinsic;

extern const Intrinsic intrinsics[];

/* Index by name, or -1. */
int find_native(Text name);
int find_intrinsic(Text name);

#endif
