        .globl start
        .type start, @function
        .section .text.a, "ax", @progbits
start:  mov $VALUE, %eax
        .section .text.b, "ax", @progbits
        add $100, %eax
        .section .note.GNU-stack, "", @progbits
