/* SPDX-License-Identifier: GPL-2.0-only */
/* overflow: the overflow interrupt, and samples for perf core. */
#ifndef SBI_PMU_OVERFLOW_H
#define SBI_PMU_OVERFLOW_H

#include "sbi_pmu.h"
#include "user_access.h"

const char *sbi_pmu_overflow_request(struct sbi_pmu *pmu);
void sbi_pmu_overflow_free(struct sbi_pmu *pmu);
void sbi_pmu_overflow_online(struct sbi_pmu *pmu);
void sbi_pmu_overflow_offline(struct sbi_pmu *pmu);

void sbi_pmu_counters_disable(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_enable(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_restart(struct sbi_pmu_cpu *cpu);
void sbi_pmu_failed_init(struct sbi_pmu_cpu *cpu);

void sbi_pmu_sample_by_timer(struct sbi_pmu_cpu *cpu);
bool sbi_pmu_find_lost_irqs(struct sbi_pmu_cpu *cpu);
void sbi_pmu_serve_lost_irqs(struct sbi_pmu_cpu *cpu);

void sbi_pmu_period_resume(struct sbi_pmu_perf_event *e);
void sbi_pmu_period_suspend(struct sbi_pmu_perf_event *e);
void sbi_pmu_perf_event_stop(struct sbi_pmu_cpu *cpu, struct sbi_pmu_perf_event *e);
void sbi_pmu_sampling_stopped(struct sbi_pmu_cpu *cpu, struct sbi_pmu_perf_event *e);

/* The event is stopped and accounted: tell perf core. Context: on its CPU, interrupts disabled. */
static inline void sbi_pmu_perf_event_stopped(struct sbi_pmu_cpu *cpu, struct sbi_pmu_perf_event *e)
{
	struct perf_event *perf = e->perf;

	sbi_pmu_publish(e);
	if (is_sampling_event(perf))
		sbi_pmu_sampling_stopped(cpu, e);
	perf->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

#endif
