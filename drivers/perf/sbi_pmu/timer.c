// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer: a hart's alarm clock, for all that has to be looked at now and then:
 * counters of less than 64 bits, before they come round; sampling events whose
 * counters cannot interrupt; interrupts that got lost.
 */
#include <linux/hrtimer.h>

#include "sbi_pmu.h"

/*
 * XiangShan before September 2026 loses overflow interrupts. The search for them
 * costs a hart that samples an interrupt in so many ns, two reads of CSRs and one
 * of each counter that is armed.
 */
#define WATCHDOG_NS	(10 * NSEC_PER_MSEC)

/* The first look at a sampling event; then its own pace is known. */
#define FIRST_POLL_NS	NSEC_PER_MSEC

static u64 sooner(u64 a, u64 b)
{
	return !a || (b && b < a) ? b : a;
}

static u64 poll(struct sbi_pmu_cpu *cpu)
{
	const ktime_t now = ktime_get();
	const u64 elapsed = ktime_sub(now, cpu->polled);

	cpu->polled = now;
	if (!sbi_pmu_perf_poll(cpu))
		return 0;
	return sbi_pmu_slots_poll_ns(&cpu->slots, elapsed);
}

static enum hrtimer_restart timer_rings(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timer);
	u64 next;

	/* Events that perf core stops and starts in here do not set the clock. */
	cpu->interval = 1;
	next = poll(cpu);
	if (sbi_pmu_slots_follow(&cpu->slots))
		next = sooner(next, cpu->pmu->wrap_ns);
	if (sbi_pmu_overflow_watch(cpu))
		next = sooner(next, WATCHDOG_NS);
	cpu->interval = next;
	if (!next)
		return HRTIMER_NORESTART;
	/* From now: what was done here must not eat up the time to the next. */
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), next));
	return HRTIMER_RESTART;
}

void sbi_pmu_timer_init(struct sbi_pmu_cpu *cpu)
{
	hrtimer_setup(&cpu->timer, timer_rings, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * sbi_pmu_timer_kick - an event has come to this hart
 * @cpu: this hart
 * @sampling: how it learns of its periods
 *
 * When events have left, the timer stops at its next ring rather than at once: a
 * switch between tasks does not pay for it.
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_timer_kick(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling)
{
	u64 ns = cpu->pmu->wrap_ns;

	if (sampling == SBI_PMU_POLLED)
		ns = sooner(ns, FIRST_POLL_NS);
	else if (sampling == SBI_PMU_INTERRUPTED)
		ns = sooner(ns, WATCHDOG_NS);
	if (!ns || (cpu->interval && cpu->interval <= ns))
		return;
	cpu->interval = ns;
	if (sampling == SBI_PMU_POLLED)
		cpu->polled = ktime_get();
	hrtimer_start(&cpu->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Its slots are down, so that no event starts it again. Context: may sleep. */
void sbi_pmu_timer_stop(struct sbi_pmu_cpu *cpu)
{
	hrtimer_cancel(&cpu->timer);
	cpu->interval = 0;
}
