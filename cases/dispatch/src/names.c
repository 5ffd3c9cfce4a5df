/* Names: locals, globals, functions, classes, fields and methods. */
#include "compiler.h"
#include "natives.h"

int find_local(const Compiler *compiler, Text name) {
    for (unsigned i = compiler->local_count; i > 0; i--) {
        if (text_equals(compiler->locals[i - 1].name, name)) {
            return (int)compiler->locals[i - 1].index;
        }
    }
    return -1;
}

int find_global(const Compiler *compiler, Text name) {
    for (size_t i = 0; i < compiler->program->global_count; i++) {
        if (text_equals(compiler->globals[i], name)) {
            return (int)i;
        }
    }
    return -1;
}

int find_function(const Compiler *compiler, Text name) {
    for (size_t i = 0; i < compiler->tree->function_count; i++) {
        if (text_equals(compiler->tree->functions[i]->name, name)) {
            return (int)i;
        }
    }
    return -1;
}

int find_class(const Compiler *compiler, Text name) {
    for (size_t i = 0; i < compiler->program->class_count; i++) {
        if (text_equals(compiler->program->classes[i]->name, name)) {
            return (int)i;
        }
    }
    return -1;
}

static int member_number(Compiler *compiler, Text *names, size_t *count, Text name, Position at) {
    for (size_t i = 0; i < *count; i++) {
        if (text_equals(names[i], name)) {
            return (int)i;
        }
    }
    if (*count == MEMBER_LIMIT) {
        source_error(compiler->source, at, "more than %d different names of fields, or of methods", MEMBER_LIMIT);
        return -1;
    }
    /* The name outlives the source's text. */
    names[*count] = (Text){arena_copy(&compiler->program->arena, name.start, name.length), name.length};
    return (int)(*count)++;
}

int field_number(Compiler *compiler, Text name, Position at) {
    return member_number(compiler, compiler->program->fields, &compiler->program->field_count, name, at);
}

int method_number(Compiler *compiler, Text name, Position at) {
    return member_number(compiler, compiler->program->methods, &compiler->program->method_count, name, at);
}

void declare_local(Compiler *compiler, Text name, unsigned index, Position at) {
    if (compiler->local_count == REGISTER_LIMIT) {
        source_error(compiler->source, at, "more than %d local variables", REGISTER_LIMIT);
        return;
    }
    compiler->locals[compiler->local_count++] = (Local){name, index};
}

static void refuse_second(Compiler *compiler, Text name, Position at) {
    if (find_global(compiler, name) >= 0 || find_function(compiler, name) >= 0 || find_class(compiler, name) >= 0 ||
        find_native(name) >= 0 || find_intrinsic(name) >= 0) {
        source_error(compiler->source, at, "'%.*s' is already defined", (int)name.length, name.start);
    }
}

static Function *new_function(Compiler *compiler, const FunctionTree *tree) {
    Arena *arena = &compiler->program->arena;
    Function *function = arena_allocate(arena, sizeof *function);
    function->object.kind = OBJECT_FUNCTION;
    function->name = (Text){arena_copy(arena, tree->name.start, tree->name.length), tree->name.length};
    function->arity = (unsigned)tree->parameter_count;
    return function;
}

static Class *new_class(Compiler *compiler, const ClassTree *tree) {
    Arena *arena = &compiler->program->arena;
    Class *class = arena_allocate(arena, sizeof *class);
    class->name = (Text){arena_copy(arena, tree->name.start, tree->name.length), tree->name.length};
    for (size_t i = 0; i < MEMBER_LIMIT; i++) {
        class->slot_of_field[i] = -1;
    }
    for (size_t i = 0; i < tree->field_count; i++) {
        const int number = field_number(compiler, tree->fields[i], tree->at);
        if (number >= 0 && class->slot_of_field[number] >= 0) {
            source_error(compiler->source, tree->at, "field '%.*s' is there twice", (int)tree->fields[i].length,
                         tree->fields[i].start);
        } else if (number >= 0) {
            class->slot_of_field[number] = (int16_t)i;
            class->field_count = i + 1;
        }
    }
    for (size_t i = 0; i < tree->method_count; i++) {
        const FunctionTree *method = tree->methods[i];
        const int number = method_number(compiler, method->name, method->at);
        if (number >= 0 && class->method_of[number] != NULL) {
            source_error(compiler->source, method->at, "method '%.*s' is there twice", (int)method->name.length,
                         method->name.start);
        } else if (number >= 0) {
            class->method_of[number] = new_function(compiler, method);
        }
    }
    return class;
}

/* Makes all names of the program known, so that their order does not matter. */
void declare_program(Compiler *compiler) {
    Program *program = compiler->program;
    const ProgramTree *tree = compiler->tree;
    if (tree->function_count > CONSTANT_LIMIT || tree->class_count > CONSTANT_LIMIT) {
        source_error(compiler->source, (Position){1, 1}, "more than %d functions or classes", CONSTANT_LIMIT);
        return;
    }
    program->functions = arena_allocate(&program->arena, tree->function_count * sizeof *program->functions);
    for (size_t i = 0; i < tree->function_count; i++) {
        const FunctionTree *function = tree->functions[i];
        if (find_function(compiler, function->name) != (int)i || find_native(function->name) >= 0 ||
            find_intrinsic(function->name) >= 0) {
            source_error(compiler->source, function->at, "'%.*s' is already defined", (int)function->name.length,
                         function->name.start);
        }
        program->functions[i] = new_function(compiler, function);
    }
    program->function_count = tree->function_count;
    program->classes = arena_allocate(&program->arena, tree->class_count * sizeof *program->classes);
    for (size_t i = 0; i < tree->class_count; i++) {
        refuse_second(compiler, tree->classes[i]->name, tree->classes[i]->at);
        program->classes[i] = new_class(compiler, tree->classes[i]);
        program->class_count = i + 1;
    }
    compiler->globals = arena_allocate(&program->arena, tree->statements.count * sizeof *compiler->globals);
    for (size_t i = 0; i < tree->statements.count; i++) {
        const Node *statement = tree->statements.items[i];
        if (statement->kind != NODE_LET) {
            continue;
        }
        refuse_second(compiler, statement->let.name, statement->at);
        if (program->global_count == CONSTANT_LIMIT) {
            source_error(compiler->source, statement->at, "more than %d global variables", CONSTANT_LIMIT);
            return;
        }
        compiler->globals[program->global_count++] = statement->let.name;
    }
}
