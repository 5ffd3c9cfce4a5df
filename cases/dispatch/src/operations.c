/* The less common cases of opcodes: mixed numbers, other types, errors, and objects to be made. */
#include "operations.h"

#include <math.h>
#include <string.h>

static const char *const arithmetic_signs[] = {"+", "-", "*", "/", "//", "%"};
static const char *const bit_signs[] = {"&", "|", "^", "<<", ">>"};

bool arithmetic(Vm *vm, Arithmetic operation, Value *result, Value x, Value y) {
    if (!is_number(x) || !is_number(y)) {
        return vm_error(vm, "'%s' needs two numbers, not %s and %s", arithmetic_signs[operation], type_name(x),
                        type_name(y));
    }
    const double left = number_of(x), right = number_of(y);
    if (operation >= DIVIDE && right == 0) {
        return vm_error(vm, "division by zero");
    }
    switch (operation) {
    case ADD:
        *result = float_value(left + right);
        break;
    case SUBTRACT:
        *result = float_value(left - right);
        break;
    case MULTIPLY:
        *result = float_value(left * right);
        break;
    case DIVIDE:
        *result = number_value(left / right);
        break;
    case FLOOR_DIVIDE:
        *result = number_value(floor(left / right));
        break;
    case MODULO: {
        const double rest = fmod(left, right);
        *result = number_value(rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest);
        break;
    }
    }
    return true;
}

/* The low 32 bits of a whole number, as in two's complement. */
static bool low_bits(Value value, uint32_t *result) {
    if (is_int(value)) {
        *result = (uint32_t)int_of(value);
        return true;
    }
    if (!is_float(value) || !(float_of(value) >= -0x1p53 && float_of(value) <= 0x1p53) ||
        floor(float_of(value)) != float_of(value)) {
        return false;
    }
    *result = (uint32_t)(int64_t)float_of(value);
    return true;
}

bool bits(Vm *vm, Bits operation, Value *result, Value left, Value right) {
    uint32_t x, y;
    if (!low_bits(left, &x) || !low_bits(right, &y)) {
        return vm_error(vm, "'%s' needs two whole numbers, not %s and %s", bit_signs[operation], type_name(left),
                        type_name(right));
    }
    const uint32_t made = operation == BIT_AND      ? x & y
                          : operation == BIT_OR     ? x | y
                          : operation == BIT_XOR    ? x ^ y
                          : operation == SHIFT_LEFT ? x << (y & 31)
                                                    : (uint32_t)((int32_t)x >> (y & 31));
    *result = int_value((int32_t)made);
    return true;
}

bool negate(Vm *vm, Value *result, Value x) {
    if (!is_number(x)) {
        return vm_error(vm, "'-' needs a number, not %s", type_name(x));
    }
    *result = number_value(-number_of(x));
    return true;
}

bool bit_not(Vm *vm, Value *result, Value x) {
    uint32_t low;
    if (!low_bits(x, &low)) {
        return vm_error(vm, "'~' needs a whole number, not %s", type_name(x));
    }
    *result = int_value((int32_t)~low);
    return true;
}

int compare(Vm *vm, Order order, Value x, Value y) {
    if (is_number(x) && is_number(y)) {
        return order == LESS ? number_of(x) < number_of(y) : number_of(x) <= number_of(y);
    }
    if (!is_string(x) || !is_string(y)) {
        vm_error(vm, "only two numbers or two strings have an order, not %s and %s", type_name(x), type_name(y));
        return -1;
    }
    const String *left = string_of(x), *right = string_of(y);
    const size_t shorter = left->length < right->length ? left->length : right->length;
    const int difference = memcmp(left->bytes, right->bytes, shorter);
    const int sign = difference != 0 ? difference : (left->length > right->length) - (left->length < right->length);
    return order == LESS ? sign < 0 : sign <= 0;
}

bool values_equal(Value x, Value y) {
    if (is_number(x) && is_number(y)) {
        return number_of(x) == number_of(y);
    }
    if (is_string(x) && is_string(y)) {
        const String *left = string_of(x), *right = string_of(y);
        return left->length == right->length && memcmp(left->bytes, right->bytes, left->length) == 0;
    }
    return x.bits == y.bits;
}

bool prepare_for(Vm *vm, Value counter[2]) {
    int32_t first, limit;
    if (!whole_number(vm, counter[0], "where a loop begins", &first) ||
        !whole_number(vm, counter[1], "where a loop ends", &limit)) {
        return false;
    }
    counter[0] = int_value(first);
    counter[1] = int_value(limit);
    return true;
}

/* Checks that the list has an element of this number. */
static bool element(Vm *vm, size_t count, Value index, int32_t *result) {
    if (!whole_number(vm, index, "an index", result)) {
        return false;
    }
    if (*result < 0 || (size_t)*result >= count) {
        return vm_error(vm, "index %d is outside of 0 until %zu", *result, count);
    }
    return true;
}

bool get_index(Vm *vm, Value *result, Value list, Value index) {
    int32_t number;
    if (is_array(list)) {
        if (!element(vm, array_of(list)->count, index, &number)) {
            return false;
        }
        *result = array_of(list)->items[number];
        return true;
    }
    if (!is_string(list)) {
        return vm_error(vm, "%s has no elements", type_name(list));
    }
    if (!element(vm, string_of(list)->length, index, &number)) {
        return false;
    }
    *result = object_value(vm->bytes[(unsigned char)string_of(list)->bytes[number]]);
    return true;
}

bool set_index(Vm *vm, Value list, Value index, Value value) {
    int32_t number;
    if (!is_array(list)) {
        return vm_error(vm, "%s has no elements to set", type_name(list));
    }
    if (!element(vm, array_of(list)->count, index, &number)) {
        return false;
    }
    array_of(list)->items[number] = value;
    return true;
}

bool length_of(Vm *vm, Value *result, Value list) {
    if (is_array(list) || is_string(list)) {
        *result = int_value((int32_t)(is_array(list) ? array_of(list)->count : string_of(list)->length));
        return true;
    }
    return vm_error(vm, "%s has no length", type_name(list));
}

static bool no_member(Vm *vm, Value object, const char *what, Text name) {
    if (!is_instance(object)) {
        return vm_error(vm, "%s has no %s '%.*s'", type_name(object), what, (int)name.length, name.start);
    }
    const Text class = instance_of(object)->class->name;
    return vm_error(vm, "class %.*s has no %s '%.*s'", (int)class.length, class.start, what, (int)name.length,
                    name.start);
}

bool no_field(Vm *vm, Value object, unsigned field) { return no_member(vm, object, "field", vm->program->fields[field]); }

bool no_method(Vm *vm, Value object, unsigned method) {
    return no_member(vm, object, "method", vm->program->methods[method]);
}

bool not_callable(Vm *vm, Value callee) { return vm_error(vm, "%s cannot be called", type_name(callee)); }

bool wrong_count(Vm *vm, const Function *function, unsigned given) {
    return vm_error(vm, "'%.*s' takes %u argument%s, not %u", (int)function->name.length, function->name.start,
                    function->arity, function->arity == 1 ? "" : "s", given);
}

bool too_deep(Vm *vm) { return vm_error(vm, "calls are nested too deeply"); }

bool round_down(Vm *vm, Value *result, Value x) {
    if (!is_number(x)) {
        return vm_error(vm, "'floor' needs a number, not %s", type_name(x));
    }
    *result = number_value(floor(number_of(x)));
    return true;
}

bool absolute(Vm *vm, Value *result, Value x) {
    if (!is_number(x)) {
        return vm_error(vm, "'abs' needs a number, not %s", type_name(x));
    }
    *result = number_value(fabs(number_of(x)));
    return true;
}

bool square_root(Vm *vm, Value *result, Value x) {
    if (!is_number(x)) {
        return vm_error(vm, "'sqrt' needs a number, not %s", type_name(x));
    }
    if (number_of(x) < 0) {
        return vm_error(vm, "'sqrt' of a negative number");
    }
    *result = float_value(sqrt(number_of(x)));
    return true;
}

static bool room(Vm *vm, size_t bytes) {
    return !heap_full(&vm->heap, bytes) || vm_error(vm, "out of memory: more than %zu MiB in use", HEAP_LIMIT >> 20);
}

String *vm_string(Vm *vm, const char *bytes, size_t length) {
    if (!room(vm, length)) {
        return NULL;
    }
    String *string = heap_string(&vm->heap, length);
    if (bytes != NULL && length > 0) {
        memcpy(string->bytes, bytes, length);
    }
    return string;
}

bool append(Vm *vm, Value list, Value value) {
    if (!is_array(list)) {
        return vm_error(vm, "'push' needs an array, not %s", type_name(list));
    }
    if (!room(vm, array_of(list)->capacity * sizeof(Value))) {
        return false;
    }
    heap_append(&vm->heap, array_of(list), value);
    return true;
}

bool new_array(Vm *vm, Value *first, unsigned count) {
    if (!room(vm, count * sizeof(Value))) {
        return false;
    }
    Array *array = heap_array(&vm->heap, count);
    if (count > 0) {
        memcpy(array->items, first, count * sizeof *first);
    }
    *first = object_value(array);
    return true;
}

bool new_instance(Vm *vm, Value *first, Class *class) {
    if (!room(vm, class->field_count * sizeof(Value))) {
        return false;
    }
    Instance *instance = heap_instance(&vm->heap, class, class->field_count);
    memcpy(instance->fields, first, class->field_count * sizeof *first);
    *first = object_value(instance);
    return true;
}

/* The bytes that a string or number adds to a concatenation; NULL for all else. */
static const char *piece(Value value, char number[NUMBER_LENGTH], size_t *length) {
    if (is_string(value)) {
        *length = string_of(value)->length;
        return string_of(value)->bytes;
    }
    if (!is_number(value)) {
        return NULL;
    }
    *length = number_text(value, number);
    return number;
}

bool concatenate(Vm *vm, Value *result, const Value *first, unsigned count) {
    char number[NUMBER_LENGTH];
    size_t total = 0, length = 0;
    for (unsigned i = 0; i < count; i++) {
        if (piece(first[i], number, &length) == NULL) {
            return vm_error(vm, "'..' joins strings and numbers, not %s; see 'str'", type_name(first[i]));
        }
        total += length;
    }
    String *string = vm_string(vm, NULL, total);
    if (string == NULL) {
        return false;
    }
    char *next = string->bytes;
    for (unsigned i = 0; i < count; i++) {
        const char *bytes = piece(first[i], number, &length);
        memcpy(next, bytes, length);
        next += length;
    }
    *result = object_value(string);
    return true;
}
