/* SPDX-License-Identifier: GPL-2.0-only */
/* overflow: the overflow interrupt, and samples. */
#ifndef SBI_PMU_OVERFLOW_H
#define SBI_PMU_OVERFLOW_H

#include "sbi_pmu.h"

const char *sbi_pmu_overflow_request(struct sbi_pmu *pmu);
void sbi_pmu_overflow_free(struct sbi_pmu *pmu);
void sbi_pmu_overflow_retry(struct sbi_pmu_cpu *cpu);
bool sbi_pmu_sample_counter(struct sbi_pmu_cpu *cpu, unsigned int idx, enum sbi_pmu_sampling how);
void sbi_pmu_report_time(struct sbi_pmu_cpu *cpu, u64 start);
bool sbi_pmu_find_missed_irqs(struct sbi_pmu_cpu *cpu);
void sbi_pmu_serve_missed_irqs(struct sbi_pmu_cpu *cpu);

#endif
