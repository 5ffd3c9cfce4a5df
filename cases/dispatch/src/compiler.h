/* What the parts of the compiler share: the function being compiled, its registers, its instructions. */
#ifndef COMPILER_H
#define COMPILER_H

#include "ast.h"
#include "program.h"

typedef struct {
    Text name;
    unsigned index; /* register */
} Local;

/* Jumps whose target is not known yet, linked through their offsets. */
typedef struct {
    int16_t last; /* index of the last one plus 1; 0: none */
} JumpList;

typedef struct Loop Loop;

struct Loop {
    Loop *outer;
    JumpList breaks, continues;
};

typedef struct {
    Source *source;
    Heap *heap;
    Program *program;
    ProgramTree *tree;
    Text *globals; /* program->global_count of them */

    /* of the function being compiled: */
    Function *function;
    Class *class;     /* of a method, else NULL */
    bool is_main;     /* statements outside all functions */
    unsigned blocks;  /* that are open */
    Loop *loop;       /* the innermost, or NULL */
    Local locals[REGISTER_LIMIT];
    unsigned local_count;
    unsigned registers; /* in use */
    Instruction code[CODE_LIMIT];
    Position positions[CODE_LIMIT];
    size_t length;
    Value constants[CONSTANT_LIMIT];
    size_t constant_count;
} Compiler;

/* emit.c */
Instruction with_registers(Opcode op, unsigned a, unsigned b, unsigned c);
Instruction with_wide(Opcode op, unsigned a, unsigned wide);
void emit(Compiler *compiler, Instruction instruction, Position at);
void emit_jump(Compiler *compiler, Opcode op, unsigned a, JumpList *list, Position at);
void emit_jump_back(Compiler *compiler, Opcode op, unsigned a, size_t target, Position at);
void land_at(Compiler *compiler, JumpList *list, size_t target);
void land_here(Compiler *compiler, JumpList *list);
unsigned reserve(Compiler *compiler, unsigned count, Position at); /* the first of so many new registers */
unsigned add_constant(Compiler *compiler, Value value, Position at);
unsigned add_string(Compiler *compiler, Text text, Position at);

/* names.c: each returns an index, or -1 */
int find_local(const Compiler *compiler, Text name); /* its register */
int find_global(const Compiler *compiler, Text name);
int find_function(const Compiler *compiler, Text name);
int find_class(const Compiler *compiler, Text name);
int field_number(Compiler *compiler, Text name, Position at);
int method_number(Compiler *compiler, Text name, Position at);
void declare_local(Compiler *compiler, Text name, unsigned index, Position at);
void declare_program(Compiler *compiler);

/* expressions.c */
void expression_to(Compiler *compiler, const Node *node, unsigned target);
unsigned expression_anywhere(Compiler *compiler, const Node *node); /* its register: a local's own, or a new one */
unsigned values_in_row(Compiler *compiler, NodeList items, Position at); /* in new registers; the first of them */
void binary_to(Compiler *compiler, TokenKind sign, unsigned left, const Node *right, unsigned target, Position at);

/* calls.c */
void call_to(Compiler *compiler, const Node *node, unsigned target);
void method_call_to(Compiler *compiler, const Node *node, unsigned target);

/* conditions.c: jumps to the list when the condition is as wanted, else falls through */
void condition(Compiler *compiler, const Node *node, bool wanted, JumpList *list);

/* statements.c */
void statement_list(Compiler *compiler, NodeList statements);

/* A number that an instruction can hold as an int between these bounds. */
bool is_small_int(const Node *node, int least, int most);

#endif
