// SPDX-License-Identifier: GPL-2.0-only
#include "allocate.h"

/*
 * Move the events of counter @from to counter @to, which is available. @from is released
 * first, since firmware and QEMU may allow an event on one counter only.
 */
static int move_events(struct sbi_pmu_counters *c, unsigned int from, unsigned int to)
{
	const struct sbi_pmu_event_code code = c->plan.code[from];
	const struct sbi_pmu_mask candidates = c->plan.candidates[from];
	int ret;

	if (sbi_pmu_mask_test(&c->plan.configured, to))
		sbi_pmu_counter_release(c, to);
	sbi_pmu_counter_update(c, from);
	sbi_pmu_counter_release(c, from);
	ret = sbi_pmu_counter_configure(c, to, &code, &candidates);
	if (!ret) {
		list_splice_tail_init(&c->events[from], &c->events[to]);
		sbi_pmu_counter_rebase(c, to);
		sbi_pmu_plan_set_busy(&c->plan, from, false);
		sbi_pmu_plan_set_busy(&c->plan, to, true);
	} else if (!sbi_pmu_counter_configure(c, from, &code, &candidates)) {
		sbi_pmu_counter_rebase(c, from);
	} else {
		sbi_pmu_counter_drop_events(c, from);
	}
	return ret;
}

/* Make the first counter of @path free. */
static int free_first(struct sbi_pmu_counters *c, const struct sbi_pmu_path *path)
{
	unsigned int to;
	int ret;

	for (to = path->end; path->from[to] != SBI_PMU_NO_COUNTER; to = path->from[to]) {
		ret = move_events(c, path->from[to], to);
		if (ret)
			return ret;
	}
	if (sbi_pmu_mask_test(&c->plan.configured, to))
		sbi_pmu_counter_release(c, to);
	return 0;
}

/* Allocate and configure a counter for an event that no counter holds yet. */
static int allocate(struct sbi_pmu_counters *c, const struct sbi_pmu_event *event,
		    unsigned int *idx)
{
	struct sbi_pmu_mask candidates = event->candidates;
	struct sbi_pmu_path path;
	int ret = -ENOSPC;

	while (sbi_pmu_plan_search(&c->plan, c->backend.inv, &candidates, &path)) {
		*idx = sbi_pmu_path_first(&path);
		ret = free_first(c, &path);
		if (!ret)
			ret = sbi_pmu_counter_configure(c, *idx, &event->code, &event->candidates);
		if (!ret)
			return 0;
		/* Firmware refuses, whatever the probe found: try the other candidates. */
		sbi_pmu_mask_clear(&candidates, *idx);
	}
	return ret;
}

/**
 * sbi_pmu_event_add() - give an event a counter; the event does not count yet
 * @c: this CPU's
 * @event: an event without a counter
 *
 * Equal events share a counter.
 *
 * Context: interrupts disabled.
 * Return: 0, -ENODEV if the CPU is offline, -ENOSPC if all counters that could hold the
 * event are taken, or what firmware returned.
 */
int sbi_pmu_event_add(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	unsigned int idx = sbi_pmu_plan_find(&c->plan, &event->code, &event->candidates);

	if (!c->online)
		return -ENODEV;
	if (idx == SBI_PMU_NO_COUNTER) {
		const int ret = allocate(c, event, &idx);

		if (ret)
			return ret;
	}

	event->counter = idx;
	/* The counter's event may move to where all of its events can be. */
	c->plan.candidates[idx] =
		list_empty(&c->events[idx]) ?
			event->candidates :
			sbi_pmu_mask_and(c->plan.candidates[idx], &event->candidates);
	list_add_tail(&event->node, &c->events[idx]);
	sbi_pmu_plan_set_busy(&c->plan, idx, true);
	return 0;
}
