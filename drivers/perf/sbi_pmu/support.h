/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * support: which counters can count an event: probed when it is opened first, and
 * remembered.
 */
#ifndef SBI_PMU_SUPPORT_H
#define SBI_PMU_SUPPORT_H

#include "counters.h"
#include "event.h"
#include "probe.h"

/**
 * struct sbi_pmu_support_cache - what is known of events
 * @inv: the counters
 * @caps: what the machine can do
 * @exclusive: see struct sbi_pmu_backend
 * @in_vm: ditto
 * @hints: standard events that firmware says it supports (EVENT_GET_INFO), by
 *	   sbi_pmu_event_standard(); often wrong, so only used in shared mode
 * @probe: probe an event on one CPU after the other until it is known of all @candidates,
 *	   and add that to @support. May sleep.
 * @lock: guards the rest, and serialises probes
 * @entries: by event
 * @count: number of entries
 */
struct sbi_pmu_support_cache {
	const struct sbi_pmu_inventory *inv;
	const struct sbi_pmu_caps *caps;
	bool exclusive;
	bool in_vm;
	u64 hints;
	void (*probe)(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
		      const struct sbi_pmu_mask *candidates, struct sbi_pmu_support *support);
	struct mutex lock;
	DECLARE_HASHTABLE(entries, 6);
	unsigned int count;
};

void sbi_pmu_support_init(struct sbi_pmu_support_cache *cache);
void sbi_pmu_support_free(struct sbi_pmu_support_cache *cache);
void sbi_pmu_support_probe_all(struct sbi_pmu_support_cache *cache);
int sbi_pmu_support_find(struct sbi_pmu_support_cache *cache,
			 const struct sbi_pmu_event_code *code, struct sbi_pmu_mask *candidates);
int sbi_pmu_support_filtered(struct sbi_pmu_support_cache *cache,
			     const struct sbi_pmu_event_code *code, bool needs_irq,
			     struct sbi_pmu_mask *candidates);
bool sbi_pmu_support_is_complete(const struct sbi_pmu_mask *candidates,
				 const struct sbi_pmu_support *support);
void sbi_pmu_support_probe_here(struct sbi_pmu_counters *c, const struct sbi_pmu_event_code *code,
				const struct sbi_pmu_mask *candidates,
				struct sbi_pmu_support *support);

#endif
