/* A value of the language in 64 bits, by NaN boxing: a double is itself; all else sits where the negative quiet NaNs that no
 * arithmetic makes would be. Whole numbers that fit 32 bits are kept as ints; to the language both are one type, number. */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct Object Object;

typedef struct {
    uint64_t bits;
} Value;

/* From the top: ints 0xffff…, objects 0xfffc…, nil and the booleans 0xfffa…; below that, every double. */
#define INT_TAG UINT64_C(0xffff000000000000)
#define OBJECT_TAG UINT64_C(0xfffc000000000000)
#define SPECIAL_TAG UINT64_C(0xfffa000000000000)
#define POINTER_MASK UINT64_C(0x0000ffffffffffff)

#define NIL_VALUE ((Value){SPECIAL_TAG})
#define FALSE_VALUE ((Value){SPECIAL_TAG + 1})
#define TRUE_VALUE ((Value){SPECIAL_TAG + 2})

static inline Value int_value(int32_t number) { return (Value){INT_TAG | (uint32_t)number}; }

static inline Value float_value(double number) {
    Value value;
    memcpy(&value.bits, &number, sizeof number);
    return value;
}

static inline Value bool_value(bool truth) { return (Value){SPECIAL_TAG + 1 + truth}; }

static inline Value object_value(const void *object) { return (Value){OBJECT_TAG | (uint64_t)(uintptr_t)object}; }

static inline bool is_int(Value value) { return value.bits >= INT_TAG; }
static inline bool both_ints(Value x, Value y) { return (x.bits & y.bits) >= INT_TAG; }
static inline bool is_float(Value value) { return value.bits < SPECIAL_TAG; }
static inline bool both_floats(Value x, Value y) { return is_float(x) && is_float(y); }
static inline bool is_number(Value value) { return is_int(value) || is_float(value); }
static inline bool is_object(Value value) { return value.bits >> 48 == OBJECT_TAG >> 48; }
static inline bool is_bool(Value value) { return value.bits - FALSE_VALUE.bits <= 1; }

/* Only nil and false count as false in a condition. */
static inline bool is_falsy(Value value) { return value.bits - NIL_VALUE.bits <= 1; }

static inline int32_t int_of(Value value) { return (int32_t)(uint32_t)value.bits; }

static inline double float_of(Value value) {
    double number;
    memcpy(&number, &value.bits, sizeof number);
    return number;
}

static inline Object *object_of(Value value) { return (Object *)(uintptr_t)(value.bits & POINTER_MASK); }

/* The number as a double; the value must be a number. */
static inline double number_of(Value value) { return is_int(value) ? int_of(value) : float_of(value); }

/* A number in its shortest form: an int when it is whole and fits. */
static inline Value number_value(double number) {
    if (number >= INT32_MIN && number <= INT32_MAX && (double)(int32_t)number == number) {
        return int_value((int32_t)number);
    }
    return float_value(number);
}

#endif
