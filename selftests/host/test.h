/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test.h - host tests of the driver: one CPU on the firmware model, with events whose correct
 * counts are known.
 *
 * Names of results are "file.what_is_true", unique in the program and the same in every run.
 */
#ifndef HOST_TEST_H
#define HOST_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "../../drivers/perf/sbi_pmu/event.h"
#include "../../drivers/perf/sbi_pmu/allocate.h"
#include "../../drivers/perf/sbi_pmu/counters_overflow.h"
#include "../../drivers/perf/sbi_pmu/delegation.h"
#include "../../drivers/perf/sbi_pmu/irq_source.h"
#include "../../drivers/perf/sbi_pmu/support.h"
#include "../../drivers/perf/sbi_pmu/timed.h"
#include "../../drivers/perf/sbi_pmu/user_page.h"
#include "../../drivers/perf/sbi_pmu/vendor/spacemit/stand_in.h"
#include "../../drivers/perf/sbi_pmu/vendor/xiangshan/tables.h"
#include "../fakesbi/fakesbi.h"
#include "../ktap.h"

#define RAW		0x20000
#define RAW_V2		0x30000
#define FW		0xf0000
#define QUIRK(name)	BIT_ULL(QUIRK_##name)
/* Quirks of one firmware */
#define OPENSBI_OLD							\
	(QUIRK(CACHE_RAW_FLAGS) | QUIRK(FIXED_FALLBACK) | QUIRK(CONFIGURED_IS_TAKEN) | \
	 QUIRK(RAW_ZERO_FAILS) | QUIRK(FIRST_HOLDER_ONLY) | QUIRK(FW_NEVER_ALREADY) | \
	 QUIRK(LATE_VALUE) | QUIRK(GAP_TRAPS) | QUIRK(RESET_CLEARS_FIXED) | \
	 QUIRK(INFO_PAST_END) | QUIRK(LAST_STATUS) | QUIRK(SUSPEND_LOSES_EVENTS) | \
	 QUIRK(HIGHEST_FIRST) | QUIRK(FIRST_ROW_ONLY) | QUIRK(GAPS_COUNTED) | \
	 QUIRK(NO_SNAPSHOT) | QUIRK(NO_RAW_V2) | QUIRK(EMPTY_MASK_TAKEN))
#define OPENSBI_NEW							\
	(QUIRK(START_RUNNING_LOSES_IRQ) | QUIRK(PENDING_KEEPS_OF) | \
	 QUIRK(CONFIGURED_IS_TAKEN) | QUIRK(RAW_ZERO_FAILS) | QUIRK(FIRST_HOLDER_ONLY) | \
	 QUIRK(LAST_STATUS) | QUIRK(GAPS_COUNTED) | QUIRK(NO_SNAPSHOT))
#define KVM								\
	(QUIRK(FIXED_ALWAYS) | QUIRK(FIXED_HOMOGENEOUS) | QUIRK(OVERFLOW_STICKS) | \
	 QUIRK(FW_SHARED) | QUIRK(NO_PLATFORM) | QUIRK(UNUSED_UNREADABLE) | \
	 QUIRK(CONFIGURED_IS_TAKEN) | QUIRK(UNUSED_SKIPPED) | QUIRK(SAVES_UP_TO_ERROR) | \
	 QUIRK(SAVES_ALL) | QUIRK(SHMEM_IS_CLEARED) | QUIRK(UNCOUNTABLE_STOPS))
#define KVM_OLD	(KVM | QUIRK(UNUSED_READS_RANDOM) | QUIRK(READS_ACCUMULATE))
#define RUSTSBI								\
	(QUIRK(TIME_IS_COUNTER) | QUIRK(ABORT_AT_ALREADY) | QUIRK(NO_FILTER) | \
	 QUIRK(NO_SNAPSHOT) | QUIRK(CONFIGURED_IS_TAKEN) | \
	 QUIRK(UNUSED_UNREADABLE) | QUIRK(NO_PLATFORM))

/* Physical address of the snapshot shared memory */
#define SHMEM_ADDRESS	0x180001000ULL

#define TRACKED	24

/**
 * struct tracked - an event and the count that it should have
 * @event: the event
 * @expected: number of events that happened while it was started
 * @reported: count that the driver has reported
 * @active: the event is started, so it should count
 * @page: its mmap page; @offset: to be added to the counter's value; @min_offset: the smallest
 *	  @offset so far
 */
struct tracked {
	struct sbi_pmu_event event;
	u64 expected;
	u64 reported;
	bool active;
	struct {
		struct sbi_pmu_user_page page;
		u64 offset;
		s64 min_offset;
	} page;
};

/**
 * struct test_cpu - the driver's state of the one CPU
 * @inv: inventory of counters
 * @limits: limits for the inventory
 * @caps: what the CPU and the driver support
 * @counters: state of the counters
 * @support: cache of which counters can count which event
 * @delegation: what delegated counters can do
 * @tracked: events; an entry with a zero code is not in use
 * @since: ns since narrow counters were polled
 * @lost: number of events that lost their counter in cpu_enable()
 */
struct test_cpu {
	struct sbi_pmu_inventory inv;
	struct sbi_pmu_probe_limits limits;
	struct sbi_pmu_caps caps;
	struct sbi_pmu_counters counters;
	struct sbi_pmu_support_cache support;
	struct sbi_pmu_delegation delegation;
	struct tracked tracked[TRACKED];
	u64 since;
	unsigned int lost;
};

extern struct test_cpu cpu;

/* Encodes XiangShan selectors; its data is a bitmap of units. */
extern const struct sbi_pmu_vendor units_vendor;

/*
 * Mode of the driver. SNAPSHOT is exclusive and uses the shared memory, where all counters are
 * stopped while events are changed. DELEGATED is exclusive and programs the counters by CSRs.
 */
enum mode { SHARED, EXCLUSIVE, SNAPSHOT, DELEGATED };

void cpu_boot(bool exclusive);
void cpu_boot_mode(enum mode mode);
void cpu_measure(void);
void cpu_disable(void);
void cpu_enable(void);
void boot(unsigned int hpm, unsigned int firmware, unsigned int width);
struct sbi_pmu_mask cpu_candidates(const struct sbi_pmu_event_code *code);
void cpu_probe(const struct sbi_pmu_event_code *code, const struct sbi_pmu_mask *candidates,
	       struct sbi_pmu_support *support);
void cpu_run(u64 ticks);
u64 cpu_calls(void);
bool is_all_released(void);
bool can_hold_upto(const struct sbi_pmu_event_code *code, unsigned int idx);

bool tracked_open(struct tracked *t, struct sbi_pmu_event_code code);
bool tracked_open_idx(struct tracked *t, u32 idx, u64 data);
bool tracked_add(struct tracked *t);
bool tracked_start(struct tracked *t);
bool tracked_add_start(struct tracked *t);
void tracked_stop(struct tracked *t);
void tracked_del(struct tracked *t);
u64 tracked_collect(struct tracked *t);
bool is_count_right(struct tracked *t);
bool is_count_near(struct tracked *t, u64 ticks);
bool tracked_user_read(const struct tracked *t, u64 *count);
unsigned int tracked_sync(void);

void write_pmu_file(const char *devices, const char *pmu, const char *dir, const char *name,
		    const char *line);
bool remove_tree(const char *path);

/* Prepare @test: report a failure if @ok is false, print nothing otherwise. */
static inline void require(bool ok, const char *test)
{
	if (!ok)
		check(false, "%s_setup", test);
}

/* Name the last rule of the specification that the driver broke, if any. */
static inline void note_broken_rule(void)
{
	if (fakesbi.broken)
		note("%u rules broken, last: %s", fakesbi.broken, fakesbi.why);
}

/* Report whether @test made no call that breaks a rule of the specification. */
static inline void check_rules(const char *test)
{
	note_broken_rule();
	check(!fakesbi.broken, "%s_breaks_no_rule", test);
}

/* Report whether @test also left no counter configured or running in firmware. */
static inline void check_released(const char *test)
{
	note_broken_rule();
	check(is_all_released() && !fakesbi.broken, "%s_releases_all", test);
}

static inline struct sbi_pmu_mask mask_of(unsigned int idx)
{
	struct sbi_pmu_mask m = {};

	sbi_pmu_mask_set(&m, idx);
	return m;
}

static inline unsigned int mask_next(const struct sbi_pmu_mask *m, unsigned int from)
{
	return find_next_bit(m->bits, SBI_PMU_MAX_COUNTERS, from);
}

void test_event(void);
void test_inventory(void);
void test_irq_source(void);
void test_sbi_calls(void);
void test_fixed_counters(void);
void test_user_isolation(void);
void test_model(void);
void test_counters(void);
void test_overwritten(void);
void test_delegation(void);
/* What the driver has learned of a standard event, NULL: not delegated. In test_delegation.c */
const struct sbi_pmu_delegated_event *learned_event(u32 idx);
void test_free_running(void);
void test_hpm_model(void);
void test_pause(void);
void test_power(void);
void test_quirks(void);
void test_random(unsigned long steps, u64 seed);
void test_snapshot(void);
void test_region(void);
void test_stand_in(void);
void test_sampling(unsigned long steps);
void test_share(void);
void test_probe(void);
const char *id_of(const char *name);
void test_support(void);
void test_tables(void);
void test_topdown(void);
void test_units(void);
void test_user_page(void);
void test_vendor_events(void);

#endif
