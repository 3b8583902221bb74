// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>

#include "overflow.h"
#include "poll.h"

/*
 * Some cores lose overflow interrupts. While a CPU samples, a timer looks for lost ones each
 * 10 ms, by two reads of CSRs and one of each armed counter.
 */
#define LOST_IRQ_NS	(10 * NSEC_PER_MSEC)

/* When a sampling event is looked at first; then its rate is known. */
#define FIRST_POLL_NS	NSEC_PER_MSEC

/* The smaller one that is not 0. */
static u64 sooner(u64 a, u64 b)
{
	return !a || (b && b < a) ? b : a;
}

static u64 poll_sampling(struct sbi_pmu_cpu *cpu)
{
	const ktime_t now = ktime_get();
	const u64 elapsed = ktime_sub(now, cpu->polled);

	cpu->polled = now;
	if (!sbi_pmu_sample_by_timer(cpu))
		return 0;
	return sbi_pmu_counters_poll_ns(&cpu->counters, elapsed);
}

static enum hrtimer_restart poll_timer(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timer);
	u64 next;

	/* Perf core may start events in here: they must not start this timer. */
	cpu->interval = 1;
	next = poll_sampling(cpu);
	if (sbi_pmu_counters_poll_narrow(&cpu->counters))
		next = sooner(next, cpu->pmu->wrap_ns);
	if (sbi_pmu_check_lost_irqs(cpu))
		next = sooner(next, LOST_IRQ_NS);
	cpu->interval = next;
	if (!next)
		return HRTIMER_NORESTART;
	/* From now on: the time spent in here must not shorten the interval. */
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), next));
	return HRTIMER_RESTART;
}

void sbi_pmu_poll_init(struct sbi_pmu_cpu *cpu)
{
	hrtimer_setup(&cpu->timer, poll_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * sbi_pmu_poll_start() - start the timer, if an event that has come needs it
 * @cpu: this CPU
 * @sampling: how the event is sampled
 *
 * After events have left, the timer stops at its next expiry and not at once, so that a
 * context switch need not stop it.
 *
 * Context: interrupts disabled.
 */
void sbi_pmu_poll_start(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling)
{
	u64 ns = cpu->pmu->wrap_ns;

	if (sampling == SBI_PMU_BY_TIMER)
		ns = sooner(ns, FIRST_POLL_NS);
	else if (sampling == SBI_PMU_BY_INTERRUPT)
		ns = sooner(ns, LOST_IRQ_NS);
	if (!ns || (cpu->interval && cpu->interval <= ns))
		return;
	cpu->interval = ns;
	if (sampling == SBI_PMU_BY_TIMER)
		cpu->polled = ktime_get();
	hrtimer_start(&cpu->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Stop the timer of a CPU whose counters are offline. Context: may sleep. */
void sbi_pmu_poll_stop(struct sbi_pmu_cpu *cpu)
{
	hrtimer_cancel(&cpu->timer);
	cpu->interval = 0;
}
