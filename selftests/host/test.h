/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test.h - the pure rooms on the host: a hart on the firmware model, users on
 * it whose true counts are known, and the tests of each room.
 */
#ifndef HOST_TEST_H
#define HOST_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "../../drivers/perf/sbi_pmu/event.h"
#include "../../drivers/perf/sbi_pmu/tables.h"
#include "../fakesbi/fakesbi.h"
#include "../ktap.h"

#define RAW		0x20000
#define RAW_V2		0x30000
#define FW		0xf0000
#define QUIRK(name)	BIT_ULL(QUIRK_##name)
/* Quirks that come together. */
#define OPENSBI_OLD							\
	(QUIRK(CACHE_RAW_FLAGS) | QUIRK(FIXED_FALLBACK) | QUIRK(CONFIGURED_IS_TAKEN) | \
	 QUIRK(RAW_ZERO_FAILS) | QUIRK(FIRST_HOLDER_ONLY) | QUIRK(FW_NEVER_ALREADY) | \
	 QUIRK(LATE_VALUE) | QUIRK(GAP_TRAPS) | QUIRK(SKIP_WRONG_INDEX) | \
	 QUIRK(RESET_CLEARS_FIXED) | QUIRK(INFO_PAST_END) | QUIRK(LAST_STATUS) | \
	 QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(HIGHEST_FIRST) | QUIRK(FIRST_ROW_ONLY) | \
	 QUIRK(GAPS_COUNTED) | QUIRK(NO_FW_READ_HI) | QUIRK(NO_SNAPSHOT) | \
	 QUIRK(NO_EVENT_INFO) | QUIRK(NO_RAW_V2) | QUIRK(EMPTY_MASK_TAKEN))
#define OPENSBI_NEW							\
	(QUIRK(START_RUNNING_DEAFENS) | QUIRK(PENDING_KEEPS_OF) | QUIRK(INFO_DENIES) | \
	 QUIRK(INFO_ANY_RAW) | QUIRK(CONFIGURED_IS_TAKEN) | QUIRK(RAW_ZERO_FAILS) | \
	 QUIRK(FIRST_HOLDER_ONLY) | QUIRK(LAST_STATUS) | QUIRK(GAPS_COUNTED) | \
	 QUIRK(NO_SNAPSHOT))
#define KVM								\
	(QUIRK(FIXED_ALWAYS) | QUIRK(FIXED_ALIKE) | QUIRK(SKIP_NEEDS_USED) |	\
	 QUIRK(OVERFLOW_STICKS) | QUIRK(FW_SHARED) | QUIRK(INFO_ANY_RAW) |	\
	 QUIRK(INFO_ANY_PLATFORM) | QUIRK(NO_PLATFORM) | QUIRK(UNUSED_UNREADABLE) | \
	 QUIRK(CONFIGURED_IS_TAKEN) | QUIRK(UNUSED_SKIPPED) |			\
	 QUIRK(SAVES_UP_TO_ERROR) | QUIRK(SAVES_ALL) | \
	 QUIRK(LENT_IS_CLEARED) | QUIRK(UNCOUNTABLE_STOPS))
#define KVM_OLD	(KVM | QUIRK(UNUSED_RUBBISH) | QUIRK(SUMS))
#define RUSTSBI								\
	(QUIRK(TIME_IS_COUNTER) | QUIRK(ABORT_AT_ALREADY) | QUIRK(NO_FILTER) | \
	 QUIRK(SKIP_FIXED_INVALID) | QUIRK(NO_SNAPSHOT) | QUIRK(NO_EVENT_INFO) | \
	 QUIRK(CONFIGURED_IS_TAKEN) | QUIRK(UNUSED_UNREADABLE) | QUIRK(NO_PLATFORM))

/* Where the memory is that firmware may have. */
#define HART_PAGE	0x180001000ULL

#define PLAYERS		24
#define KNOWN		256

/**
 * struct player - a user, and what it should have counted
 * @user: as perf.c has one in each event
 * @expected: what happened of its event while it was started
 * @reported: what the driver has handed out
 * @live: should count
 * @page: what its program is told, to read the counter by itself: the CSR or 0, the
 *	  bits that it extends, and what to add; or to ask the kernel
 */
struct player {
	struct sbi_pmu_user user;
	u64 expected;
	u64 reported;
	bool live;
	struct {
		unsigned int csr;
		bool by_kernel;
		unsigned int width;
		u64 offset;
	} page;
};

struct known {
	struct sbi_pmu_code code;
	struct sbi_pmu_truth truth;
};

/**
 * struct hart - the driver's side of the one hart
 * @inv: its counters
 * @slots: its slots
 * @player: its users; those with a zero code are not in use
 * @known: what trials told, as truth.c keeps it; @knowns of them
 * @since: ns since narrow counters were looked at
 * @lost: users that lost their counters when it was to be started
 */
struct hart {
	struct sbi_pmu_inventory inv;
	struct sbi_pmu_slots slots;
	struct player player[PLAYERS];
	struct known known[KNOWN];
	unsigned int knowns;
	u64 since;
	unsigned int lost;
};

extern struct hart hart;

/* The last: firmware may have the snapshot memory, and counters rest. */
enum way { BESIDE, SOLE, RESTING };

void hart_boot(bool sole);
void hart_boot_way(enum way way);
void hart_hold(void);
void boot(unsigned int hpm, unsigned int firmware, unsigned int width);
struct sbi_pmu_mask hart_can(const struct sbi_pmu_code *code);
void hart_arm(void);
void hart_run(u64 ticks);
u64 hart_calls(void);
bool quiet(void);
bool can_upto(const struct sbi_pmu_code *code, unsigned int idx);

bool player_open(struct player *p, struct sbi_pmu_code code);
bool player_open_idx(struct player *p, u32 idx, u64 data);
bool player_attach(struct player *p);
bool player_start(struct player *p);
bool player_seat(struct player *p);
void player_stop(struct player *p);
void player_detach(struct player *p);
u64 player_collect(struct player *p);
bool player_right(struct player *p);
bool player_sees(const struct player *p, u64 *count);
unsigned int players_sync(void);

static inline struct sbi_pmu_mask mask_of(unsigned int idx)
{
	struct sbi_pmu_mask m = {};

	sbi_pmu_mask_set(&m, idx);
	return m;
}

void test_event(void);
void test_counter(void);
void test_firmware(void);
void test_fresh(void);
void test_model(void);
void test_slot(void);
void test_twin(void);
void test_power(void);
void test_quirks(void);
void test_random(unsigned long steps, u64 seed);
void test_reading(void);
void test_region(void);
void test_sample(unsigned long steps);
void test_trial(void);
void test_tables(void);
void test_topdown(void);
void test_topdown_find(void);
void test_topdown_show(void);
void test_units(void);

#endif
