/* SPDX-License-Identifier: GPL-2.0-only */
/* cpu: CPUs come and go, sleep and wake. */
#ifndef SBI_PMU_CPU_H
#define SBI_PMU_CPU_H

#include "sbi_pmu.h"

int sbi_pmu_cpu_alloc(struct sbi_pmu *pmu);
int sbi_pmu_cpu_start(struct sbi_pmu *pmu);
void sbi_pmu_cpu_retry(void);
void sbi_pmu_cpu_stop(struct sbi_pmu *pmu);

#endif
