/* SPDX-License-Identifier: GPL-2.0-only */
/* user_page: what an event's mmap page says about a read of its counter from user space. */
#ifndef SBI_PMU_USER_PAGE_H
#define SBI_PMU_USER_PAGE_H

#include "counters.h"

/* How a program reads an event's counter */
struct sbi_pmu_user_page {
	u16 csr;        /* the CSR to read, 0: none */
	u8 width;       /* number of bits of the value that the program sign-extends */
	bool by_kernel; /* read(2) must be used; else, without a CSR, the page has the count */
	u64 base;       /* what the program subtracts from the extended value */
};

bool sbi_pmu_user_page_possible(const struct sbi_pmu_inventory *inv, u64 candidates, u32 readable);
void sbi_pmu_user_page_mapped(struct sbi_pmu_event *event, bool own, bool sees_all);

struct sbi_pmu_user_page sbi_pmu_user_page(const struct sbi_pmu_counters *c,
					   const struct sbi_pmu_event *event, u32 readable);

#endif
