/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe: ask firmware about counters and events. A counter that is configured for that is
 * released at once. Context of all functions: on the CPU; interrupts disabled for those that
 * configure counters, preemption for the others.
 */
#ifndef SBI_PMU_PROBE_H
#define SBI_PMU_PROBE_H

#include "assign.h"
#include "backend.h"
#include "event.h"

struct sbi_pmu_probe_limits {
	u8 width[SBI_PMU_MAX_COUNTERS]; /* bits at most; firmware may say more */
	bool homogeneous;               /* cycle and instret can do all that the others can (KVM) */
};

/* Which counters can count an event, as far as it has been probed */
struct sbi_pmu_support {
	u64 can;
	u64 cannot;
	u64 held;     /* not known: the other driver used them at the last probe */
	bool strayed; /* firmware returned a counter that was not offered */
};

/* Events that counters took */
struct sbi_pmu_examples {
	u64 known;                                            /* counters of which there is one */
	struct sbi_pmu_event_code code[SBI_PMU_MAX_COUNTERS]; /* by counter, an event */
};

struct sbi_pmu_read_method {
	bool accumulates;        /* see struct sbi_pmu_backend */
	bool snapshot_works;     /* firmware saves values there, and starts from them */
	bool snapshot_is_faster; /* than reading one counter after the other */
};

int sbi_pmu_probe_inventory(struct sbi_pmu_sbi *sbi, const struct sbi_pmu_probe_limits *limits,
			    struct sbi_pmu_inventory *inv);
void sbi_pmu_probe_event(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			 const struct sbi_pmu_event_code *code, u64 candidates,
			 struct sbi_pmu_support *support);
void sbi_pmu_probe_widths(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			  const struct sbi_pmu_examples *examples,
			  struct sbi_pmu_probe_limits *limits);
void sbi_pmu_examples_add(struct sbi_pmu_examples *examples, u64 which,
			  const struct sbi_pmu_event_code *code);
u64 sbi_pmu_probe_examples(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			   const struct sbi_pmu_examples *examples, u64 which);
bool sbi_pmu_probe_counts_freely(struct sbi_pmu_backend *be, unsigned int idx, u64 (*clock)(void));
u64 sbi_pmu_probe_free_running(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			       u64 (*clock)(void));
void sbi_pmu_probe_read_method(struct sbi_pmu_backend *be, u64 (*clock)(void),
			       struct sbi_pmu_read_method *method);

#endif
