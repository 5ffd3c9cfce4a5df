/* Conditions of `if` and `while`: comparisons and jumps in one, without making a boolean. */
#include "compiler.h"

/* For each sign the opcode that makes the following jump be taken if, or unless, the comparison holds. */
typedef struct {
    Opcode taken_if, taken_unless;
} Pair;

static Pair with_int(TokenKind sign) {
    switch (sign) {
    case TOKEN_EQUAL:
        return (Pair){OP_if_equal_int, OP_if_not_equal_int};
    case TOKEN_NOT_EQUAL:
        return (Pair){OP_if_not_equal_int, OP_if_equal_int};
    case TOKEN_LESS:
        return (Pair){OP_if_less_int, OP_unless_less_int};
    case TOKEN_LESS_EQUAL:
        return (Pair){OP_if_less_equal_int, OP_unless_less_equal_int};
    case TOKEN_GREATER:
        return (Pair){OP_if_greater_int, OP_unless_greater_int};
    default:
        return (Pair){OP_if_greater_equal_int, OP_unless_greater_equal_int};
    }
}

static Pair between_registers(TokenKind sign) {
    switch (sign) {
    case TOKEN_EQUAL:
        return (Pair){OP_if_equal, OP_if_not_equal};
    case TOKEN_NOT_EQUAL:
        return (Pair){OP_if_not_equal, OP_if_equal};
    case TOKEN_LESS:
    case TOKEN_GREATER: /* operands swapped */
        return (Pair){OP_if_less, OP_unless_less};
    default:
        return (Pair){OP_if_less_equal, OP_unless_less_equal};
    }
}

static void comparison(Compiler *compiler, const Node *node, bool wanted, JumpList *list) {
    const unsigned saved = compiler->registers;
    const TokenKind sign = node->binary.sign;
    const unsigned left = expression_anywhere(compiler, node->binary.left);
    if (is_small_int(node->binary.right, INT16_MIN, INT16_MAX)) {
        const Pair pair = with_int(sign);
        const uint16_t number = (uint16_t)(int)node->binary.right->number;
        emit(compiler, with_wide(wanted ? pair.taken_if : pair.taken_unless, left, number), node->at);
    } else {
        const Pair pair = between_registers(sign);
        const bool swapped = sign == TOKEN_GREATER || sign == TOKEN_GREATER_EQUAL;
        const unsigned right = expression_anywhere(compiler, node->binary.right);
        emit(compiler,
             with_registers(wanted ? pair.taken_if : pair.taken_unless, swapped ? right : left, swapped ? left : right,
                            0),
             node->at);
    }
    compiler->registers = saved;
    emit_jump(compiler, OP_jump, 0, list, node->at);
}

/* Both sides decide alike when the left one has `decisive` as its value; else the right one does alone. */
static void either(Compiler *compiler, const Node *node, bool decisive, bool wanted, JumpList *list) {
    if (wanted == decisive) {
        condition(compiler, node->binary.left, wanted, list);
        condition(compiler, node->binary.right, wanted, list);
    } else {
        JumpList past = {0};
        condition(compiler, node->binary.left, decisive, &past);
        condition(compiler, node->binary.right, wanted, list);
        land_here(compiler, &past);
    }
}

void condition(Compiler *compiler, const Node *node, bool wanted, JumpList *list) {
    switch (node->kind) {
    case NODE_NOT:
        condition(compiler, node->value, !wanted, list);
        break;
    case NODE_AND:
        either(compiler, node, false, wanted, list);
        break;
    case NODE_OR:
        either(compiler, node, true, wanted, list);
        break;
    case NODE_COMPARE:
        comparison(compiler, node, wanted, list);
        break;
    default: {
        const unsigned saved = compiler->registers;
        const unsigned value = expression_anywhere(compiler, node);
        compiler->registers = saved;
        emit_jump(compiler, wanted ? OP_jump_if : OP_jump_unless, value, list, node->at);
        break;
    }
    }
}
