// Jumps whose table has been put away on the stack, is not in its register any more, or is none.
	.macro	function name
	.type	\name, %function
\name:
	.endm
	.macro	over name
	.size	\name, . - \name
	.endm

	.text
// The register held another table in between: only the places on the stack tell.
	function	kept
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	adrp	x19, labels
	add	x19, x19, :lo12:labels
	adrp	x20, handlers
	add	x20, x20, :lo12:handlers
	stp	x20, x19, [x29, #32]
	mov	x19, x20
	ldr	x1, [x19]
	blr	x1
	ldrb	w0, [x0]
	ldp	x1, x2, [x29, #32]
	ldr	x2, [x2, x0, lsl #3]
	br	x2
1:	ldr	x3, [x29, #40]
	ldrb	w0, [x0, #1]
	ldr	x2, [x3, x0, lsl #3]
	br	x2
	mov	x0, #0
2:	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	ret
	over	kept

// Restored on a path that leaves: on the other one the table is still there.
	function	left
	stp	x29, x30, [sp, #-32]!
	str	x19, [sp, #16]
	adrp	x19, others
	add	x19, x19, :lo12:others
	cbnz	x0, 3f
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
3:	ldr	x1, [x19, x0, lsl #3]
	br	x1
	mov	x0, #0
4:	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
	over	left

// A table of pointers is the program's, also without a name.
	function	unnamed
	stp	x29, x30, [sp, #-32]!
	cmp	x0, #1
	b.hi	7f
	adrp	x1, .Lunnamed
	add	x1, x1, :lo12:.Lunnamed
	ldr	x1, [x1, x0, lsl #3]
	br	x1
7:	mov	x0, #0
8:	ldp	x29, x30, [sp], #32
	ret
	over	unnamed

// The register is used for something else before the jump.
	function	loaded
	stp	x29, x30, [sp, #-32]!
	adrp	x1, handlers
	add	x1, x1, :lo12:handlers
	ldr	x1, [x0, #8]
	ldr	x2, [x1, x0, lsl #3]
	br	x2
	over	loaded

// Moved along with the memory operand that it is the base of.
	function	moved
	stp	x29, x30, [sp, #-32]!
	adrp	x1, handlers
	add	x1, x1, :lo12:handlers
	str	x0, [x1, #8]!
	ldr	x2, [x1, x0, lsl #3]
	br	x2
	over	moved

// Not kept by the function that is called.
	function	called
	stp	x29, x30, [sp, #-32]!
	adrp	x1, handlers
	add	x1, x1, :lo12:handlers
	bl	handle
	ldr	x2, [x1, x0, lsl #3]
	br	x2
	over	called

// What a jump before left in the register may not be there: that a table of functions would be jumped through is not believed.
	function	elsewhere
	stp	x29, x30, [sp, #-32]!
	adrp	x1, handlers
	add	x1, x1, :lo12:handlers
	b	handle
	ldr	x2, [x1, x0, lsl #3]
	br	x2
	over	elsewhere

// Put into x16 for the jump, before the frame of the other path is made.
	function	between
	cbz	x1, 5f
	stp	x29, x30, [sp, #-16]!
	bl	handle
	ldp	x29, x30, [sp], #16
	ret
5:	mov	x16, x2
	br	x16
	over	between

// Offsets from the place where they stand.
	function	itself
	adr	x1, distances
	add	x1, x1, x0, lsl #2
	ldr	w2, [x1]
	add	x1, x1, w2, sxtw
	br	x1
distances:
	.word	handle - distances, handle - .
	over	itself

// Put together out of page and offset.
	function	straight
	stp	x29, x30, [sp, #-32]!
	adrp	x16, handle
	add	x16, x16, :lo12:handle
	br	x16
	over	straight

	function	inside
	stp	x29, x30, [sp, #-32]!
	adr	x1, 6f
	br	x1
6:	ldp	x29, x30, [sp], #32
	ret
	over	inside

	function	handle
	ret
	over	handle

# What is left behind the last instruction is no block.
	function	odd
	ret
	nop
	.size	odd, 6

	.section	.data.rel.ro, "aw"
	.type	labels, %object
labels:
	.xword	1b, 2b
	.size	labels, . - labels
	.type	others, %object
others:
	.xword	3b, 4b
	.size	others, . - others
.Lunnamed:
	.xword	7b, 8b
	.type	handlers, %object
handlers:
	.xword	handle, handle
	.size	handlers, . - handlers
	.section	.note.GNU-stack, "", %progbits
