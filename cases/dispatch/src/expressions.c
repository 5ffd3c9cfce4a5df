/* Expressions to instructions. A subexpression's value goes to a register of its own, or is read where its variable lives: calls
 * cannot change a caller's locals, and assignments are statements, so a local keeps its value while an expression is worked out. */
#include "compiler.h"
#include "natives.h"

bool is_small_int(const Node *node, int least, int most) {
    return node->kind == NODE_NUMBER && node->number >= least && node->number <= most &&
           (double)(int)node->number == node->number;
}

/* The opcodes of a sign: two registers; a register and an int; a register and a constant. OP_halt stands for none. */
typedef struct {
    Opcode registers, with_int, with_constant;
} SignOpcodes;

static SignOpcodes opcodes_of(TokenKind sign) {
    switch (sign) {
    case TOKEN_PLUS:
    case TOKEN_PLUS_ASSIGN:
        return (SignOpcodes){OP_add, OP_add_int, OP_add_constant};
    case TOKEN_MINUS:
    case TOKEN_MINUS_ASSIGN:
        return (SignOpcodes){OP_subtract, OP_subtract_int, OP_subtract_constant};
    case TOKEN_STAR:
    case TOKEN_STAR_ASSIGN:
        return (SignOpcodes){OP_multiply, OP_multiply_int, OP_multiply_constant};
    case TOKEN_SLASH:
        return (SignOpcodes){OP_divide, OP_divide_int, OP_divide_constant};
    case TOKEN_SLASH_SLASH:
        return (SignOpcodes){OP_floor_divide, OP_floor_divide_int, OP_halt};
    case TOKEN_PERCENT:
        return (SignOpcodes){OP_modulo, OP_modulo_int, OP_halt};
    case TOKEN_AMPERSAND:
        return (SignOpcodes){OP_bit_and, OP_bit_and_int, OP_halt};
    case TOKEN_BAR:
        return (SignOpcodes){OP_bit_or, OP_halt, OP_halt};
    case TOKEN_CARET:
        return (SignOpcodes){OP_bit_xor, OP_halt, OP_halt};
    case TOKEN_SHIFT_LEFT:
        return (SignOpcodes){OP_shift_left, OP_shift_left_int, OP_halt};
    default:
        return (SignOpcodes){OP_shift_right, OP_shift_right_int, OP_halt};
    }
}

void binary_to(Compiler *compiler, TokenKind sign, unsigned left, const Node *right, unsigned target, Position at) {
    const SignOpcodes opcodes = opcodes_of(sign);
    if (opcodes.with_int != OP_halt && is_small_int(right, -128, 127)) {
        emit(compiler, with_registers(opcodes.with_int, target, left, (unsigned)(int)right->number), at);
        return;
    }
    if (opcodes.with_constant != OP_halt && right->kind == NODE_NUMBER && !is_int(number_value(right->number))) {
        const unsigned index = add_constant(compiler, float_value(right->number), right->at);
        if (index < 256) {
            emit(compiler, with_registers(opcodes.with_constant, target, left, index), at);
            return;
        }
    }
    const unsigned saved = compiler->registers;
    const unsigned operand = expression_anywhere(compiler, right);
    compiler->registers = saved;
    emit(compiler, with_registers(opcodes.registers, target, left, operand), at);
}

static void number_to(Compiler *compiler, const Node *node, unsigned target) {
    if (is_small_int(node, INT16_MIN, INT16_MAX)) {
        emit(compiler, with_wide(OP_load_int, target, (uint16_t)(int)node->number), node->at);
        return;
    }
    const unsigned index = add_constant(compiler, number_value(node->number), node->at);
    emit(compiler, with_wide(OP_load_constant, target, index), node->at);
}

static void name_to(Compiler *compiler, const Node *node, unsigned target) {
    const Text name = node->text;
    int index;
    if ((index = find_local(compiler, name)) >= 0) {
        if ((unsigned)index != target) {
            emit(compiler, with_registers(OP_move, target, (unsigned)index, 0), node->at);
        }
    } else if ((index = find_global(compiler, name)) >= 0) {
        emit(compiler, with_wide(OP_get_global, target, (unsigned)index), node->at);
    } else if ((index = find_function(compiler, name)) >= 0) {
        emit(compiler, with_wide(OP_load_function, target, (unsigned)index), node->at);
    } else if (find_class(compiler, name) >= 0 || find_native(name) >= 0 || find_intrinsic(name) >= 0) {
        source_error(compiler->source, node->at, "'%.*s' is no value: it can only be called", (int)name.length,
                     name.start);
    } else {
        source_error(compiler->source, node->at, "'%.*s' is not defined", (int)name.length, name.start);
    }
}

static void compare_to(Compiler *compiler, const Node *node, unsigned target) {
    const unsigned saved = compiler->registers;
    const unsigned left = expression_anywhere(compiler, node->binary.left);
    const unsigned right = expression_anywhere(compiler, node->binary.right);
    const TokenKind sign = node->binary.sign;
    const bool swapped = sign == TOKEN_GREATER || sign == TOKEN_GREATER_EQUAL;
    const Opcode op = sign == TOKEN_EQUAL                                ? OP_equal
                      : sign == TOKEN_NOT_EQUAL                          ? OP_not_equal
                      : sign == TOKEN_LESS || sign == TOKEN_GREATER ? OP_less
                                                                         : OP_less_equal;
    compiler->registers = saved;
    emit(compiler, with_registers(op, target, swapped ? right : left, swapped ? left : right), node->at);
}

static void logic_to(Compiler *compiler, const Node *node, unsigned target) {
    JumpList end = {0};
    expression_to(compiler, node->binary.left, target);
    emit_jump(compiler, node->kind == NODE_AND ? OP_jump_unless : OP_jump_if, target, &end, node->at);
    expression_to(compiler, node->binary.right, target);
    land_here(compiler, &end);
}

unsigned values_in_row(Compiler *compiler, NodeList items, Position at) {
    const unsigned first = compiler->registers;
    for (size_t i = 0; i < items.count && !compiler->source->failed; i++) {
        expression_to(compiler, items.items[i], reserve(compiler, 1, at));
    }
    return first;
}

/* Elements go to the array in pieces of this many, so that a long literal needs few registers. */
enum { ARRAY_PIECE = 32 };

static void array_to(Compiler *compiler, const Node *node, unsigned target) {
    const unsigned saved = compiler->registers;
    const NodeList items = node->items;
    if (items.count <= ARRAY_PIECE) {
        /* R(a), R(a+1)…: the elements, and then the array in R(a). */
        const unsigned first = reserve(compiler, 1, node->at);
        compiler->registers = first;
        values_in_row(compiler, items, node->at);
        emit(compiler, with_wide(OP_new_array, first, (unsigned)items.count), node->at);
        emit(compiler, with_registers(OP_move, target, first, 0), node->at);
    } else {
        const unsigned array = reserve(compiler, 1, node->at);
        emit(compiler, with_wide(OP_new_array, array, 0), node->at);
        for (size_t i = 0; i < items.count && !compiler->source->failed; i++) {
            const unsigned before = compiler->registers;
            const unsigned item = expression_anywhere(compiler, items.items[i]);
            compiler->registers = before;
            emit(compiler, with_registers(OP_append, array, item, 0), node->at);
        }
        emit(compiler, with_registers(OP_move, target, array, 0), node->at);
    }
    compiler->registers = saved;
}

static void index_to(Compiler *compiler, const Node *node, unsigned target) {
    const unsigned saved = compiler->registers;
    const unsigned array = expression_anywhere(compiler, node->index.array);
    if (is_small_int(node->index.index, 0, 255)) {
        const unsigned index = (unsigned)(int)node->index.index->number;
        emit(compiler, with_registers(OP_get_index_int, target, array, index), node->at);
    } else {
        const unsigned index = expression_anywhere(compiler, node->index.index);
        emit(compiler, with_registers(OP_get_index, target, array, index), node->at);
    }
    compiler->registers = saved;
}

static void field_to(Compiler *compiler, const Node *node, unsigned target) {
    const int number = field_number(compiler, node->member.name, node->at);
    if (number < 0) {
        return;
    }
    if (node->member.object->kind == NODE_SELF && compiler->class != NULL) {
        const int slot = compiler->class->slot_of_field[number];
        if (slot < 0) {
            source_error(compiler->source, node->at, "this class has no field '%.*s'", (int)node->member.name.length,
                         node->member.name.start);
            return;
        }
        emit(compiler, with_registers(OP_get_own_field, target, (unsigned)slot, 0), node->at);
        return;
    }
    const unsigned saved = compiler->registers;
    const unsigned object = expression_anywhere(compiler, node->member.object);
    compiler->registers = saved;
    emit(compiler, with_registers(OP_get_field, target, object, (unsigned)number), node->at);
}

static void unary_to(Compiler *compiler, const Node *operand, Opcode op, unsigned target, Position at) {
    const unsigned saved = compiler->registers;
    const unsigned value = expression_anywhere(compiler, operand);
    compiler->registers = saved;
    emit(compiler, with_registers(op, target, value, 0), at);
}

static void self_to(Compiler *compiler, const Node *node, unsigned target) {
    if (compiler->class == NULL) {
        source_error(compiler->source, node->at, "'self' outside a method");
    } else if (target != 0) {
        emit(compiler, with_registers(OP_move, target, 0, 0), node->at);
    }
}

static void concat_to(Compiler *compiler, const Node *node, unsigned target) {
    const unsigned saved = compiler->registers;
    const unsigned first = values_in_row(compiler, node->items, node->at);
    compiler->registers = saved;
    emit(compiler, with_registers(OP_concatenate, target, first, (unsigned)node->items.count), node->at);
}

void expression_to(Compiler *compiler, const Node *node, unsigned target) {
    switch (node->kind) {
    case NODE_NIL:
        emit(compiler, with_registers(OP_load_nil, target, 0, 0), node->at);
        break;
    case NODE_TRUE:
        emit(compiler, with_registers(OP_load_true, target, 0, 0), node->at);
        break;
    case NODE_FALSE:
        emit(compiler, with_registers(OP_load_false, target, 0, 0), node->at);
        break;
    case NODE_SELF:
        self_to(compiler, node, target);
        break;
    case NODE_NUMBER:
        number_to(compiler, node, target);
        break;
    case NODE_STRING:
        emit(compiler, with_wide(OP_load_constant, target, add_string(compiler, node->text, node->at)), node->at);
        break;
    case NODE_NAME:
        name_to(compiler, node, target);
        break;
    case NODE_UNARY:
        unary_to(compiler, node->unary.operand, node->unary.sign == TOKEN_MINUS ? OP_negate : OP_bit_not, target,
                 node->at);
        break;
    case NODE_NOT:
        unary_to(compiler, node->value, OP_not, target, node->at);
        break;
    case NODE_BINARY: {
        const unsigned saved = compiler->registers;
        const unsigned left = expression_anywhere(compiler, node->binary.left);
        binary_to(compiler, node->binary.sign, left, node->binary.right, target, node->at);
        compiler->registers = saved;
        break;
    }
    case NODE_COMPARE:
        compare_to(compiler, node, target);
        break;
    case NODE_AND:
    case NODE_OR:
        logic_to(compiler, node, target);
        break;
    case NODE_CONCAT:
        concat_to(compiler, node, target);
        break;
    case NODE_ARRAY:
        array_to(compiler, node, target);
        break;
    case NODE_CALL:
        call_to(compiler, node, target);
        break;
    case NODE_METHOD_CALL:
        method_call_to(compiler, node, target);
        break;
    case NODE_FIELD:
        field_to(compiler, node, target);
        break;
    case NODE_INDEX:
        index_to(compiler, node, target);
        break;
    default:
        source_error(compiler->source, node->at, "expected an expression");
        break;
    }
}

unsigned expression_anywhere(Compiler *compiler, const Node *node) {
    if (node->kind == NODE_NAME) {
        const int local = find_local(compiler, node->text);
        if (local >= 0) {
            return (unsigned)local;
        }
    }
    if (node->kind == NODE_SELF && compiler->class != NULL) {
        return 0;
    }
    const unsigned target = reserve(compiler, 1, node->at);
    expression_to(compiler, node, target);
    return target;
}
