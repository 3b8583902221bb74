/* SPDX-License-Identifier: GPL-2.0-only */
/* event_code: an event as COUNTER_CFG_MATCH takes it (SBI 3.0, 11.7). */
#ifndef SBI_PMU_EVENT_CODE_H
#define SBI_PMU_EVENT_CODE_H

#include "kernel_api.h"

struct sbi_pmu_event_code {
	u64 data;  /* event_data */
	u32 idx;   /* event_idx */
	u32 flags; /* config_flags; only the five inhibit bits */
	u32 unit;  /* a vendor's restriction to some counters, 0 for all; not sent to firmware */
};

/* Equal events share a counter. @unit only limits the candidates. */
static inline bool sbi_pmu_event_code_equal(const struct sbi_pmu_event_code *a,
					    const struct sbi_pmu_event_code *b)
{
	return a->idx == b->idx && a->data == b->data && a->flags == b->flags;
}

static inline u32 sbi_pmu_event_type(const struct sbi_pmu_event_code *code)
{
	return FIELD_GET(SBI_PMU_EVENT_IDX_TYPE_MASK, code->idx);
}

static inline bool sbi_pmu_event_is_firmware(const struct sbi_pmu_event_code *code)
{
	return sbi_pmu_event_type(code) == SBI_PMU_EVENT_TYPE_FW;
}

#endif
