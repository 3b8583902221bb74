/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event: from what perf asks for to what firmware is told. Pure.
 */
#ifndef SBI_PMU_EVENT_H
#define SBI_PMU_EVENT_H

#include "selector.h"

/*
 * The config of events of our own type. sysfs prints these masks and event.c
 * decodes with them, so the two cannot drift apart.
 */
#define SBI_PMU_CFG_EVENT	GENMASK_ULL(55, 0)
#define SBI_PMU_CFG_SPACE	GENMASK_ULL(63, 62)	/* "firmware" in sysfs */

/* What the rest of config means, by SBI_PMU_CFG_SPACE */
#define SBI_PMU_SPACE_RAW	0	/* a hardware selector */
#define SBI_PMU_SPACE_STANDARD	1	/* a general or cache event_idx */
#define SBI_PMU_SPACE_FIRMWARE	2	/* an SBI firmware event code */
#define SBI_PMU_SPACE_PLATFORM	3	/* platform firmware event data */

/**
 * struct sbi_pmu_abilities - what this machine can do; const after probe
 * @filter: programmable counters can be inhibited by mode (Sscofpmf)
 * @guests: the H extension is there, so virtual modes exist
 * @further: firmware checks the codes of firmware events past the standard ones
 * @units: raw events are XiangShan's selectors, of so many bits by unit; NULL: not
 */
struct sbi_pmu_abilities {
	bool filter;
	bool guests;
	bool further;
	const u8 *units;
};

int sbi_pmu_event_encode(const struct sbi_pmu_abilities *can,
			 const struct perf_event_attr *attr, bool own_type,
			 struct sbi_pmu_code *code);
bool sbi_pmu_event_further(const struct sbi_pmu_code *code);
u32 sbi_pmu_event_standard(unsigned int n);
bool sbi_pmu_event_other_raw(struct sbi_pmu_code *code);
int sbi_pmu_event_unfiltered(const struct sbi_pmu_abilities *can);
int sbi_pmu_event_filter(const struct sbi_pmu_abilities *can,
			 const struct perf_event_attr *attr,
			 struct sbi_pmu_code *code);

#endif
