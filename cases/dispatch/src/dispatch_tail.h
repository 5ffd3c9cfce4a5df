/* Dispatch by tail calls: each opcode is a function op_*, and calls the next one as its last act, in place of itself. With
 * PRESERVE_NONE the functions keep no register for their callers, which none of them has. */
#ifndef __has_attribute
#define __has_attribute(name) 0
#endif

#if !__has_attribute(musttail)
#error "DISPATCH=tail and tail-plain need a compiler with the attribute musttail: clang 13 or later, gcc 15 or later"
#endif

#ifdef PRESERVE_NONE
#if !__has_attribute(preserve_none)
#error "DISPATCH=tail needs a compiler with the attribute preserve_none: clang 19 or later; DISPATCH=tail-plain does without"
#endif
#define HANDLER __attribute__((preserve_none))
#else
#define HANDLER
#endif

#define PARAMETERS                                                                                                     \
    __attribute__((unused)) const Instruction *pc, __attribute__((unused)) Value *base,                                \
        __attribute__((unused)) const Value *constants, __attribute__((unused)) Vm *vm

typedef HANDLER Outcome Handler(PARAMETERS);

#define DECLARATION(name, layout) static HANDLER Outcome op_##name(PARAMETERS);
#define ENTRY(name, layout) op_##name,

#define DISPATCH_BEGIN                                                                                                 \
    OPCODES(DECLARATION)                                                                                               \
    static Handler *const handlers[] = {OPCODES(ENTRY)};

#define DISPATCH_END                                                                                                   \
    Outcome run(Vm *vm) {                                                                                              \
        return handlers[vm->pc->op](vm->pc, vm->base, vm->frame->function->constants, vm);                             \
    }

#define OP(name) static HANDLER Outcome op_##name(PARAMETERS)
#define NEXT(count)                                                                                                    \
    do {                                                                                                               \
        pc += (count);                                                                                                 \
        __attribute__((musttail)) return handlers[pc->op](pc, base, constants, vm);                                    \
    } while (0)
#define FAIL() return RUN_FAILED
#define DONE() return RUN_DONE
