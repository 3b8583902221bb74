/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend: how the counters of a CPU are programmed and read: by single SBI calls and reads of
 * CSRs, through the snapshot shared memory (SBI 3.0, 11.2), or by CSRs alone (Smcdeleg, Ssccfg).
 */
#ifndef SBI_PMU_BACKEND_H
#define SBI_PMU_BACKEND_H

#include "backend_sbi.h"

struct sbi_pmu_backend;

/*
 * Free-running counters (struct sbi_pmu_inventory) are emulated without SBI calls: one is "stopped"
 * by a read, and "started" from the value that it has then, so it counts nothing between the two.
 */

struct sbi_pmu_values {
	u64 valid;                       /* the counters whose value is known */
	u64 value[SBI_PMU_MAX_COUNTERS]; /* by counter */
};

/* A way to program counters. Context: on the CPU, interrupts disabled. */
struct sbi_pmu_backend_ops {
	/* prepare the counters of a CPU that comes online: none holds an event after it */
	void (*online)(struct sbi_pmu_backend *be);
	/* the CPU or the driver goes, its counters have been released */
	void (*offline)(struct sbi_pmu_backend *be);
	/* after a low-power state, before counters are configured again; NULL: nothing to do */
	void (*resume)(struct sbi_pmu_backend *be);
	/*
	 * configure one of the counters in @mask for an event, stopped; none of them
	 * is free-running. Return: 0 and the counter in @got, -EOPNOTSUPP if none can hold the
	 * event, -EPROTO if firmware took the counter @got, which was not offered, or another
	 * errno.
	 */
	int (*config)(struct sbi_pmu_backend *be, u64 mask, const struct sbi_pmu_event_code *code,
		      unsigned int *got);
	/* stop a counter and remove its event */
	void (*release)(struct sbi_pmu_backend *be, unsigned int idx);
	/* start a counter that has just been configured, from any value. Return: 0 or an errno. */
	int (*start_one)(struct sbi_pmu_backend *be, unsigned int idx);
	/*
	 * stop running counters @which, and add their values to be->stopped: of counters in
	 * @wanted, and of others where that costs nothing. Return: counters that have lost
	 * their event and must be configured again.
	 */
	u64 (*stop)(struct sbi_pmu_backend *be, u64 which, u64 wanted);
	/*
	 * start stopped counters @which: those in be->initial from their value there, others
	 * from their present value. Return: counters that could not be started.
	 */
	u64 (*start)(struct sbi_pmu_backend *be, u64 which);
	bool no_calls; /* hardware counters are programmed without SBI calls */
};

extern const struct sbi_pmu_backend_ops sbi_pmu_backend_sbi;
extern const struct sbi_pmu_backend_ops sbi_pmu_backend_snapshot;
extern const struct sbi_pmu_backend_ops sbi_pmu_backend_csr;

#define SBI_PMU_HPMCOUNTERS	32 /* hardware counters by number: 0 is cycle, 2 instret */

/* Delegated counters, in csr.c. Return: 0, -ENXIO if it trapped. Context: interrupts disabled. */
struct sbi_pmu_delegated {
	/* read or write CSR_SIREG (the value) or CSR_SIREG2 (event and filter) of a counter */
	int (*read)(unsigned int counter, unsigned int csr, u64 *value);
	int (*write)(unsigned int counter, unsigned int csr, u64 value);
	/* read, set and clear bits of scountinhibit */
	int (*stopped)(u32 *counters);
	int (*stop)(u32 counters);
	int (*start)(u32 counters);
};

/* General and cache events of the SBI specification: sbi_pmu_event_standard() */
#define SBI_PMU_STANDARD_EVENTS	52

/* A standard event that delegated counters can count */
struct sbi_pmu_delegated_event {
	u64 selector; /* what mhpmevent holds for it, without filters */
	u32 idx;      /* event_idx */
	u32 counters; /* those that count it, by number */
};

/* What delegated counters can do; the same for all CPUs, const after probe */
struct sbi_pmu_delegation {
	bool filters;       /* programmable counters can be inhibited by privilege mode */
	bool fixed_filters; /* cycle and instret can, too (Smcntrpmf) */
	bool sticks;        /* with the filter of M-mode counts on when S-mode clears its event */
	/*
	 * standard events, as sbi_pmu_delegation_learn() found them: first those that firmware
	 * knows, then those of the vendor that firmware does not know
	 */
	unsigned int of_firmware; /* number of the former */
	unsigned int events;      /* number of all */
	struct sbi_pmu_delegated_event event[SBI_PMU_STANDARD_EVENTS];
};

/* Snapshot shared memory of a CPU */
struct sbi_pmu_shmem {
	struct riscv_pmu_snapshot_data *data; /* the page, NULL if there is none */
	u64 address;                          /* its physical address */
	bool registered;                      /* firmware uses it */
	bool may_be_registered; /* firmware may still write to it: the page must not be freed */
};

/* A CPU's counters. Only touched on its own CPU with interrupts disabled, hence without a lock. */
struct sbi_pmu_backend {
	const struct sbi_pmu_backend_ops *ops; /* set before the CPU comes online */
	const struct sbi_pmu_inventory *inv;   /* the counters */
	struct sbi_pmu_sbi sbi;                /* calls to firmware */
	/* read a counter CSR. Return: 0, or an errno if the CSR does not exist. */
	int (*read_csr)(unsigned int csr, u64 *value);
	bool exclusive; /* no other driver uses this CPU's counters */
	/* KVM accepts raw events that it cannot count, and does not virtualise scountovf */
	bool in_vm;
	/* each read returns the total added to the previous result (KVM up to 6.12) */
	bool accumulates;
	struct sbi_pmu_shmem shmem; /* snapshot shared memory */
	/* by counter, what it was started from; with @accumulates, what was read last */
	u64 last[SBI_PMU_MAX_COUNTERS];
	struct {            /* with @accumulates */
		u64 total;  /* since it was configured */
		u64 offset; /* of the value that users of this file see */
	} sum[SBI_PMU_MAX_COUNTERS];
	/* access to delegated counters, or to find out whether they are delegated */
	const struct sbi_pmu_delegated *delegated;
	const struct sbi_pmu_delegation *delegation; /* what was found out */
	/* by number, what delegated counters hold in sireg2 */
	u64 event[SBI_PMU_HPMCOUNTERS];
	u32 stopped_before; /* scountinhibit when the CPU came online */
	u32 running;        /* delegated counters that run unless @paused, by number */
	bool paused;        /* from sbi_pmu_backend_pause() to _unpause() */
	u64 held;           /* delegated counters that firmware considers in use */
	/* counters in use that firmware took without an offer: sbi_pmu_counters_overwritten() */
	u64 overwritten;
	struct sbi_pmu_values stopped; /* result of ops->stop() */
	struct sbi_pmu_values initial; /* argument of ops->start() */
};

/*
 * Must each start set the value? With snapshot the memory holds it; a counter that accumulates does
 * not go on from the value that was read. If so, a configured counter stays stopped until its first
 * event starts.
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
int sbi_pmu_backend_start_from(struct sbi_pmu_backend *be, unsigned int idx, u64 value);
void sbi_pmu_backend_stop_one(struct sbi_pmu_backend *be, unsigned int idx);
bool sbi_pmu_shmem_register(struct sbi_pmu_backend *be);
void sbi_pmu_shmem_unregister(struct sbi_pmu_backend *be);
void sbi_pmu_shmem_online(struct sbi_pmu_backend *be);
void sbi_pmu_shmem_offline(struct sbi_pmu_backend *be);
/* as callbacks, for other backends, too */
int sbi_pmu_backend_sbi_config(struct sbi_pmu_backend *be, u64 mask,
			       const struct sbi_pmu_event_code *code, unsigned int *got);
void sbi_pmu_backend_sbi_release(struct sbi_pmu_backend *be, unsigned int idx);
int sbi_pmu_backend_sbi_start_one(struct sbi_pmu_backend *be, unsigned int idx);
void sbi_pmu_backend_sbi_online(struct sbi_pmu_backend *be);
int sbi_pmu_backend_config(struct sbi_pmu_backend *be, u64 mask,
			   const struct sbi_pmu_event_code *code, u64 in_use, unsigned int *got);
void sbi_pmu_backend_release(struct sbi_pmu_backend *be, unsigned int idx);
int sbi_pmu_backend_start_one(struct sbi_pmu_backend *be, unsigned int idx);
u64 sbi_pmu_backend_start(struct sbi_pmu_backend *be, u64 which);
u64 sbi_pmu_backend_stop(struct sbi_pmu_backend *be, u64 which, u64 wanted);
int sbi_pmu_backend_read_any(struct sbi_pmu_backend *be, unsigned int idx, u64 *value);
u64 sbi_pmu_backend_convert(struct sbi_pmu_backend *be, unsigned int idx, u64 raw);
void sbi_pmu_backend_started_at(struct sbi_pmu_backend *be, unsigned int idx, u64 value);
void sbi_pmu_backend_stop_unchecked(struct sbi_pmu_backend *be, u64 which);
void sbi_pmu_backend_stop_and_read(struct sbi_pmu_backend *be, u64 which, u64 wanted);
u64 sbi_pmu_backend_start_each(struct sbi_pmu_backend *be, u64 which);

/**
 * sbi_pmu_backend_read() - read one counter, running or not; inline for context switches
 * @be: this CPU's
 * @idx: a counter that holds an event
 * @value: written on success
 * Return: 0 or an errno.
 */
static inline int sbi_pmu_backend_read(struct sbi_pmu_backend *be, unsigned int idx, u64 *value)
{
	const struct sbi_pmu_counter_info *info = &be->inv->info[idx];

	if (info->kind == SBI_PMU_COUNTER_FIRMWARE || be->accumulates)
		return sbi_pmu_backend_read_any(be, idx, value);
	return be->read_csr(info->csr, value);
}

/* ---- pause: inline, as each context switch comes here several times ---- */

/**
 * sbi_pmu_backend_pause() - stop all delegated counters by one write
 * @be: this CPU's
 *
 * They still count as running, but stand still: those that start until the end of the pause start
 * then, together. Nothing is done where it takes calls to stop counters.
 * Context: interrupts disabled.
 */
static inline void sbi_pmu_backend_pause(struct sbi_pmu_backend *be)
{
	if (be->ops->no_calls)
		be->paused = !be->running || !be->delegated->stop(be->running);
}

/* Start them again, if there is a pause. */
static inline void sbi_pmu_backend_unpause(struct sbi_pmu_backend *be)
{
	if (be->paused)
		be->paused = be->running && be->delegated->start(be->running);
}

/* backend_csr.c */
const struct sbi_pmu_delegated_event *
sbi_pmu_delegated_event(const struct sbi_pmu_delegation *found, unsigned int n);
int sbi_pmu_delegated_hold(struct sbi_pmu_backend *be, const struct sbi_pmu_delegation *found,
			   unsigned int idx);
void sbi_pmu_delegated_unhold(struct sbi_pmu_backend *be, unsigned int idx);

#endif
