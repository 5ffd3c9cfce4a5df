        .text
        .p2align 6
        .globl code_begin
code_begin:
        .skip 16, 0xcc
        .data
        .globl table
        .type table, @object
        .size table, 8
table:  .long 1, 2
        .section .note.GNU-stack, "", @progbits
