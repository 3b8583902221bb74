/* SPDX-License-Identifier: GPL-2.0-only */
/* allocate: give an event a counter of its CPU, moving other events if need be. */
#ifndef SBI_PMU_ALLOCATE_H
#define SBI_PMU_ALLOCATE_H

#include "counters.h"

int sbi_pmu_event_add_anywhere(struct sbi_pmu_counters *c, struct sbi_pmu_event *event);
void sbi_pmu_counters_recover(struct sbi_pmu_counters *c);

static inline void sbi_pmu_event_join(struct sbi_pmu_counters *c, struct sbi_pmu_event *event,
				      unsigned int idx)
{
	event->counter = idx;
	hlist_add_head(&event->node, &c->events[idx]);
	sbi_pmu_plan_join(&c->plan, idx, event->candidates);
}

/* Does it still hold the event? If it is busy, another may serve better, see choose_counter(). */
static inline bool sbi_pmu_event_can_rejoin(const struct sbi_pmu_counters *c,
					    const struct sbi_pmu_event *event, unsigned int idx)
{
	const struct sbi_pmu_plan_counter *counter = &c->plan.counter[idx];

	return (!counter->events ||
		(c->fixed_alike && counter->events < SBI_PMU_EVENTS_PER_COUNTER)) &&
	       c->state[idx] != SBI_PMU_FREE &&
	       sbi_pmu_event_code_equal(&counter->code, &event->code);
}

/**
 * sbi_pmu_event_add() - give an event a counter; the event does not count yet
 * @c: this CPU's
 * @event: an event without a counter
 * Context: interrupts disabled.
 * Return: 0, -ENODEV if the CPU is offline, -ENOSPC if all its counters are taken, or an errno.
 */
static inline int sbi_pmu_event_add(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	const unsigned int last = event->last_counter;

	/* No counter holds an event while the CPU is offline. */
	if (last >= SBI_PMU_MAX_COUNTERS || !sbi_pmu_event_can_rejoin(c, event, last))
		return sbi_pmu_event_add_anywhere(c, event);
	sbi_pmu_event_join(c, event, last);
	return 0;
}

#endif
