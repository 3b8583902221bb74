/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe: ask firmware which counters there are, which can count an event, and how they
 * are best read. Counters are configured for that, and released at once.
 */
#ifndef SBI_PMU_PROBE_H
#define SBI_PMU_PROBE_H

#include "assign.h"
#include "backend.h"
#include "event.h"

/**
 * struct sbi_pmu_probe_limits - what to make of the answers about counters
 * @max_width: bits that hardware counters have at most; firmware may say more
 * @homogeneous: cycle and instret can do all that programmable counters can (KVM)
 */
struct sbi_pmu_probe_limits {
	unsigned int max_width;
	bool homogeneous;
};

/**
 * struct sbi_pmu_support - which counters can count an event, as far as it has been probed
 * @can: counters that took it
 * @cannot: counters that did not
 */
struct sbi_pmu_support {
	struct sbi_pmu_mask can;
	struct sbi_pmu_mask cannot;
};

/**
 * struct sbi_pmu_read_method - how counters of this machine are best read
 * @accumulates: see struct sbi_pmu_backend
 * @snapshot_works: firmware saves values to the shared memory, and starts from there
 * @snapshot_is_faster: than reading one counter after the other
 */
struct sbi_pmu_read_method {
	bool accumulates;
	bool snapshot_works;
	bool snapshot_is_faster;
};

int sbi_pmu_probe_inventory(struct sbi_pmu_sbi *sbi, const struct sbi_pmu_probe_limits *limits,
			    struct sbi_pmu_inventory *inv);
u64 sbi_pmu_probe_hints(struct sbi_pmu_sbi *sbi, struct riscv_pmu_event_info *info, u64 address);
void sbi_pmu_probe_event(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			 const struct sbi_pmu_event_code *code,
			 const struct sbi_pmu_mask *candidates, struct sbi_pmu_support *support);
void sbi_pmu_probe_read_method(struct sbi_pmu_backend *be, u64 (*clock)(void),
			       struct sbi_pmu_read_method *method);

#endif
