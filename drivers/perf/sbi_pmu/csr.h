/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * csr: access to CSRs.
 */
#ifndef SBI_PMU_CSR_H
#define SBI_PMU_CSR_H

#include <linux/types.h>

int sbi_pmu_csr_read(unsigned int csr, u64 *value);

u32 sbi_pmu_csr_overflow(unsigned int csr);
bool sbi_pmu_csr_is_pending(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_clear_pending(unsigned int csr, unsigned long mask);
void sbi_pmu_csr_set_pending(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_can_enable(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_exists(unsigned int csr);

int sbi_pmu_csr_read_delegated(unsigned int counter, unsigned int csr, u64 *value);
int sbi_pmu_csr_write_delegated(unsigned int counter, unsigned int csr, u64 value);
int sbi_pmu_csr_stopped(u32 *counters);
int sbi_pmu_csr_stop(u32 counters);
int sbi_pmu_csr_start(u32 counters);

u32 sbi_pmu_csr_openable(void);
void sbi_pmu_csr_open(u32 counters);

#endif
