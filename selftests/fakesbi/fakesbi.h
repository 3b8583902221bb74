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

struct fakesbi_ctr {
	unsigned long info;	/* counter_info (FID 1); 0: no counter has this index */
	u64 value;
	u64 total;		/* events since it was configured */
	u64 last;		/* its last read or start value (QUIRK_READS_ACCUMULATE) */
	u64 configured_at;	/* number of its configuration; later ones are higher */
	struct fakesbi_code code;	/* its event, if configured */
	u8 width;		/* bits */
	bool configured, running;
	bool lost;		/* hardware has lost the event; firmware does not know that */
	bool overflown;		/* OF: has wrapped; no interrupt until this is cleared */
	bool interrupts;	/* has been started (QUIRK_LEVEL) */
	bool inhibited;		/* stopped, though it takes no event (QUIRK_FIXED_WITHHELD) */
	bool dead;		/* its CSR traps */
	u64 event;		/* mhpmevent, mcyclecfg or minstretcfg, without OF */
};

/* A privilege mode; in a guest its kernel's */
enum fakesbi_mode { FAKESBI_USER, FAKESBI_KERNEL, FAKESBI_FIRMWARE, FAKESBI_GUEST };

#define FAKESBI_HANDLER		0xffffffff80001000ULL /* address of the kernel's own handler */

struct fakesbi_record {
	u64 source, target, data;
};

struct fakesbi_branches {
	unsigned int least, most;	/* that the depth can be set to; 0: there are no records */
	unsigned int depth;
	u64 control;			/* sctrctl */
	bool frozen;
	bool lost;			/* until the hart is started again */
	u64 no_control, no_target, no_data;	/* bits of the CSRs that are read-only zero */
	unsigned int accesses;		/* records that were read or written */
	struct fakesbi_record entry[256];	/* the newest first */
};

/* State of the model, and faults. A function that is NULL refuses nothing. */
struct fakesbi_hart {
	struct fakesbi_ctr ctr[FAKESBI_CTRS];	/* by logical index */
	unsigned int end;	/* highest index of a counter, plus one */
	u8 by_csr[32];		/* by CSR - CYCLE: index of its first counter plus one; 0: none */
	/* Can a counter hold an event? NULL: each one of its kind, hardware or firmware */
	bool (*can)(const struct fakesbi_code *code, unsigned int idx);
	/* Does the host have this raw event (QUIRK_UNCOUNTABLE_STOPS)? */
	bool (*countable)(const struct fakesbi_code *code);
	/* Refused for now, though EVENT_GET_INFO calls it supported (filter of a VM's host) */
	bool (*denied)(const struct fakesbi_code *code);
	unsigned int host_counters;	/* so many count, those configured last are lost; 0: all */
	struct spec_snapshot *shmem;	/* NULL: none */
	struct spec_snapshot copy;	/* its contents at the last START from it */
	bool sscofpmf;
	u32 one_filter, filter;	/* filters for all counters (T-Head's sxstatus); those set */
	unsigned int overflow_csr;	/* scountovf, or that of another source */
	bool lcofi;		/* the interrupt is pending */
	bool lcofi_stays;	/* S-mode cannot clear that, only a stop of a counter does */
	u64 quirks;		/* BIT_ULL() of enum fakesbi_quirk */
	u64 reads;		/* of CSRs */
	/* Calls fail with probability 1 / n; stray: one takes a counter that was not offered */
	unsigned int refuse, stray, start_fails, stop_fails, read_fails, shmem_fails;
	/* Counters by CSR - CYCLE */
	u32 delegated;		/* 0: there is no Ssccfg */
	u32 constant;		/* of these: the value cannot be written */
	u32 unstoppable, unstartable;	/* of these: the bit in scountinhibit cannot be set, or cleared */
	u32 odd_counters;	/* firmware writes other selectors for cache events on them */
	u32 smcntrpmf;		/* cycle and instret that filter */
	u32 no_overflow;	/* those that do not interrupt though others do (QUIRK_FIXED_HOMOGENEOUS) */
	u64 event_bits;		/* bits of sireg2 that are kept */
	u64 boot_event;		/* mhpmevent when the hart starts */
	unsigned int inhibit_writes;	/* of scountinhibit */
	struct fakesbi_branches branches;
	unsigned long calls[16];	/* by function */
	/* Does a counter ignore filters of this event? Does it never happen? NULL: no */
	bool (*unfiltered)(const struct fakesbi_code *code);
	bool (*silent)(const struct fakesbi_code *code);
	/* Does a counter count an event that it can hold? NULL: yes */
	bool (*counts)(const struct fakesbi_code *code, unsigned int idx);
	bool no_sireg2;		/* an access to sireg2 traps */
	unsigned int broken;	/* rules of the specification that the driver broke */
	const char *why;	/* the last one */
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
