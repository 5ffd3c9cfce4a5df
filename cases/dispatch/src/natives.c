/* The functions that the language brings along, and the table by which the compiler finds them. */
#include "natives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm.h"

/* How deep a printed array shows arrays within. */
enum { PRINT_DEPTH = 3, ANY_NUMBER = REGISTER_LIMIT };

static void print_value(FILE *out, Value value, int depth) {
    char number[NUMBER_LENGTH];
    if (is_number(value)) {
        fwrite(number, 1, number_text(value, number), out);
    } else if (is_string(value)) {
        fwrite(string_of(value)->bytes, 1, string_of(value)->length, out);
    } else if (is_bool(value)) {
        fputs(value.bits == TRUE_VALUE.bits ? "true" : "false", out);
    } else if (is_instance(value)) {
        const Text name = instance_of(value)->class->name;
        fprintf(out, "<%.*s>", (int)name.length, name.start);
    } else if (is_array(value) && depth < PRINT_DEPTH) {
        fputc('[', out);
        for (size_t i = 0; i < array_of(value)->count; i++) {
            fputs(i > 0 ? ", " : "", out);
            print_value(out, array_of(value)->items[i], depth + 1);
        }
        fputc(']', out);
    } else {
        fprintf(out, is_object(value) ? "<%s>" : "%s", type_name(value));
    }
}

static bool print(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)vm;
    for (unsigned i = 0; i < count; i++) {
        fputs(i > 0 ? " " : "", stdout);
        print_value(stdout, arguments[i], 0);
    }
    fputc('\n', stdout);
    *result = NIL_VALUE;
    return true;
}

/* argument(index, otherwise): the number given to the program on the command line. */
static bool argument(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    int32_t index;
    if (!whole_number(vm, arguments[0], "the number of an argument", &index)) {
        return false;
    }
    if (index < 0 || index >= vm->argument_count) {
        *result = arguments[1];
        return true;
    }
    char *end;
    const double number = strtod(vm->arguments[index], &end);
    if (end == vm->arguments[index] || *end != '\0' || !(number > -1e300 && number < 1e300)) {
        return vm_error(vm, "argument %d of the program must be a number, not '%s'", index, vm->arguments[index]);
    }
    *result = number_value(number);
    return true;
}

static bool set_string(Value *result, String *string) {
    if (string != NULL) {
        *result = object_value(string);
    }
    return string != NULL;
}

static bool str(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    char number[NUMBER_LENGTH];
    const Value value = arguments[0];
    if (is_string(value)) {
        *result = value;
        return true;
    }
    if (is_number(value)) {
        return set_string(result, vm_string(vm, number, number_text(value, number)));
    }
    const char *text = is_bool(value) ? value.bits == TRUE_VALUE.bits ? "true" : "false" : type_name(value);
    return set_string(result, vm_string(vm, text, strlen(text)));
}

static bool type(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    const char *name = type_name(arguments[0]);
    return set_string(result, vm_string(vm, name, strlen(name)));
}

static bool needs(Vm *vm, const char *function, const char *type, Value value) {
    return vm_error(vm, "'%s' needs %s, not %s", function, type, type_name(value));
}

/* byte(string, index): the byte's number. */
static bool byte(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    int32_t index;
    if (!is_string(arguments[0])) {
        return needs(vm, "byte", "a string", arguments[0]);
    }
    const String *string = string_of(arguments[0]);
    if (!whole_number(vm, arguments[1], "an index", &index)) {
        return false;
    }
    if (index < 0 || (size_t)index >= string->length) {
        return vm_error(vm, "index %d is outside of 0 until %zu", index, string->length);
    }
    *result = int_value((unsigned char)string->bytes[index]);
    return true;
}

/* char(number): the string of that one byte. */
static bool character(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    int32_t number;
    if (!whole_number(vm, arguments[0], "a byte", &number)) {
        return false;
    }
    if (number < 0 || number > 255) {
        return vm_error(vm, "%d is not a byte", number);
    }
    *result = object_value(vm->bytes[number]);
    return true;
}

/* slice(string, from, to): the bytes from `from` until `to`. */
static bool slice(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    int32_t from, to;
    if (!is_string(arguments[0])) {
        return needs(vm, "slice", "a string", arguments[0]);
    }
    if (!whole_number(vm, arguments[1], "an index", &from) || !whole_number(vm, arguments[2], "an index", &to)) {
        return false;
    }
    const size_t length = string_of(arguments[0])->length;
    if (from < 0 || to < from || (size_t)to > length) {
        return vm_error(vm, "%d until %d is not within 0 until %zu", from, to, length);
    }
    String *made = vm_string(vm, NULL, (size_t)(to - from));
    if (made != NULL) {
        memcpy(made->bytes, string_of(arguments[0])->bytes + from, made->length);
    }
    return set_string(result, made);
}

/* join(array, separator): one string of an array of strings. */
static bool join(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    if (!is_array(arguments[0])) {
        return needs(vm, "join", "an array", arguments[0]);
    }
    if (!is_string(arguments[1])) {
        return needs(vm, "join", "a string between the pieces", arguments[1]);
    }
    const Array *array = array_of(arguments[0]);
    const String *separator = string_of(arguments[1]);
    size_t total = 0;
    for (size_t i = 0; i < array->count; i++) {
        if (!is_string(array->items[i])) {
            return needs(vm, "join", "an array of strings", array->items[i]);
        }
        total += string_of(array->items[i])->length + (i > 0 ? separator->length : 0);
    }
    String *made = vm_string(vm, NULL, total);
    if (made == NULL) {
        return false;
    }
    char *next = made->bytes;
    for (size_t i = 0; i < array->count; i++) {
        const String *string = string_of(array->items[i]);
        if (i > 0) {
            memcpy(next, separator->bytes, separator->length);
            next += separator->length;
        }
        memcpy(next, string->bytes, string->length);
        next += string->length;
    }
    return set_string(result, made);
}

/* array(count, value): so many times the value. */
static bool array(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    int32_t length;
    if (!whole_number(vm, arguments[0], "the length of an array", &length)) {
        return false;
    }
    if (length < 0) {
        return vm_error(vm, "an array cannot have %d elements", length);
    }
    if (heap_full(&vm->heap, (size_t)length * sizeof(Value))) {
        return vm_error(vm, "out of memory: more than %zu MiB in use", HEAP_LIMIT >> 20);
    }
    Array *made = heap_array(&vm->heap, (size_t)length);
    for (int32_t i = 0; i < length; i++) {
        made->items[i] = arguments[1];
    }
    *result = object_value(made);
    return true;
}

/* pop(array): takes the last element away. */
static bool pop(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    if (!is_array(arguments[0])) {
        return needs(vm, "pop", "an array", arguments[0]);
    }
    Array *list = array_of(arguments[0]);
    if (list->count == 0) {
        return vm_error(vm, "'pop' of an empty array");
    }
    *result = list->items[--list->count];
    return true;
}

/* fail(message): ends the program with an error. */
static bool fail(Vm *vm, const Value *arguments, unsigned count, Value *result) {
    (void)count;
    (void)result;
    if (!is_string(arguments[0])) {
        return needs(vm, "fail", "a string", arguments[0]);
    }
    const String *message = string_of(arguments[0]);
    return vm_error(vm, "%.*s", (int)message->length, message->bytes);
}

const NativeEntry natives[] = {
    {"print", 0, ANY_NUMBER, print},
    {"argument", 2, 2, argument},
    {"str", 1, 1, str},
    {"type", 1, 1, type},
    {"byte", 2, 2, byte},
    {"char", 1, 1, character},
    {"slice", 3, 3, slice},
    {"join", 2, 2, join},
    {"array", 2, 2, array},
    {"pop", 1, 1, pop},
    {"fail", 1, 1, fail},
};

const Intrinsic intrinsics[] = {
    {"len", 1, OP_length}, {"push", 2, OP_append}, {"sqrt", 1, OP_square_root}, {"floor", 1, OP_floor}, {"abs", 1, OP_absolute},
};

int find_native(Text name) {
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        if (text_is(name, natives[i].name)) {
            return (int)i;
        }
    }
    return -1;
}

int find_intrinsic(Text name) {
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++) {
        if (text_is(name, intrinsics[i].name)) {
            return (int)i;
        }
    }
    return -1;
}
