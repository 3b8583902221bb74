// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>

#include "overflow.h"
#include "poll.h"
#include "timed.h"

/*
 * Some cores lose overflow interrupts. While a CPU samples, a timer looks for lost ones each
 * 10 ms, by two reads of CSRs and one of each armed counter.
 */
#define LOST_IRQ_NS	(10 * NSEC_PER_MSEC)

/* The smaller one that is not 0. */
static u64 sooner(u64 a, u64 b)
{
	return !a || (b && b < a) ? b : a;
}

static enum hrtimer_restart poll_timer(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timer);
	u64 next = 0;

	/* Perf core may start events in here: they must not start this timer. */
	cpu->interval = 1;
	if (sbi_pmu_counters_poll_narrow(&cpu->counters))
		next = cpu->pmu->wrap_ns;
	if (sbi_pmu_check_lost_irqs(cpu))
		next = sooner(next, LOST_IRQ_NS);
	cpu->interval = next;
	if (!next)
		return HRTIMER_NORESTART;
	/* From now on: the time spent in here must not shorten the interval. */
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), next));
	return HRTIMER_RESTART;
}

/* Set the timer for samples to when the first event is due, or stop it. */
static void set_sample_timer(struct sbi_pmu_cpu *cpu)
{
	const u64 due = sbi_pmu_timed_due(&cpu->counters);
	struct hrtimer *timer = &cpu->sample_timer;

	cpu->timed_changed = false;
	if (!due)
		hrtimer_try_to_cancel(timer);
	else if (!hrtimer_is_queued(timer) || due != ktime_to_ns(hrtimer_get_expires(timer)))
		hrtimer_start(timer, ns_to_ktime(due), HRTIMER_MODE_ABS_PINNED_HARD);
}

static enum hrtimer_restart sample_timer(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, sample_timer);

	sbi_pmu_sample_by_timer(cpu);
	set_sample_timer(cpu);
	return HRTIMER_NORESTART;
}

void sbi_pmu_poll_init(struct sbi_pmu_cpu *cpu)
{
	hrtimer_setup(&cpu->timer, poll_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_setup(&cpu->sample_timer, sample_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * sbi_pmu_poll_update() - set the timer for samples, if events have come or left
 * @cpu: this CPU
 *
 * Unlike the other timer it is stopped at once: it must not wake a CPU when the task whose
 * events are sampled sleeps.
 *
 * Context: interrupts disabled.
 */
void sbi_pmu_poll_update(struct sbi_pmu_cpu *cpu)
{
	if (cpu->timed_changed)
		set_sample_timer(cpu);
}

/**
 * sbi_pmu_poll_start() - start the timer for counters, if an event that has come needs it
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

	if (sampling == SBI_PMU_BY_INTERRUPT)
		ns = sooner(ns, LOST_IRQ_NS);
	if (!ns || (cpu->interval && cpu->interval <= ns))
		return;
	cpu->interval = ns;
	hrtimer_start(&cpu->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Stop the timers of a CPU whose counters are offline. Context: may sleep. */
void sbi_pmu_poll_stop(struct sbi_pmu_cpu *cpu)
{
	hrtimer_cancel(&cpu->timer);
	hrtimer_cancel(&cpu->sample_timer);
	cpu->interval = 0;
}
