"""Programs that must end with exit code 1 and a message: (source, what the message contains). FILE stands for the path."""

CASES = {
    # while compiling
    'lexer_character': (
        'let x = 1;\nlet y = x @ 2;\n',
        "2:11: error: unexpected character '@'",
    ),
    'lexer_byte': (
        'let x = \x01;\n',
        '1:9: error: unexpected byte 0x01',
    ),
    'lexer_string': (
        'print("no end);\n',
        '1:7: error: string does not end on its line',
    ),
    'lexer_escape': (
        'print("a\\q");\n',
        '1:9: error: unknown escape; there are',
    ),
    'lexer_number': (
        'let x = 12ab;\n',
        '1:9: error: letter after a number',
    ),
    'parser_expression': (
        'let x = ;\n',
        "1:9: error: expected an expression, found ';'",
    ),
    'parser_end': (
        'fn f() {\n  print(1);\n',
        "3:1: error: expected '}', found the end of the file",
    ),
    'parser_semicolon': (
        'let x = 1\nlet y = 2;\n',
        "2:1: error: expected ';', found 'let'",
    ),
    'parser_target': (
        'fn f() { return 1; }\nf() = 2;\n',
        '2:2: error: only a variable, a field or an element can be assigned to',
    ),
    'parser_unused': (
        'let x = 1;\nx + 1;\n',
        '2:3: error: this value is not used',
    ),
    'parser_chain': (
        'print(1 < 2 < 3);\n',
        '1:13: error: comparisons do not chain',
    ),
    'parser_nested_function': (
        'fn f() {\n  fn g() {}\n}\n',
        "2:3: error: expected an expression, found 'fn'",
    ),
    'deep_parentheses': (
        'let x = ' + '(' * 5000 + '1' + ')' * 5000 + ';\n',
        'error: more than 200 levels of nesting',
    ),
    'deep_unary': (
        'let x = ' + '-' * 5000 + 'y;\n',
        'error: more than 200 levels of nesting',
    ),
    'deep_sum': (
        'let x = 1' + ' + 1' * 5000 + ';\n',
        'error: more than 200 levels of nesting',
    ),
    'deep_blocks': (
        '{' * 5000 + '}' * 5000 + '\n',
        'error: more than 200 levels of nesting',
    ),
    'undefined_name': (
        'fn f(a) {\n  return a + b;\n}\n',
        "2:14: error: 'b' is not defined",
    ),
    'undefined_function': (
        'f(1);\n',
        "1:1: error: 'f' is not defined",
    ),
    'undefined_variable': (
        'fn f() { x = 1; }\n',
        "1:10: error: 'x' is not a variable",
    ),
    'native_value': (
        'let x = print;\n',
        "1:9: error: 'print' is no value: it can only be called",
    ),
    'defined_twice': (
        'fn f() {}\nlet f = 1;\n',
        "2:5: error: 'f' is already defined",
    ),
    'function_twice': (
        'fn f() {}\nfn f() {}\n',
        "2:4: error: 'f' is already defined",
    ),
    'native_redefined': (
        'fn print() {}\n',
        "1:4: error: 'print' is already defined",
    ),
    'parameter_twice': (
        'fn f(a, a) {}\n',
        "1:4: error: parameter 'a' is there twice",
    ),
    'field_twice': (
        'class C { a, a; }\n',
        "1:7: error: field 'a' is there twice",
    ),
    'method_twice': (
        'class C { a;\nfn m() {}\nfn m() {} }\n',
        "3:4: error: method 'm' is there twice",
    ),
    'argument_count': (
        'fn f(a) {}\nf(1, 2);\n',
        "2:2: error: 'f' takes 1 argument, not 2",
    ),
    'native_count': (
        'print(len());\n',
        "1:10: error: 'len' takes 1 argument, not 0",
    ),
    'class_count': (
        'class C { a, b; }\nprint(C(1));\n',
        "2:8: error: 'C' takes 2 arguments, not 1",
    ),
    'self_outside': (
        'print(self);\n',
        "1:7: error: 'self' outside a method",
    ),
    'own_field': (
        'class C { a;\nfn m() { return self.b; } }\n',
        "2:21: error: this class has no field 'b'",
    ),
    'return_outside': (
        'return 1;\n',
        "1:1: error: 'return' outside a function",
    ),
    'break_outside': (
        'break;\n',
        "1:1: error: 'break' outside a loop",
    ),
    'continue_outside': (
        'fn f() { if true { continue; } }\n',
        "1:20: error: 'continue' outside a loop",
    ),
    'too_many_registers': (
        'fn f() {\n' + ''.join(f'let v{i} = {i};\n' for i in range(300)) + '}\n',
        '252:5: error: this function needs more than 250 registers',
    ),
    'too_long': (
        'fn f(x) {\n' + 'x = x * x;\n' * 33000 + '}\n',
        '32002:7: error: this function is too long (more than 32000 instructions)',
    ),
    'too_many_names': (
        'class C {\n' + ', '.join(f'f{i}' for i in range(300)) + '; }\n',
        'error: more than 256 different names of fields',
    ),
    # while running
    'run_add': (
        'fn f(x) {\n  return x + "a";\n}\nprint(f(1));\n',
        "2:12: error: '+' needs two numbers, not number and string\n  in f, called at FILE:4:8",
    ),
    'run_add_int': (
        'let x = nil;\nprint(x + 1);\n',
        "2:9: error: '+' needs two numbers, not nil and number",
    ),
    'run_multiply_constant': (
        'let x = "";\nprint(x * 0.5);\n',
        "2:9: error: '*' needs two numbers, not string and number",
    ),
    'run_order': (
        'print(1 < "a");\n',
        '1:9: error: only two numbers or two strings have an order, not number and string',
    ),
    'run_order_int': (
        'let x = [];\nif x >= 3 { print(1); }\n',
        '2:6: error: only two numbers or two strings have an order, not number and array',
    ),
    'run_division': (
        'let x = 0;\nprint(1 // x);\n',
        '2:9: error: division by zero',
    ),
    'run_modulo': (
        'let x = 5;\nprint(x % 0);\n',
        '2:9: error: division by zero',
    ),
    'run_divide_float': (
        'let x = 5.5;\nprint(x / 0);\n',
        '2:9: error: division by zero',
    ),
    'run_bits': (
        'print(1 & 1.5);\n',
        "1:9: error: '&' needs two whole numbers, not number and number",
    ),
    'run_not': (
        'print(~"a");\n',
        "1:7: error: '~' needs a whole number, not string",
    ),
    'run_negate': (
        'print(-"a");\n',
        "1:7: error: '-' needs a number, not string",
    ),
    'run_index': (
        'let a = [1, 2];\nprint(a[2]);\n',
        '2:8: error: index 2 is outside of 0 until 2',
    ),
    'run_negative_index': (
        'let a = [1, 2];\na[-1] = 3;\n',
        '2:7: error: index -1 is outside of 0 until 2',
    ),
    'run_index_type': (
        'let a = [1, 2];\nprint(a["x"]);\n',
        '2:8: error: an index must be a whole number of 32 bits, not string',
    ),
    'run_index_fraction': (
        'let a = [1, 2];\nprint(a[0.5]);\n',
        '2:8: error: an index must be a whole number of 32 bits, not another number',
    ),
    'run_no_elements': (
        'print(nil[0]);\n',
        '1:10: error: nil has no elements',
    ),
    'run_string_set': (
        'let s = "a";\ns[0] = "b";\n',
        '2:6: error: string has no elements to set',
    ),
    'run_length': (
        'print(len(3));\n',
        '1:10: error: number has no length',
    ),
    'run_field': (
        'class C { a; }\nlet c = C(1);\nclass D { b; }\nprint(c.b);\n',
        "4:8: error: class C has no field 'b'",
    ),
    'run_set_field': (
        'let c = 1;\nc.x = 2;\n',
        "2:5: error: number has no field 'x'",
    ),
    'run_method': (
        'class C { a; }\nC(1).go();\n',
        "2:5: error: class C has no method 'go'",
    ),
    'run_method_count': (
        'class C { a; fn go(x) {} }\nC(1).go();\n',
        "2:5: error: 'go' takes 1 argument, not 0",
    ),
    'run_call': (
        'let f = 3;\nf();\n',
        '2:2: error: number cannot be called',
    ),
    'run_call_count': (
        'fn f(a) {}\nlet g = f;\ng(1, 2);\n',
        "3:2: error: 'f' takes 1 argument, not 2",
    ),
    'run_for': (
        'for i = 0 until "a" { }\n',
        '1:1: error: where a loop ends must be a whole number of 32 bits, not string',
    ),
    'run_for_float': (
        'for i = 0.5 until 3 { }\n',
        '1:1: error: where a loop begins must be a whole number of 32 bits, not another number',
    ),
    'run_recursion': (
        'fn f(n) { return f(n + 1) + 1; }\nprint(f(0));\n',
        '1:19: error: calls are nested too deeply\n  in f, called at FILE:1:19',
    ),
    'run_memory': (
        'let s = "0123456789abcdef";\nwhile true { s = s .. s; }\n',
        '2:20: error: out of memory: more than 1024 MiB in use',
    ),
    'run_memory_array': (
        'print(array(2000000000, 0));\n',
        '1:12: error: out of memory: more than 1024 MiB in use',
    ),
    'run_join': (
        'print(join([1], ","));\n',
        "1:11: error: 'join' needs an array of strings, not number",
    ),
    'run_concat': (
        'print("a" .. nil);\n',
        "1:11: error: '..' joins strings and numbers, not nil; see 'str'",
    ),
    'run_slice': (
        'print(slice("abc", 2, 1));\n',
        '1:12: error: 2 until 1 is not within 0 until 3',
    ),
    'run_byte': (
        'print(byte("abc", 3));\n',
        '1:11: error: index 3 is outside of 0 until 3',
    ),
    'run_char': (
        'print(char(256));\n',
        '1:11: error: 256 is not a byte',
    ),
    'run_pop': (
        'print(pop([]));\n',
        "1:10: error: 'pop' of an empty array",
    ),
    'run_push': (
        'push(1, 2);\n',
        "1:5: error: 'push' needs an array, not number",
    ),
    'run_sqrt': (
        'print(sqrt(-1));\n',
        "1:11: error: 'sqrt' of a negative number",
    ),
    'run_sqrt_type': (
        'print(sqrt("4"));\n',
        "1:11: error: 'sqrt' needs a number, not string",
    ),
    'run_fail': (
        'fail("because");\n',
        '1:5: error: because',
    ),
}
