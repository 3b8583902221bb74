/* SPDX-License-Identifier: GPL-2.0-only */
/* sampling: arithmetic of sampling periods. */
#ifndef SBI_PMU_SAMPLING_H
#define SBI_PMU_SAMPLING_H

#include "kernel_api.h"

/* How the end of a sampling period is noticed */
enum sbi_pmu_sampling {
	SBI_PMU_COUNTING,     /* not at all: the event only counts */
	SBI_PMU_BY_INTERRUPT, /* the counter overflows and interrupts */
	SBI_PMU_BY_TIMER,     /* a timer reads the counter (poll.c) */
};

struct sbi_pmu_period {
	s64 left;              /* events to its end, zero or negative once it is over */
	u64 since_sample;      /* events since the last sample */
	unsigned int deferred; /* samples in a row due in a mode that the event excludes */
	u64 seen;              /* events lately: with @seen_ns the rate */
	u64 seen_ns;           /* in which they were counted */
	u64 waited;            /* ns that it has counted since the timer looked last */
	u64 since;             /* when it was started or looked at last (ns) */
};

static inline void sbi_pmu_period_count(struct sbi_pmu_period *p, u64 events)
{
	p->left -= events;
	p->since_sample += events;
	p->seen += events;
}

u64 sbi_pmu_period_to_overflow(const struct sbi_pmu_period *p);
u64 sbi_pmu_period_sampled(struct sbi_pmu_period *p, u64 period);
void sbi_pmu_period_defer(struct sbi_pmu_period *p);

/* For events that are sampled by timer */
void sbi_pmu_period_started(struct sbi_pmu_period *p, u64 now);
void sbi_pmu_period_stopped(struct sbi_pmu_period *p, u64 now);
void sbi_pmu_period_looked(struct sbi_pmu_period *p, u64 now);
u64 sbi_pmu_period_due(const struct sbi_pmu_period *p);

#endif
