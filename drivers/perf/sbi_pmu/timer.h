/* SPDX-License-Identifier: GPL-2.0-only */
/* timer: all timers of a CPU. */
#ifndef SBI_PMU_TIMER_H
#define SBI_PMU_TIMER_H

#include "sbi_pmu.h"

void sbi_pmu_timer_init(struct sbi_pmu_cpu *cpu, int id);
void sbi_pmu_timer_stop(struct sbi_pmu_cpu *cpu);
void sbi_pmu_timer_needed(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling);
void sbi_pmu_timer_update(struct sbi_pmu_cpu *cpu);
void sbi_pmu_period_seen(struct sbi_pmu_event *e, u64 now);

#endif
