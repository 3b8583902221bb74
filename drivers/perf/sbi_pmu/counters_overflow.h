/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters_overflow: which counters of a CPU have overflowed or are to be sampled, and the
 * counters stopped while samples are taken.
 */
#ifndef SBI_PMU_COUNTERS_OVERFLOW_H
#define SBI_PMU_COUNTERS_OVERFLOW_H

#include "counters.h"

bool sbi_pmu_counter_samples(const struct sbi_pmu_counters *c, unsigned int idx,
			     enum sbi_pmu_sampling how);
u64 sbi_pmu_counters_sampling(const struct sbi_pmu_counters *c);
u64 sbi_pmu_counters_overflow_set(const struct sbi_pmu_counters *c, u32 overflow);
u64 sbi_pmu_counters_stop_for_samples(struct sbi_pmu_counters *c, u64 overflowed);
u64 sbi_pmu_counters_stop_overflowed(struct sbi_pmu_counters *c, u32 (*overflow)(unsigned int csr),
				     unsigned int csr);
u64 sbi_pmu_counters_lost_irqs(struct sbi_pmu_counters *c, u64 sampling);

#endif
