/* SPDX-License-Identifier: GPL-2.0-only */
/* fixed: keep cycle and instret running, while all programs may read them. */
#ifndef SBI_PMU_FIXED_H
#define SBI_PMU_FIXED_H

#include "counters.h"

#define SBI_PMU_KEPT	2 /* events that keep them running */

void sbi_pmu_fixed_init(const struct sbi_pmu_counters *c, struct sbi_pmu_event *kept);
void sbi_pmu_fixed_keep(struct sbi_pmu_counters *c, struct sbi_pmu_event *kept);
bool sbi_pmu_fixed_drop(struct sbi_pmu_counters *c, struct sbi_pmu_event *kept);

#endif
