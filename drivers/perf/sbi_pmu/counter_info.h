/* SPDX-License-Identifier: GPL-2.0-only */
/* counter_info: which counters there are, and how they are read. */
#ifndef SBI_PMU_COUNTER_INFO_H
#define SBI_PMU_COUNTER_INFO_H

#include "sbi_pmu.h"

/*
 * No event happens more often than this per ns (eight a cycle at 8 GHz), so a counter of w bits
 * wraps after 2^w / 64 ns at the earliest. Narrower counters than SBI_PMU_MIN_WIDTH would have to
 * be read more than once in a ms.
 */
#define SBI_PMU_EVENTS_PER_NS	64
#define SBI_PMU_MIN_WIDTH	27

/* Read right after its start a counter has counted less than 2^20, unless the hart was delayed. */
#define SBI_PMU_FAR_BITS	20

int sbi_pmu_probe_layout(struct sbi_pmu_cpu *cpu, const u8 *max_width,
			 struct sbi_pmu_layout *layout);
bool sbi_pmu_lower_widths(struct sbi_pmu_layout *layout, const u8 *max_width);
u64 sbi_pmu_wrap_ns(const struct sbi_pmu_layout *layout);
u64 sbi_pmu_probe_widths(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_examples *examples,
			 u8 *max_width);
bool sbi_pmu_probe_is_counting(struct sbi_pmu_cpu *cpu, unsigned int idx);
bool sbi_pmu_probe_counts_freely(struct sbi_pmu_cpu *cpu, unsigned int idx);
u64 sbi_pmu_probe_free_running(struct sbi_pmu_cpu *cpu);
bool sbi_pmu_probe_accumulates(struct sbi_pmu_cpu *cpu);

#endif
