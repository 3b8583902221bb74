// SPDX-License-Identifier: GPL-2.0-only
/* test_snapshot: counters that are told of all at once, through the snapshot memory. */
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
	cpu_boot_mode(SNAPSHOT);
}

static struct tracked *seat(unsigned int n, u32 idx, u64 data)
{
	struct tracked *p = &cpu.tracked[n];

	if (!tracked_open_idx(p, idx, data) || !tracked_add_start(p))
		check(false, "%#x/%llu has a counter", idx, (unsigned long long)data);
	return p;
}

static unsigned int all_right(unsigned int n)
{
	unsigned int right = 0;

	for (unsigned int i = 0; i < n; i++)
		right += tracked_right(&cpu.tracked[i]) && cpu.tracked[i].reported;
	return right;
}

/* A task goes and comes back: two calls, whatever it counts, and no reads. */
static void test_switch(u64 quirks)
{
	static const u32 events[] = { SBI_PMU_HW_CPU_CYCLES, SBI_PMU_HW_INSTRUCTIONS,
				      RAW, RAW, RAW, FW + 1, FW + 2, RAW };
	u64 calls, reads;

	for (unsigned int n = 1; n <= ARRAY_SIZE(events); n++) {
		boot_resting(quirks);
		cpu_disable();
		for (unsigned int i = 0; i < n; i++)
			seat(i, events[i], events[i] == RAW ? i : 0);
		cpu_run(1000);
		calls = cpu_calls();
		reads = fakesbi.reads;
		cpu_disable();
		for (unsigned int i = 0; i < n; i++)
			tracked_del(&cpu.tracked[i]);
		cpu_run(1000);
		cpu_disable();
		for (unsigned int i = 0; i < n; i++)
			tracked_add_start(&cpu.tracked[i]);
		cpu_run(1000);
		check(cpu_calls() - calls == 2 && fakesbi.reads == reads,
		      "a switch with %u events: %llu calls, %llu reads", n,
		      (unsigned long long)(cpu_calls() - calls),
		      (unsigned long long)(fakesbi.reads - reads));
		check(all_right(n) == n, "and all counts are right");
		sbi_pmu_counters_offline(&cpu.counters);
		check(quiet() && !fakesbi.shmem && !cpu.counters.backend.shmem.registered && !cpu.counters.backend.shmem.may_be_registered &&
		      !fakesbi.broken,
		      "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
	}
}

/* Who counts while others come and go is stopped for them, and started again. */
static void test_stays(u64 quirks)
{
	struct tracked *stays, *goes;

	boot_resting(quirks);
	cpu_disable();
	stays = seat(0, SBI_PMU_HW_CPU_CYCLES, 0);
	goes = seat(1, RAW, 5);
	for (unsigned int i = 0; i < 50; i++) {
		cpu_run(100);
		cpu_disable();
		tracked_del(goes);
		cpu_run(100);
		if (i % 3 == 0)
			tracked_collect(stays);
		if (i % 2)
			cpu_disable();
		tracked_add_start(goes);
	}
	check(all_right(2) == 2, "who stays counts on");
	cpu_enable();
	check(cpu.counters.plan.busy.bits[0] && fakesbi.ctr[stays->event.counter].running,
	      "and its counter runs");
	cpu_disable();
	tracked_del(goes);
	cpu_enable();
	check(!fakesbi.ctr[3].running && fakesbi.ctr[3].configured, "one that nobody uses rests");
	sbi_pmu_counters_release_idle(&cpu.counters);
	check(!fakesbi.ctr[3].configured && !fakesbi.broken, "until it is given back");
}

/* k of n sampling counters overflow: one call stops all, one starts them. */
static void test_overflow(u64 quirks)
{
	u64 calls, reads;
	struct sbi_pmu_mask fired;

	boot_resting(quirks);
	cpu_disable();
	for (unsigned int i = 0; i < 5; i++) {
		struct tracked *p = &cpu.tracked[i];

		tracked_open_idx(p, RAW, i);
		p->event.sampling = SBI_PMU_BY_INTERRUPT;
		p->event.period.left = i < 3 ? 10000 : 10000000;
		tracked_add_start(p);
	}
	cpu_run(10000);
	check(fakesbi.lcofi, "they interrupt");
	calls = cpu_calls();
	reads = fakesbi.reads;
	cpu_disable();
	fakesbi.lcofi = false;
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_scountovf);
	check(sbi_pmu_mask_weight(&fired) == 3, "three have overflowed (%u)",
	      sbi_pmu_mask_weight(&fired));
	for (unsigned int i = 0; i < 3; i++)
		check(cpu.tracked[i].event.period.left <= 0 &&
		      sbi_pmu_period_sampled(&cpu.tracked[i].event.period, 1000000) ==
		      cpu.tracked[i].expected, "what a sample stands for is true");
	cpu_enable();
	check(cpu_calls() - calls == 2 && fakesbi.reads == reads, "2 calls, 0 reads");
	check(all_right(5) == 5, "nothing is lost");
	cpu_run(1000);
	cpu_disable();
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_scountovf);
	check(sbi_pmu_mask_empty(&fired), "an old sign of an overflow is none");
	cpu_run(10);
	check(all_right(5) == 5 && !fakesbi.broken, "nor is anything lost by looking");
}

/* The least that can be counted is not taken for nothing. */
static void test_one(u64 quirks)
{
	unsigned int data = 0;

	while (fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = data }) != 1)
		data++;
	boot_resting(quirks);
	cpu_disable();
	seat(0, RAW, data);
	for (unsigned int i = 0; i < 10; i++) {
		cpu_run(i % 2);
		cpu_disable();
	}
	check(all_right(1) == 1 && cpu.tracked[0].expected == 5, "one event is one (%llu)",
	      (unsigned long long)cpu.tracked[0].reported);
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Firmware does not have the memory any more, and stops nothing then. */
static void test_taken(u64 quirks)
{
	boot_resting(quirks);
	cpu_disable();
	seat(0, SBI_PMU_HW_CPU_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, FW + 1, 0);
	cpu_run(100);
	fakesbi.shmem = NULL;
	cpu_disable();
	check(all_right(3) == 3 && cpu.counters.backend.shmem.registered && fakesbi.shmem,
	      "stop: it is set again, nothing lost");
	fakesbi.shmem = NULL;
	cpu_run(100);
	check(all_right(3) == 3 && cpu.counters.backend.shmem.registered && fakesbi.shmem, "start: likewise");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "no rule broken");
}

/* And does not take it any more. */
static void test_refused(u64 quirks)
{
	struct tracked *sampler = &cpu.tracked[3];
	struct sbi_pmu_mask fired;
	u64 before;

	boot_resting(quirks);
	cpu_disable();
	seat(0, SBI_PMU_HW_CPU_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, FW + 1, 0);
	tracked_open_idx(sampler, RAW, 6);
	sampler->event.sampling = SBI_PMU_BY_INTERRUPT;
	sampler->event.period.left = 1000;
	tracked_add_start(sampler);
	cpu_run(100);
	fakesbi.shmem = NULL;
	fakesbi.lend_fails = 1;
	cpu_disable();
	check(all_right(2) == 2 && !cpu.counters.backend.shmem.registered && !cpu.counters.backend.shmem.may_be_registered,
	      "counters are read one by one from here on");
	before = cpu.tracked[2].expected;
	cpu_run(100);
	check(all_right(2) == 2, "and are right");
	tracked_collect(&cpu.tracked[2]);
	check(cpu.tracked[2].reported == cpu.tracked[2].expected - before &&
	      sbi_pmu_mask_empty(&cpu.counters.in[SBI_PMU_LOST]),
	      "firmware's own, which it might have lost, begins anew");
	cpu_run(1000);
	check(fakesbi.lcofi, "a sampler still samples");
	fakesbi.lcofi = false;
	cpu.counters.disabled = true;
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_scountovf);
	check(sbi_pmu_mask_test(&fired, sampler->event.counter), "its counter is found");
	cpu_run(100);
	check(tracked_right(sampler), "its count is right");
	fakesbi.lend_fails = 0;
	sbi_pmu_counters_suspend(&cpu.counters);
	sbi_pmu_counters_resume(&cpu.counters);
	cpu_enable();
	check(cpu.counters.backend.shmem.registered, "when the hart wakes it is tried again");
	cpu_run(100);
	cpu_disable();
	check(all_right(2) == 2, "nothing lost");
	fakesbi.shmem = NULL;
	fakesbi.lend_fails = 1;
	cpu_run(100);
	check(!cpu.counters.backend.shmem.registered && !cpu.counters.backend.shmem.may_be_registered, "lost while nothing runs: likewise");
	check(all_right(2) == 2, "and nothing lost");
	fakesbi.lend_fails = 0;
	sbi_pmu_counters_suspend(&cpu.counters);
	sbi_pmu_counters_resume(&cpu.counters);
	fakesbi.lend_fails = 1;
	sbi_pmu_counters_offline(&cpu.counters);
	check(cpu.counters.backend.shmem.may_be_registered && fakesbi.shmem, "what firmware keeps is still owed");
	fakesbi.lend_fails = 0;
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

/* It forgets all: what has been counted since the last look is lost, and no more. */
static void test_forgotten(u64 quirks)
{
	u64 before[4];

	boot_resting(quirks);
	cpu_disable();
	seat(0, SBI_PMU_HW_CPU_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, FW + 1, 0);
	seat(3, FW + 2, 0);
	cpu_run(100);
	cpu_disable();
	check(all_right(4) == 4, "all count");
	cpu_enable();
	fakesbi_restart();
	cpu_disable();
	for (unsigned int i = 0; i < 4; i++) {
		tracked_collect(&cpu.tracked[i]);
		before[i] = cpu.tracked[i].expected;
		check(cpu.tracked[i].reported == before[i], "nothing is made up");
	}
	cpu_run(100);
	cpu_disable();
	check(all_right(4) == 4 && sbi_pmu_mask_empty(&cpu.counters.in[SBI_PMU_LOST]), "and all go on");
	fakesbi_restart();
	cpu_enable();
	cpu_run(100);
	cpu_disable();
	tracked_collect(&cpu.tracked[0]);
	check(cpu.tracked[0].reported == 2 * before[0], "forgotten at rest: one look is lost");
	cpu_enable();
	before[0] = cpu.tracked[0].expected;
	cpu_run(100);
	cpu_disable();
	tracked_collect(&cpu.tracked[0]);
	check(cpu.tracked[0].reported > 2 * before[0] / 3, "then it goes on");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet(), "nothing is left");
}

/* An error of one counter says nothing of the others. */
static void test_error(u64 quirks)
{
	boot_resting(quirks);
	cpu_disable();
	seat(0, SBI_PMU_HW_CPU_CYCLES, 0);
	seat(1, RAW, 4);
	seat(2, RAW, 6);
	cpu_run(100);
	fakesbi.ctr[cpu.tracked[1].event.counter].running = false;
	cpu_disable();
	check(all_right(3) == 3, "one that stood still: the others are told of");
	cpu_run(100);
	cpu_disable();
	check(all_right(3) == 3, "and all go on");
	fakesbi.start_fails = 1;
	cpu_enable();
	check(cpu.lost == 3 && quiet(), "none can be started: all are given back");
	fakesbi.start_fails = 0;
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

void test_snapshot(void)
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
