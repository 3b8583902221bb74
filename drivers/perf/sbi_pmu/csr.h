/* SPDX-License-Identifier: GPL-2.0-only */
/* csr: access to CSRs. */
#ifndef SBI_PMU_CSR_H
#define SBI_PMU_CSR_H

#include <linux/types.h>

#include <asm/csr.h>

#include "irq_source.h"

int sbi_pmu_csr_read(unsigned int csr, u64 *value);

u32 sbi_pmu_csr_overflow(unsigned int csr);
bool sbi_pmu_csr_can_enable(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_exists(unsigned int csr);

int sbi_pmu_csr_read_delegated(unsigned int counter, unsigned int csr, u64 *value);
int sbi_pmu_csr_write_delegated(unsigned int counter, unsigned int csr, u64 value);
int sbi_pmu_csr_stopped(u32 *counters);
int sbi_pmu_csr_stop(u32 counters);
int sbi_pmu_csr_start(u32 counters);

u32 sbi_pmu_csr_openable(void);
void sbi_pmu_csr_open(u32 counters);

/* Return: is the interrupt in @mask pending? */
static inline bool sbi_pmu_csr_is_pending(unsigned int csr, unsigned long mask)
{
	const unsigned long pending = csr == SBI_PMU_CSR_ANDES_SLIP ?
					      csr_read(SBI_PMU_CSR_ANDES_SLIP) :
					      csr_read(CSR_SIP);

	return pending & mask;
}

static inline bool sbi_pmu_csr_clear_pending(unsigned int csr, unsigned long mask)
{
	const unsigned long pending = csr == SBI_PMU_CSR_ANDES_SLIP ?
					      csr_read_clear(SBI_PMU_CSR_ANDES_SLIP, mask) :
					      csr_read_clear(CSR_SIP, mask);

	return pending & mask;
}

static inline void sbi_pmu_csr_set_pending(unsigned int csr, unsigned long mask)
{
	if (csr == SBI_PMU_CSR_ANDES_SLIP)
		csr_set(SBI_PMU_CSR_ANDES_SLIP, mask);
	else
		csr_set(CSR_SIP, mask);
}

#endif
