/* SPDX-License-Identifier: GPL-2.0-only */
/* backend_select: choose how counters are programmed and read, allocate shared memory. */
#ifndef SBI_PMU_BACKEND_SELECT_H
#define SBI_PMU_BACKEND_SELECT_H

#include "sbi_pmu.h"

int sbi_pmu_backend_select(struct sbi_pmu *pmu, const char *wanted);
void sbi_pmu_backend_free(struct sbi_pmu *pmu);

#endif
