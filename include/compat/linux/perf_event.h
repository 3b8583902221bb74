/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/perf_event.h>

#ifndef SBI_PMU_COMPAT_PERF_EVENT_H
#define SBI_PMU_COMPAT_PERF_EVENT_H

#ifndef __uninitialized /* older kernels: cleared in vain, where the compiler clears all */
#define __uninitialized
#endif

/* All of an attr's config words but the first; there are more of them by and by. */
static inline u64 perf_attr_further_config(const struct perf_event_attr *attr)
{
	u64 further = attr->config1 | attr->config2 | attr->config3;

#ifdef PERF_ATTR_SIZE_VER9 /* 6.18 */
	further |= attr->config4;
#endif
	return further;
}

#endif
