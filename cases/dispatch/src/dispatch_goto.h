/* Dispatch by computed goto: each handler ends with an indirect jump of its own, unless the compiler merges them. */
#define LABEL(name, layout) &&op_##name,

#define DISPATCH_BEGIN                                                                                                 \
    Outcome run(Vm *vm) {                                                                                              \
        static const void *const labels[] = {OPCODES(LABEL)};                                                          \
        const Instruction *pc = vm->pc;                                                                                \
        Value *base = vm->base;                                                                                        \
        const Value *constants = vm->frame->function->constants;                                                       \
        NEXT(0);

#define DISPATCH_END }

#define OP(name) op_##name:
#define NEXT(count)                                                                                                    \
    do {                                                                                                               \
        pc += (count);                                                                                                 \
        goto *labels[pc->op];                                                                                          \
    } while (0)
#define FAIL() return RUN_FAILED
#define DONE() return RUN_DONE

/* Labels as values are an extension that both compilers have. */
#pragma GCC diagnostic ignored "-Wpedantic"
