/* Lists a program's instructions, for people. */
#include "program.h"

static const char *const names[] = {
#define X(name, layout) #name,
    OPCODES(X)
#undef X
};

static const char *const layouts[] = {
#define X(name, layout) #layout,
    OPCODES(X)
#undef X
};

static void print_instruction(FILE *out, const Function *function, size_t index) {
    const Instruction instruction = function->code[index];
    const uint8_t bytes[] = {instruction.a, instruction.b, instruction.c};
    fprintf(out, "%6zu  %4u:%-3u  %-26s", index, function->positions[index].line, function->positions[index].column,
            names[instruction.op]);
    int operand = 0;
    for (const char *layout = layouts[instruction.op]; *layout != '\0'; layout++) {
        switch (*layout) {
        case 'R':
            fprintf(out, " r%u", bytes[operand]);
            break;
        case 'I':
            fprintf(out, " %d", (int8_t)bytes[operand]);
            break;
        case 'K':
            fprintf(out, " %g", float_of(function->constants[bytes[operand]]));
            break;
        case 'N':
            fprintf(out, " %u", bytes[operand]);
            break;
        case 'H':
            fprintf(out, " %d", instruction.jump);
            break;
        case 'J':
            fprintf(out, " -> %d", (int)index + 1 + instruction.jump);
            break;
        default:
            fprintf(out, " #%u", instruction.wide);
            break;
        }
        operand++;
    }
    fputc('\n', out);
}

static void print_function(FILE *out, const Function *function, const char *class) {
    fprintf(out, "%s%s%.*s: %zu instructions, %u registers\n", class, *class != '\0' ? "." : "",
            (int)function->name.length, function->name.start, function->length, function->registers);
    for (size_t i = 0; i < function->length; i++) {
        print_instruction(out, function, i);
    }
}

void program_print(const Program *program, FILE *out) {
    for (size_t i = 0; i < program->function_count; i++) {
        print_function(out, program->functions[i], "");
    }
    for (size_t i = 0; i < program->class_count; i++) {
        const Class *class = program->classes[i];
        for (size_t j = 0; j < MEMBER_LIMIT; j++) {
            if (class->method_of[j] != NULL) {
                char name[64];
                snprintf(name, sizeof name, "%.*s", (int)class->name.length, class->name.start);
                print_function(out, class->method_of[j], name);
            }
        }
    }
    print_function(out, &program->main, "");
}
