/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe: ask firmware which counters there are, how many bits they have, which can count an
 * event, and how they are best read. Counters are configured for that, and released at once.
 */
#ifndef SBI_PMU_PROBE_H
#define SBI_PMU_PROBE_H

#include "assign.h"
#include "backend.h"
#include "event.h"

/* What to make of the answers about counters */
struct sbi_pmu_probe_limits {
	/* by counter, bits that a hardware counter has at most; firmware may say more */
	u8 width[SBI_PMU_MAX_COUNTERS];
	/* cycle and instret can do all that programmable counters can (KVM) */
	bool homogeneous;
};

/* Which counters can count an event, as far as it has been probed */
struct sbi_pmu_support {
	struct sbi_pmu_mask can;    /* counters that took it */
	struct sbi_pmu_mask cannot; /* counters that did not */
	/* counters of which it is not known, as the other driver used them at the last probe */
	struct sbi_pmu_mask held;
	bool strayed; /* firmware returned a counter that was not offered */
};

/* Events that counters took */
struct sbi_pmu_examples {
	struct sbi_pmu_mask known;                            /* counters of which there is one */
	struct sbi_pmu_event_code code[SBI_PMU_MAX_COUNTERS]; /* by counter, an event */
};

/* How counters of this machine are best read */
struct sbi_pmu_read_method {
	bool accumulates; /* see struct sbi_pmu_backend */
	/* firmware saves values to the shared memory, and starts from there */
	bool snapshot_works;
	bool snapshot_is_faster; /* than reading one counter after the other */
};

int sbi_pmu_probe_inventory(struct sbi_pmu_sbi *sbi, const struct sbi_pmu_probe_limits *limits,
			    struct sbi_pmu_inventory *inv);
void sbi_pmu_probe_event(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			 const struct sbi_pmu_event_code *code,
			 const struct sbi_pmu_mask *candidates, struct sbi_pmu_support *support);
void sbi_pmu_probe_widths(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			  const struct sbi_pmu_examples *examples,
			  struct sbi_pmu_probe_limits *limits);
void sbi_pmu_examples_add(struct sbi_pmu_examples *examples, const struct sbi_pmu_mask *which,
			  const struct sbi_pmu_event_code *code);
struct sbi_pmu_mask sbi_pmu_probe_examples(struct sbi_pmu_backend *be,
					   const struct sbi_pmu_plan *plan,
					   const struct sbi_pmu_examples *examples,
					   const struct sbi_pmu_mask *which);
bool sbi_pmu_probe_counts_freely(struct sbi_pmu_backend *be, unsigned int idx, u64 (*clock)(void));
struct sbi_pmu_mask sbi_pmu_probe_free_running(struct sbi_pmu_backend *be,
					       const struct sbi_pmu_plan *plan, u64 (*clock)(void));
void sbi_pmu_probe_read_method(struct sbi_pmu_backend *be, u64 (*clock)(void),
			       struct sbi_pmu_read_method *method);

#endif
