/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampling: arithmetic of sampling periods.
 */
#ifndef SBI_PMU_SAMPLING_H
#define SBI_PMU_SAMPLING_H

#include "kernel_api.h"

/* How the end of a sampling period is noticed */
enum sbi_pmu_sampling {
	SBI_PMU_COUNTING,     /* not at all: the event only counts */
	SBI_PMU_BY_INTERRUPT, /* the counter overflows and interrupts */
	SBI_PMU_BY_TIMER,     /* a timer reads the counter (poll.c) */
};

/* The sampling period of an event */
struct sbi_pmu_period {
	s64 left;         /* events to its end, zero or negative once it is over */
	u64 since_sample; /* events since the last sample */
	u64 since_poll;   /* events since the timer last looked */
	/* samples in a row that were due in a privilege mode that the event excludes */
	unsigned int deferred;
};

void sbi_pmu_period_count(struct sbi_pmu_period *p, u64 events);
u64 sbi_pmu_period_to_overflow(const struct sbi_pmu_period *p);
u64 sbi_pmu_period_sampled(struct sbi_pmu_period *p, u64 period);
void sbi_pmu_period_defer(struct sbi_pmu_period *p);
u64 sbi_pmu_period_poll_ns(struct sbi_pmu_period *p, u64 elapsed);

#endif
