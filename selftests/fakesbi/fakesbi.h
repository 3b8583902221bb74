/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fakesbi - a model of SBI PMU firmware for one hart, with its counters and its memory, after
 * chapter 11 of the SBI specification 3.0; with faults on demand and the quirks of real
 * firmware.
 */
#ifndef FAKESBI_H
#define FAKESBI_H

#include "spec.h"
#include "quirks.h"

/* More than the driver uses, to test indices past that. */
#define FAKESBI_CTRS		160
#define FAKESBI_ARGS		6	/* arguments of a call */
#define FAKESBI_WINDOW		64	/* counters in the mask of a call */
#define FAKESBI_MAX_RATE	64	/* events in a tick, which is a ns */

/* An event, as CONFIG_MATCHING (FID 2) takes it: event_idx, event_data, and filters */
struct fakesbi_code {
	u64 data;
	u32 idx;
	u32 flags;
};

/**
 * struct fakesbi_ctr - a counter
 * @info: counter_info (FID 1); 0: no counter has this index
 * @value: its value
 * @total: events since it was configured
 * @last: result of its last read, or start value (QUIRK_READS_ACCUMULATE)
 * @configured_at: number of its configuration; later ones are higher
 * @code: its event, if @configured
 * @width: its bits
 * @configured: has an event
 * @running: is started
 * @lost: hardware has lost the event, so it does not count; firmware does not know that
 * @overflown: the OF bit: it has wrapped, and does not interrupt until this is cleared
 * @interrupts: has been started (QUIRK_LEVEL)
 * @inhibited: stopped, though no event can be configured on it (QUIRK_FIXED_WITHHELD)
 * @dead: its CSR traps
 * @event: mhpmevent, mcyclecfg or minstretcfg: selector and filters, without OF
 */
struct fakesbi_ctr {
	unsigned long info;
	u64 value;
	u64 total;
	u64 last;
	u64 configured_at;
	struct fakesbi_code code;
	u8 width;
	bool configured;
	bool running;
	bool lost;
	bool overflown;
	bool interrupts;
	bool inhibited;
	bool dead;
	u64 event;
};

/* A privilege mode; in a guest its kernel's */
enum fakesbi_mode { FAKESBI_USER, FAKESBI_KERNEL, FAKESBI_FIRMWARE, FAKESBI_GUEST };

#define FAKESBI_HANDLER		0xffffffff80001000ULL /* address of the kernel's own handler */

struct fakesbi_record {
	u64 source, target, data;
};

/**
 * struct fakesbi_branches - branch records
 * @least, @most: entries that the depth can be set to; 0: there are no records
 * @depth: entries
 * @control: sctrctl
 * @frozen: nothing is recorded
 * @no_control, @no_target, @no_data: bits of sctrctl, ctrtarget and ctrdata that are read-only zero
 * @accesses: number of records that were read or written
 * @entry: the records, the newest first
 */
struct fakesbi_branches {
	unsigned int least, most, depth;
	u64 control;
	bool frozen;
	u64 no_control, no_target, no_data;
	unsigned int accesses;
	struct fakesbi_record entry[256];
};

/**
 * struct fakesbi_hart - state of the model, and faults
 * @ctr: counters by logical index
 * @end: highest index of a counter, plus one
 * @by_csr: by CSR - CYCLE, index of the first counter of that CSR plus one; 0: none
 * @can: can a counter hold an event? NULL: hardware counters hold each hardware event,
 *	 firmware counters each firmware event
 * @countable: does the host have this raw event (QUIRK_UNCOUNTABLE_STOPS)? NULL: yes
 * @denied: does firmware refuse an event for now, which EVENT_GET_INFO calls supported (the event
 *	 filter of a VM's host)? NULL: no
 * @host_counters: a VM's host starts so many counters, those configured last are lost; 0: all
 * @shmem: snapshot shared memory, NULL: none
 * @copy: its contents at the last START from it
 * @sscofpmf: counters have overflow interrupts and filters
 * @one_filter: filters that all counters have in common, and S-mode can set (T-Head's sxstatus)
 * @filter: those that are set
 * @overflow_csr: the CSR that has the overflow bits: scountovf, or that of another source
 * @lcofi: the interrupt is pending
 * @lcofi_stays: S-mode cannot clear that, only a stop of a counter does
 * @quirks: BIT_ULL() of enum fakesbi_quirk
 * @reads: number of reads of CSRs
 * @refuse: each configuration is refused with probability 1 / @refuse; 0: never
 * @stray: the same: a configuration takes a counter that was not offered; where counters are
 *	delegated only one of a firmware event
 * @start_fails: the same: a START fails
 * @stop_fails: the same: a STOP fails
 * @read_fails: the same: a read of a firmware counter fails
 * @shmem_fails: the same: a call that sets or disables the shared memory fails
 * @delegated: counters that firmware delegates, by CSR - CYCLE; 0: there is no Ssccfg
 * @smcntrpmf: counters of cycle and instret that filter, by CSR - CYCLE
 * @unfiltered: does a counter ignore filters of this event? NULL: no
 * @silent: does this event never happen? NULL: no
 * @event_bits: bits of sireg2 that are kept
 * @constant: delegated counters whose value cannot be written
 * @unstoppable: delegated counters whose bit in scountinhibit cannot be changed
 * @no_sireg2: an access to sireg2 traps
 * @odd_counters: counters on which firmware writes other selectors for cache events
 * @boot_event: mhpmevent of programmable counters as firmware leaves it when the hart starts
 * @inhibit_writes: number of writes to scountinhibit
 * @branches: branch records
 * @calls: number of calls, by function
 * @broken: number of rules of the specification that the driver broke; @why: the last one
 */
struct fakesbi_hart {
	struct fakesbi_ctr ctr[FAKESBI_CTRS];
	unsigned int end;
	u8 by_csr[32];
	bool (*can)(const struct fakesbi_code *code, unsigned int idx);
	bool (*countable)(const struct fakesbi_code *code);
	bool (*denied)(const struct fakesbi_code *code);
	unsigned int host_counters;
	struct spec_snapshot *shmem;
	struct spec_snapshot copy;
	bool sscofpmf;
	u32 one_filter, filter;
	unsigned int overflow_csr;
	bool lcofi, lcofi_stays;
	u64 quirks;
	u64 reads;
	unsigned int refuse, stray, start_fails, stop_fails, read_fails, shmem_fails;
	u32 delegated, constant, unstoppable, odd_counters;
	u64 event_bits, boot_event;
	unsigned int inhibit_writes;
	struct fakesbi_branches branches;
	unsigned long calls[16];
	u32 smcntrpmf;
	bool (*unfiltered)(const struct fakesbi_code *code);
	bool (*silent)(const struct fakesbi_code *code);
	bool no_sireg2;
	unsigned int broken;
	const char *why;
};

#define FAKESBI_HARTS	16

/* The harts, of which most tests use the first; and the one that makes calls and accesses now */
extern struct fakesbi_hart fakesbi_harts[FAKESBI_HARTS], *fakesbi_now;
#define fakesbi (*fakesbi_now)

/* Set up by tests */
void fakesbi_reset(unsigned int hpm, unsigned int firmware, unsigned int width);
void fakesbi_add(unsigned int idx, unsigned int csr, unsigned int width);
void fakesbi_add_firmware(unsigned int idx);
void fakesbi_delegate(bool on);
unsigned int fakesbi_random(void);
void fakesbi_seed(u64 seed);

/* Used by the driver */
struct sbiret fakesbi_call(unsigned int fid, const unsigned long arg[FAKESBI_ARGS]);
void fakesbi_update_irq(void);
int fakesbi_read_csr(unsigned int csr, u64 *value);
u32 fakesbi_overflow(unsigned int csr);
struct fakesbi_code fakesbi_code_of(u64 event);

/* Time, branches, and loss of power */
void fakesbi_branch(enum fakesbi_mode from, enum fakesbi_mode to, unsigned int type, u64 source,
		    u64 target, u64 cycles);
void fakesbi_branch_interrupt(bool overflow, bool user);
u64 fakesbi_rate(const struct fakesbi_code *code);
void fakesbi_run(u64 ticks);
u64 fakesbi_next_overflow(u64 ns);
void fakesbi_suspend(void);
void fakesbi_restart(void);

static inline bool fakesbi_has(enum fakesbi_quirk quirk)
{
	return fakesbi.quirks >> quirk & 1;
}

/* ---- within the model ---- */

static inline u64 model_bits(const struct fakesbi_ctr *ctr)
{
	return GENMASK_ULL(ctr->width - 1, 0);
}

static inline u64 model_random64(void)
{
	return (u64)fakesbi_random() << 32 | fakesbi_random();
}

void model_report(const char *why);
bool model_is_firmware(unsigned int idx);
bool model_is_fixed(unsigned int idx);
bool model_has_cfg(unsigned int idx);
bool model_only_counts(unsigned int idx);
bool model_is_withheld(unsigned int idx);
u64 model_read(unsigned int idx);
bool model_keeps_of(const struct fakesbi_ctr *ctr);
u64 model_event(const struct fakesbi_code *code);
bool model_event_known(u64 idx, u64 data);

#endif
