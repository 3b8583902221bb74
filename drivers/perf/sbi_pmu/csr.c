// SPDX-License-Identifier: GPL-2.0-only
/*
 * csr: the only place that touches CSRs.
 */
#include <asm/asm-extable.h>
#include <asm/csr.h>

#include "sbi_pmu.h"

/*
 * A counter that firmware has announced may not exist (OpenSBI before 1.4 where
 * their numbers have gaps), or not be readable from here: that traps, and the
 * kernel would die of it. The exception table makes it an error instead.
 */
#define READ_OR_TRAP(csr, value, error)					\
	asm volatile("1:	csrr	%[word], %[number]\n"		\
		     "	li	%[err], 0\n"				\
		     "2:\n"						\
		     _ASM_EXTABLE(1b, 2b)				\
		     : [err] "+r"(error), [word] "=&r"(value)		\
		     : [number] "i"(csr) : "memory")

/* A CSR's number is part of the instruction, hence one instruction each. */
#define CASE_1(n)	case n: READ_OR_TRAP(n, word, error); break
#define CASE_2(n)	CASE_1(n); CASE_1((n) + 1)
#define CASE_4(n)	CASE_2(n); CASE_2((n) + 2)
#define CASE_8(n)	CASE_4(n); CASE_4((n) + 4)
#define CASE_16(n)	CASE_8(n); CASE_8((n) + 8)
#define CASE_32(n)	CASE_16(n); CASE_16((n) + 16)

static int read_word(unsigned int csr, xlen_t *value)
{
	xlen_t word = 0;
	int error = -ENXIO;

	switch (csr) {
	CASE_32(CSR_CYCLE);
	}
	/* The upper halves; on 64 bits the compiler leaves this out. */
	if (XLEN == 32) {
		switch (csr) {
		CASE_32(CSR_CYCLEH);
		}
	}
	*value = word;
	return error;
}

/**
 * sbi_pmu_csr_read - read a counter
 * @csr: one that the inventory has let in
 * @value: written on success
 *
 * Context: on the hart whose counter is meant.
 * Return: 0, or an errno if there is no such counter.
 */
int sbi_pmu_csr_read(unsigned int csr, u64 *value)
{
	xlen_t low, high, again;

	if (read_word(csr, &low))
		return -ENXIO;
	*value = low;
	if (XLEN == 64)
		return 0;
	/* The halves are read one by one; the lower must not wrap in between. */
	do {
		if (read_word(csr + CSR_CYCLEH - CSR_CYCLE, &high) || read_word(csr, &low) ||
		    read_word(csr + CSR_CYCLEH - CSR_CYCLE, &again))
			return -ENXIO;
	} while (high != again);
	*value = (u64)high << 32 | low;
	return 0;
}

/* ---- the counter overflow interrupt; Sscofpmf only ---- */

/* The counters that have overflowed since they were started, by hpmcounter. */
u32 sbi_pmu_csr_overflowed(void)
{
	return csr_read(CSR_SCOUNTOVF);
}

bool sbi_pmu_csr_pending(void)
{
	return csr_read(CSR_SIP) & SIP_LCOFIP;
}

/* Return: whether the interrupt was pending. */
bool sbi_pmu_csr_pending_clear(void)
{
	return csr_read_clear(CSR_SIP, SIP_LCOFIP) & SIP_LCOFIP;
}

void sbi_pmu_csr_pending_set(void)
{
	csr_set(CSR_SIP, SIP_LCOFIP);
}

/* Can the interrupt be enabled on this hart? Context: interrupts off. */
bool sbi_pmu_csr_enable_sticks(void)
{
	const unsigned long before = csr_read_set(CSR_SIE, SIP_LCOFIP);
	const bool sticks = csr_read(CSR_SIE) & SIP_LCOFIP;

	csr_write(CSR_SIE, before);
	return sticks;
}

/* ---- what programs may read; the others trap ---- */

/* What could be opened: bits may be fixed at zero. Context: interrupts off. */
u32 sbi_pmu_csr_openable(void)
{
	const unsigned long before = csr_swap(CSR_SCOUNTEREN, ~0UL);

	return csr_swap(CSR_SCOUNTEREN, before);
}

void sbi_pmu_csr_open(u32 counters)
{
	csr_write(CSR_SCOUNTEREN, counters);
}
