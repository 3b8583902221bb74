// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>
#include <linux/timer.h>

#include "overflow.h"
#include "poll.h"
#include "timed.h"

/* Look for lost interrupts so often (ms): two reads of CSRs and one of each armed counter */
#define LOOK_OFTEN_MS	10 /* on a CPU that has lost some, or is known to */
#define LOOK_MS		100

/* After a lost interrupt is found the CPU has so long to run its own code again (ns). */
#define SERVE_NS	20000

static enum hrtimer_restart poll_timer(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timer);
	u64 next = 0;

	/* Perf core may start events in here: they must not start this timer. */
	cpu->interval = 1;
	sbi_pmu_serve_lost_irqs(cpu);
	if (sbi_pmu_counters_poll_narrow(&cpu->counters))
		next = cpu->pmu->wrap_ns;
	cpu->interval = next;
	if (!next)
		return HRTIMER_NORESTART;
	/* From now on: the time spent in here must not shorten the interval. */
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), next));
	return HRTIMER_RESTART;
}

static unsigned long look_interval(const struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_vendor *vendor = cpu->pmu->caps.vendor;
	const bool often = cpu->lost_irqs || (vendor && vendor->loses_irqs) ||
			   cpu->counters.wrapped;

	return msecs_to_jiffies(often ? LOOK_OFTEN_MS : LOOK_MS);
}

/* Samples are taken by the other timer, when the CPU runs its own code again. */
static void look_timer(struct timer_list *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, look_timer);
	unsigned long flags;

	local_irq_save(flags);
	if (sbi_pmu_find_lost_irqs(cpu))
		mod_timer(timer, jiffies + look_interval(cpu));
	if (cpu->lost) {
		cpu->interval = SERVE_NS;
		hrtimer_start(&cpu->timer, ns_to_ktime(SERVE_NS), HRTIMER_MODE_REL_PINNED_HARD);
	}
	local_irq_restore(flags);
}

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
	/* Deferrable: it does not wake an idle CPU, whose counters stand still or nearly so. */
	timer_setup(&cpu->look_timer, look_timer, TIMER_DEFERRABLE | TIMER_PINNED);
}

/**
 * sbi_pmu_poll_update() - set the timer for samples, if events have come or left
 * @cpu: this CPU; stopped at once, the timer does not wake it when the sampled task sleeps
 * Context: interrupts disabled.
 */
void sbi_pmu_poll_update(struct sbi_pmu_cpu *cpu)
{
	if (cpu->timed_changed)
		set_sample_timer(cpu);
}

/* For sbi_pmu_poll_start(): the event is sampled, or some counters are narrow. */
void sbi_pmu_poll_start_timers(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling)
{
	const u64 ns = cpu->pmu->wrap_ns;

	if (sampling == SBI_PMU_BY_TIMER)
		cpu->timed_changed = true;
	else if (sampling == SBI_PMU_BY_INTERRUPT && !timer_pending(&cpu->look_timer))
		mod_timer(&cpu->look_timer, jiffies + look_interval(cpu));
	if (!ns || cpu->interval)
		return;
	cpu->interval = ns;
	hrtimer_start(&cpu->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Stop the timers of a CPU whose counters are offline. Context: may sleep. */
void sbi_pmu_poll_stop(struct sbi_pmu_cpu *cpu)
{
	timer_delete_sync(&cpu->look_timer);
	hrtimer_cancel(&cpu->timer);
	hrtimer_cancel(&cpu->sample_timer);
	cpu->interval = 0;
}
