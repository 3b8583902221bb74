/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slot: who counts on which counter of a hart. Pure.
 *
 * A slot is a counter and the event that it is configured for. Users (perf
 * events that are on this hart now) come and go; the slot stays configured and
 * running, so that a context switch costs reads and no call to firmware. (It rests
 * where a read costs as much as a call, see sbi_pmu_slots_rest().)
 */
#ifndef SBI_PMU_SLOT_H
#define SBI_PMU_SLOT_H

#include "firmware.h"

#define SBI_PMU_NO_SLOT		SBI_PMU_MAX_CTRS

/**
 * struct sbi_pmu_plan - which counter holds what, without the hardware
 * @configured: counters that hold an event
 * @busy: those of them that somebody counts on; the others are idle
 * @code: by counter, the event that it holds
 * @can: by counter, the counters that could hold that event
 * @stamp: by counter, @clock when it was last taken or left
 * @clock: ticks at each of these
 *
 * Group validation runs on an empty copy of this, the hart on its own.
 */
struct sbi_pmu_plan {
	struct sbi_pmu_mask configured;
	struct sbi_pmu_mask busy;
	struct sbi_pmu_code code[SBI_PMU_MAX_CTRS];
	struct sbi_pmu_mask can[SBI_PMU_MAX_CTRS];
	u64 stamp[SBI_PMU_MAX_CTRS];
	u64 clock;
};

/* How a user learns that a period has passed */
enum sbi_pmu_sampling {
	SBI_PMU_COUNTS,		/* it does not: it counts */
	SBI_PMU_INTERRUPTED,	/* its counter overflows and interrupts */
	SBI_PMU_POLLED,		/* a timer looks */
};

/**
 * struct sbi_pmu_user - somebody who counts an event on a hart
 * @node: in the slot's list of users
 * @code: the event
 * @can: counters that can hold it
 * @prev: the counter's value when last looked at; valid while @live
 * @pending: counted before the slot moved or its hart went, not yet handed out
 * @left: events to the end of the sampling period, negative once it is over
 * @since: events since the last sample
 * @seen: events since the timer last looked
 * @skids: samples in a row that came due in a mode that they are not about
 * @slot: the counter, or SBI_PMU_NO_SLOT
 * @sampling: see enum
 * @live: counts now, as opposed to being stopped
 * @direct: a program may read its counter by itself
 * @reads: it does, since @live, and must be told where and how
 * @fresh: and must not learn from it what others count there: it begins anew
 */
struct sbi_pmu_user {
	struct list_head node;
	struct sbi_pmu_code code;
	struct sbi_pmu_mask can;
	u64 prev;
	u64 pending;
	s64 left;
	u64 since;
	u64 seen;
	unsigned int skids;
	unsigned int slot;
	u8 sampling;
	bool live;
	bool direct;
	bool reads;
	bool fresh;
};

/**
 * struct sbi_pmu_sum - a counter whose every answer is added to those before
 * @total: what it has counted since it was configured
 * @offset: from there to what it would read elsewhere
 */
struct sbi_pmu_sum {
	u64 total;
	u64 offset;
};

/**
 * struct sbi_pmu_slots - the slots of one hart
 * @inv: its counters
 * @fw: its line to firmware
 * @read_csr: reads a counter CSR; returns 0, or an errno where there is none
 * @moved: told of a user who reads by himself and whose counter has been looked at,
 *	   or is another, or reads something else now, behind his back
 * @plan: what holds what
 * @users: by counter, those who count on it
 * @memory: what firmware is to have as its snapshot memory, NULL if it is to have none
 * @address: where firmware finds that
 * @lent: it has it now, and uses it
 * @owed: it may have it: not to be used for anything else
 * @sums: firmware tells of a counter the sum of all that it counted since it was
 *	  configured, as it was each time when it told (KVM in Linux 6.12)
 * @told: by counter, where it began last; with @sums what it told, if that was later
 * @sum: by counter, with @sums
 * @forgotten: counters that firmware has lost, to be configured anew
 * @held: perf core, or an interrupt, is not done: counters are armed later
 * @halted: counters that stand still; sbi_pmu_slots_arm() starts them
 * @stale: those to be armed for the next overflow there, or to begin anew
 * @common: those that every program may read, and that never do
 * @armed: those that interrupt when somebody's period is over
 * @late: those of them that had overflowed when sbi_pmu_slots_silent() looked
 * @stranded: how often users lost their counter to firmware's change of mind
 * @sole: no other driver uses this hart's counters
 * @guest: the counters are events of another kernel's (KVM): it takes raw events that
 *	   nobody can count, and what the hart says of overflows is not about them
 * @online: initialised; events may come
 *
 * Touched on its own hart only, with interrupts off, hence without a lock. (The
 * inventory uses @fw before there are events, with preemption off.)
 */
struct sbi_pmu_slots {
	const struct sbi_pmu_inventory *inv;
	struct sbi_pmu_fw fw;
	int (*read_csr)(unsigned int csr, u64 *value);
	void (*moved)(struct sbi_pmu_user *user);
	struct sbi_pmu_plan plan;
	struct list_head users[SBI_PMU_MAX_CTRS];
	struct sbi_pmu_snapshot *memory;
	u64 address;
	bool lent;
	bool owed;
	bool sums;
	u64 told[SBI_PMU_MAX_CTRS];
	struct sbi_pmu_sum sum[SBI_PMU_MAX_CTRS];
	struct sbi_pmu_mask forgotten;
	bool held;
	struct sbi_pmu_mask halted;
	struct sbi_pmu_mask stale;
	struct sbi_pmu_mask common;
	struct sbi_pmu_mask armed;
	struct sbi_pmu_mask late;
	unsigned int stranded;
	bool sole;
	bool guest;
	bool online;
};

/*
 * Where firmware writes down what it has stopped, or does not go on from what it told,
 * a counter is told where to begin each time; and it stands still while nobody counts
 * on it.
 */
static inline bool sbi_pmu_slots_rest(const struct sbi_pmu_slots *slots)
{
	return slots->memory || slots->sums;
}

/* To be started when all is done. */
static inline struct sbi_pmu_mask sbi_pmu_slots_waiting(const struct sbi_pmu_slots *slots)
{
	const struct sbi_pmu_mask busy = sbi_pmu_mask_and(slots->halted, &slots->plan.busy);

	return sbi_pmu_slots_rest(slots) ? busy : slots->halted;
}

/* Is the counter of a user who counts to begin anew when he comes, for what it would tell? */
static inline bool sbi_pmu_user_anew(const struct sbi_pmu_slots *slots,
				     const struct sbi_pmu_user *user)
{
	return user->live && user->reads && user->fresh &&
	       !sbi_pmu_mask_test(&slots->common, user->slot);
}

/**
 * struct sbi_pmu_truth - what trials on counters have told of an event
 * @can: counters that took it
 * @cannot: counters that did not
 */
struct sbi_pmu_truth {
	struct sbi_pmu_mask can;
	struct sbi_pmu_mask cannot;
};

bool sbi_pmu_plan_fits(struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
		       const struct sbi_pmu_code *code, const struct sbi_pmu_mask *can);

void sbi_pmu_slots_up(struct sbi_pmu_slots *slots);
void sbi_pmu_slots_down(struct sbi_pmu_slots *slots);
void sbi_pmu_slots_release_idle(struct sbi_pmu_slots *slots);
bool sbi_pmu_slots_follow(struct sbi_pmu_slots *slots);
void sbi_pmu_slots_suspend(struct sbi_pmu_slots *slots);
void sbi_pmu_slots_resume(struct sbi_pmu_slots *slots);

/* trial.c */

/**
 * struct sbi_pmu_manner - how counters of this machine are best read
 * @sums: as in struct sbi_pmu_slots
 * @tells: firmware writes to the snapshot memory, and begins from there, as it should
 * @pays: to have it do that takes less time than to read what counts
 */
struct sbi_pmu_manner {
	bool sums;
	bool tells;
	bool pays;
};

void sbi_pmu_slots_manner(struct sbi_pmu_slots *slots, u64 (*clock)(void),
			  struct sbi_pmu_manner *manner);
void sbi_pmu_slots_trial(struct sbi_pmu_slots *slots, const struct sbi_pmu_code *code,
			 const struct sbi_pmu_mask *candidates, struct sbi_pmu_truth *truth);

/* reading.c */
bool sbi_pmu_slots_lend(struct sbi_pmu_slots *slots);
void sbi_pmu_slots_take_back(struct sbi_pmu_slots *slots);
int sbi_pmu_slot_read(struct sbi_pmu_slots *slots, unsigned int idx, u64 *value);
void sbi_pmu_slot_clear(struct sbi_pmu_slots *slots, unsigned int idx);
void sbi_pmu_slot_begins(struct sbi_pmu_slots *slots, unsigned int idx, u64 value);
void sbi_pmu_slots_stop_blind(struct sbi_pmu_slots *slots, unsigned int w,
			      const struct sbi_pmu_mask *which);
void sbi_pmu_slots_stop_word(struct sbi_pmu_slots *slots, unsigned int w,
			     const struct sbi_pmu_mask *which);
int sbi_pmu_slots_start_word(struct sbi_pmu_slots *slots, unsigned int w,
			     const struct sbi_pmu_mask *which,
			     u64 (*from)(struct sbi_pmu_slots *slots, unsigned int idx));

/* sample.c */
struct sbi_pmu_mask sbi_pmu_slots_overflowed(const struct sbi_pmu_slots *slots, u32 overflow);
bool sbi_pmu_slot_samples(const struct sbi_pmu_slots *slots, unsigned int idx,
			  enum sbi_pmu_sampling how);
struct sbi_pmu_mask sbi_pmu_slots_awaited(const struct sbi_pmu_slots *slots);
struct sbi_pmu_mask sbi_pmu_slots_silent(struct sbi_pmu_slots *slots,
					 const struct sbi_pmu_mask *awaited);
struct sbi_pmu_mask sbi_pmu_slots_fired(struct sbi_pmu_slots *slots, u32 (*overflow)(void));
void sbi_pmu_slots_halt(struct sbi_pmu_slots *slots, const struct sbi_pmu_mask *which);
void sbi_pmu_slots_pause(struct sbi_pmu_slots *slots);
void sbi_pmu_slots_arm(struct sbi_pmu_slots *slots);
u64 sbi_pmu_slots_poll_ns(struct sbi_pmu_slots *slots, u64 elapsed);
u64 sbi_pmu_user_sampled(struct sbi_pmu_user *user, u64 period);
void sbi_pmu_user_skidded(struct sbi_pmu_user *user);

/* slot.c, for sample.c, reading.c and trial.c */
void sbi_pmu_slot_update(struct sbi_pmu_slots *slots, unsigned int idx);
void sbi_pmu_slot_looked(struct sbi_pmu_slots *slots, unsigned int idx, u64 now);
void sbi_pmu_slot_again(struct sbi_pmu_slots *slots, unsigned int idx);
void sbi_pmu_slot_release(struct sbi_pmu_slots *slots, unsigned int idx);
void sbi_pmu_slot_reject(struct sbi_pmu_slots *slots, unsigned int idx);
void sbi_pmu_slot_lose(struct sbi_pmu_slots *slots, unsigned int idx);
void sbi_pmu_slot_moved(struct sbi_pmu_slots *slots, unsigned int idx);

void sbi_pmu_user_init(struct sbi_pmu_user *user, const struct sbi_pmu_code *code,
		       const struct sbi_pmu_mask *can);
int sbi_pmu_user_attach(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user);
void sbi_pmu_user_detach(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user);
int sbi_pmu_user_start(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user);
void sbi_pmu_user_reads(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user);
void sbi_pmu_user_stop(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user);
void sbi_pmu_user_update(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user);
u64 sbi_pmu_user_take(struct sbi_pmu_user *user);

#endif
