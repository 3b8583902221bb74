// SPDX-License-Identifier: GPL-2.0-only
/* The only access to CSRs. */
#include <asm/asm-extable.h>

#include "csr.h"

#define THEAD_PMDU	BIT(10) /* sxstatus: no counter counts user mode; PMDS: the kernel */
#define THEAD_PMDS	BIT(11)

/*
 * A counter that firmware announces may not exist (OpenSBI before 1.4, if there are gaps), or not
 * be readable in S-mode. Such a read traps: the kernel would panic without the exception table.
 * Value: 0, or -ENXIO if it trapped.
 */
#define READ_OR_TRAP(csr, value)						\
	({									\
		long error_ = -ENXIO;						\
										\
		asm volatile("1:	csrr	%[word], %[number]\n"		\
			     "	li	%[err], 0\n"				\
			     "2:\n"						\
			     _ASM_EXTABLE(1b, 2b)				\
			     : [err] "+r"(error_), [word] "=&r"(value)		\
			     : [number] "i"(csr) : "memory");			\
		error_;								\
	})

/* The number of a CSR is part of the instruction, hence one instruction for each. */
#define CASE_1(n)	case n: error = READ_OR_TRAP(n, now); break
#define CASE_2(n)	CASE_1(n); CASE_1((n) + 1)
#define CASE_4(n)	CASE_2(n); CASE_2((n) + 2)
#define CASE_8(n)	CASE_4(n); CASE_4((n) + 4)
#define CASE_16(n)	CASE_8(n); CASE_8((n) + 8)
#define CASE_32(n)	CASE_16(n); CASE_16((n) + 16)

/* Read cycle to hpmcounter31 of this CPU. Return: 0, or -ENXIO if the counter does not exist. */
int sbi_pmu_csr_read(unsigned int csr, u64 *value)
{
	unsigned long now = 0;
	long error = -ENXIO;

	switch (csr) {
		CASE_32(CSR_CYCLE);
	}
	if (!error)
		*value = now;
	return error;
}

/* Counters that have overflowed since they were started, a bit for each hpmcounter. */
u32 sbi_pmu_csr_overflow(unsigned int csr)
{
	if (likely(csr == CSR_SCOUNTOVF))
		return csr_read(CSR_SCOUNTOVF);
	switch (csr) {
	case SBI_PMU_CSR_THEAD_SCOUNTEROF:
		return csr_read(SBI_PMU_CSR_THEAD_SCOUNTEROF);
	case SBI_PMU_CSR_ANDES_SCOUNTEROF:
		return csr_read(SBI_PMU_CSR_ANDES_SCOUNTEROF);
	}
	return 0;
}

/* Andes' cores have the pending bits of overflow interrupts in a CSR of their own. */
#define ON_PENDING(csr, access, ...)						\
	(likely((csr) == CSR_SIP) ? access(CSR_SIP, ##__VA_ARGS__) :		\
				    access(SBI_PMU_CSR_ANDES_SLIP, ##__VA_ARGS__))

bool sbi_pmu_csr_is_pending(unsigned int csr, unsigned long mask)
{
	return ON_PENDING(csr, csr_read) & mask;
}

/* Return: true if it was pending. */
bool sbi_pmu_csr_clear_pending(unsigned int csr, unsigned long mask)
{
	return ON_PENDING(csr, csr_read_clear, mask) & mask;
}

void sbi_pmu_csr_set_pending(unsigned int csr, unsigned long mask)
{
	ON_PENDING(csr, csr_set, mask);
}

/* Can the interrupt in @mask be enabled on this CPU? Context: interrupts disabled. */
bool sbi_pmu_csr_can_enable(unsigned int csr, unsigned long mask)
{
	unsigned long before, now;

	if (csr == SBI_PMU_CSR_ANDES_SLIE) {
		before = csr_read_set(SBI_PMU_CSR_ANDES_SLIE, mask);
		now = csr_swap(SBI_PMU_CSR_ANDES_SLIE, before);
	} else {
		before = csr_read_set(CSR_SIE, mask);
		now = csr_swap(CSR_SIE, before);
	}
	return now & mask;
}

/* Does this CSR exist? Ids of cores may be wrong: QEMU's C906 has T-Head's, not its counters. */
bool sbi_pmu_csr_exists(unsigned int csr)
{
	unsigned long now = 0;
	int error = -ENXIO;

	switch (csr) {
	case CSR_SIP:
	case CSR_SIE:
		return true;
		CASE_1(CSR_SCOUNTOVF);
		CASE_1(SBI_PMU_CSR_THEAD_SCOUNTEROF);
		CASE_1(SBI_PMU_CSR_ANDES_SCOUNTEROF);
		CASE_1(SBI_PMU_CSR_ANDES_SLIP);
		CASE_1(SBI_PMU_CSR_ANDES_SLIE);
	}
	return !error;
}

/*
 * Set the one filter of all counters (T-Head's C906, C910): modes of @flags do not count. No other
 * bit of sxstatus changes. Return: true if the bits are as wanted, false also without such a CSR.
 */
bool sbi_pmu_csr_filter(u32 flags)
{
	const unsigned long set = (flags & SBI_PMU_CFG_FLAG_SET_UINH ? THEAD_PMDU : 0) |
				  (flags & SBI_PMU_CFG_FLAG_SET_SINH ? THEAD_PMDS : 0);
	const unsigned long both = THEAD_PMDU | THEAD_PMDS;
	unsigned long now;

	if (READ_OR_TRAP(SBI_PMU_CSR_THEAD_SXSTATUS, now))
		return false;
	csr_set(SBI_PMU_CSR_THEAD_SXSTATUS, set);
	csr_clear(SBI_PMU_CSR_THEAD_SXSTATUS, both & ~set);
	return (csr_read(SBI_PMU_CSR_THEAD_SXSTATUS) & both) == set;
}

/* ---- delegated counters (Smcdeleg, Ssccfg) ---- */

#define SELECT_COUNTERS	0x40 /* counter n is selected by SELECT_COUNTERS + n */

#define WRITE_OR_TRAP(insn, csr, value)						\
	({									\
		long error_ = -ENXIO;						\
										\
		asm volatile("1:	" insn "	%[number], %[word]\n"	\
			     "	li	%[err], 0\n"				\
			     "2:\n"						\
			     _ASM_EXTABLE(1b, 2b)				\
			     : [err] "+r"(error_)				\
			     : [word] "r"(value), [number] "i"(csr) : "memory");	\
		error_;								\
	})

/* This may interrupt another user of siselect: callers restore its value, @before. */
static int select_counter(unsigned int counter, unsigned long *before)
{
	const unsigned long select = SELECT_COUNTERS + counter;

	return READ_OR_TRAP(CSR_SISELECT, *before) ?: WRITE_OR_TRAP("csrw", CSR_SISELECT, select);
}

/*
 * Read a register of a delegated counter, by its number (0 is cycle, 2 instret): CSR_SIREG, its
 * value, or CSR_SIREG2, its event and filter. Context: interrupts disabled.
 * Return: 0, or -ENXIO if the counter is not delegated, or does not have this register.
 */
int sbi_pmu_csr_read_delegated(unsigned int counter, unsigned int csr, u64 *value)
{
	unsigned long before, now;
	int error = select_counter(counter, &before);

	if (error)
		return error;
	error = csr == CSR_SIREG ? READ_OR_TRAP(CSR_SIREG, now) : READ_OR_TRAP(CSR_SIREG2, now);
	csr_write(CSR_SISELECT, before);
	if (!error)
		*value = now;
	return error;
}

/* Write a register, as sbi_pmu_csr_read_delegated() reads it. */
int sbi_pmu_csr_write_delegated(unsigned int counter, unsigned int csr, u64 value)
{
	unsigned long before;
	int error = select_counter(counter, &before);

	if (error)
		return error;
	error = csr == CSR_SIREG ? WRITE_OR_TRAP("csrw", CSR_SIREG, value) :
				   WRITE_OR_TRAP("csrw", CSR_SIREG2, value);
	csr_write(CSR_SISELECT, before);
	return error;
}

/* Read scountinhibit: delegated counters that are stopped. Return: 0, or -ENXIO without it. */
int sbi_pmu_csr_read_inhibit(u32 *counters)
{
	unsigned long now;
	const int error = READ_OR_TRAP(CSR_SCOUNTINHIBIT, now);

	if (!error)
		*counters = now;
	return error;
}

/* Stop delegated counters, all at the same time. */
int sbi_pmu_csr_inhibit(u32 counters)
{
	return WRITE_OR_TRAP("csrs", CSR_SCOUNTINHIBIT, counters);
}

/* Start delegated counters, all at the same time. */
int sbi_pmu_csr_uninhibit(u32 counters)
{
	return WRITE_OR_TRAP("csrc", CSR_SCOUNTINHIBIT, counters);
}

/* ---- branch records (Smctr, Ssctr) ---- */

#define SELECT_RECORDS	0x200 /* entry i, the i-th before the newest, by SELECT_RECORDS + i */
#define FROZEN		BIT(31)

/* Clear the records: SCTRCLR, which assemblers do not know. */
void sbi_pmu_csr_branch_clear(void)
{
	asm volatile(".4byte 0x10400073" ::: "memory");
}

/*
 * Look for branch records on this CPU, and have it record nothing. @wanted: entries at most: 16, 32
 * or 64. @control: bits of sctrctl to look for, none that records a mode; those that are there
 * remain.
 *
 * Whatever is missing traps: firmware (OpenSBI before 1.7) may not let S-mode use what is there.
 * Context: interrupts disabled. Return: number of entries, 0 if there are no records.
 */
unsigned int sbi_pmu_csr_branch_setup(unsigned int wanted, u64 *control)
{
	unsigned long before, now, depth = ilog2(wanted / 16);
	int error;

	if (WRITE_OR_TRAP("csrw", CSR_SCTRCTL, *control))
		return 0;
	*control &= csr_read(CSR_SCTRCTL);
	csr_write(CSR_SCTRCTL, 0);
	if (READ_OR_TRAP(CSR_SISELECT, before))
		return 0;
	csr_write(CSR_SISELECT, SELECT_RECORDS);
	error = READ_OR_TRAP(CSR_SIREG3, now);
	csr_write(CSR_SISELECT, before);
	if (error)
		return 0;
	csr_write(CSR_SCTRDEPTH, depth);
	depth = csr_read(CSR_SCTRDEPTH) & 7;
	/* Guests record nothing, either. It traps where there are none. */
	WRITE_OR_TRAP("csrw", CSR_VSCTRCTL, 0);
	return min(wanted, 16U << depth);
}

void sbi_pmu_csr_branch_control(u64 control)
{
	csr_write(CSR_SCTRCTL, control);
}

/* Stop recording for a while. Return: true if it was stopped. */
bool sbi_pmu_csr_branch_freeze(void)
{
	return csr_read_set(CSR_SCTRSTATUS, FROZEN) & FROZEN;
}

void sbi_pmu_csr_branch_unfreeze(void)
{
	csr_clear(CSR_SCTRSTATUS, FROZEN);
}

/* Read the @i-th entry; the newest is 0. Context: interrupts disabled. */
void sbi_pmu_csr_branch_read(unsigned int i, struct sbi_pmu_branch_record *record)
{
	const unsigned long before = csr_swap(CSR_SISELECT, SELECT_RECORDS + i);

	record->source = csr_read(CSR_SIREG);
	record->target = csr_read(CSR_SIREG2);
	record->data = csr_read(CSR_SIREG3);
	csr_write(CSR_SISELECT, before);
}

/* Write the @i-th entry, while nothing is recorded. Context: interrupts disabled. */
void sbi_pmu_csr_branch_write(unsigned int i, const struct sbi_pmu_branch_record *record)
{
	const unsigned long before = csr_swap(CSR_SISELECT, SELECT_RECORDS + i);

	csr_write(CSR_SIREG, record->source);
	csr_write(CSR_SIREG2, record->target);
	csr_write(CSR_SIREG3, record->data);
	csr_write(CSR_SISELECT, before);
}

/* Counters that user space can read: bits may be read-only zero. Context: interrupts disabled. */
u32 sbi_pmu_csr_openable(void)
{
	const unsigned long before = csr_swap(CSR_SCOUNTEREN, ~0UL);

	return csr_swap(CSR_SCOUNTEREN, before);
}

void sbi_pmu_csr_open(u32 counters)
{
	csr_write(CSR_SCOUNTEREN, counters);
}
