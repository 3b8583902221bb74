/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * assign: which counter holds which event, without hardware. Each CPU has one plan;
 * group validation runs on an empty one.
 */
#ifndef SBI_PMU_ASSIGN_H
#define SBI_PMU_ASSIGN_H

#include "event_code.h"
#include "inventory.h"

/*
 * Events that may share a counter: at each overflow and each context switch all of them are
 * visited with interrupts disabled. Further equal events wait until perf core rotates.
 */
#define SBI_PMU_EVENTS_PER_COUNTER 64

/* Which counter holds which event */
struct sbi_pmu_plan {
	struct sbi_pmu_mask configured; /* counters that hold an event */
	/* the configured counters on which an event counts; the others are idle */
	struct sbi_pmu_mask busy;
	/* by counter, the number of events that count on it */
	u8 events[SBI_PMU_MAX_COUNTERS];
	/* by counter, the event that it holds */
	struct sbi_pmu_event_code code[SBI_PMU_MAX_COUNTERS];
	/* by counter, the counters to which that event could move */
	struct sbi_pmu_mask candidates[SBI_PMU_MAX_COUNTERS];
	/* by counter, @clock when it was last allocated or became idle */
	u64 stamp[SBI_PMU_MAX_COUNTERS];
	u64 clock; /* incremented each time */
};

/* A chain of moves that makes a counter available */
struct sbi_pmu_path {
	/*
	 * by counter, the counter whose event moves here; SBI_PMU_NO_COUNTER at the first
	 * counter of the chain, which is for the new event
	 */
	u8 from[SBI_PMU_MAX_COUNTERS];
	unsigned int end; /* the last counter of the chain, which is available */
};

/* Can no more events join counter @idx? */
static inline bool sbi_pmu_plan_is_full(const struct sbi_pmu_plan *plan, unsigned int idx)
{
	return plan->events[idx] >= SBI_PMU_EVENTS_PER_COUNTER;
}

unsigned int sbi_pmu_plan_find(const struct sbi_pmu_plan *plan,
			       const struct sbi_pmu_event_code *code,
			       const struct sbi_pmu_mask *candidates);
struct sbi_pmu_mask sbi_pmu_plan_holders(const struct sbi_pmu_plan *plan,
					 const struct sbi_pmu_event_code *code);
bool sbi_pmu_plan_search(const struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
			 const struct sbi_pmu_mask *candidates, struct sbi_pmu_path *path);
unsigned int sbi_pmu_path_first(const struct sbi_pmu_path *path);
void sbi_pmu_plan_set(struct sbi_pmu_plan *plan, unsigned int idx,
		      const struct sbi_pmu_event_code *code, const struct sbi_pmu_mask *candidates);
struct sbi_pmu_mask sbi_pmu_plan_free_fixed(const struct sbi_pmu_plan *plan,
					    const struct sbi_pmu_inventory *inv,
					    const struct sbi_pmu_mask *candidates);
void sbi_pmu_plan_set_events(struct sbi_pmu_plan *plan, unsigned int idx, unsigned int events);
bool sbi_pmu_plan_add(struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
		      const struct sbi_pmu_event_code *code, const struct sbi_pmu_mask *candidates);

#endif
