/* Statements to instructions. */
#include "compiler.h"

static void statement(Compiler *compiler, const Node *node);

/* Opens a scope, compiles the statements, and forgets their variables. */
static void block(Compiler *compiler, const Node *node) {
    const unsigned locals = compiler->local_count, registers = compiler->registers;
    compiler->blocks++;
    statement_list(compiler, node->items);
    compiler->blocks--;
    compiler->local_count = locals;
    compiler->registers = registers;
}

static void let_statement(Compiler *compiler, const Node *node) {
    if (compiler->is_main && compiler->blocks == 0) {
        const unsigned value = expression_anywhere(compiler, node->let.value);
        const int global = find_global(compiler, node->let.name);
        emit(compiler, with_wide(OP_set_global, value, (unsigned)global), node->at);
        compiler->registers = 0;
        return;
    }
    const unsigned index = reserve(compiler, 1, node->at);
    expression_to(compiler, node->let.value, index);
    declare_local(compiler, node->let.name, index, node->at);
}

/* What a compound sign does to the value in `current`; of a plain one, just the new value. Returns its register. */
static unsigned new_value(Compiler *compiler, const Node *node, unsigned current) {
    if (node->assign.sign == TOKEN_ASSIGN) {
        return expression_anywhere(compiler, node->assign.value);
    }
    binary_to(compiler, node->assign.sign, current, node->assign.value, current, node->at);
    return current;
}

static void assign_local(Compiler *compiler, const Node *node, unsigned local) {
    const Node *value = node->assign.value;
    if (node->assign.sign != TOKEN_ASSIGN) {
        binary_to(compiler, node->assign.sign, local, value, local, node->at);
    } else if (value->kind == NODE_AND || value->kind == NODE_OR) {
        /* Its left side must not overwrite what the right side may read. */
        const unsigned temporary = expression_anywhere(compiler, value);
        emit(compiler, with_registers(OP_move, local, temporary, 0), node->at);
    } else {
        expression_to(compiler, value, local);
    }
}

static void assign_name(Compiler *compiler, const Node *node) {
    const Text name = node->assign.target->text;
    const int local = find_local(compiler, name), global = find_global(compiler, name);
    if (local >= 0) {
        assign_local(compiler, node, (unsigned)local);
    } else if (global >= 0) {
        unsigned current = 0;
        if (node->assign.sign != TOKEN_ASSIGN) {
            current = reserve(compiler, 1, node->at);
            emit(compiler, with_wide(OP_get_global, current, (unsigned)global), node->at);
        }
        const unsigned value = new_value(compiler, node, current);
        emit(compiler, with_wide(OP_set_global, value, (unsigned)global), node->at);
    } else {
        source_error(compiler->source, node->assign.target->at, "'%.*s' is not a variable", (int)name.length,
                     name.start);
    }
}

/* Reads into a new register what a compound assignment starts from; a plain one needs nothing. */
static unsigned current_value(Compiler *compiler, const Node *node, Instruction read) {
    if (node->assign.sign == TOKEN_ASSIGN) {
        return 0;
    }
    const unsigned current = reserve(compiler, 1, node->at);
    read.a = (uint8_t)current;
    emit(compiler, read, node->at);
    return current;
}

static void assign_field(Compiler *compiler, const Node *node) {
    const Node *target = node->assign.target;
    const int number = field_number(compiler, target->member.name, target->at);
    if (number < 0) {
        return;
    }
    if (target->member.object->kind == NODE_SELF && compiler->class != NULL) {
        const int slot = compiler->class->slot_of_field[number];
        if (slot < 0) {
            source_error(compiler->source, target->at, "this class has no field '%.*s'",
                         (int)target->member.name.length, target->member.name.start);
            return;
        }
        const unsigned current = current_value(compiler, node, with_registers(OP_get_own_field, 0, (unsigned)slot, 0));
        const unsigned value = new_value(compiler, node, current);
        emit(compiler, with_registers(OP_set_own_field, value, (unsigned)slot, 0), node->at);
        return;
    }
    const unsigned object = expression_anywhere(compiler, target->member.object);
    const unsigned current = current_value(compiler, node, with_registers(OP_get_field, 0, object, (unsigned)number));
    const unsigned value = new_value(compiler, node, current);
    emit(compiler, with_registers(OP_set_field, value, object, (unsigned)number), node->at);
}

static void assign_element(Compiler *compiler, const Node *node) {
    const Node *target = node->assign.target;
    const unsigned array = expression_anywhere(compiler, target->index.array);
    const bool fixed = is_small_int(target->index.index, 0, 255);
    const unsigned index = fixed ? (unsigned)(int)target->index.index->number
                                 : expression_anywhere(compiler, target->index.index);
    const Opcode get = fixed ? OP_get_index_int : OP_get_index, set = fixed ? OP_set_index_int : OP_set_index;
    const unsigned current = current_value(compiler, node, with_registers(get, 0, array, index));
    const unsigned value = new_value(compiler, node, current);
    emit(compiler, with_registers(set, value, array, index), node->at);
}

static void assignment(Compiler *compiler, const Node *node) {
    const unsigned saved = compiler->registers;
    switch (node->assign.target->kind) {
    case NODE_NAME:
        assign_name(compiler, node);
        break;
    case NODE_FIELD:
        assign_field(compiler, node);
        break;
    default:
        assign_element(compiler, node);
        break;
    }
    compiler->registers = saved;
}

static void if_statement(Compiler *compiler, const Node *node) {
    JumpList otherwise = {0}, end = {0};
    condition(compiler, node->branch.condition, false, &otherwise);
    block(compiler, node->branch.then);
    if (node->branch.otherwise != NULL) {
        emit_jump(compiler, OP_jump, 0, &end, node->at);
        land_here(compiler, &otherwise);
        statement(compiler, node->branch.otherwise);
    }
    land_here(compiler, &otherwise);
    land_here(compiler, &end);
}

/* The condition stands behind the body: one jump for each turn. */
static void while_statement(Compiler *compiler, const Node *node) {
    Loop loop = {.outer = compiler->loop};
    JumpList again = {0};
    compiler->loop = &loop;
    emit_jump(compiler, OP_jump, 0, &loop.continues, node->at);
    const size_t body = compiler->length;
    block(compiler, node->branch.then);
    land_here(compiler, &loop.continues);
    condition(compiler, node->branch.condition, true, &again);
    land_at(compiler, &again, body);
    land_here(compiler, &loop.breaks);
    compiler->loop = loop.outer;
}

static void for_statement(Compiler *compiler, const Node *node) {
    Loop loop = {.outer = compiler->loop};
    const unsigned locals = compiler->local_count, registers = compiler->registers;
    const unsigned counter = reserve(compiler, 1, node->at);
    expression_to(compiler, node->loop.first, counter);
    const unsigned limit = reserve(compiler, 1, node->at);
    expression_to(compiler, node->loop.limit, limit);
    declare_local(compiler, node->loop.name, reserve(compiler, 1, node->at), node->at);
    compiler->loop = &loop;
    emit_jump(compiler, OP_for_prepare, counter, &loop.breaks, node->at);
    const size_t body = compiler->length;
    block(compiler, node->loop.body);
    land_here(compiler, &loop.continues);
    emit_jump_back(compiler, OP_for_loop, counter, body, node->at);
    land_here(compiler, &loop.breaks);
    compiler->loop = loop.outer;
    compiler->local_count = locals;
    compiler->registers = registers;
}

static void return_statement(Compiler *compiler, const Node *node) {
    if (compiler->is_main) {
        source_error(compiler->source, node->at, "'return' outside a function");
    } else if (node->value == NULL) {
        emit(compiler, with_registers(OP_return_nil, 0, 0, 0), node->at);
    } else {
        const unsigned saved = compiler->registers;
        const unsigned value = expression_anywhere(compiler, node->value);
        emit(compiler, with_registers(OP_return, value, 0, 0), node->at);
        compiler->registers = saved;
    }
}

static void loop_jump(Compiler *compiler, const Node *node) {
    const bool breaks = node->kind == NODE_BREAK;
    if (compiler->loop == NULL) {
        source_error(compiler->source, node->at, "'%s' outside a loop", breaks ? "break" : "continue");
        return;
    }
    emit_jump(compiler, OP_jump, 0, breaks ? &compiler->loop->breaks : &compiler->loop->continues, node->at);
}

static void statement(Compiler *compiler, const Node *node) {
    switch (node->kind) {
    case NODE_LET:
        let_statement(compiler, node);
        break;
    case NODE_ASSIGN:
        assignment(compiler, node);
        break;
    case NODE_IF:
        if_statement(compiler, node);
        break;
    case NODE_WHILE:
        while_statement(compiler, node);
        break;
    case NODE_FOR:
        for_statement(compiler, node);
        break;
    case NODE_RETURN:
        return_statement(compiler, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        loop_jump(compiler, node);
        break;
    case NODE_BLOCK:
        block(compiler, node);
        break;
    default: {
        const unsigned saved = compiler->registers;
        expression_to(compiler, node->value, reserve(compiler, 1, node->at));
        compiler->registers = saved;
        break;
    }
    }
}

void statement_list(Compiler *compiler, NodeList statements) {
    for (size_t i = 0; i < statements.count && !compiler->source->failed; i++) {
        statement(compiler, statements.items[i]);
    }
}
