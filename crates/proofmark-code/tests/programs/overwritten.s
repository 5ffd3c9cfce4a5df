# Jumps through a register that held the address of a table of functions, or of labels, before something else was put there.
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro	over name
	.size	\name, . - \name
	.endm

	.text
# Copied, and used where the copy is no longer among the last instructions.
	function	copied
	subq	$0x58, %rsp
	movq	%rdi, 0x48(%rsp)
	leaq	handlers(%rip), %rdx
	movq	%rdx, %rbx
	.rept	24
	incl	%eax
	.endr
	jmp	*(%rbx,%rax,8)
	over	copied

# Loaded from a structure.
	function	loaded
	subq	$0x58, %rsp
	movq	%rdi, 0x48(%rsp)
	leaq	handlers(%rip), %rbx
	movq	8(%rdi), %rbx
	jmp	*(%rbx,%rax,8)
	over	loaded

# Loaded from a place on the stack of which nothing is known: taken for a table that was put away there on another path.
	function	reloaded
	subq	$0x58, %rsp
	leaq	handlers(%rip), %rbx
	call	*(%rbx)
	movzbl	(%rdi), %eax
	movq	0x48(%rsp), %rbx
	jmp	*(%rbx,%rax,8)
	over	reloaded

# The load overwrites the register itself: it was still there.
	function	itself
	subq	$0x58, %rsp
	movq	%rdi, 0x48(%rsp)
	leaq	handlers(%rip), %rbx
	movq	(%rbx,%rax,8), %rbx
	jmp	*%rbx
	over	itself

# Calculated with.
	function	added
	subq	$0x58, %rsp
	movq	%rdi, 0x48(%rsp)
	leaq	handlers(%rip), %rbx
	addq	%rdi, %rbx
	jmp	*(%rbx,%rax,8)
	over	added

# Not kept by the function that is called.
	function	called
	pushq	%rbx
	leaq	handlers(%rip), %rdx
	call	*%rsi
	jmp	*(%rdx,%rax,8)
	over	called

# Called before it is jumped to: a call through a register does not set it.
	function	twice
	subq	$0x58, %rsp
	movq	%rdi, 0x48(%rsp)
	leaq	handlers(%rip), %rdx
	movq	(%rdx,%rax,8), %rbx
	call	*%rbx
	jmp	*%rbx
	over	twice

# A call that does not return leads nowhere: who comes to the jump comes from before.
	function	aborted
	pushq	%rbx
	leaq	handlers(%rip), %rdx
	testq	%rdi, %rdi
	jne	1f
	call	abort
1:	jmp	*(%rdx,%rax,8)
	over	aborted

# Restored on a path that leaves: on the other one it is still there.
	function	left
	pushq	%rbx
	leaq	labels(%rip), %rbx
	testq	%rdi, %rdi
	jne	1f
	popq	%rbx
	ret
1:	movzbl	(%rdi), %eax
	jmp	*(%rbx,%rax,8)
2:	popq	%rbx
	ret
	over	left

# Put away relative to a register that is no frame pointer here.
	function	no_frame
	pushq	%rbp
	movq	%rdi, %rbp
	leaq	handlers(%rip), %rbx
	movq	%rbx, 0x10(%rbp)
	leaq	0x40(%rbp), %rbp
	movq	0x10(%rbp), %rbx
	jmp	*(%rbx,%rax,8)
	over	no_frame

	function	abort
	ud2
	over	abort
	function	handle
	ret
	over	handle

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
