    .text
    .globl one, two, jumps, linked_once, table_begin, table_end
    .type one, @function
one:
    leal VALUE(%rdi), %edi
    .type two, @function
two:
    leal 2(%rdi), %eax
    ret
    .size one, two - one
    .size two, . - two
    .pushsection .rodata
    .balign 4
table_begin:
    .long one - .
    .long two - .
table_end:
    .popsection
    .type jumps, @function
jumps:
    leaq 1f(%rip), %rax
    movslq (%rax,%rdi,4), %rdx
    addq %rdx, %rax
    jmp *%rax
2:  movl $20, %eax
    ret
3:  movl $30, %eax
    ret
    .size jumps, . - jumps
    .section .rodata.jumps, "a"
    .balign 4
1:  .long 2b - 1b
    .long 2b - 1b
    .long 3b - 1b
    .section .gnu.linkonce.t.linked_once, "ax"
    .type linked_once, @function
linked_once:
    leal 50(%rdi), %eax
    ret
    .size linked_once, . - linked_once
    .section .note.GNU-stack, "", @progbits
