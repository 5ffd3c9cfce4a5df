/* Compiles a program: declares its names, then each function, method and the statements outside. */
#include <stdlib.h>

#include "compiler.h"

static void begin(Compiler *compiler, Function *function, Class *class, bool is_main) {
    compiler->function = function;
    compiler->class = class;
    compiler->is_main = is_main;
    compiler->blocks = compiler->local_count = compiler->registers = 0;
    compiler->loop = NULL;
    compiler->length = compiler->constant_count = 0;
}

static void finish(Compiler *compiler, Opcode last, Position at) {
    Arena *arena = &compiler->program->arena;
    Function *function = compiler->function;
    emit(compiler, with_registers(last, 0, 0, 0), at);
    function->length = compiler->length;
    function->code = arena_copy(arena, compiler->code, compiler->length * sizeof *function->code);
    function->positions = arena_copy(arena, compiler->positions, compiler->length * sizeof *function->positions);
    function->constant_count = compiler->constant_count;
    function->constants = arena_copy(arena, compiler->constants, compiler->constant_count * sizeof(Value));
}

static void function(Compiler *compiler, const FunctionTree *tree, Function *function, Class *class) {
    static const Text self = {"self", 4};
    begin(compiler, function, class, false);
    if (class != NULL) {
        declare_local(compiler, self, reserve(compiler, 1, tree->at), tree->at);
    }
    for (size_t i = 0; i < tree->parameter_count && !compiler->source->failed; i++) {
        for (size_t j = 0; j < i; j++) {
            if (text_equals(tree->parameters[i], tree->parameters[j])) {
                source_error(compiler->source, tree->at, "parameter '%.*s' is there twice",
                             (int)tree->parameters[i].length, tree->parameters[i].start);
            }
        }
        declare_local(compiler, tree->parameters[i], reserve(compiler, 1, tree->at), tree->at);
    }
    statement_list(compiler, tree->body->items);
    finish(compiler, OP_return_nil, tree->at);
}

static void all_functions(Compiler *compiler) {
    const ProgramTree *tree = compiler->tree;
    for (size_t i = 0; i < tree->function_count && !compiler->source->failed; i++) {
        function(compiler, tree->functions[i], compiler->program->functions[i], NULL);
    }
    for (size_t i = 0; i < tree->class_count && !compiler->source->failed; i++) {
        Class *class = compiler->program->classes[i];
        for (size_t j = 0; j < tree->classes[i]->method_count && !compiler->source->failed; j++) {
            const FunctionTree *method = tree->classes[i]->methods[j];
            function(compiler, method, class->method_of[method_number(compiler, method->name, method->at)], class);
        }
    }
}

Program *compile(Source *source, Heap *heap) {
    Arena trees = {0};
    Program *program = allocate(sizeof *program);
    *program = (Program){.main.object.kind = OBJECT_FUNCTION, .main.name = {"main", 4}};
    ProgramTree *tree = parse(source, &trees);
    if (!source->failed) {
        Compiler *compiler = allocate(sizeof *compiler);
        compiler->source = source;
        compiler->heap = heap;
        compiler->program = program;
        compiler->tree = tree;
        declare_program(compiler);
        all_functions(compiler);
        if (!source->failed) {
            begin(compiler, &program->main, NULL, true);
            statement_list(compiler, tree->statements);
            finish(compiler, OP_halt, (Position){1, 1});
        }
        free(compiler);
    }
    arena_free(&trees);
    return program;
}

void program_free(Program *program) {
    arena_free(&program->arena);
    free(program);
}

static void mark_function(const Function *function, Heap *heap) {
    for (size_t i = 0; i < function->constant_count; i++) {
        heap_mark(heap, function->constants[i]);
    }
}

void program_mark(const Program *program, Heap *heap) {
    mark_function(&program->main, heap);
    for (size_t i = 0; i < program->function_count; i++) {
        mark_function(program->functions[i], heap);
    }
    for (size_t i = 0; i < program->class_count; i++) {
        for (size_t j = 0; j < MEMBER_LIMIT; j++) {
            if (program->classes[i]->method_of[j] != NULL) {
                mark_function(program->classes[i]->method_of[j], heap);
            }
        }
    }
}
