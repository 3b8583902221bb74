// SPDX-License-Identifier: GPL-2.0-only
#include "allocate.h"

/* @from is released first: firmware and QEMU may allow an event on one counter only. */
static int move_events(struct sbi_pmu_counters *c, unsigned int from, unsigned int to)
{
	const struct sbi_pmu_event_code code = c->plan.counter[from].code;
	const u64 candidates = c->plan.counter[from].candidates;
	int ret;

	if (has_counter(c->plan.configured, to))
		sbi_pmu_counter_release(c, to);
	sbi_pmu_counter_update(c, from);
	sbi_pmu_counter_release(c, from);
	ret = sbi_pmu_counter_configure(c, to, &code, candidates);
	if (!ret) {
		hlist_move_list(&c->events[from], &c->events[to]);
		sbi_pmu_plan_set_events(&c->plan, to, c->plan.counter[from].events);
		sbi_pmu_plan_set_events(&c->plan, from, 0);
		sbi_pmu_counter_rebase(c, to);
	} else if (!sbi_pmu_counter_configure(c, from, &code, candidates)) {
		sbi_pmu_counter_rebase(c, from);
	} else {
		sbi_pmu_counter_drop_events(c, from);
	}
	return ret;
}

static int free_first(struct sbi_pmu_counters *c, const struct sbi_pmu_path *path)
{
	unsigned int to;
	int ret;

	for (to = path->end; path->from[to] != SBI_PMU_NO_COUNTER; to = path->from[to]) {
		ret = move_events(c, path->from[to], to);
		if (ret)
			return ret;
	}
	if (has_counter(c->plan.configured, to))
		sbi_pmu_counter_release(c, to);
	return 0;
}

/* If firmware refuses, the counter is added to @refused, and if it was idle has its event again. */
static int take_first(struct sbi_pmu_counters *c, const struct sbi_pmu_event *event,
		      const struct sbi_pmu_path *path, u64 *refused)
{
	const unsigned int idx = sbi_pmu_path_first(path);
	const bool idle = has_counter(c->plan.configured, idx) && !has_counter(c->plan.busy, idx);
	const struct sbi_pmu_event_code code = c->plan.counter[idx].code;
	const u64 candidates = c->plan.counter[idx].candidates;
	int ret = free_first(c, path);

	if (!ret) {
		ret = sbi_pmu_counter_configure(c, idx, &event->code, event->candidates);
		if (ret)
			*refused |= BIT_ULL(idx);
	}
	if (ret && idle)
		sbi_pmu_counter_configure(c, idx, &code, candidates);
	return ret;
}

#define MOST_SKIPS	63 /* at last an event is tried at each 64th add */

static u64 refusing(const struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	struct sbi_pmu_refusals *r = &event->refusals;

	if (r->by != c)
		*r = (struct sbi_pmu_refusals){ .by = c };
	if (r->skip)
		r->skip--;
	else
		r->which = 0;
	return r->which;
}

/* 0 adds are skipped after the first refusal, which may have been an error, then 1, 3, 7 etc. */
static void remember(struct sbi_pmu_refusals *r, u64 which)
{
	if (!which) {
		if (!r->which)
			r->skips = 0;
		return;
	}
	r->which |= which;
	r->skip = r->skips;
	r->skips = r->skips < MOST_SKIPS ? 2 * r->skips + 1 : MOST_SKIPS;
}

/* Return: the counter, or an errno. */
static int allocate(struct sbi_pmu_counters *c, struct sbi_pmu_event *event, u64 candidates)
{
	const u64 skipped = refusing(c, event);
	u64 refused = 0;
	struct sbi_pmu_path path;
	int ret = -ENOSPC; /* none is free: perf core multiplexes */

	candidates &= ~skipped;
	while (sbi_pmu_plan_search(&c->plan, c->backend.inv, candidates, &path)) {
		ret = take_first(c, event, &path, &refused);
		if (!ret) {
			ret = sbi_pmu_path_first(&path);
			break;
		}
		/* Firmware refuses, whatever the probe found: try the other candidates. */
		candidates &= ~BIT_ULL(sbi_pmu_path_first(&path));
	}
	remember(&event->refusals, refused);
	return ret;
}

/*
 * Equal events share a counter: a second one would be taken from others, and QEMU lets only one
 * count. But a fixed one on which nothing counts is better than a programmable one that others
 * use, perhaps to sample. Return: the counter, or an errno.
 */
static int choose_counter(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	const u64 fixed = sbi_pmu_plan_free_fixed(&c->plan, c->backend.inv, event->candidates);
	const unsigned int found = sbi_pmu_plan_find(&c->plan, &event->code, event->candidates);
	int idx;

	if (found == SBI_PMU_NO_COUNTER)
		return allocate(c, event, event->candidates);
	if (!c->fixed_alike && has_counter(c->plan.busy, found) && fixed) {
		idx = allocate(c, event, fixed);
		if (idx >= 0)
			return idx;
	}
	return sbi_pmu_plan_is_full(&c->plan, found) ? -ENOSPC : (int)found;
}

/* Choose a counter for an event, and have it count there. Return: 0 or an errno. */
int sbi_pmu_event_add_anywhere(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	int idx;

	if (!c->online)
		return -ENODEV;
	idx = choose_counter(c, event);
	if (idx < 0)
		return idx;
	sbi_pmu_event_join(c, event, idx);
	return 0;
}

static int event_recover(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	int ret;

	hlist_del_init(&event->node);
	/* This is the last try: ask all counters. */
	event->refusals = (struct sbi_pmu_refusals){};
	ret = sbi_pmu_event_add(c, event);
	if (ret || !event->was_active)
		return ret;
	ret = sbi_pmu_event_start(c, event);
	if (ret)
		sbi_pmu_event_del(c, event);
	else
		sbi_pmu_event_shown_changed(c, event);
	return ret;
}

static void event_fail(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	hlist_del_init(&event->node);
	c->lost_events++;
	c->failed(c, event);
}

/* To recover an event and to start counters may lose other events. */
static void recover_once(struct sbi_pmu_counters *c)
{
	struct sbi_pmu_event *event;
	struct hlist_node *tmp;
	HLIST_HEAD(lost);

	hlist_move_list(&c->lost, &lost);
	hlist_for_each_entry_safe(event, tmp, &lost, node)
		if (event_recover(c, event))
			event_fail(c, event);
	sbi_pmu_counters_start(c);
}

/**
 * sbi_pmu_counters_recover() - find counters for the events that have lost theirs
 * @c: this CPU's; sbi_pmu_counters_start() has just been called
 *
 * Each is added once more, and so are those that lose their counter by that. What then has none is
 * disabled: an event that perf core takes for active must count.
 * Context: interrupts disabled, overflow interrupt not pending.
 */
void sbi_pmu_counters_recover(struct sbi_pmu_counters *c)
{
	struct sbi_pmu_event *event;
	struct hlist_node *tmp;

	for (unsigned int i = 0; i < 2 && !hlist_empty(&c->lost); i++)
		recover_once(c);
	hlist_for_each_entry_safe(event, tmp, &c->lost, node)
		event_fail(c, event);
}
