// SPDX-License-Identifier: GPL-2.0-only
/* test_reading: counters that are told of all at once, through the snapshot memory. */
#include "test.h"

#define BOTH	2

/* The same on firmware that adds up what it tells. */
static const struct {
	const char *name;
	u64 quirks;
} kinds[BOTH] = { { "KVM", KVM }, { "KVM of 6.12", KVM_OLD } };

static void boot_resting(u64 quirks)
{
	fakesbi_reset(8, 4, 48);
	fakesbi.quirks = quirks;
	fakesbi.sscofpmf = true;
	hart_boot_way(RESTING);
}

static struct player *seat(unsigned int n, u32 idx, u64 data)
{
	struct player *p = &hart.player[n];

	if (!player_open_idx(p, idx, data) || !player_seat(p))
		check(false, "%#x/%llu has a counter", idx, (unsigned long long)data);
	return p;
}

static unsigned int all_right(unsigned int n)
{
	unsigned int right = 0;

	for (unsigned int i = 0; i < n; i++)
		right += player_right(&hart.player[i]) && hart.player[i].reported;
	return right;
}

/* A task goes and comes back: two calls, whatever it counts, and no reads. */
static void test_switch(u64 quirks)
{
	static const u32 events[] = { SBI_PMU_GENERAL_CYCLES, SBI_PMU_GENERAL_INSTRUCTIONS,
				      RAW, RAW, RAW, FW + 1, FW + 2, RAW };
	u64 calls, reads;

	for (unsigned int n = 1; n <= ARRAY_SIZE(events); n++) {
		boot_resting(quirks);
		hart_hold();
		for (unsigned int i = 0; i < n; i++)
			seat(i, events[i], events[i] == RAW ? i : 0);
		hart_run(1000);
		calls = hart_calls();
		reads = fakesbi.reads;
		hart_hold();
		for (unsigned int i = 0; i < n; i++)
			player_detach(&hart.player[i]);
		hart_run(1000);
		hart_hold();
		for (unsigned int i = 0; i < n; i++)
			player_seat(&hart.player[i]);
		hart_run(1000);
		check(hart_calls() - calls == 2 && fakesbi.reads == reads,
		      "a switch with %u events: %llu calls, %llu reads", n,
		      (unsigned long long)(hart_calls() - calls),
		      (unsigned long long)(fakesbi.reads - reads));
		check(all_right(n) == n, "and all counts are right");
		sbi_pmu_slots_down(&hart.slots);
		check(quiet() && !fakesbi.shmem && !hart.slots.lent && !hart.slots.owed &&
		      !fakesbi.broken,
		      "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
	}
}

/* Who counts while others come and go is stopped for them, and started again. */
static void test_stays(u64 quirks)
{
	struct player *stays, *goes;

	boot_resting(quirks);
	hart_hold();
	stays = seat(0, SBI_PMU_GENERAL_CYCLES, 0);
	goes = seat(1, RAW, 5);
	for (unsigned int i = 0; i < 50; i++) {
		hart_run(100);
		hart_hold();
		player_detach(goes);
		hart_run(100);
		if (i % 3 == 0)
			player_collect(stays);
		if (i % 2)
			hart_hold();
		player_seat(goes);
	}
	check(all_right(2) == 2, "who stays counts on");
	hart_arm();
	check(hart.slots.plan.busy.word[0] && fakesbi.ctr[stays->user.slot].running,
	      "and its counter runs");
	hart_hold();
	player_detach(goes);
	hart_arm();
	check(!fakesbi.ctr[3].running && fakesbi.ctr[3].configured, "one that nobody uses rests");
	sbi_pmu_slots_release_idle(&hart.slots);
	check(!fakesbi.ctr[3].configured && !fakesbi.broken, "until it is given back");
}

/* k of n sampling counters overflow: one call stops all, one starts them. */
static void test_overflow(u64 quirks)
{
	u64 calls, reads;
	struct sbi_pmu_mask fired;

	boot_resting(quirks);
	hart_hold();
	for (unsigned int i = 0; i < 5; i++) {
		struct player *p = &hart.player[i];

		player_open_idx(p, RAW, i);
		p->user.sampling = SBI_PMU_INTERRUPTED;
		p->user.left = i < 3 ? 10000 : 10000000;
		player_seat(p);
	}
	hart_run(10000);
	check(fakesbi.lcofi, "they interrupt");
	calls = hart_calls();
	reads = fakesbi.reads;
	hart_hold();
	fakesbi.lcofi = false;
	fired = sbi_pmu_slots_fired(&hart.slots, fakesbi_scountovf);
	check(sbi_pmu_mask_weight(&fired) == 3, "three have overflowed (%u)",
	      sbi_pmu_mask_weight(&fired));
	for (unsigned int i = 0; i < 3; i++)
		check(hart.player[i].user.left <= 0 &&
		      sbi_pmu_user_sampled(&hart.player[i].user, 1000000) ==
		      hart.player[i].expected, "what a sample stands for is true");
	hart_arm();
	check(hart_calls() - calls == 2 && fakesbi.reads == reads, "2 calls, 0 reads");
	check(all_right(5) == 5, "nothing is lost");
	hart_run(1000);
	hart_hold();
	fired = sbi_pmu_slots_fired(&hart.slots, fakesbi_scountovf);
	check(sbi_pmu_mask_empty(&fired), "an old sign of an overflow is none");
	hart_run(10);
	check(all_right(5) == 5 && !fakesbi.broken, "nor is anything lost by looking");
}

/* The least that can be counted is not taken for nothing. */
static void test_one(u64 quirks)
{
	unsigned int data = 0;

	while (fakesbi_rate(&(struct sbi_pmu_code){ .idx = RAW, .data = data }) != 1)
		data++;
	boot_resting(quirks);
	hart_hold();
	seat(0, RAW, data);
	for (unsigned int i = 0; i < 10; i++) {
		hart_run(i % 2);
		hart_hold();
	}
	check(all_right(1) == 1 && hart.player[0].expected == 5, "one event is one (%llu)",
	      (unsigned long long)hart.player[0].reported);
	sbi_pmu_slots_down(&hart.slots);
}

/* Firmware does not have the memory any more, and stops nothing then. */
static void test_taken(u64 quirks)
{
	boot_resting(quirks);
	hart_hold();
	seat(0, SBI_PMU_GENERAL_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, FW + 1, 0);
	hart_run(100);
	fakesbi.shmem = NULL;
	hart_hold();
	check(all_right(3) == 3 && hart.slots.lent && fakesbi.shmem,
	      "stop: it is set again, nothing lost");
	fakesbi.shmem = NULL;
	hart_run(100);
	check(all_right(3) == 3 && hart.slots.lent && fakesbi.shmem, "start: likewise");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken");
}

/* And does not take it any more. */
static void test_refused(u64 quirks)
{
	struct player *sampler = &hart.player[3];
	struct sbi_pmu_mask fired;
	u64 before;

	boot_resting(quirks);
	hart_hold();
	seat(0, SBI_PMU_GENERAL_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, FW + 1, 0);
	player_open_idx(sampler, RAW, 6);
	sampler->user.sampling = SBI_PMU_INTERRUPTED;
	sampler->user.left = 1000;
	player_seat(sampler);
	hart_run(100);
	fakesbi.shmem = NULL;
	fakesbi.lend_fails = 1;
	hart_hold();
	check(all_right(2) == 2 && !hart.slots.lent && !hart.slots.owed,
	      "counters are read one by one from here on");
	before = hart.player[2].expected;
	hart_run(100);
	check(all_right(2) == 2, "and are right");
	player_collect(&hart.player[2]);
	check(hart.player[2].reported == hart.player[2].expected - before &&
	      sbi_pmu_mask_empty(&hart.slots.forgotten),
	      "firmware's own, which it might have lost, begins anew");
	hart_run(1000);
	check(fakesbi.lcofi, "a sampler still samples");
	fakesbi.lcofi = false;
	hart.slots.held = true;
	fired = sbi_pmu_slots_fired(&hart.slots, fakesbi_scountovf);
	check(sbi_pmu_mask_test(&fired, sampler->user.slot), "its counter is found");
	hart_run(100);
	check(player_right(sampler), "its count is right");
	fakesbi.lend_fails = 0;
	sbi_pmu_slots_suspend(&hart.slots);
	sbi_pmu_slots_resume(&hart.slots);
	hart_arm();
	check(hart.slots.lent, "when the hart wakes it is tried again");
	hart_run(100);
	hart_hold();
	check(all_right(2) == 2, "nothing lost");
	fakesbi.shmem = NULL;
	fakesbi.lend_fails = 1;
	hart_run(100);
	check(!hart.slots.lent && !hart.slots.owed, "lost while nothing runs: likewise");
	check(all_right(2) == 2, "and nothing lost");
	fakesbi.lend_fails = 0;
	sbi_pmu_slots_suspend(&hart.slots);
	sbi_pmu_slots_resume(&hart.slots);
	fakesbi.lend_fails = 1;
	sbi_pmu_slots_down(&hart.slots);
	check(hart.slots.owed && fakesbi.shmem, "what firmware keeps is still owed");
	fakesbi.lend_fails = 0;
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

/* It forgets all: what has been counted since the last look is lost, and no more. */
static void test_forgotten(u64 quirks)
{
	u64 before[4];

	boot_resting(quirks);
	hart_hold();
	seat(0, SBI_PMU_GENERAL_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, FW + 1, 0);
	seat(3, FW + 2, 0);
	hart_run(100);
	hart_hold();
	check(all_right(4) == 4, "all count");
	hart_arm();
	fakesbi_restart();
	hart_hold();
	for (unsigned int i = 0; i < 4; i++) {
		player_collect(&hart.player[i]);
		before[i] = hart.player[i].expected;
		check(hart.player[i].reported == before[i], "nothing is made up");
	}
	hart_run(100);
	hart_hold();
	check(all_right(4) == 4 && sbi_pmu_mask_empty(&hart.slots.forgotten), "and all go on");
	fakesbi_restart();
	hart_arm();
	hart_run(100);
	hart_hold();
	player_collect(&hart.player[0]);
	check(hart.player[0].reported == 2 * before[0], "forgotten at rest: one look is lost");
	hart_arm();
	before[0] = hart.player[0].expected;
	hart_run(100);
	hart_hold();
	player_collect(&hart.player[0]);
	check(hart.player[0].reported > 2 * before[0] / 3, "then it goes on");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet(), "nothing is left");
}

/* An error of one counter says nothing of the others. */
static void test_error(u64 quirks)
{
	boot_resting(quirks);
	hart_hold();
	seat(0, SBI_PMU_GENERAL_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, RAW, 6);
	hart_run(100);
	fakesbi.ctr[hart.player[1].user.slot].running = false;
	hart_hold();
	check(all_right(3) == 3, "one that stood still: the others are told of");
	hart_run(100);
	hart_hold();
	check(all_right(3) == 3, "and all go on");
	fakesbi.start_fails = 1;
	hart_arm();
	check(hart.lost == 3 && quiet(), "none can be started: all are given back");
	fakesbi.start_fails = 0;
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

void test_reading(void)
{
	for (unsigned int kind = 0; kind < BOTH; kind++) {
		printf("# %s\n", kinds[kind].name);
		test_switch(kinds[kind].quirks);
		test_stays(kinds[kind].quirks);
		test_overflow(kinds[kind].quirks);
		test_one(kinds[kind].quirks);
		test_taken(kinds[kind].quirks);
		test_refused(kinds[kind].quirks);
		test_forgotten(kinds[kind].quirks);
		test_error(kinds[kind].quirks);
	}
}
