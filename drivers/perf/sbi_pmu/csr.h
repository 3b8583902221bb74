/* SPDX-License-Identifier: GPL-2.0-only */
/* csr: access to CSRs. */
#ifndef SBI_PMU_CSR_H
#define SBI_PMU_CSR_H

#include "sbi_pmu.h"

/* CSRs of overflow interrupts that asm/csr.h does not have */
#define SBI_PMU_CSR_THEAD_SXSTATUS	0x5c0
#define SBI_PMU_CSR_THEAD_SCOUNTEROF	0x5c5
#define SBI_PMU_CSR_ANDES_SLIE		0x9c4
#define SBI_PMU_CSR_ANDES_SLIP		0x9c5
#define SBI_PMU_CSR_ANDES_SCOUNTEROF	0x9d4

int sbi_pmu_csr_read(unsigned int csr, u64 *value);
u32 sbi_pmu_csr_overflow(unsigned int csr);
bool sbi_pmu_csr_is_pending(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_clear_pending(unsigned int csr, unsigned long mask);
void sbi_pmu_csr_set_pending(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_can_enable(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_exists(unsigned int csr);
bool sbi_pmu_csr_filter(u32 flags);
u32 sbi_pmu_csr_openable(void);
void sbi_pmu_csr_open(u32 counters);
/* Delegated counters. Return: 0, or -ENXIO if the access trapped. */
int sbi_pmu_csr_read_delegated(unsigned int counter, unsigned int csr, u64 *value);
int sbi_pmu_csr_write_delegated(unsigned int counter, unsigned int csr, u64 value);
int sbi_pmu_csr_read_inhibit(u32 *counters);
int sbi_pmu_csr_inhibit(u32 counters);
int sbi_pmu_csr_uninhibit(u32 counters);

/* Branch records (CTR 1.0) */
#define SBI_PMU_CTR_U		BIT_ULL(0)          /* sctrctl: record user mode */
#define SBI_PMU_CTR_S		BIT_ULL(1)          /* record the kernel */
#define SBI_PMU_CTR_RASEMU	BIT_ULL(7)          /* a return removes the record of its call */
#define SBI_PMU_CTR_LCOFIFRZ	BIT_ULL(12)         /* the overflow interrupt freezes them */
#define SBI_PMU_CTR_INHIBIT	GENMASK_ULL(47, 32) /* kinds that are not recorded */
#define SBI_PMU_CTRSOURCE_V	BIT_ULL(0)          /* the entry has a record */
#define SBI_PMU_CTRTARGET_MISP	BIT_ULL(0)          /* it was mispredicted */
#define SBI_PMU_CTRDATA_TYPE	GENMASK_ULL(3, 0)
#define SBI_PMU_CTRDATA_CCV	BIT_ULL(15)         /* cycles are known */
#define SBI_PMU_CTRDATA_CCM	GENMASK_ULL(27, 16)
#define SBI_PMU_CTRDATA_CCE	GENMASK_ULL(31, 28)

/* An entry, as the CSRs sireg, sireg2, sireg3 have it */
struct sbi_pmu_branch_record {
	u64 source, target, data;
};

unsigned int sbi_pmu_csr_branch_setup(unsigned int wanted, u64 *control);
void sbi_pmu_csr_branch_control(u64 control);
void sbi_pmu_csr_branch_clear(void);
bool sbi_pmu_csr_branch_freeze(void);
void sbi_pmu_csr_branch_unfreeze(void);
void sbi_pmu_csr_branch_read(unsigned int i, struct sbi_pmu_branch_record *record);
void sbi_pmu_csr_branch_write(unsigned int i, const struct sbi_pmu_branch_record *record);

#endif
