/* SPDX-License-Identifier: GPL-2.0-only */
/* allocate: give an event a counter of its CPU, moving other events if need be. */
#ifndef SBI_PMU_ALLOCATE_H
#define SBI_PMU_ALLOCATE_H

#include "counters.h"

int sbi_pmu_event_add(struct sbi_pmu_counters *c, struct sbi_pmu_event *event);
void sbi_pmu_counters_recover(struct sbi_pmu_counters *c);

#endif
