/* SPDX-License-Identifier: GPL-2.0-only */
/* event: from perf's attr to an SBI event and its filter flags. */
#ifndef SBI_PMU_EVENT_H
#define SBI_PMU_EVENT_H

#include "sbi_pmu.h"

/* The config of events of our own type; sysfs and event.c use the same masks. */
#define SBI_PMU_CFG_EVENT	GENMASK_ULL(55, 0)
#define SBI_PMU_CFG_SPACE_SHIFT	62
#define SBI_PMU_CFG_SPACE	GENMASK_ULL(63, SBI_PMU_CFG_SPACE_SHIFT) /* format/firmware */

/* Values of SBI_PMU_CFG_SPACE, written firmware=N: what the rest of config is */
#define SBI_PMU_SPACE_RAW	0	/* a hardware selector */
#define SBI_PMU_SPACE_STANDARD	1	/* a general or cache event_idx */
#define SBI_PMU_SPACE_FIRMWARE	2	/* the code of an SBI firmware event */
#define SBI_PMU_SPACE_PLATFORM	3	/* the data of a platform firmware event */

int sbi_pmu_event_encode(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			 bool own_type, struct sbi_pmu_code *code);
u32 sbi_pmu_event_standard(unsigned int n);
bool sbi_pmu_event_filter(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			  struct sbi_pmu_code *code);
bool sbi_pmu_event_may_be_unfiltered(const struct sbi_pmu_caps *caps,
				     const struct perf_event *event,
				     const struct sbi_pmu_code *code);
int sbi_pmu_filter_errno(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr);

#endif
