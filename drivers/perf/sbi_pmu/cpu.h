/* SPDX-License-Identifier: GPL-2.0-only */
/* cpu: CPUs come and go, sleep and wake. */
#ifndef SBI_PMU_CPU_H
#define SBI_PMU_CPU_H

#include "sbi_pmu.h"

int sbi_pmu_cpu_init(void);
void sbi_pmu_cpu_exit(void);
int sbi_pmu_cpu_alloc(struct sbi_pmu *pmu);
void sbi_pmu_cpu_free(struct sbi_pmu *pmu);
int sbi_pmu_cpu_start(struct sbi_pmu *pmu);
void sbi_pmu_cpu_stop(struct sbi_pmu *pmu);
struct sbi_pmu_counters *sbi_pmu_cpu_counters(struct sbi_pmu_support_cache *cache);
void sbi_pmu_cpu_restart(struct sbi_pmu_counters *c);

#endif
