# An interpreter that keeps the address of its labels on the stack, and uses the register for another table in between.
	.text
	.globl	run
	.type	run, @function
run:
	subq	$0x58, %rsp
	leaq	labels(%rip), %rbx
	movq	%rbx, 0x40(%rsp)
	leaq	handlers(%rip), %rbx
	call	*(%rbx)
	movzbl	(%rdi), %eax
	movq	0x40(%rsp), %rbx
	jmp	*(%rbx,%rax,8)
1:	incq	%rdi
	movzbl	(%rdi), %eax
	movq	0x40(%rsp), %rbx
	movq	(%rbx,%rax,8), %rax
	jmp	*%rax
2:	addq	$0x58, %rsp
	ret
	.size	run, . - run

	.globl	handle
	.type	handle, @function
handle:
	ret
	.size	handle, . - handle

	.section	.data.rel.ro, "aw"
	.type	labels, @object
labels:
	.quad	1b, 2b
	.size	labels, . - labels
	.type	handlers, @object
handlers:
	.quad	handle, handle
	.size	handlers, . - handlers
	.section	.note.GNU-stack, "", @progbits
