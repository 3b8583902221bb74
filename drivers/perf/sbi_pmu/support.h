/* SPDX-License-Identifier: GPL-2.0-only */
/* support: which counters can count an event: probed when it is opened first, remembered. */
#ifndef SBI_PMU_SUPPORT_H
#define SBI_PMU_SUPPORT_H

#include "counters.h"
#include "event.h"
#include "probe.h"

struct sbi_pmu_support_cache {
	const struct sbi_pmu_inventory *inv; /* the counters */
	const struct sbi_pmu_caps *caps;     /* what the machine can do */
	bool exclusive;                      /* see struct sbi_pmu_backend */
	bool in_vm;                          /* ditto */
	const struct cpumask *cpus;          /* CPUs on which events can be probed */
	struct sbi_pmu_counters *(*this_cpu)(struct sbi_pmu_support_cache *cache);
	void (*restart)(struct sbi_pmu_counters *c); /* after a probe; interrupts disabled */
	struct mutex lock;                           /* guards the rest, and serialises probes */
	DECLARE_HASHTABLE(entries, 6);               /* by event */
	struct list_head recent;                     /* the entries, the most recently used first */
	unsigned int count;                          /* number of entries */
	struct sbi_pmu_examples examples;
};

void sbi_pmu_support_init(struct sbi_pmu_support_cache *cache);
void sbi_pmu_support_free(struct sbi_pmu_support_cache *cache);
void sbi_pmu_support_probe_all(struct sbi_pmu_support_cache *cache);
int sbi_pmu_support_find(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
			 u64 *candidates);
void sbi_pmu_support_each(struct sbi_pmu_support_cache *cache,
			  void (*show)(void *arg, const struct sbi_pmu_event_code *code,
				       u64 counters),
			  void *arg);
u64 sbi_pmu_support_full(const struct sbi_pmu_support_cache *cache);
int sbi_pmu_support_filtered(struct sbi_pmu_support_cache *cache, struct sbi_pmu_event_code *code,
			     int refusal, u64 *candidates);
void sbi_pmu_support_probe_here(struct sbi_pmu_counters *c, const struct sbi_pmu_event_code *code,
				u64 candidates, struct sbi_pmu_examples *examples,
				struct sbi_pmu_support *support);

#endif
