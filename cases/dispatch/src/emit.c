/* Instructions, jumps, registers and constants of the function being compiled. */
#include "compiler.h"

#include <string.h>

Instruction with_registers(Opcode op, unsigned a, unsigned b, unsigned c) {
    return (Instruction){.op = (uint8_t)op, .a = (uint8_t)a, .b = (uint8_t)b, .c = (uint8_t)c};
}

Instruction with_wide(Opcode op, unsigned a, unsigned wide) {
    return (Instruction){.op = (uint8_t)op, .a = (uint8_t)a, .wide = (uint16_t)wide};
}

void emit(Compiler *compiler, Instruction instruction, Position at) {
    if (compiler->length == CODE_LIMIT) {
        source_error(compiler->source, at, "this function is too long (more than %d instructions)", CODE_LIMIT);
        return;
    }
    compiler->code[compiler->length] = instruction;
    compiler->positions[compiler->length++] = at;
}

void emit_jump(Compiler *compiler, Opcode op, unsigned a, JumpList *list, Position at) {
    const size_t index = compiler->length;
    emit(compiler, with_wide(op, a, (uint16_t)list->last), at);
    if (compiler->length > index) {
        list->last = (int16_t)(index + 1);
    }
}

void emit_jump_back(Compiler *compiler, Opcode op, unsigned a, size_t target, Position at) {
    const int16_t distance = (int16_t)((int)target - (int)(compiler->length + 1));
    emit(compiler, with_wide(op, a, (uint16_t)distance), at);
}

void land_at(Compiler *compiler, JumpList *list, size_t target) {
    while (list->last != 0) {
        const size_t index = (size_t)list->last - 1;
        list->last = compiler->code[index].jump;
        compiler->code[index].jump = (int16_t)((int)target - (int)(index + 1));
    }
}

void land_here(Compiler *compiler, JumpList *list) { land_at(compiler, list, compiler->length); }

unsigned reserve(Compiler *compiler, unsigned count, Position at) {
    const unsigned first = compiler->registers;
    if (count > REGISTER_LIMIT - first) {
        source_error(compiler->source, at, "this function needs more than %d registers: split it, or use an array",
                     REGISTER_LIMIT);
        return 0;
    }
    compiler->registers += count;
    if (compiler->registers > compiler->function->registers) {
        compiler->function->registers = compiler->registers;
    }
    return first;
}

static bool same_constant(Value x, Value y) {
    if (is_string(x) && is_string(y)) {
        const String *left = string_of(x), *right = string_of(y);
        return left->length == right->length && memcmp(left->bytes, right->bytes, left->length) == 0;
    }
    return x.bits == y.bits;
}

unsigned add_constant(Compiler *compiler, Value value, Position at) {
    for (size_t i = 0; i < compiler->constant_count; i++) {
        if (same_constant(compiler->constants[i], value)) {
            return (unsigned)i;
        }
    }
    if (compiler->constant_count == CONSTANT_LIMIT) {
        source_error(compiler->source, at, "this function has too many constants (more than %d)", CONSTANT_LIMIT);
        return 0;
    }
    compiler->constants[compiler->constant_count] = value;
    return (unsigned)compiler->constant_count++;
}

unsigned add_string(Compiler *compiler, Text text, Position at) {
    String *string = heap_string(compiler->heap, text.length);
    if (text.length > 0) {
        memcpy(string->bytes, text.start, text.length);
    }
    return add_constant(compiler, object_value(string), at);
}
