/* Dispatch by a `switch` in a loop: one indirect jump for all opcodes, unless the compiler copies it. */
#define DISPATCH_BEGIN                                                                                                 \
    Outcome run(Vm *vm) {                                                                                              \
        const Instruction *pc = vm->pc;                                                                                \
        Value *base = vm->base;                                                                                        \
        const Value *constants = vm->frame->function->constants;                                                       \
    next:                                                                                                              \
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
#define DONE() return RUN_DONE
