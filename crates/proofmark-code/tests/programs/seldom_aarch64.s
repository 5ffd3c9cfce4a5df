// Instructions that compilers seldom write, each a function of its own.
	.arch	armv8.5-a+sve+pauth+lse+rcpc+memtag+crypto+sha3+dotprod+fp16
	.macro	one name:req, code:vararg
	.globl	\name
	.type	\name, %function
\name:
	\code
	.size	\name, . - \name
	.endm

	one	do_stxr, stxr	w0, x1, [sp]
	one	do_stlxr, stlxr	w0, x1, [sp]
	one	do_stxp, stxp	w0, x1, x2, [sp]
	one	do_ldxp, ldxp	x0, x1, [sp]
	one	do_casp, casp	x0, x1, x2, x3, [sp]
	one	do_ldaddal, ldaddal	w0, w0, [sp, #0]
	one	do_stadd, stadd	w0, [sp]
	one	do_stset, stset	x0, [sp]
	one	do_stclr, stclr	x0,[sp]
	one	do_steor, steor	x0,[sp]
	one	do_stsmax, stsmax	x0,[sp]
	one	do_stumin, stumin	x0,[sp]
	one	do_swpal, swpal	x0, x1, [sp]
	one	do_ldsmax, ldsmax	x0, x1, [sp]
	one	do_ldumin, ldumin	x0,x1,[sp]
	one	do_str, str	x0, [sp], #-16
	one	do_str_2, str	x0, [sp, #16]!
	one	do_ldr, ldr	x0, [sp, #-16]!
	one	do_ldr_2, ldr	x0, [sp], #-16
	one	do_str_3, str	q0, [sp, #-16]!
	one	do_ld1, ld1	{v0.4s}, [sp], #16
	one	do_st1, st1	{v0.4s}, [sp]
	one	do_st4, st4	{v0.4s-v3.4s}, [sp]
	one	do_ld1r, ld1r	{v0.4s}, [sp]
	one	do_ld1_2, ld1	{v0.s}[1], [sp]
	one	do_stnp, stnp	x0,x1,[sp,#16]
	one	do_ldnp, ldnp	x0,x1,[sp,#16]
	one	do_ldpsw, ldpsw	x0,x1,[sp]
	one	do_sttr, sttr	x0,[sp]
	one	do_ldtr, ldtr	x0,[sp]
	one	do_stg, stg	x0,[sp]
	one	do_ldg, ldg	x0,[sp]
	one	do_st2g, st2g	x0,[sp]
	one	do_ldraa, ldraa	x0,[sp]
	one	do_ldapr, ldapr	x0,[sp]
	one	do_stlur, stlur	x0,[sp]
	one	do_ldapur, ldapur	x0,[sp]
	one	do_sb, sb
	one	do_ssbb, ssbb
	one	do_pssbb, pssbb
	one	do_dsb, dsb	sy
	one	do_isb, isb
	one	do_dmb, dmb	ish
	one	do_blraa, blraa	x0,x1
	one	do_blraaz, blraaz	x0
	one	do_blrab, blrab	x0,x1
	one	do_movi, movi	v0.2s, #1
	one	do_dup, dup	v0.4h, w0
	one	do_mov, mov	v0.s[1], w0
	one	do_umov, umov	w0, v0.b[1]
	one	do_fmov, fmov	d0, x0
	one	do_fcvt, fcvt	h0, s0
	one	do_sha256h, sha256h	q0,q1,v2.4s
	one	do_aese, aese	v0.16b, v1.16b
	one	do_pmull, pmull	v0.1q, v1.1d, v2.1d
	one	do_sdot, sdot	v0.4s, v1.16b, v2.4b[1]
	one	do_fdiv, fdiv	v0.4s,v1.4s,v2.4s
	one	do_sqdmull, sqdmull	s0,h1,h2
	one	do_addv, addv	b0, v1.8b
	one	do_ldr_3, ldr	d0, .
	one	do_ldr_4, ldr	q0, .
	one	do_ldr_5, ldr	b0, [x0]
	one	do_tbl, tbl	v0.8b, {v1.16b}, v2.8b
	one	do_ret, ret
	one	do_retaa, retaa
	one	do_retab, retab
	one	do_braa, braa	x0,x1
	one	do_brabz, brabz	x0
