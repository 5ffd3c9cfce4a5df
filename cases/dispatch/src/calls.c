/* Calls: of functions, values, classes, methods and what the language brings along. */
#include "compiler.h"
#include "natives.h"

static void check_count(Compiler *compiler, Text name, Position at, size_t least, size_t most, size_t count) {
    if (count >= least && count <= most) {
        return;
    }
    const int length = (int)name.length;
    if (least == most) {
        source_error(compiler->source, at, "'%.*s' takes %zu argument%s, not %zu", length, name.start, least,
                     least == 1 ? "" : "s", count);
    } else if (most == REGISTER_LIMIT) {
        source_error(compiler->source, at, "'%.*s' takes at least %zu arguments, not %zu", length, name.start, least,
                     count);
    } else {
        source_error(compiler->source, at, "'%.*s' takes %zu to %zu arguments, not %zu", length, name.start, least,
                     most, count);
    }
}

/* The register of a call's result: the target itself when it is the topmost one and thus right below the arguments. */
static unsigned result_register(Compiler *compiler, unsigned target, Position at) {
    return target + 1 == compiler->registers ? target : reserve(compiler, 1, at);
}

static void finish(Compiler *compiler, Instruction call, unsigned saved, unsigned target, Position at) {
    emit(compiler, call, at);
    if (call.a != target) {
        emit(compiler, with_registers(OP_move, target, call.a, 0), at);
    }
    compiler->registers = saved;
}

static void value_call_to(Compiler *compiler, const Node *node, unsigned target) {
    const unsigned saved = compiler->registers;
    const unsigned callee = reserve(compiler, 1, node->at);
    expression_to(compiler, node->call.callee, callee);
    values_in_row(compiler, node->call.arguments, node->at);
    finish(compiler, with_registers(OP_call, callee, (unsigned)node->call.arguments.count, 0), saved, target, node->at);
}

static void function_call_to(Compiler *compiler, const Node *node, unsigned index, unsigned target) {
    const unsigned saved = compiler->registers;
    const NodeList arguments = node->call.arguments;
    const size_t arity = compiler->program->functions[index]->arity;
    check_count(compiler, node->call.callee->text, node->at, arity, arity, arguments.count);
    const unsigned result = result_register(compiler, target, node->at);
    values_in_row(compiler, arguments, node->at);
    finish(compiler, with_wide(OP_call_function, result, index), saved, target, node->at);
}

/* R(a), R(a+1)…: the fields, and then the instance in R(a). */
static void class_call_to(Compiler *compiler, const Node *node, unsigned index, unsigned target) {
    const unsigned saved = compiler->registers;
    const NodeList arguments = node->call.arguments;
    const size_t fields = compiler->program->classes[index]->field_count;
    check_count(compiler, node->call.callee->text, node->at, fields, fields, arguments.count);
    const unsigned first = reserve(compiler, 1, node->at);
    compiler->registers = first;
    values_in_row(compiler, arguments, node->at);
    finish(compiler, with_wide(OP_new_instance, first, index), saved, target, node->at);
}

static void native_call_to(Compiler *compiler, const Node *node, unsigned index, unsigned target) {
    const unsigned saved = compiler->registers;
    const NodeList arguments = node->call.arguments;
    check_count(compiler, node->call.callee->text, node->at, natives[index].least, natives[index].most, arguments.count);
    const unsigned result = result_register(compiler, target, node->at);
    values_in_row(compiler, arguments, node->at);
    finish(compiler, with_registers(OP_call_native, result, index, (unsigned)arguments.count), saved, target, node->at);
}

static void intrinsic_call_to(Compiler *compiler, const Node *node, unsigned index, unsigned target) {
    const unsigned saved = compiler->registers;
    const NodeList arguments = node->call.arguments;
    const Intrinsic *intrinsic = &intrinsics[index];
    check_count(compiler, node->call.callee->text, node->at, intrinsic->count, intrinsic->count, arguments.count);
    if (compiler->source->failed) {
        return;
    }
    const unsigned first = expression_anywhere(compiler, arguments.items[0]);
    if (intrinsic->count == 1) {
        emit(compiler, with_registers(intrinsic->op, target, first, 0), node->at);
    } else {
        const unsigned second = expression_anywhere(compiler, arguments.items[1]);
        emit(compiler, with_registers(intrinsic->op, first, second, 0), node->at);
        emit(compiler, with_registers(OP_load_nil, target, 0, 0), node->at);
    }
    compiler->registers = saved;
}

void call_to(Compiler *compiler, const Node *node, unsigned target) {
    const Node *callee = node->call.callee;
    int index;
    if (callee->kind != NODE_NAME || find_local(compiler, callee->text) >= 0 ||
        find_global(compiler, callee->text) >= 0) {
        value_call_to(compiler, node, target);
    } else if ((index = find_function(compiler, callee->text)) >= 0) {
        function_call_to(compiler, node, (unsigned)index, target);
    } else if ((index = find_class(compiler, callee->text)) >= 0) {
        class_call_to(compiler, node, (unsigned)index, target);
    } else if ((index = find_intrinsic(callee->text)) >= 0) {
        intrinsic_call_to(compiler, node, (unsigned)index, target);
    } else if ((index = find_native(callee->text)) >= 0) {
        native_call_to(compiler, node, (unsigned)index, target);
    } else {
        source_error(compiler->source, callee->at, "'%.*s' is not defined", (int)callee->text.length,
                     callee->text.start);
    }
}

/* R(a) the result, R(a+1) the object, then the arguments. */
void method_call_to(Compiler *compiler, const Node *node, unsigned target) {
    const unsigned saved = compiler->registers;
    const int number = method_number(compiler, node->member.name, node->at);
    const unsigned result = result_register(compiler, target, node->at);
    expression_to(compiler, node->member.object, reserve(compiler, 1, node->at));
    values_in_row(compiler, node->member.arguments, node->at);
    const unsigned count = (unsigned)node->member.arguments.count;
    finish(compiler, with_registers(OP_call_method, result, count, (unsigned)number), saved, target, node->at);
}
