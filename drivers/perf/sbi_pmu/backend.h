/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend: how the counters of a CPU are programmed and read. Two ways exist: by one SBI
 * call for each counter that is started, with reads of CSRs; or through the snapshot
 * shared memory, with one call for all counters (SBI 3.0, 11.2).
 */
#ifndef SBI_PMU_BACKEND_H
#define SBI_PMU_BACKEND_H

#include "sbi_calls.h"

struct sbi_pmu_backend;

/**
 * struct sbi_pmu_values - values of counters
 * @valid: the counters whose value is known
 * @value: by counter
 */
struct sbi_pmu_values {
	struct sbi_pmu_mask valid;
	u64 value[SBI_PMU_MAX_COUNTERS];
};

/**
 * struct sbi_pmu_backend_ops - a way to program counters
 * @stop: stop running counters @which, and add their values to be->stopped: of counters in
 *	  @wanted, and of others where that costs nothing. Return: counters that have lost
 *	  their event and must be configured again.
 * @start: start stopped counters @which: those in be->initial from their value there,
 *	   others from their present value. Return: counters that could not be started.
 *
 * Context: on the CPU, interrupts disabled.
 */
struct sbi_pmu_backend_ops {
	struct sbi_pmu_mask (*stop)(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which,
				    const struct sbi_pmu_mask *wanted);
	struct sbi_pmu_mask (*start)(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which);
};

extern const struct sbi_pmu_backend_ops sbi_pmu_backend_sbi;
extern const struct sbi_pmu_backend_ops sbi_pmu_backend_snapshot;

/**
 * struct sbi_pmu_shmem - snapshot shared memory of a CPU
 * @data: the page, NULL if there is none
 * @address: its physical address
 * @registered: firmware uses it
 * @may_be_registered: firmware may still write to it, so the page must not be freed
 */
struct sbi_pmu_shmem {
	struct riscv_pmu_snapshot_data *data;
	u64 address;
	bool registered;
	bool may_be_registered;
};

/**
 * struct sbi_pmu_backend - a CPU's counters, as its backend sees them
 * @ops: see struct sbi_pmu_backend_ops; set before the CPU comes online
 * @inv: the counters
 * @sbi: calls to firmware
 * @read_csr: read a counter CSR. Return: 0, or an errno if the CSR does not exist.
 * @exclusive: no other driver uses this CPU's counters
 * @in_vm: the counters are perf events of a KVM host: it accepts raw events that no counter
 *	   can count, and scountovf is not virtualised
 * @accumulates: each read returns the total added to the previous result (KVM up to 6.12)
 * @last: by counter, what it was started from; with @accumulates, what was read last
 * @sum: by counter, with @accumulates: total since it was configured, and offset of the
 *	 value that users of this file see
 * @shmem: snapshot shared memory
 * @stopped: result of ops->stop()
 * @initial: argument of ops->start()
 *
 * Only touched on its own CPU with interrupts disabled, hence without a lock.
 */
struct sbi_pmu_backend {
	const struct sbi_pmu_backend_ops *ops;
	const struct sbi_pmu_inventory *inv;
	struct sbi_pmu_sbi sbi;
	int (*read_csr)(unsigned int csr, u64 *value);
	bool exclusive;
	bool in_vm;
	bool accumulates;
	u64 last[SBI_PMU_MAX_COUNTERS];
	struct {
		u64 total;
		u64 offset;
	} sum[SBI_PMU_MAX_COUNTERS];
	struct sbi_pmu_shmem shmem;
	struct sbi_pmu_values stopped;
	struct sbi_pmu_values initial;
};

/*
 * Must a start always set the value, and is a counter stopped until its event starts? With
 * snapshot the memory holds the value of each counter that a call starts; a counter that
 * accumulates does not continue from the value that was read.
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
