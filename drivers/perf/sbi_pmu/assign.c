// SPDX-License-Identifier: GPL-2.0-only
#include "assign.h"

/* A full counter is the answer only if no other holds the event. */
unsigned int sbi_pmu_plan_find(const struct sbi_pmu_plan *plan,
			       const struct sbi_pmu_event_code *code, u64 candidates)
{
	const u64 among = plan->configured & candidates;
	unsigned int i, full = SBI_PMU_NO_COUNTER;

	for_each_counter(i, among) {
		if (!sbi_pmu_event_code_equal(&plan->counter[i].code, code))
			continue;
		if (!sbi_pmu_plan_is_full(plan, i))
			return i;
		full = i;
	}
	return full;
}

u64 sbi_pmu_plan_free_fixed(const struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
			    u64 candidates)
{
	const u64 fixed = inv->fixed & candidates;

	return fixed & ~plan->busy;
}

/* The counters that hold event @code, with any filter. */
u64 sbi_pmu_plan_holders(const struct sbi_pmu_plan *plan, const struct sbi_pmu_event_code *code)
{
	u64 holders = 0;
	unsigned int i;

	for_each_counter(i, plan->configured)
		if (plan->counter[i].code.idx == code->idx &&
		    plan->counter[i].code.data == code->data)
			holders |= BIT_ULL(i);
	return holders;
}

static unsigned int plan_oldest(const struct sbi_pmu_plan *plan, u64 among)
{
	unsigned int i, oldest = SBI_PMU_NO_COUNTER;

	for_each_counter(i, among)
		if (oldest == SBI_PMU_NO_COUNTER ||
		    plan->counter[i].stamp < plan->counter[oldest].stamp)
			oldest = i;
	return oldest;
}

/* Fixed ones first, as programmable ones may be needed; then free ones; then the oldest idle one */
static unsigned int plan_available(const struct sbi_pmu_plan *plan,
				   const struct sbi_pmu_inventory *inv, u64 among)
{
	const u64 available = among & ~plan->busy;
	const u64 fixed = sbi_pmu_plan_free_fixed(plan, inv, among);
	const u64 free = available & ~plan->configured;

	if (fixed)
		return first_counter(fixed);
	if (free)
		return first_counter(free);
	return plan_oldest(plan, available);
}

/**
 * sbi_pmu_plan_search() - find a counter for one more event, moving others if need be
 * @plan: the plan
 * @inv: the counters
 * @candidates: counters that can hold the event
 * @path: the moves, filled in if there is a way
 *
 * Breadth first: a busy counter leads to those to which its event could move. This finds the
 * shortest chain of moves whenever there is one (an augmenting path).
 * Return: is there one?
 */
bool sbi_pmu_plan_search(const struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
			 u64 candidates, struct sbi_pmu_path *path)
{
	u64 frontier = candidates, seen = candidates;
	unsigned int i, next;

	for_each_counter(i, candidates)
		path->from[i] = SBI_PMU_NO_COUNTER;

	while (frontier) {
		u64 reached = 0;

		path->end = plan_available(plan, inv, frontier);
		if (path->end != SBI_PMU_NO_COUNTER)
			return true;
		for_each_counter(i, frontier) {
			const u64 new = (plan->counter[i].candidates & ~seen);

			for_each_counter(next, new)
				path->from[next] = i;
			seen |= new;
			reached |= new;
		}
		frontier = reached;
	}
	return false;
}

unsigned int sbi_pmu_path_first(const struct sbi_pmu_path *path)
{
	unsigned int idx = path->end;

	while (path->from[idx] != SBI_PMU_NO_COUNTER)
		idx = path->from[idx];
	return idx;
}

void sbi_pmu_plan_set(struct sbi_pmu_plan *plan, unsigned int idx,
		      const struct sbi_pmu_event_code *code, u64 candidates)
{
	plan->configured |= BIT_ULL(idx);
	plan->counter[idx].code = *code;
	plan->counter[idx].candidates = candidates;
}

/* @events events count on counter @idx; it is idle if that is 0. */
void sbi_pmu_plan_set_events(struct sbi_pmu_plan *plan, unsigned int idx, unsigned int events)
{
	plan->counter[idx].events = events;
	if (events) {
		plan->busy |= BIT_ULL(idx);
	} else {
		plan->busy &= ~BIT_ULL(idx);
		plan->counter[idx].stamp = ++plan->clock;
	}
}

/**
 * sbi_pmu_plan_add() - add one more event to a plan that is only a plan
 * @plan: changed if the event fits
 * @inv: the counters
 * @code: the event; equal ones share a counter, up to SBI_PMU_EVENTS_PER_COUNTER
 * @candidates: counters that can hold it
 * Return: whether the event fits beside those of the plan.
 */
bool sbi_pmu_plan_add(struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
		      const struct sbi_pmu_event_code *code, u64 candidates)
{
	struct sbi_pmu_path path;
	unsigned int to = sbi_pmu_plan_find(plan, code, candidates);

	if (to != SBI_PMU_NO_COUNTER) {
		if (sbi_pmu_plan_is_full(plan, to))
			return false;
		sbi_pmu_plan_join(plan, to, candidates);
		return true;
	}
	if (!sbi_pmu_plan_search(plan, inv, candidates, &path))
		return false;
	for (to = path.end; path.from[to] != SBI_PMU_NO_COUNTER; to = path.from[to]) {
		const unsigned int from = path.from[to];

		sbi_pmu_plan_set(plan, to, &plan->counter[from].code,
				 plan->counter[from].candidates);
		sbi_pmu_plan_set_events(plan, to, plan->counter[from].events);
	}
	sbi_pmu_plan_set(plan, to, code, candidates);
	sbi_pmu_plan_set_events(plan, to, 1);
	return true;
}
