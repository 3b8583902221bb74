/* SPDX-License-Identifier: GPL-2.0-only */
/* check: is an event table the core's? Two events of each cycle must count as many as cycles. */
#ifndef SBI_PMU_XIANGSHAN_CHECK_H
#define SBI_PMU_XIANGSHAN_CHECK_H

#include "../../counters.h"
#include "tables.h"

/* Events of two units that happen on each cycle */
enum { SBI_PMU_CHECK_MEMORY, SBI_PMU_CHECK_BACKEND, SBI_PMU_CHECK_EVENTS };

struct sbi_pmu_check {
	bool cycles; /* the clock is the cycle counter; if that stands, the first event */
	u64 least;   /* the clock from the last look at the begin to the first at the end */
	u64 most;    /* the clock from the first look to the last */
	u64 count[SBI_PMU_CHECK_EVENTS]; /* by event */
};

enum sbi_pmu_check_result {
	SBI_PMU_CHECK_UNCLEAR,   /* the hart was interrupted between two looks */
	SBI_PMU_CHECK_PLAUSIBLE, /* the table may be the core's */
	SBI_PMU_CHECK_WRONG,     /* it is not */
};

u64 sbi_pmu_check_event(const struct sbi_pmu_table *table, unsigned int n);
int sbi_pmu_check_measure(struct sbi_pmu_counters *c,
			  const struct sbi_pmu_event_code code[SBI_PMU_CHECK_EVENTS],
			  const u64 candidates[SBI_PMU_CHECK_EVENTS], void (*wait)(void),
			  struct sbi_pmu_check *check);
enum sbi_pmu_check_result sbi_pmu_check_result(const struct sbi_pmu_check *check);

#endif
