/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * csr: access to CSRs.
 */
#ifndef SBI_PMU_CSR_H
#define SBI_PMU_CSR_H

#include <linux/types.h>

int sbi_pmu_csr_read(unsigned int csr, u64 *value);

u32 sbi_pmu_csr_scountovf(void);
bool sbi_pmu_csr_lcofi_pending(void);
bool sbi_pmu_csr_clear_lcofi(void);
void sbi_pmu_csr_set_lcofi(void);
bool sbi_pmu_csr_can_enable_lcofi(void);

u32 sbi_pmu_csr_openable(void);
void sbi_pmu_csr_open(u32 counters);

#endif
