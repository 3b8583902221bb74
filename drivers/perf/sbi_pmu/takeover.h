/* SPDX-License-Identifier: GPL-2.0-only */
/* takeover: the kernel's built-in driver hands its counters over. */
#ifndef SBI_PMU_TAKEOVER_H
#define SBI_PMU_TAKEOVER_H

#include "sbi_pmu.h"

const char *sbi_pmu_take_over(struct sbi_pmu *pmu, bool asked_for);
void sbi_pmu_find_stopped(struct sbi_pmu *pmu);
void sbi_pmu_give_back(struct sbi_pmu *pmu);

#endif
