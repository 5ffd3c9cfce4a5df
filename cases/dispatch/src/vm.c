/* Starting a program, its roots for the garbage collector, and run-time errors. */
#include "vm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Marks everything that the program can still reach, and clears the registers that no activation uses: what stands there may be
 * collected now, and would dangle when a later activation takes the registers over. */
static void mark_roots(void *owner, Heap *heap) {
    Vm *vm = owner;
    Value *top = vm->base + vm->frame->function->registers;
    for (Value *value = vm->stack; value < top; value++) {
        heap_mark(heap, *value);
    }
    for (Value *value = top; value < vm->stack_end; value++) {
        *value = NIL_VALUE;
    }
    for (size_t i = 0; i < vm->program->global_count; i++) {
        heap_mark(heap, vm->globals[i]);
    }
    for (size_t i = 0; i < 256; i++) {
        heap_mark(heap, object_value(vm->bytes[i]));
    }
    program_mark(vm->program, heap);
}

static void prepare(Vm *vm, const Program *program) {
    vm->program = program;
    vm->functions = program->functions;
    vm->classes = program->classes;
    vm->globals = allocate((program->global_count + 1) * sizeof *vm->globals);
    for (size_t i = 0; i < program->global_count; i++) {
        vm->globals[i] = NIL_VALUE;
    }
    for (size_t i = 0; i < 256; i++) {
        vm->bytes[i] = heap_string(&vm->heap, 1);
        vm->bytes[i]->bytes[0] = (char)i;
    }
    vm->stack_end = vm->stack + STACK_SIZE;
    for (Value *value = vm->stack; value < vm->stack_end; value++) {
        *value = NIL_VALUE;
    }
    vm->frames[0] = (Frame){.function = &program->main};
    vm->frame = vm->frames;
    vm->last_frame = vm->frames + FRAME_LIMIT - 1;
    vm->base = vm->stack;
    vm->pc = program->main.code;
    vm->heap.owner = vm;
    vm->heap.mark_roots = mark_roots;
}

bool vm_run(Vm *vm, const Program *program, const char *path, int argument_count, char **arguments) {
    vm->path = path;
    vm->argument_count = argument_count;
    vm->arguments = arguments;
    prepare(vm, program);
    const Outcome outcome = run(vm);
    free(vm->globals);
    return outcome == RUN_DONE;
}

static Position position_of(const Function *function, const Instruction *pc) {
    return function->positions[pc - function->code];
}

bool vm_error(Vm *vm, const char *format, ...) {
    enum { SHOWN = 8 };
    fflush(stdout);
    const Position at = position_of(vm->frame->function, vm->pc);
    fprintf(stderr, "%s:%u:%u: error: ", vm->path, at.line, at.column);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    int shown = 0;
    for (const Frame *frame = vm->frame; frame > vm->frames; frame--) {
        if (shown++ == SHOWN) {
            fprintf(stderr, "  … %td more calls\n", frame - vm->frames);
            break;
        }
        const Position call = position_of(frame[-1].function, frame->pc - 1);
        fprintf(stderr, "  in %.*s, called at %s:%u:%u\n", (int)frame->function->name.length,
                frame->function->name.start, vm->path, call.line, call.column);
    }
    return false;
}

const char *type_name(Value value) {
    if (is_number(value)) {
        return "number";
    }
    if (is_bool(value)) {
        return "bool";
    }
    if (!is_object(value)) {
        return "nil";
    }
    switch (object_of(value)->kind) {
    case OBJECT_STRING:
        return "string";
    case OBJECT_ARRAY:
        return "array";
    case OBJECT_INSTANCE:
        return "object";
    case OBJECT_FUNCTION:
        break;
    }
    return "function";
}

bool whole_number(Vm *vm, Value value, const char *what, int32_t *result) {
    const Value number = is_float(value) ? number_value(float_of(value)) : value;
    if (!is_int(number)) {
        return vm_error(vm, "%s must be a whole number of 32 bits, not %s", what,
                        is_float(value) ? "another number" : type_name(value));
    }
    *result = int_of(number);
    return true;
}

size_t number_text(Value number, char text[NUMBER_LENGTH]) {
    if (is_int(number)) {
        return (size_t)snprintf(text, NUMBER_LENGTH, "%d", int_of(number));
    }
    const double value = float_of(number);
    if (value == 0) {
        return (size_t)snprintf(text, NUMBER_LENGTH, "0");
    }
    if (value != value) {
        return (size_t)snprintf(text, NUMBER_LENGTH, "nan");
    }
    if (value > -1e15 && value < 1e15 && (double)(int64_t)value == value) {
        return (size_t)snprintf(text, NUMBER_LENGTH, "%.0f", value);
    }
    for (int digits = 15;; digits++) {
        const int length = snprintf(text, NUMBER_LENGTH, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) {
            return (size_t)length;
        }
    }
}
