/* SPDX-License-Identifier: GPL-2.0-only */
/* poll: timers for narrow counters, for lost interrupts, and for events that cannot interrupt. */
#ifndef SBI_PMU_POLL_H
#define SBI_PMU_POLL_H

#include "sbi_pmu.h"

void sbi_pmu_poll_init(struct sbi_pmu_cpu *cpu);
void sbi_pmu_poll_start_timers(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling);
void sbi_pmu_poll_update(struct sbi_pmu_cpu *cpu);
void sbi_pmu_poll_stop(struct sbi_pmu_cpu *cpu);

/**
 * sbi_pmu_poll_start() - start the timers that an event that has come needs
 * @cpu: this CPU
 * @sampling: how the event is sampled
 *
 * They stop at their next expiry, so that a context switch need not stop them; the timer for
 * samples stops at once (sbi_pmu_poll_update()).
 * Context: interrupts disabled.
 */
static inline void sbi_pmu_poll_start(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling)
{
	if (sampling != SBI_PMU_COUNTING || cpu->pmu->wrap_ns)
		sbi_pmu_poll_start_timers(cpu, sampling);
}

#endif
