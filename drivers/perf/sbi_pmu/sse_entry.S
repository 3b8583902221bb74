/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where firmware enters for the SSE event of a counter overflow, between any two instructions
 * of the kernel or of a program (SBI 3.0, chapter 17). Everything but a6 and a7 is as it was there.
 */
#include <linux/linkage.h>

#include <asm/asm.h>
#include <asm/csr.h>

#define REG(n)		((n) * SZREG) /* in struct pt_regs: epc is where x0 would be */
#define STATUS		REG(32)
#define BADADDR		REG(33)
#define CAUSE		REG(34)
#define FRAME		REG(36)

#define STATUS_SDT	(1 << 24) /* Ssdbltrp: while set, a trap is a double trap */

#define EXT_SSE		0x535345
#define FID_COMPLETE	6
#define FID_MASK	9

/* All but sp and tp, which come last, and a6 and a7, which are firmware's. */
.macro each_register op
	.irp n, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, 24, 25, 26, \
		27, 28, 29, 30, 31
	\op	x\n, REG(\n)(sp)
	.endr
.endm

/* a6: hart, a7: struct sse_hart, above the stack; interrupts are disabled */
	.section .noinstr.text, "ax"
	.balign 4
SYM_CODE_START(sbi_pmu_sse_entry)
	REG_S	sp, (REG(2) - FRAME)(a7)
	addi	sp, a7, -FRAME
	each_register REG_S
	REG_S	tp, REG(4)(sp)

	/*
	 * An exception in the handler, such as a page of a program that is not there, is one of the
	 * kernel: it must not touch what the interrupted code had not read yet, or had set already.
	 */
	li	t1, SR_SUM | SR_FS_VS | STATUS_SDT
	csrr	t0, CSR_SEPC
	csrrc	t1, CSR_SSTATUS, t1
	csrr	t2, CSR_STVAL
	csrr	t3, CSR_SCAUSE
	REG_S	t0, REG(0)(sp)
	REG_S	t1, STATUS(sp)
	REG_S	t2, BADADDR(sp)
	REG_S	t3, CAUSE(sp)
	csrrw	s1, CSR_SSCRATCH, zero
	REG_L	gp, 0(a7)
	li	s0, 0 /* unwinding ends here */

	mv	s2, a7
	mv	a0, s2
	mv	a1, sp
	mv	a2, s1
	csrr	a3, CSR_STVEC
	call	sbi_pmu_sse_find_task
	beqz	a0, 1f
	mv	tp, a0
	mv	a0, s2
	mv	a1, sp
	call	sbi_pmu_sse_handle
	beqz	a0, 2f
1:	li	a7, EXT_SSE
	li	a6, FID_MASK
	ecall
2:	csrw	CSR_SSCRATCH, s1
	REG_L	t0, REG(0)(sp)
	REG_L	t1, STATUS(sp)
	REG_L	t2, BADADDR(sp)
	REG_L	t3, CAUSE(sp)
	csrw	CSR_SCAUSE, t3
	csrw	CSR_STVAL, t2
	csrw	CSR_SSTATUS, t1
	csrw	CSR_SEPC, t0
	/* A reservation of the handler must not have a store of the interrupted code succeed. */
	REG_SC	zero, t0, (sp)
	REG_L	tp, REG(4)(sp)
	each_register REG_L
	REG_L	sp, REG(2)(sp)
	li	a7, EXT_SSE
	li	a6, FID_COMPLETE
	ecall
	unimp /* Firmware does not return here. */
SYM_CODE_END(sbi_pmu_sse_entry)
