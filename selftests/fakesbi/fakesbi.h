/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fakesbi - one hart's SBI PMU firmware, its counters and its memory, as the
 * PMU chapter of the SBI specification has them; with faults on demand and the
 * quirks of real firmware. Pure; there is one, as a test needs no more.
 */
#ifndef FAKESBI_H
#define FAKESBI_H

#include "../../drivers/perf/sbi_pmu/backend_sbi.h"
#include "spec.h"
#include "quirks.h"

/* More than the driver takes, so that it meets some past its end. */
#define FAKESBI_CTRS		160
#define FAKESBI_REGIONS		4
#define FAKESBI_MAX_RATE	64	/* events in a tick, which is a ns */

/**
 * struct fakesbi_ctr - a counter
 * @info: counter_info as the specification wants it; 0: no counter here
 * @value: what it has counted
 * @total: what it has counted since it was configured
 * @told: what it told last, or was started from
 * @made: when it was configured
 * @code: what it counts, if @configured
 * @width: its bits
 * @configured: holds an event
 * @running: counts
 * @lost: its event is gone from the hardware, and firmware does not know
 * @overflown: the OF bit: came round, and interrupts no more
 */
struct fakesbi_ctr {
	unsigned long info;
	u64 value;
	u64 total;
	u64 told;
	u64 made;
	struct sbi_pmu_event_code code;
	u8 width;
	bool configured;
	bool running;
	bool lost;
	bool overflown;
};

/* Memory that firmware may write: @size bytes at physical @address. */
struct fakesbi_region {
	u64 address;
	u64 size;
	u8 *at;
};

/**
 * struct fakesbi - state, and the switches for faults
 * @ctr: counters by logical index
 * @end: past the last of them
 * @by_csr: by CSR - CYCLE, the first counter on it plus one; 0: none
 * @can: whether a counter can hold an event; NULL: a hardware one any hardware
 *	 event, a firmware one any firmware event
 * @countable: whether anybody can count a raw event that is taken; NULL: yes
 * @region: memory; @regions of them
 * @shmem: the snapshot memory, NULL: none
 * @copy: what it held at the last START from it
 * @sscofpmf: overflow interrupts and filters
 * @lcofi: the interrupt is pending
 * @dead: counters whose CSR traps
 * @quirks: BIT_ULL() of enum fakesbi_quirk
 * @call_ticks: so much time passes in each call
 * @read_ticks: and in each read of a CSR, while it counts on
 * @reads: reads of CSRs, counted
 * @refuse: one in so many configurations is refused; 0: none
 * @stray: one in so many takes a counter that was not offered
 * @start_fails: one in so many STARTs fails
 * @stop_fails: one in so many STOPs fails
 * @read_fails: one in so many reads of a firmware counter fails
 * @lend_fails: one in so many calls that set or take away the snapshot memory fails
 * @broken: rules that the driver broke, counted; @why the last
 */
struct fakesbi {
	struct fakesbi_ctr ctr[FAKESBI_CTRS];
	unsigned int end;
	u8 by_csr[32];
	bool (*can)(const struct sbi_pmu_event_code *code, unsigned int idx);
	bool (*countable)(const struct sbi_pmu_event_code *code);
	struct fakesbi_region region[FAKESBI_REGIONS];
	unsigned int regions;
	struct spec_snapshot *shmem;
	struct spec_snapshot copy;
	bool sscofpmf;
	bool lcofi;
	struct sbi_pmu_mask dead;
	u64 quirks;
	u64 call_ticks, read_ticks, reads;
	unsigned int refuse, stray, start_fails, stop_fails, read_fails, lend_fails;
	unsigned int broken;
	const char *why;
};

extern struct fakesbi fakesbi;

/* What a test sets up ... */
void fakesbi_reset(unsigned int hpm, unsigned int firmware, unsigned int width);
void fakesbi_add(unsigned int idx, unsigned int csr, unsigned int width);
void fakesbi_add_firmware(unsigned int idx);
void fakesbi_memory(u64 address, void *at, u64 size);
unsigned int fakesbi_random(void);
void fakesbi_seed(u64 seed);

/* ... what the driver sees ... */
struct sbiret fakesbi_call(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS]);
int fakesbi_read_csr(unsigned int csr, u64 *value);
u32 fakesbi_scountovf(void);

/* ... and what happens meanwhile. */
u64 fakesbi_rate(const struct sbi_pmu_event_code *code);
void fakesbi_run(u64 ticks);
void fakesbi_suspend(void);
void fakesbi_restart(void);

static inline bool fakesbi_has(enum fakesbi_quirk quirk)
{
	return fakesbi.quirks >> quirk & 1;
}

#endif
