/* SPDX-License-Identifier: GPL-2.0-only */
/* event: from perf's attr to an SBI event and its filter flags. */
#ifndef SBI_PMU_EVENT_H
#define SBI_PMU_EVENT_H

#include "vendor.h"

/*
 * The config of events of our own type. sysfs prints these masks and event.c decodes
 * with them, so that the two cannot differ.
 */
#define SBI_PMU_CFG_EVENT	GENMASK_ULL(55, 0)
#define SBI_PMU_CFG_SPACE	GENMASK_ULL(63, 62)	/* format/firmware */

/* Values of SBI_PMU_CFG_SPACE, written firmware=N: what the rest of config is */
#define SBI_PMU_SPACE_RAW	0	/* a hardware selector */
#define SBI_PMU_SPACE_STANDARD	1	/* a general or cache event_idx */
#define SBI_PMU_SPACE_FIRMWARE	2	/* the code of an SBI firmware event */
#define SBI_PMU_SPACE_PLATFORM	3	/* the data of a platform firmware event */

/* What this machine can do; const after probe */
struct sbi_pmu_caps {
	/* programmable counters can be inhibited by privilege mode (irq_source.c) */
	bool filter;
	/* fixed counters can be inhibited by privilege mode, and do not interrupt */
	bool fixed_filters;
	/* fixed counters interrupt and filter as programmable ones do (irq_source.c) */
	bool fixed_alike;
	/* whether a counter counts M-mode does not depend on its event (delegated counters) */
	bool m_mode_fixed;
	/* the harts have the H extension, so that virtual modes exist */
	bool has_h;
	/* firmware checks codes of firmware events that SBI does not define */
	bool nonstandard_fw;
	/* firmware can be asked for platform firmware events while its counters are in use */
	bool platform_fw;
	/* encodes raw events; NULL: they are passed on as they are */
	const struct sbi_pmu_vendor *vendor;
	void *vendor_data; /* for its functions */
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
