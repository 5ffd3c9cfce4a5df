/* What opcodes do when the operands are not of the common kind, and what is too long to stand in a handler. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "vm.h"

typedef enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, MODULO } Arithmetic;
typedef enum { BIT_AND, BIT_OR, BIT_XOR, SHIFT_LEFT, SHIFT_RIGHT } Bits;
typedef enum { LESS, LESS_EQUAL } Order;

/* All but `values_equal` return false, or -1, with the error reported. None of them is worth inlining. */
#define SLOW __attribute__((noinline, cold))

SLOW bool arithmetic(Vm *vm, Arithmetic operation, Value *result, Value x, Value y);
SLOW bool bits(Vm *vm, Bits operation, Value *result, Value x, Value y);
SLOW bool negate(Vm *vm, Value *result, Value x);
SLOW bool bit_not(Vm *vm, Value *result, Value x);
SLOW int compare(Vm *vm, Order order, Value x, Value y); /* 0 or 1 */
SLOW bool prepare_for(Vm *vm, Value counter[2]);
SLOW bool get_index(Vm *vm, Value *result, Value list, Value index);
SLOW bool set_index(Vm *vm, Value list, Value index, Value value);
SLOW bool length_of(Vm *vm, Value *result, Value list);
SLOW bool no_field(Vm *vm, Value object, unsigned field);
SLOW bool no_method(Vm *vm, Value object, unsigned method);
SLOW bool not_callable(Vm *vm, Value callee);
SLOW bool wrong_count(Vm *vm, const Function *function, unsigned given);
SLOW bool too_deep(Vm *vm);
SLOW bool round_down(Vm *vm, Value *result, Value x);
SLOW bool absolute(Vm *vm, Value *result, Value x);
SLOW bool square_root(Vm *vm, Value *result, Value x);
#undef SLOW

#define CALLED __attribute__((noinline))
CALLED bool values_equal(Value x, Value y);
CALLED bool append(Vm *vm, Value list, Value value);
CALLED bool new_array(Vm *vm, Value *first, unsigned count);
CALLED bool new_instance(Vm *vm, Value *first, Class *class);
CALLED bool concatenate(Vm *vm, Value *result, const Value *first, unsigned count);
#undef CALLED

#endif
