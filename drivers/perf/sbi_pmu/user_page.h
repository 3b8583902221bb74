/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * user_page: what an event's mmap page says about a read of its counter from user space.
 */
#ifndef SBI_PMU_USER_PAGE_H
#define SBI_PMU_USER_PAGE_H

#include "counters.h"

/**
 * struct sbi_pmu_user_page - how a program reads an event's counter
 * @csr: the CSR to read, 0: read(2) must be used
 * @width: number of bits of the value that the program sign-extends
 * @base: what the program subtracts from the extended value
 */
struct sbi_pmu_user_page {
	u16 csr;
	u8 width;
	u64 base;
};

struct sbi_pmu_user_page sbi_pmu_user_page(const struct sbi_pmu_counters *c,
					   const struct sbi_pmu_event *event, u32 readable);

#endif
