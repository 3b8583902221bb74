/* SPDX-License-Identifier: GPL-2.0-only */
/* user_page: what programs can read now. */
#ifndef SBI_PMU_USER_PAGE_H
#define SBI_PMU_USER_PAGE_H

#include "sbi_pmu.h"

void sbi_pmu_user_page_publish(struct sbi_pmu_event *e);
void sbi_pmu_write_scounteren(struct sbi_pmu_cpu *cpu);

#endif
