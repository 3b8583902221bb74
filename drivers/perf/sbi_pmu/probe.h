/* SPDX-License-Identifier: GPL-2.0-only */
/* probe: which counters can count an event. */
#ifndef SBI_PMU_PROBE_H
#define SBI_PMU_PROBE_H

#include <linux/capability.h>
#include <linux/user_namespace.h>

#include "sbi_pmu.h"

/* What is known about an event, whatever its filters are */
struct sbi_pmu_known {
	struct list_head node; /* in the list of the cache, or empty */
	struct sbi_pmu_code code;
	/* counters that can count it; cannot; were used by the other driver at the last probe */
	u64 can, cannot, busy_elsewhere;
	atomic_t refs;        /* one for the list, and one for each open event */
	unsigned long probed; /* jiffies at the last probe */
	bool filter_tried;    /* on a programmable counter */
	bool filter_failed;   /* it could not be tried, see try_filter() */
	bool unfiltered;      /* it was seen to count in all modes then */
	/* the host of a VM has refused it since the last probe: the next open asks again */
	bool denied;
};

/* Which counters are asked for an event */
enum sbi_pmu_ask {
	SBI_PMU_ASK_IDLE, /* until one takes it; not those on which events count */
	SBI_PMU_ASK_ANY,  /* until one takes it; last those on which events count */
	SBI_PMU_ASK_ALL,
};

/* perfmon_capable(), but audit logs no denial: without the right something else is done. */
static inline bool sbi_pmu_has_perfmon(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

static inline bool sbi_pmu_is_refusal(int ret)
{
	return ret == -EOPNOTSUPP || ret == -EINVAL;
}

int sbi_pmu_with_event(struct sbi_pmu_cpu *cpu, u64 offered, const struct sbi_pmu_code *code,
		       unsigned int *got,
		       int (*use)(struct sbi_pmu_cpu *cpu, unsigned int idx, void *arg), void *arg);
int sbi_pmu_start_and_read(struct sbi_pmu_cpu *cpu, unsigned int idx, void *unused);
void sbi_pmu_probe_standard(struct sbi_pmu *pmu);
void sbi_pmu_probe_filters(struct sbi_pmu *pmu);
void sbi_pmu_probe_tied(struct sbi_pmu *pmu);
int sbi_pmu_find_counters(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 *candidates);
bool sbi_pmu_is_supported(struct sbi_pmu *pmu, struct sbi_pmu_code code);
int sbi_pmu_find_event(struct sbi_pmu *pmu, struct sbi_pmu_event *e, bool by_user);
int sbi_pmu_ask_more(struct sbi_pmu *pmu, struct sbi_pmu_event *e, u64 among, enum sbi_pmu_ask how);
void sbi_pmu_known_put(struct sbi_pmu_known *known);
void sbi_pmu_probe_cache_free(struct sbi_pmu_probe_cache *cache);

#endif
