// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>

#include <asm/asm-extable.h>
#include <asm/csr.h>

#include "csr.h"

/*
 * A counter that firmware announces may not exist (OpenSBI before 1.4 if their numbers have
 * gaps), or may not be readable in S-mode. Such a read traps, and the kernel would panic. With
 * an entry in the exception table it returns an error instead.
 */
#define READ_OR_TRAP(csr, value, error)					\
	asm volatile("1:	csrr	%[word], %[number]\n"		\
		     "	li	%[err], 0\n"				\
		     "2:\n"						\
		     _ASM_EXTABLE(1b, 2b)				\
		     : [err] "+r"(error), [word] "=&r"(value)		\
		     : [number] "i"(csr) : "memory")

/* The number of a CSR is part of the instruction, hence one instruction for each. */
#define CASE_1(n)	case n: READ_OR_TRAP(n, now, error); break
#define CASE_2(n)	CASE_1(n); CASE_1((n) + 1)
#define CASE_4(n)	CASE_2(n); CASE_2((n) + 2)
#define CASE_8(n)	CASE_4(n); CASE_4((n) + 4)
#define CASE_16(n)	CASE_8(n); CASE_8((n) + 8)
#define CASE_32(n)	CASE_16(n); CASE_16((n) + 16)

/**
 * sbi_pmu_csr_read() - read a counter
 * @csr: cycle to hpmcounter31
 * @value: written on success
 *
 * Context: on the CPU whose counter is read.
 * Return: 0, or -ENXIO if the counter does not exist.
 */
int sbi_pmu_csr_read(unsigned int csr, u64 *value)
{
	unsigned long now = 0;
	int error = -ENXIO;

	switch (csr) {
		CASE_32(CSR_CYCLE);
	}
	if (!error)
		*value = now;
	return error;
}

/* ---- overflow interrupt (Sscofpmf) ---- */

/* Counters that have overflowed since they were started, a bit for each hpmcounter. */
u32 sbi_pmu_csr_scountovf(void)
{
	return csr_read(CSR_SCOUNTOVF);
}

bool sbi_pmu_csr_lcofi_pending(void)
{
	return csr_read(CSR_SIP) & SIP_LCOFIP;
}

/* Return: was the interrupt pending? */
bool sbi_pmu_csr_clear_lcofi(void)
{
	return csr_read_clear(CSR_SIP, SIP_LCOFIP) & SIP_LCOFIP;
}

void sbi_pmu_csr_set_lcofi(void)
{
	csr_set(CSR_SIP, SIP_LCOFIP);
}

/* Can the interrupt be enabled on this CPU? Context: interrupts disabled. */
bool sbi_pmu_csr_can_enable_lcofi(void)
{
	const unsigned long before = csr_read_set(CSR_SIE, SIP_LCOFIP);
	const bool enabled = csr_read(CSR_SIE) & SIP_LCOFIP;

	csr_write(CSR_SIE, before);
	return enabled;
}

/* ---- what user space can read; other reads trap ---- */

/* Counters that can be opened: bits may be read-only zero. Context: interrupts disabled. */
u32 sbi_pmu_csr_openable(void)
{
	const unsigned long before = csr_swap(CSR_SCOUNTEREN, ~0UL);

	return csr_swap(CSR_SCOUNTEREN, before);
}

void sbi_pmu_csr_open(u32 counters)
{
	csr_write(CSR_SCOUNTEREN, counters);
}
