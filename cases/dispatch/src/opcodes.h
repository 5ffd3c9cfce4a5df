/* The opcodes: name and layout of the operands, in one list from which all tables are made. */
#ifndef OPCODES_H
#define OPCODES_H

/* Layouts: R register, I 8-bit int, K 8-bit constant, N 8-bit number of something; H, Q 16-bit forms of I and N; J 16-bit jump. */
#define OPCODES(X)                                                                                                     \
    /* R(a) becomes … */                                                                                               \
    X(move, RR)                                                                                                        \
    X(load_constant, RQ)                                                                                               \
    X(load_int, RH)                                                                                                    \
    X(load_nil, R)                                                                                                     \
    X(load_true, R)                                                                                                    \
    X(load_false, R)                                                                                                   \
    X(load_function, RQ)                                                                                               \
    X(get_global, RQ)                                                                                                  \
    X(set_global, RQ)                                                                                                  \
    /* arithmetic: two registers; a register and an int; a register and a constant */                                  \
    X(add, RRR)                                                                                                        \
    X(subtract, RRR)                                                                                                   \
    X(multiply, RRR)                                                                                                   \
    X(divide, RRR)                                                                                                     \
    X(floor_divide, RRR)                                                                                               \
    X(modulo, RRR)                                                                                                     \
    X(add_int, RRI)                                                                                                    \
    X(subtract_int, RRI)                                                                                               \
    X(multiply_int, RRI)                                                                                               \
    X(divide_int, RRI)                                                                                                 \
    X(floor_divide_int, RRI)                                                                                           \
    X(modulo_int, RRI)                                                                                                 \
    X(add_constant, RRK)                                                                                               \
    X(subtract_constant, RRK)                                                                                          \
    X(multiply_constant, RRK)                                                                                          \
    X(divide_constant, RRK)                                                                                            \
    X(negate, RR)                                                                                                      \
    /* bits of 32-bit ints */                                                                                          \
    X(bit_and, RRR)                                                                                                    \
    X(bit_or, RRR)                                                                                                     \
    X(bit_xor, RRR)                                                                                                    \
    X(shift_left, RRR)                                                                                                 \
    X(shift_right, RRR)                                                                                                \
    X(bit_and_int, RRI)                                                                                                \
    X(shift_left_int, RRI)                                                                                             \
    X(shift_right_int, RRI)                                                                                            \
    X(bit_not, RR)                                                                                                     \
    /* comparisons and logic that make a boolean */                                                                    \
    X(equal, RRR)                                                                                                      \
    X(not_equal, RRR)                                                                                                  \
    X(less, RRR)                                                                                                       \
    X(less_equal, RRR)                                                                                                 \
    X(not, RR)                                                                                                         \
    /* jumps */                                                                                                        \
    X(jump, J)                                                                                                         \
    X(jump_if, RJ)                                                                                                     \
    X(jump_unless, RJ)                                                                                                 \
    /* compare; the `jump` that follows is taken if, or unless, it holds */                                            \
    X(if_equal, RR)                                                                                                    \
    X(if_not_equal, RR)                                                                                                \
    X(if_less, RR)                                                                                                     \
    X(if_less_equal, RR)                                                                                               \
    X(unless_less, RR)                                                                                                 \
    X(unless_less_equal, RR)                                                                                           \
    X(if_equal_int, RH)                                                                                                \
    X(if_not_equal_int, RH)                                                                                            \
    X(if_less_int, RH)                                                                                                 \
    X(if_less_equal_int, RH)                                                                                           \
    X(if_greater_int, RH)                                                                                              \
    X(if_greater_equal_int, RH)                                                                                        \
    X(unless_less_int, RH)                                                                                             \
    X(unless_less_equal_int, RH)                                                                                       \
    X(unless_greater_int, RH)                                                                                          \
    X(unless_greater_equal_int, RH)                                                                                    \
    /* counting loops: R(a) counter, R(a+1) limit, R(a+2) the variable */                                              \
    X(for_prepare, RJ)                                                                                                 \
    X(for_loop, RJ)                                                                                                    \
    /* calls: arguments from R(a+1), the result in R(a) */                                                             \
    X(call, RN)                                                                                                        \
    X(call_function, RQ)                                                                                               \
    X(call_method, RNN)                                                                                                \
    X(call_native, RNN)                                                                                                \
    X(return, R)                                                                                                       \
    X(return_nil, )                                                                                                    \
    X(halt, )                                                                                                          \
    /* arrays, strings, objects */                                                                                     \
    X(new_array, RQ)                                                                                                   \
    X(get_index, RRR)                                                                                                  \
    X(set_index, RRR)                                                                                                  \
    X(get_index_int, RRN)                                                                                              \
    X(set_index_int, RRN)                                                                                              \
    X(append, RR)                                                                                                      \
    X(length, RR)                                                                                                      \
    X(concatenate, RRN)                                                                                                \
    X(new_instance, RQ)                                                                                                \
    X(get_field, RRN)                                                                                                  \
    X(set_field, RRN)                                                                                                  \
    X(get_own_field, RN)                                                                                               \
    X(set_own_field, RN)                                                                                               \
    /* functions common enough to have an opcode */                                                                    \
    X(square_root, RR)                                                                                                 \
    X(floor, RR)                                                                                                       \
    X(absolute, RR)

typedef enum {
#define X(name, layout) OP_##name,
    OPCODES(X)
#undef X
    OPCODE_COUNT
} Opcode;

#endif
