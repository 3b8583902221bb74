/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend: how the counters of a CPU are programmed and read. Two ways exist: by one SBI
 * call for each counter that is started, with reads of CSRs; or through the snapshot
 * shared memory, with one call for all counters (SBI 3.0, 11.2).
 */
#ifndef SBI_PMU_BACKEND_H
#define SBI_PMU_BACKEND_H

#include "backend_sbi.h"

struct sbi_pmu_backend;

/*
 * Free-running counters (struct sbi_pmu_inventory) are emulated here: to configure, start,
 * stop and release one makes no SBI call. It is "stopped" by a read, and "started" from the
 * value that it has then, so that it counts nothing between the two.
 */

/* Values of counters */
struct sbi_pmu_values {
	struct sbi_pmu_mask valid;       /* the counters whose value is known */
	u64 value[SBI_PMU_MAX_COUNTERS]; /* by counter */
};

/*
 * A way to program counters
 *
 * Context: on the CPU, interrupts disabled.
 */
struct sbi_pmu_backend_ops {
	/*
	 * stop running counters @which, and add their values to be->stopped: of counters in
	 * @wanted, and of others where that costs nothing. Return: counters that have lost
	 * their event and must be configured again.
	 */
	struct sbi_pmu_mask (*stop)(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which,
				    const struct sbi_pmu_mask *wanted);
	/*
	 * start stopped counters @which: those in be->initial from their value there, others
	 * from their present value. Return: counters that could not be started.
	 */
	struct sbi_pmu_mask (*start)(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which);
};

extern const struct sbi_pmu_backend_ops sbi_pmu_backend_sbi;
extern const struct sbi_pmu_backend_ops sbi_pmu_backend_snapshot;

/* Snapshot shared memory of a CPU */
struct sbi_pmu_shmem {
	struct riscv_pmu_snapshot_data *data; /* the page, NULL if there is none */
	u64 address;                          /* its physical address */
	bool registered;                      /* firmware uses it */
	/* firmware may still write to it, so the page must not be freed */
	bool may_be_registered;
};

/*
 * A CPU's counters, as its backend sees them
 *
 * Only touched on its own CPU with interrupts disabled, hence without a lock.
 */
struct sbi_pmu_backend {
	/* see struct sbi_pmu_backend_ops; set before the CPU comes online */
	const struct sbi_pmu_backend_ops *ops;
	const struct sbi_pmu_inventory *inv; /* the counters */
	struct sbi_pmu_sbi sbi;              /* calls to firmware */
	/* read a counter CSR. Return: 0, or an errno if the CSR does not exist. */
	int (*read_csr)(unsigned int csr, u64 *value);
	bool exclusive; /* no other driver uses this CPU's counters */
	/*
	 * the counters are perf events of a KVM host: it accepts raw events that no counter
	 * can count, and scountovf is not virtualised
	 */
	bool in_vm;
	/* each read returns the total added to the previous result (KVM up to 6.12) */
	bool accumulates;
	/* by counter, what it was started from; with @accumulates, what was read last */
	u64 last[SBI_PMU_MAX_COUNTERS];
	/*
	 * by counter, with @accumulates: total since it was configured, and offset of the
	 * value that users of this file see
	 */
	struct {
		u64 total;
		u64 offset;
	} sum[SBI_PMU_MAX_COUNTERS];
	struct sbi_pmu_shmem shmem;    /* snapshot shared memory */
	struct sbi_pmu_values stopped; /* result of ops->stop() */
	struct sbi_pmu_values initial; /* argument of ops->start() */
};

/*
 * Must each start set the value? Then a configured counter stays stopped until its first
 * event starts. With snapshot the memory holds the value of each counter that a call starts;
 * a counter that accumulates does not continue from the value that was read.
 */
static inline bool sbi_pmu_backend_needs_start_value(const struct sbi_pmu_backend *be)
{
	return be->shmem.data || be->accumulates;
}

/* Does one call stop all counters and save their values? */
static inline bool sbi_pmu_backend_stop_saves(const struct sbi_pmu_backend *be)
{
	return be->shmem.registered;
}

/* backend_sbi.c */
int sbi_pmu_backend_config(struct sbi_pmu_backend *be, unsigned int window, unsigned long mask,
			   const struct sbi_pmu_event_code *code, const struct sbi_pmu_mask *in_use,
			   unsigned int *got);
void sbi_pmu_backend_release(struct sbi_pmu_backend *be, unsigned int idx);
int sbi_pmu_backend_start_one(struct sbi_pmu_backend *be, unsigned int idx);
struct sbi_pmu_mask sbi_pmu_backend_start(struct sbi_pmu_backend *be,
					  const struct sbi_pmu_mask *which);
struct sbi_pmu_mask sbi_pmu_backend_stop(struct sbi_pmu_backend *be,
					 const struct sbi_pmu_mask *which,
					 const struct sbi_pmu_mask *wanted);
int sbi_pmu_backend_read(struct sbi_pmu_backend *be, unsigned int idx, u64 *value);
u64 sbi_pmu_backend_convert(struct sbi_pmu_backend *be, unsigned int idx, u64 raw);
void sbi_pmu_backend_started_at(struct sbi_pmu_backend *be, unsigned int idx, u64 value);
void sbi_pmu_backend_stop_unchecked(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which);
void sbi_pmu_backend_stop_and_read(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which,
				   const struct sbi_pmu_mask *wanted);
struct sbi_pmu_mask sbi_pmu_backend_start_each(struct sbi_pmu_backend *be,
					       const struct sbi_pmu_mask *which);

/* backend_snapshot.c */
bool sbi_pmu_shmem_register(struct sbi_pmu_backend *be);
void sbi_pmu_shmem_unregister(struct sbi_pmu_backend *be);
void sbi_pmu_shmem_online(struct sbi_pmu_backend *be);
void sbi_pmu_shmem_offline(struct sbi_pmu_backend *be);

#endif
