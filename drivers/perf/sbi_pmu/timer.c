// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer: a hart's alarm clock. It looks at counters of less than 64 bits often
 * enough that none of them comes round unseen.
 */
#include <linux/hrtimer.h>

#include "sbi_pmu.h"

static enum hrtimer_restart timer_rings(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timer);

	if (!sbi_pmu_slots_follow(&cpu->slots))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(cpu->pmu->wrap_ns));
	return HRTIMER_RESTART;
}

void sbi_pmu_timer_init(struct sbi_pmu_cpu *cpu)
{
	hrtimer_setup(&cpu->timer, timer_rings, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * sbi_pmu_timer_kick - an event has come to this hart
 * @cpu: this hart
 *
 * When its events have left, the timer stops at its next ring rather than at
 * once: a switch between tasks does not pay for it.
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_timer_kick(struct sbi_pmu_cpu *cpu)
{
	if (cpu->pmu->wrap_ns && !hrtimer_active(&cpu->timer))
		hrtimer_start(&cpu->timer, ns_to_ktime(cpu->pmu->wrap_ns),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Its slots are down, so that no event starts it again. Context: may sleep. */
void sbi_pmu_timer_stop(struct sbi_pmu_cpu *cpu)
{
	hrtimer_cancel(&cpu->timer);
}
