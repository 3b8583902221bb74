/* SPDX-License-Identifier: GPL-2.0-only */
/* pmu: the callbacks of struct pmu. */
#ifndef SBI_PMU_PMU_H
#define SBI_PMU_PMU_H

#include "sbi_pmu.h"

void sbi_pmu_pmu_init(struct sbi_pmu *pmu);

#endif
