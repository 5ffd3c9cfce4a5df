        .section .text.a, "ax", @progbits
        .globl landed
landed: add $1000, %eax
        ret
        .section .note.GNU-stack, "", @progbits
