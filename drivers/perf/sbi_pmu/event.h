/* SPDX-License-Identifier: GPL-2.0-only */
/* event: from perf's attr to an SBI event and its filter flags. */
#ifndef SBI_PMU_EVENT_H
#define SBI_PMU_EVENT_H

#include "vendor.h"

/* The config of events of our own type; sysfs and event.c use the same masks. */
#define SBI_PMU_CFG_EVENT	GENMASK_ULL(55, 0)
#define SBI_PMU_CFG_SPACE	GENMASK_ULL(63, 62)	/* format/firmware */

/* Values of SBI_PMU_CFG_SPACE, written firmware=N: what the rest of config is */
#define SBI_PMU_SPACE_RAW	0	/* a hardware selector */
#define SBI_PMU_SPACE_STANDARD	1	/* a general or cache event_idx */
#define SBI_PMU_SPACE_FIRMWARE	2	/* the code of an SBI firmware event */
#define SBI_PMU_SPACE_PLATFORM	3	/* the data of a platform firmware event */

/* What this machine can do; const after probe */
struct sbi_pmu_caps {
	bool filter;         /* programmable counters filter by privilege mode (irq_source.c) */
	bool fixed_filters;  /* fixed counters filter by privilege mode, and do not interrupt */
	bool fixed_alike;    /* fixed counters interrupt and filter as others do (irq_source.c) */
	bool m_mode_fixed;   /* M-mode is counted or not, whatever the event (delegated counters) */
	bool has_h;          /* the harts have the H extension, so that virtual modes exist */
	bool nonstandard_fw; /* firmware checks codes of firmware events that SBI does not define */
	bool platform_fw;    /* platform events can be asked for while counters are in use */
	const struct sbi_pmu_vendor *vendor; /* encodes raw events; NULL: passed on as they are */
	void *vendor_data;                   /* for its functions */
};

int sbi_pmu_event_encode(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			 bool own_type, struct sbi_pmu_event_code *code);
bool sbi_pmu_event_is_unsafe(const struct sbi_pmu_caps *caps,
			     const struct sbi_pmu_event_code *code);
u32 sbi_pmu_event_standard(unsigned int n);
int sbi_pmu_filter_errno(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr);
int sbi_pmu_event_filter(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			 struct sbi_pmu_event_code *code);

#endif
