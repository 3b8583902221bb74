// SPDX-License-Identifier: GPL-2.0-only
/* Which counter holds which event, without hardware: of a CPU, or of a group that is opened. */
#include "counters.h"

/* The counter that holds the event. A full one is the answer only if no other does. */
unsigned int sbi_pmu_assign_find(const struct sbi_pmu_assignment *a,
				 const struct sbi_pmu_code *code, u64 candidates)
{
	unsigned int i, full = SBI_PMU_NO_COUNTER;

	for_each_counter(i, a->configured & candidates) {
		if (!sbi_pmu_code_equal(&a->counter[i].code, code))
			continue;
		if (a->counter[i].events < SBI_PMU_EVENTS_PER_COUNTER)
			return i;
		full = i;
	}
	return full;
}

/* Fixed ones first, as programmable ones may be needed; then free ones; then the oldest idle one */
static unsigned int find_available(const struct sbi_pmu_assignment *a,
				   const struct sbi_pmu_counters *counters, u64 among)
{
	const u64 available = among & ~a->busy;
	const u64 fixed = available & counters->fixed;
	unsigned int i, oldest = SBI_PMU_NO_COUNTER;

	if (fixed)
		return first_counter(fixed);
	if (available & ~a->configured)
		return first_counter(available & ~a->configured);
	for_each_counter(i, available)
		if (oldest == SBI_PMU_NO_COUNTER || a->counter[i].stamp < a->counter[oldest].stamp)
			oldest = i;
	return oldest;
}

/* Of @candidates those where @code counts, whatever holds the same event with another filter. */
static u64 where_it_counts(const struct sbi_pmu_assignment *a,
			   const struct sbi_pmu_counters *counters, const struct sbi_pmu_code *code,
			   u64 candidates)
{
	unsigned int i;

	if (!counters->tied)
		return candidates;
	for_each_counter(i, a->configured & counters->programmable)
		if (sbi_pmu_code_alike(&a->counter[i].code, code))
			return candidates & (~counters->programmable | BIT_ULL(i));
	return candidates;
}

/* The counters to which the event of counter @i could move, so that @code gets it. */
static u64 could_move_to(const struct sbi_pmu_assignment *a,
			 const struct sbi_pmu_counters *counters, unsigned int i,
			 const struct sbi_pmu_code *code)
{
	/* Two programmable counters must not get the same event. */
	if (counters->tied &&
	    (has_counter(counters->fixed, i) || sbi_pmu_code_alike(&a->counter[i].code, code)))
		return a->counter[i].candidates & ~counters->programmable;
	return a->counter[i].candidates;
}

/**
 * sbi_pmu_assign_search() - find a counter for one more event, moving others if need be
 * @a: the assignment
 * @counters: what there is
 * @code: the event, which no counter holds with this filter
 * @candidates: counters that can hold it
 * @path: the moves, filled in if there is a way
 *
 * Breadth first: a busy counter leads to those to which its event could move. This finds the
 * shortest chain of moves whenever there is one (an augmenting path).
 * Return: is there one?
 */
bool sbi_pmu_assign_search(const struct sbi_pmu_assignment *a,
			   const struct sbi_pmu_counters *counters, const struct sbi_pmu_code *code,
			   u64 candidates, struct sbi_pmu_path *path)
{
	u64 frontier = where_it_counts(a, counters, code, candidates), seen = frontier;
	u64 reached, new;
	unsigned int i, next;

	for_each_counter(i, frontier)
		path->from[i] = SBI_PMU_NO_COUNTER;
	for (; frontier; frontier = reached) {
		path->end = find_available(a, counters, frontier);
		if (path->end != SBI_PMU_NO_COUNTER) {
			path->first = path->end;
			while (path->from[path->first] != SBI_PMU_NO_COUNTER)
				path->first = path->from[path->first];
			return true;
		}
		reached = 0;
		for_each_counter(i, frontier) {
			new = could_move_to(a, counters, i, code) & ~seen;
			for_each_counter(next, new)
				path->from[next] = i;
			seen |= new;
			reached |= new;
		}
	}
	return false;
}

/* @events events count on counter @idx; it is idle if that is 0. */
void sbi_pmu_assign_events(struct sbi_pmu_assignment *a, unsigned int idx, unsigned int events)
{
	a->counter[idx].events = events;
	if (events) {
		a->busy |= BIT_ULL(idx);
	} else {
		a->busy &= ~BIT_ULL(idx);
		a->counter[idx].stamp = ++a->clock;
	}
}

static void hold(struct sbi_pmu_assignment *a, unsigned int idx, const struct sbi_pmu_code *code,
		 u64 candidates, unsigned int events)
{
	a->configured |= BIT_ULL(idx);
	a->counter[idx].code = *code;
	a->counter[idx].candidates = candidates;
	sbi_pmu_assign_events(a, idx, events);
}

/* Do all events that count have the filter of @code, where they have one in common? */
static bool has_same_filter(const struct sbi_pmu_assignment *a,
			    const struct sbi_pmu_counters *counters,
			    const struct sbi_pmu_code *code)
{
	const u64 busy = a->busy & sbi_pmu_hardware(counters);

	return !counters->one_filter || sbi_pmu_code_is_firmware(code) || !busy ||
	       a->counter[first_counter(busy)].code.flags == code->flags;
}

/**
 * sbi_pmu_assign_add() - add one more event to the assignment of a group
 * @a: changed if the event fits
 * @counters: what there is
 * @code: the event; equal ones share a counter, up to SBI_PMU_EVENTS_PER_COUNTER
 * @candidates: counters that can hold it
 * Return: whether the event fits beside those that are there.
 */
bool sbi_pmu_assign_add(struct sbi_pmu_assignment *a, const struct sbi_pmu_counters *counters,
			const struct sbi_pmu_code *code, u64 candidates)
{
	unsigned int to = sbi_pmu_assign_find(a, code, candidates);
	struct sbi_pmu_path path;

	if (!has_same_filter(a, counters, code))
		return false;
	if (to != SBI_PMU_NO_COUNTER) {
		if (a->counter[to].events >= SBI_PMU_EVENTS_PER_COUNTER)
			return false;
		sbi_pmu_assign_join(a, to, candidates);
		return true;
	}
	if (!sbi_pmu_assign_search(a, counters, code, candidates, &path))
		return false;
	for (to = path.end; to != path.first; to = path.from[to]) {
		const struct sbi_pmu_assigned *from = &a->counter[path.from[to]];

		hold(a, to, &from->code, from->candidates, from->events);
	}
	hold(a, to, code, candidates, 1);
	return true;
}
