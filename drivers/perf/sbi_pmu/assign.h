/* SPDX-License-Identifier: GPL-2.0-only */
/* assign: which counter holds which event, without hardware: a CPU's plan, or an empty one. */
#ifndef SBI_PMU_ASSIGN_H
#define SBI_PMU_ASSIGN_H

#include "event_code.h"
#include "inventory.h"

/* At each overflow and context switch all events of a counter are visited, interrupts disabled. */
#define SBI_PMU_EVENTS_PER_COUNTER 64

struct sbi_pmu_plan_counter {
	struct sbi_pmu_event_code code; /* the event that it holds */
	u64 candidates;                 /* the counters to which the event could move */
	u64 stamp;                      /* the plan's @clock when it became idle last */
	u8 events;                      /* the number of perf events that count on it */
};

struct sbi_pmu_plan {
	u64 configured; /* counters that hold an event */
	u64 busy;       /* those on which an event counts; the others are idle */
	u64 clock;      /* incremented each time that one becomes idle */
	struct sbi_pmu_plan_counter counter[SBI_PMU_MAX_COUNTERS];
};

/* A chain of moves that makes a counter available */
struct sbi_pmu_path {
	/* the counter whose event moves here; SBI_PMU_NO_COUNTER: here goes the new event */
	u8 from[SBI_PMU_MAX_COUNTERS];
	unsigned int end; /* the last counter of the chain, which is available */
};

static inline bool sbi_pmu_plan_is_full(const struct sbi_pmu_plan *plan, unsigned int idx)
{
	return plan->counter[idx].events >= SBI_PMU_EVENTS_PER_COUNTER;
}

/* One more event counts on counter @idx; it could move to @candidates. */
static inline void sbi_pmu_plan_join(struct sbi_pmu_plan *plan, unsigned int idx, u64 candidates)
{
	struct sbi_pmu_plan_counter *counter = &plan->counter[idx];

	/* The counter's event may move to where all of its events can be. */
	counter->candidates = counter->events ? (counter->candidates & candidates) : candidates;
	counter->events++;
	plan->busy |= BIT_ULL(idx);
}

static inline void sbi_pmu_plan_leave(struct sbi_pmu_plan *plan, unsigned int idx)
{
	struct sbi_pmu_plan_counter *counter = &plan->counter[idx];

	if (--counter->events)
		return;
	plan->busy &= ~BIT_ULL(idx);
	counter->stamp = ++plan->clock;
}

unsigned int sbi_pmu_plan_find(const struct sbi_pmu_plan *plan,
			       const struct sbi_pmu_event_code *code, u64 candidates);
u64 sbi_pmu_plan_holders(const struct sbi_pmu_plan *plan, const struct sbi_pmu_event_code *code);
bool sbi_pmu_plan_search(const struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
			 u64 candidates, struct sbi_pmu_path *path);
unsigned int sbi_pmu_path_first(const struct sbi_pmu_path *path);
void sbi_pmu_plan_set(struct sbi_pmu_plan *plan, unsigned int idx,
		      const struct sbi_pmu_event_code *code, u64 candidates);
u64 sbi_pmu_plan_free_fixed(const struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
			    u64 candidates);
void sbi_pmu_plan_set_events(struct sbi_pmu_plan *plan, unsigned int idx, unsigned int events);
bool sbi_pmu_plan_add(struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
		      const struct sbi_pmu_event_code *code, u64 candidates);

#endif
