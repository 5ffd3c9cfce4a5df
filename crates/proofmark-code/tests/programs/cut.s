# A function whose size ends inside its last instruction, another that begins right there, and the bytes of each alone.
	.macro	cut
	movl	(%rdi), %eax
	.byte	0xb8, 0x01		# movl $…, %eax, cut behind its second byte
	.endm
	.macro	whole
	.byte	0x01, 0xc0		# addl %eax, %eax
	jne	1f
	pushq	%rbp
	popq	%rbp
1:	ret
	.endm
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
	function	first
	cut
	.size	first, . - first
	function	second
	whole
	.size	second, . - second

	.section	.text.first, "ax"
	function	first_alone
	cut
	.size	first_alone, . - first_alone
	.section	.text.second, "ax"
	function	second_alone
	whole
	.size	second_alone, . - second_alone
	.section	.note.GNU-stack, "", @progbits
