// SPDX-License-Identifier: GPL-2.0-only
#include "timed.h"

static bool is_by_timer(const struct sbi_pmu_event *event)
{
	return event->active && event->sampling == SBI_PMU_BY_TIMER;
}

/**
 * sbi_pmu_timed_look() - account a counter for the timer that samples
 * @c: this CPU's
 * @idx: the counter
 * @now: the time
 * Return: whether an event on it is sampled by timer; else nothing is done.
 */
bool sbi_pmu_timed_look(struct sbi_pmu_counters *c, unsigned int idx, u64 now)
{
	struct sbi_pmu_event *event;

	if (!sbi_pmu_counter_samples(c, idx, SBI_PMU_BY_TIMER))
		return false;
	sbi_pmu_counter_update(c, idx);
	hlist_for_each_entry(event, &c->events[idx], node)
		if (is_by_timer(event))
			sbi_pmu_period_looked(&event->period, now);
	return true;
}

/* When the timer must look at the first event, 0 if no event is sampled by timer. */
u64 sbi_pmu_timed_due(const struct sbi_pmu_counters *c)
{
	const struct sbi_pmu_event *event;
	u64 first = 0, due;
	unsigned int i;

	for_each_counter(i, c->plan.busy) {
		hlist_for_each_entry(event, &c->events[i], node) {
			if (!is_by_timer(event))
				continue;
			due = sbi_pmu_period_due(&event->period);
			if (!first || due < first)
				first = due;
		}
	}
	return first;
}
