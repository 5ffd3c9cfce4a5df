# Tables of offsets: from the table itself, as compilers write for a `switch`, and from a label, as a program does that keeps distances
# between labels.
	.text
	.type	switch, @function
switch:
	leaq	counted(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
1:	nop
2:	ret
	.size	switch, . - switch

# A loop, with a trap behind the jump as -mharden-sls writes it.
	.type	hardened, @function
hardened:
	leaq	again(%rip), %rdx
5:	movslq	(%rdx,%rdi,4), %rax
	addq	%rdx, %rax
	jmp	*%rax
	int3
6:	jmp	5b
7:	ret
	.size	hardened, . - hardened

# A trap behind a return, jumped to from before and from behind.
	.type	trapped, @function
trapped:
	testl	%edi, %edi
	jne	9f
	je	8f
	ret
8:	int3
9:	decl	%edi
	je	8b
	ret
	.size	trapped, . - trapped

	.type	goto, @function
goto:
	leaq	distances(%rip), %rdx
	leaq	3f(%rip), %rcx
	movslq	(%rdx,%rdi,4), %rax
	addq	%rcx, %rax
	jmp	*%rax
3:	nop
4:	ret
	.size	goto, . - goto

# No symbols of data: one with a name would be the program's by that.
	.section	.rodata
counted:
	.long	1b - counted, 2b - counted
again:
	.long	6b - again, 7b - again
distances:
	.long	3b - 3b, 4b - 3b
	.section	.note.GNU-stack, "", @progbits
