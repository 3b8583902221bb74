/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hold_registers(): do all registers keep their values while SSE events interrupt a loop? For
 * the kernel and for programs.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

/*
 * Fill the registers but x2 (sp), and x3 and x4 unless @all, from @value, x5 with the number of
 * rounds; spin until x5 is 0; write them back. It calls nothing and faults nowhere.
 */
void hold_registers(unsigned long value[32], unsigned long all);

asm(".pushsection .text, \"ax\"\n"
	".balign 4\n"
	".globl hold_registers\n"
	"hold_registers:\n"
	"	addi	sp, sp, -(48 * 8)\n"
	"	.irp n, 1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27\n"
	"	sd	x\\n, (\\n * 8)(sp)\n"
	"	.endr\n"
	"	sd	a0, (32 * 8)(sp)\n"
	"	sd	a1, (33 * 8)(sp)\n"
	"	beqz	a1, 1f\n"
	"	ld	x3, (3 * 8)(a0)\n"
	"	ld	x4, (4 * 8)(a0)\n"
	"1:\n"
	"	.irp n, 1, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 10\n"
	"	ld	x\\n, (\\n * 8)(a0)\n"
	"	.endr\n"
	"2:	addi	x5, x5, -1\n"
	"	bnez	x5, 2b\n"
	/* x5 is free now. */
	"	ld	x5, (32 * 8)(sp)\n"
	"	.irp n, 1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
	"	sd	x\\n, (\\n * 8)(x5)\n"
	"	.endr\n"
	"	.irp n, 1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27\n"
	"	ld	x\\n, (\\n * 8)(sp)\n"
	"	.endr\n"
	"	addi	sp, sp, 48 * 8\n"
	"	ret\n"
	".popsection\n");

/* Return: a bit for each register that has changed. */
static inline unsigned long changed_registers(unsigned long rounds, unsigned long all)
{
	unsigned long value[32], changed = 0;

	for (unsigned int i = 0; i < 32; i++)
		value[i] = 0x1122334455667700UL + i * 0x0101010101010101UL;
	value[5] = rounds;
	hold_registers(value, all);
	for (unsigned int i = 1; i < 32; i++)
		if (i != 2 && i != 5 && (all || (i != 3 && i != 4)) &&
		    value[i] != 0x1122334455667700UL + i * 0x0101010101010101UL)
			changed |= 1UL << i;
	return changed;
}

#endif
