// SPDX-License-Identifier: GPL-2.0-only
/*
 * All timers of a CPU: for narrow counters, for missed interrupts, for events that cannot interrupt
 * and are sampled by timer, and for idle counters; and the arithmetic of sampling periods.
 */
#include <linux/hrtimer.h>
#include <linux/sched/clock.h>
#include <linux/tick.h>
#include <linux/timer.h>

#include "counters.h"
#include "overflow.h"
#include "timer.h"

/* ---- periods ---- */

/* Time between two looks of the timer at an event (ns) */
#define MIN_POLL_NS	100000
#define MAX_POLL_NS	10000000

#define FIRST_POLL_NS	1000000 /* its rate is known after that */

/*
 * Least time to a look (ns): if the period ended when the task was switched out, the task is to
 * run its own code again before the sample is taken.
 */
#define SOON_NS		10000

/* Events sampled by timer: add the time in which those up to now were counted. */
void sbi_pmu_period_seen(struct sbi_pmu_event *e, u64 now)
{
	struct sbi_pmu_period *p = &e->period;
	const u64 ns = now - p->since;

	p->since = now;
	p->waited += ns;
	p->seen_ns += ns;
	/* Only the last milliseconds say what comes next. */
	while (p->seen_ns > MAX_POLL_NS) {
		p->seen_ns /= 2;
		p->seen /= 2;
	}
}

/*
 * When the timer must look at an event that counts: at the end of its period at the rate of the
 * last events, and a 16th more, as a look that comes too early is wasted. What the event has waited
 * is kept while it is stopped, so that tasks of short bursts are looked at as often. Between two
 * looks it counts for some time, longer if the last ones came in the wrong mode.
 */
static u64 period_due(const struct sbi_pmu_event *e)
{
	const struct sbi_pmu_period *p = &e->period;
	const u64 apart = (u64)MIN_POLL_NS << p->deferred;
	const s64 left = local64_read(&e->event->hw.period_left);
	u64 ns = MAX_POLL_NS;

	if (left <= 0) {
		ns = 0;
	} else if (!p->seen && p->waited < FIRST_POLL_NS) {
		ns = FIRST_POLL_NS - p->waited;
	} else if (p->seen && p->seen_ns && (u64)left / p->seen <= MAX_POLL_NS / p->seen_ns) {
		ns = left * p->seen_ns / p->seen;
		ns += ns / 16;
	}
	if (p->waited + ns < apart)
		ns = apart - p->waited;
	return p->since + clamp_t(u64, ns, SOON_NS, MAX_POLL_NS);
}

/* ---- samples by timer ---- */

static bool is_by_timer(const struct sbi_pmu_event *e)
{
	return e->active && e->sampling == SBI_PMU_BY_TIMER;
}

/*
 * Set the timer for the event at which it must look first. Stopped at once when events leave, it
 * does not wake a CPU whose sampled task sleeps.
 */
static void set_sample_timer(struct sbi_pmu_cpu *cpu)
{
	struct hrtimer *timer = &cpu->timers.sample;
	const struct sbi_pmu_event *e;
	u64 first = ~0ULL;
	unsigned int i;

	for_each_counter(i, cpu->busy)
		hlist_for_each_entry(e, &cpu->counter[i].events, node)
			if (is_by_timer(e))
				first = min(first, period_due(e));
	cpu->timers.sampled_changed = false;
	if (first == ~0ULL)
		hrtimer_try_to_cancel(timer);
	else if (!hrtimer_is_queued(timer) || first != ktime_to_ns(hrtimer_get_expires(timer)))
		hrtimer_start(timer, ns_to_ktime(first), HRTIMER_MODE_ABS_PINNED_HARD);
}

static enum hrtimer_restart sample_timer(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timers.sample);
	const u64 start = sched_clock(), now = ktime_get_ns();
	struct sbi_pmu_event *e;
	unsigned int i;

	sbi_pmu_counters_disable(cpu);
	for_each_counter(i, cpu->busy) {
		bool here = false;

		hlist_for_each_entry(e, &cpu->counter[i].events, node)
			here |= is_by_timer(e);
		if (!here)
			continue;
		sbi_pmu_counter_update(cpu, &cpu->counter[i]);
		hlist_for_each_entry(e, &cpu->counter[i].events, node) {
			if (!is_by_timer(e))
				continue;
			sbi_pmu_period_seen(e, now);
			e->period.waited = 0;
			e->period.seen_ns /= 2;
			e->period.seen /= 2;
		}
		sbi_pmu_sample_counter(cpu, i, SBI_PMU_BY_TIMER);
	}
	sbi_pmu_counters_enable(cpu);
	sbi_pmu_report_time(cpu, start);
	set_sample_timer(cpu);
	return HRTIMER_NORESTART;
}

/* ---- narrow counters, missed interrupts ---- */

/* Look for missed interrupts so often (ms): two reads of CSRs and one of each armed counter */
#define LOOK_OFTEN_MS	10 /* on a CPU that has missed some, or is known to */
#define LOOK_MS		100

/* After a missed interrupt is found the CPU has so long to run its own code again (ns). */
#define SERVE_NS	20000

static enum hrtimer_restart narrow_timer(struct hrtimer *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timers.narrow);
	u64 next = 0;

	/* Perf core may start events in here: they must not start this timer. */
	cpu->timers.interval = 1;
	sbi_pmu_serve_missed_irqs(cpu);
	if (sbi_pmu_counters_update_narrow(cpu))
		next = cpu->pmu->wrap_ns;
	cpu->timers.interval = next;
	if (!next)
		return HRTIMER_NORESTART;
	/* From now on: the time spent in here must not shorten the interval. */
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), next));
	return HRTIMER_RESTART;
}

static unsigned long look_interval(const struct sbi_pmu_cpu *cpu)
{
	const bool often = cpu->irq.times_missed || cpu->pmu->loses_irqs || cpu->irq.wrapped;

	return msecs_to_jiffies(often ? LOOK_OFTEN_MS : LOOK_MS);
}

/* Samples are taken by the other timer, when the CPU runs its own code again. */
static void look_timer(struct timer_list *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timers.look);
	unsigned long flags;

	local_irq_save(flags);
	if (cpu->irq.off)
		sbi_pmu_overflow_retry(cpu);
	if (sbi_pmu_find_missed_irqs(cpu))
		mod_timer(timer, jiffies + look_interval(cpu));
	if (cpu->irq.missed) {
		cpu->timers.interval = SERVE_NS;
		hrtimer_start(&cpu->timers.narrow, ns_to_ktime(SERVE_NS),
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	local_irq_restore(flags);
}

/* ---- idle counters that the other driver may need ---- */

/* In shared mode a counter is released when it has been idle for so long (ms), or twice that. */
#define RELEASE_MS	10

/* Look at idle counters later. Each context switch comes here; most find that the timer is set. */
static void watch_idle(struct sbi_pmu_cpu *cpu)
{
	if (cpu->timers.idle_watched || !sbi_pmu_idle_counters(cpu))
		return;
	cpu->timers.idle_watched = true;
	cpu->timers.idle_clock = cpu->clock;
	mod_timer(&cpu->timers.idle, jiffies + msecs_to_jiffies(RELEASE_MS));
}

/* Release those that have not been used since the timer was set. */
static void idle_timer(struct timer_list *timer)
{
	struct sbi_pmu_cpu *cpu = container_of(timer, struct sbi_pmu_cpu, timers.idle);
	unsigned long flags;

	local_irq_save(flags);
	cpu->timers.idle_watched = false;
	if (sbi_pmu_idle_counters(cpu)) {
		sbi_pmu_counters_disable(cpu);
		sbi_pmu_counters_release_idle(cpu, cpu->timers.idle_clock);
		sbi_pmu_counters_enable(cpu);
		watch_idle(cpu);
	}
	local_irq_restore(flags);
}

/* ---- for all ---- */

/*
 * An event has come that is sampled in this way, or some counters are narrow. The timers stop at
 * their next expiry, so that a context switch need not stop them; that for samples stops at once.
 * Context: interrupts disabled.
 */
void sbi_pmu_timer_needed(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling)
{
	const u64 ns = cpu->pmu->wrap_ns;

	if (sampling == SBI_PMU_BY_TIMER)
		cpu->timers.sampled_changed = true;
	else if (sampling == SBI_PMU_BY_INTERRUPT && !timer_pending(&cpu->timers.look))
		mod_timer(&cpu->timers.look, jiffies + look_interval(cpu));
	if (!ns || cpu->timers.interval)
		return;
	cpu->timers.interval = ns;
	hrtimer_start(&cpu->timers.narrow, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Events may have come or left: set the timers for that. Context: interrupts disabled. */
void sbi_pmu_timer_update(struct sbi_pmu_cpu *cpu)
{
	if (cpu->timers.sampled_changed)
		set_sample_timer(cpu);
	if (!cpu->exclusive)
		watch_idle(cpu);
}

/* Prepare the timers of CPU @id. */
void sbi_pmu_timer_init(struct sbi_pmu_cpu *cpu, int id)
{
	hrtimer_setup(&cpu->timers.narrow, narrow_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_setup(&cpu->timers.sample, sample_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	/*
	 * Deferrable: it does not wake an idle CPU, whose counters stand still or nearly so. But it
	 * waits for a tick, and a nohz_full CPU has none while one task runs.
	 */
	timer_setup(&cpu->timers.look, look_timer,
		    (tick_nohz_full_cpu(id) ? 0 : TIMER_DEFERRABLE) | TIMER_PINNED);
	/* Not deferrable: the other driver may need the counters of an idle CPU, too. */
	timer_setup(&cpu->timers.idle, idle_timer, TIMER_PINNED);
}

/* Stop the timers of a CPU whose counters are offline. Context: may sleep. */
void sbi_pmu_timer_stop(struct sbi_pmu_cpu *cpu)
{
	timer_delete_sync(&cpu->timers.look);
	timer_delete_sync(&cpu->timers.idle);
	cpu->timers.idle_watched = false;
	hrtimer_cancel(&cpu->timers.narrow);
	hrtimer_cancel(&cpu->timers.sample);
	cpu->timers.interval = 0;
}
