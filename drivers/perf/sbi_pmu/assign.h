/* SPDX-License-Identifier: GPL-2.0-only */
/* assign: which counter holds which event. */
#ifndef SBI_PMU_ASSIGN_H
#define SBI_PMU_ASSIGN_H

#include "sbi_pmu.h"

/* A chain of moves that makes a counter available */
struct sbi_pmu_path {
	/* the counter whose event moves here; SBI_PMU_NO_COUNTER: here goes the new event */
	u8 from[SBI_PMU_MAX_COUNTERS];
	unsigned int first; /* the counter for the new event */
	unsigned int end;   /* the last counter of the chain, which is available */
};

unsigned int sbi_pmu_assign_find(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
				 u64 candidates, u8 shares);
unsigned int sbi_pmu_assign_oldest(const struct sbi_pmu_cpu *cpu, u64 which);
bool sbi_pmu_assign_is_full(const struct sbi_pmu_layout *layout, u64 which);
u64 sbi_pmu_assign_where(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
			 u64 candidates);
bool sbi_pmu_assign_search(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
			   u64 candidates, struct sbi_pmu_path *path);
bool sbi_pmu_assign_add(struct sbi_pmu_cpu *group, const struct sbi_pmu_code *code, u64 candidates,
			u8 shares);

/* One more event counts on the counter. */
static inline void sbi_pmu_assign_join(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c,
				       u64 candidates, u8 shares)
{
	/* The counter's event may move to where all of its events can be. */
	c->candidates = c->shares ? c->candidates & candidates : candidates;
	c->shares += shares;
	cpu->busy |= c->bit;
}

static inline void sbi_pmu_assign_leave(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c,
					u8 shares)
{
	c->shares -= shares;
	if (c->shares)
		return;
	cpu->busy &= ~c->bit;
	c->stamp = ++cpu->clock;
}

/* All events of one counter count on another one. */
static inline void sbi_pmu_assign_move(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *from,
				       struct sbi_pmu_counter *to)
{
	to->shares = from->shares;
	cpu->busy |= to->bit;
	sbi_pmu_assign_leave(cpu, from, from->shares);
}

#endif
