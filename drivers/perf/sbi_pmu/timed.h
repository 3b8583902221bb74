/* SPDX-License-Identifier: GPL-2.0-only */
/* timed: the events of a CPU that are sampled by timer. Context: interrupts disabled. */
#ifndef SBI_PMU_TIMED_H
#define SBI_PMU_TIMED_H

#include "counters_overflow.h"

bool sbi_pmu_timed_look(struct sbi_pmu_counters *c, unsigned int idx, u64 now);
u64 sbi_pmu_timed_due(const struct sbi_pmu_counters *c);

#endif
