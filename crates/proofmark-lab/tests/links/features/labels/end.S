        .text
        .skip 16, 0xcc
        .globl code_end
code_end:
        .skip 16, 0xcc
        .data
        .globl table_end
table_end:
        .section .note.GNU-stack, "", @progbits
