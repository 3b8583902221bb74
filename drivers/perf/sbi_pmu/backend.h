/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend: how the counters of a CPU are programmed: by single SBI calls, through the snapshot
 * shared memory (SBI 3.0, 11.2), or by CSRs alone (Smcdeleg, Ssccfg).
 *
 * Free-running counters are emulated without SBI calls: one is "stopped" by a read, and "started"
 * from the value that it has then, so it counts nothing between the two. The callbacks never see
 * such a counter.
 */
#ifndef SBI_PMU_BACKEND_H
#define SBI_PMU_BACKEND_H

#include "sbi_pmu.h"

/* A way to program counters. Context: on the CPU, interrupts disabled. */
struct sbi_pmu_backend {
	const char *name;   /* in caps/backend, and a value of backend= */
	const char *in_log; /* in the log line at load, or NULL */
	/*
	 * prepare the counters of a CPU that comes online: none holds an event after it; NULL:
	 * sbi_pmu_delegation_prepare() has
	 */
	void (*online)(struct sbi_pmu_cpu *cpu);
	/* the CPU or the driver goes, its counters have been released; NULL: nothing to do */
	void (*offline)(struct sbi_pmu_cpu *cpu);
	/* after a low-power state, before counters are configured again; NULL: nothing to do */
	void (*resume)(struct sbi_pmu_cpu *cpu);
	/*
	 * configure one of the counters in @mask for an event, stopped. Return: 0 and the counter
	 * in @got, -EOPNOTSUPP if none can hold the event, -EPROTO if firmware took the counter
	 * @got, which was not offered, or another errno.
	 */
	int (*config)(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
		      unsigned int *got);
	/* stop a counter and remove its event */
	void (*release)(struct sbi_pmu_cpu *cpu, unsigned int idx);
	/* start a counter that has just been configured, from any value. Return: 0 or an errno. */
	int (*start_one)(struct sbi_pmu_cpu *cpu, unsigned int idx);
	/*
	 * stop running counters @which; set @at_disable, and cpu->at_disable_valid, where that
	 * takes no reading. Return: counters that have lost their event.
	 */
	u64 (*stop)(struct sbi_pmu_cpu *cpu, u64 which);
	/*
	 * start stopped counters @which: those in cpu->start_valid from @start, others from their
	 * present value. Return: counters that could not be started.
	 */
	u64 (*start)(struct sbi_pmu_cpu *cpu, u64 which);
	bool no_calls;  /* hardware counters are programmed without SBI calls */
	bool stops_all; /* one call stops and reads all counters: while events change none runs */
};

extern const struct sbi_pmu_backend sbi_pmu_backend_sbi;
extern const struct sbi_pmu_backend sbi_pmu_backend_snapshot;
extern const struct sbi_pmu_backend sbi_pmu_backend_csr;

/* All kinds of counters (backend_sbi.c) */
void sbi_pmu_counter_unconfig(struct sbi_pmu_cpu *cpu, unsigned int idx);
int sbi_pmu_counter_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx);
bool sbi_pmu_counter_start_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value);
int sbi_pmu_counter_read(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 *value);

/* Single SBI calls (backend_sbi.c), for other backends, too */
void sbi_pmu_sbi_backend_online(struct sbi_pmu_cpu *cpu);
int sbi_pmu_sbi_backend_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx);
u64 sbi_pmu_sbi_backend_stop(struct sbi_pmu_cpu *cpu, u64 which);
u64 sbi_pmu_sbi_backend_start(struct sbi_pmu_cpu *cpu, u64 which);
u64 sbi_pmu_counter_convert(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 raw);
void sbi_pmu_counter_started_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value);

/* Snapshot (backend_snapshot.c) */
const char *sbi_pmu_snapshot_alloc(struct sbi_pmu *pmu);
void sbi_pmu_snapshot_free(struct sbi_pmu *pmu);
bool sbi_pmu_snapshot_works(struct sbi_pmu_cpu *cpu);

/* Delegated counters (backend_csr.c) */
const char *sbi_pmu_delegation_probe(struct sbi_pmu *pmu);
void sbi_pmu_delegation_rename(const struct sbi_pmu *pmu, struct sbi_pmu_code *code);
bool sbi_pmu_delegation_prepare(struct sbi_pmu *pmu, unsigned int id);

#endif
