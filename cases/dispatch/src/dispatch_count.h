/* Not for timing: counts how often each opcode runs, and prints it on standard error at the program's end. */
#include <stdio.h>

static void print_counts(const unsigned long long counts[OPCODE_COUNT]) {
    static const char *const opcode_names[] = {
#define NAME(name, layout) #name,
        OPCODES(NAME)
#undef NAME
    };
    unsigned long long total = 0;
    for (int op = 0; op < OPCODE_COUNT; op++) {
        total += counts[op];
    }
    fprintf(stderr, "%12llu opcodes\n", total);
    for (int op = 0; op < OPCODE_COUNT; op++) {
        if (counts[op] > 0) {
            fprintf(stderr, "%12llu %4.1f %% %s\n", counts[op], 100.0 * (double)counts[op] / (double)total, opcode_names[op]);
        }
    }
}

#define DISPATCH_BEGIN                                                                                                 \
    Outcome run(Vm *vm) {                                                                                              \
        unsigned long long counts[OPCODE_COUNT] = {0};                                                                 \
        const Instruction *pc = vm->pc;                                                                                \
        Value *base = vm->base;                                                                                        \
        const Value *constants = vm->frame->function->constants;                                                       \
    next:                                                                                                              \
        counts[pc->op]++;                                                                                              \
        switch ((Opcode)pc->op) {

#define DISPATCH_END                                                                                                   \
        case OPCODE_COUNT:                                                                                             \
        default:                                                                                                       \
            __builtin_unreachable();                                                                                   \
        }                                                                                                              \
    }

#define OP(name) case OP_##name:
#define NEXT(count)                                                                                                    \
    do {                                                                                                               \
        pc += (count);                                                                                                 \
        goto next;                                                                                                     \
    } while (0)
#define FAIL() return RUN_FAILED
#define DONE()                                                                                                         \
    do {                                                                                                               \
        print_counts(counts);                                                                                          \
        return RUN_DONE;                                                                                               \
    } while (0)
