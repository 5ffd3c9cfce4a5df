# A function and what looks like pieces of it, as gcc splits them off: unwind entries that begin with a frame in place, or not.
	.text
# A name of nothing but padding is no function, so that those behind it have other numbers in the end.
	.globl	nothing
	.type	nothing, @function
nothing:
	nop
	.globl	whole
	.type	whole, @function
whole:
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	testl	%edi, %edi
	jne	offset
1:	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	whole, . - whole

	.macro	begin name
\name:
	.cfi_startproc
	.endm
	.macro	end
	jmp	1b
	.cfi_endproc
	.endm

# With a frame.
	begin	offset
	.cfi_def_cfa_offset 32
	nop
	end
	begin	saved
	.cfi_offset 3, -16
	.cfi_def_cfa_offset 48
	nopl	(%rax)
	end
	begin	register
	.cfi_def_cfa 6, 16
	nopl	8(%rax)
	end
# Without.
	begin	plain
	nopl	8(%rax,%rax)
	end
	begin	later
	pushq	%rbx
	.cfi_def_cfa_offset 16
	popq	%rbx
	.cfi_def_cfa_offset 8
	end
	begin	same
	.cfi_def_cfa_offset 8
	nopw	8(%rax,%rax)
	end
	begin	saving
	.cfi_offset 3, -16
	nopl	0x80(%rax)
	end
# What these have in common says nothing of a frame, so that none is known to be that of a function just called.
	.macro	begin_bare name
\name:
	.cfi_startproc simple
	.endm
	begin_bare bare
	nopl	0x88(%rax)
	end
	begin_bare called
	.cfi_def_cfa 7, 8
	nopl	0x90(%rax)
	end
	begin	again
	nopl	0x98(%rax)
	end
# One function with two entries: the second is none of its own. And what stands behind.
	.globl	covering
	.type	covering, @function
covering:
	.cfi_startproc
	nop
	.cfi_endproc
	.cfi_startproc
	nop
	ret
	.cfi_endproc
	.size	covering, . - covering
	begin	behind
	nopl	0xa0(%rax)
	end
	.section .note.GNU-stack, "", @progbits
