// SPDX-License-Identifier: GPL-2.0-only
/* Which counter holds which event, without hardware: of a CPU, or of a group that is opened. */
#include "assign.h"

/* The counter that holds the event, and has @shares left. */
unsigned int sbi_pmu_assign_find(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
				 u64 candidates, u8 shares)
{
	unsigned int i;

	for_each_counter(i, cpu->configured & candidates)
		if (sbi_pmu_code_equal(&cpu->counter[i].code, code) &&
		    cpu->counter[i].shares + shares <= SBI_PMU_SHARES)
			return i;
	return SBI_PMU_NO_COUNTER;
}

/* The counter of @which that has been idle for the longest time */
unsigned int sbi_pmu_assign_oldest(const struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i, oldest = SBI_PMU_NO_COUNTER;

	for_each_counter(i, which)
		if (oldest == SBI_PMU_NO_COUNTER ||
		    cpu->counter[i].stamp < cpu->counter[oldest].stamp)
			oldest = i;
	return oldest;
}

/* Fixed ones first, as programmable ones may be needed; then free ones; then the oldest idle one */
static unsigned int find_available(const struct sbi_pmu_cpu *cpu, u64 among)
{
	const u64 available = among & ~cpu->busy;
	const u64 fixed = available & cpu->layout->fixed;

	if (fixed)
		return first_counter(fixed);
	if (available & ~cpu->configured)
		return first_counter(available & ~cpu->configured);
	return sbi_pmu_assign_oldest(cpu, available);
}

/*
 * Can no hardware counter count beside @which? In KVM cycle and instret take programmable counters
 * of the host: if more are started than it has, what was configured last does not count.
 */
bool sbi_pmu_assign_is_full(const struct sbi_pmu_layout *layout, u64 which)
{
	const u64 at_once = layout->fixed | (layout->programmable & ~layout->with_fixed_csr);

	return hweight64(which & sbi_pmu_hardware(layout)) >= hweight64(at_once);
}

/*
 * Those of @candidates where @code counts: while a programmable counter holds the same event,
 * whatever its filter, no other programmable one counts it if layout.tied.
 */
u64 sbi_pmu_assign_where(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
			 u64 candidates)
{
	const u64 programmable = cpu->layout->programmable;
	unsigned int i;

	if (!cpu->layout->tied)
		return candidates;
	for_each_counter(i, cpu->configured & programmable)
		if (sbi_pmu_code_alike(&cpu->counter[i].code, code))
			return candidates & (~programmable | BIT_ULL(i));
	return candidates;
}

/*
 * Find a counter for one more event, where none that holds it has shares left, moving others if
 * need be. @path: the moves, filled in if there is a way.
 *
 * Breadth first: a busy counter leads to those to which its event could move. This finds the
 * shortest chain of moves whenever there is one (an augmenting path).
 */
bool sbi_pmu_assign_search(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
			   u64 candidates, struct sbi_pmu_path *path)
{
	u64 frontier = sbi_pmu_assign_where(cpu, code, candidates), seen = frontier;
	u64 reached, new;
	unsigned int i, next;

	if (!sbi_pmu_code_is_firmware(code) && sbi_pmu_assign_is_full(cpu->layout, cpu->busy))
		return false;
	for_each_counter(i, frontier)
		path->from[i] = SBI_PMU_NO_COUNTER;
	for (; frontier; frontier = reached) {
		path->end = find_available(cpu, frontier);
		if (path->end != SBI_PMU_NO_COUNTER) {
			path->first = path->end;
			while (path->from[path->first] != SBI_PMU_NO_COUNTER)
				path->first = path->from[path->first];
			return true;
		}
		reached = 0;
		for_each_counter(i, frontier) {
			const struct sbi_pmu_counter *c = &cpu->counter[i];

			new = c->candidates & ~seen;
			if (c->code.flags)
				new &= ~cpu->free_running;
			/* Two programmable counters must not get the same event. */
			if (cpu->layout->tied && (has_counter(cpu->layout->fixed, i) ||
						  sbi_pmu_code_alike(&c->code, code)))
				new &= ~cpu->layout->programmable;
			for_each_counter(next, new)
				path->from[next] = i;
			seen |= new;
			reached |= new;
		}
	}
	return false;
}

/*
 * Add one more event to a group; equal ones share a counter. @group: a CPU whose counters hold the
 * group and nothing else. Return: true if the event fits beside those that are there.
 */
bool sbi_pmu_assign_add(struct sbi_pmu_cpu *group, const struct sbi_pmu_code *code, u64 candidates,
			u8 shares)
{
	const u64 busy = group->busy & sbi_pmu_hardware(group->layout);
	unsigned int i = sbi_pmu_assign_find(group, code, candidates, shares);
	struct sbi_pmu_path path;
	struct sbi_pmu_counter *c;

	/* Where all counters have one filter, so must all events. */
	if (group->layout->one_filter && !sbi_pmu_code_is_firmware(code) && busy &&
	    group->counter[first_counter(busy)].code.flags != code->flags)
		return false;
	if (i != SBI_PMU_NO_COUNTER) {
		sbi_pmu_assign_join(group, &group->counter[i], candidates, shares);
		return true;
	}
	if (!sbi_pmu_assign_search(group, code, candidates, &path))
		return false;
	for (i = path.end; i != path.first; i = path.from[i]) {
		struct sbi_pmu_counter *from = &group->counter[path.from[i]];

		c = &group->counter[i];
		c->code = from->code;
		c->candidates = from->candidates;
		sbi_pmu_assign_move(group, from, c);
	}
	c = &group->counter[path.first];
	c->code = *code;
	sbi_pmu_assign_join(group, c, candidates, shares);
	group->configured |= BIT_ULL(path.end);
	return true;
}
