/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * overflow_scan: which counters have overflowed, by scountovf or by their values.
 */
#ifndef SBI_PMU_OVERFLOW_SCAN_H
#define SBI_PMU_OVERFLOW_SCAN_H

#include "counters.h"

bool sbi_pmu_counter_samples(const struct sbi_pmu_counters *c, unsigned int idx,
			     enum sbi_pmu_sampling how);
struct sbi_pmu_mask sbi_pmu_counters_sampling(const struct sbi_pmu_counters *c);
struct sbi_pmu_mask sbi_pmu_counters_overflow_set(const struct sbi_pmu_counters *c, u32 scountovf);
struct sbi_pmu_mask sbi_pmu_counters_stop_overflowed(struct sbi_pmu_counters *c,
						     u32 (*scountovf)(void));
struct sbi_pmu_mask sbi_pmu_counters_lost_irqs(struct sbi_pmu_counters *c,
					       const struct sbi_pmu_mask *sampling);
u64 sbi_pmu_counters_poll_ns(struct sbi_pmu_counters *c, u64 elapsed);

#endif
