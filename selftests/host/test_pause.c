// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pause: while events are changed, and while samples are taken, delegated counters stand
 * still, so that the events of a group start and stop together.
 */
#include "test.h"

static void boot_delegated(void)
{
	fakesbi_reset(4, 2, 64);
	fakesbi_delegate(true);
	fakesbi.ctr[0].running = true;
	cpu_boot_mode(DELEGATED);
}

/* Open a group of five: one samples, cycle and instret have two of the others. */
static bool open_group(struct tracked *t)
{
	bool ok = tracked_open_idx(t, RAW, 5) &&
		  tracked_open_idx(t + 1, SBI_PMU_HW_CPU_CYCLES, 0) &&
		  tracked_open_idx(t + 2, SBI_PMU_HW_INSTRUCTIONS, 0) &&
		  tracked_open_idx(t + 3, RAW, 7) && tracked_open_idx(t + 4, RAW, 9);

	t->event.sampling = SBI_PMU_BY_INTERRUPT;
	t->event.period.left = INT32_MAX;
	return ok;
}

/* Put the events on the CPU as perf core does, or take them off. That takes time. */
static void switch_group(struct tracked *t, bool on)
{
	cpu_disable();
	for (unsigned int i = 0; i < 5; i++) {
		fakesbi_run(10);
		if (on)
			require(tracked_add_start(&t[i]), "pause.group");
		else
			tracked_del(&t[i]);
	}
	fakesbi_run(10);
	cpu_enable();
}

/* The events of a group start together and stop together. */
static void test_group(void)
{
	struct tracked *t = &cpu.tracked[0];
	unsigned int writes;
	u64 calls;

	boot_delegated();
	require(open_group(t), "pause.group");
	/* Idle counters, which count on, stand still for those that are added to them. */
	for (unsigned int round = 0; round < 3; round++) {
		writes = fakesbi.inhibit_writes;
		calls = cpu_calls();
		switch_group(t, true);
		cpu_run(1000);
		switch_group(t, false);
		fakesbi_run(500);
		for (unsigned int i = 0; i < 5; i++)
			check(is_count_right(&t[i]),
			      "pause.event_%u_counts_as_long_as_its_group_in_round_%u", i, round);
	}
	check(fakesbi.inhibit_writes - writes == 4,
	      "pause.group_starts_and_stops_by_one_write_each");
	check(cpu_calls() == calls, "pause.group_makes_no_call");
	sbi_pmu_counters_release_idle(&cpu.counters);
	writes = fakesbi.inhibit_writes;
	cpu_disable();
	cpu_enable();
	check(fakesbi.inhibit_writes == writes, "pause.nothing_is_written_without_counters");
	sbi_pmu_counters_offline(&cpu.counters);
	check_rules("pause.group");
}

/* What is stopped or started in a pause is so after it, and not before. */
static void test_changes(void)
{
	struct tracked *t = &cpu.tracked[0];
	u64 three = mask_of(3);

	boot_delegated();
	for (unsigned int i = 0; i < 3; i++)
		require(tracked_open_idx(&t[i], RAW, i + 1) && tracked_add_start(&t[i]),
			"pause.changes");
	require(tracked_open_idx(&t[3], SBI_PMU_HW_CPU_CYCLES, 0) && tracked_add_start(&t[3]) &&
			t[0].event.counter == 3 && t[3].event.counter == 0,
		"pause.changes");
	cpu_run(1000);
	cpu_disable();
	check(!fakesbi.ctr[0].running && !fakesbi.ctr[3].running && !fakesbi.ctr[5].running,
	      "pause.all_counters_stop");
	tracked_del(&t[1]);
	tracked_del(&t[3]);
	sbi_pmu_counters_release_idle(&cpu.counters);
	check(fakesbi.ctr[0].running, "pause.cycle_runs_when_released_in_a_pause");
	sbi_pmu_counters_stop(&cpu.counters, three);
	check(tracked_add_start(&t[3]) && !fakesbi.ctr[0].running,
	      "pause.cycle_is_stopped_when_configured_in_a_pause");
	fakesbi_run(100);
	cpu_enable();
	check(fakesbi.ctr[0].running && fakesbi.ctr[3].running && fakesbi.ctr[5].running &&
		      !fakesbi.ctr[4].running,
	      "pause.what_was_released_in_a_pause_does_not_run");
	cpu_run(1000);
	for (unsigned int i = 0; i < 4; i++)
		check(is_count_right(&t[i]), "pause.count_%u_is_right_after_a_pause", i);
	sbi_pmu_counters_offline(&cpu.counters);
	check_rules("pause.changes");
}

/* A counter overflows just before a pause, and its interrupt comes after it. */
static void test_pending(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	struct tracked *sampler = &cpu.tracked[0], *other = &cpu.tracked[1];
	u64 fired;

	boot_delegated();
	require(tracked_open_idx(sampler, RAW, 5) && tracked_open_idx(other, RAW, 7),
		"pause.pending");
	sampler->event.sampling = SBI_PMU_BY_INTERRUPT;
	sampler->event.period.left = 1000 * rate;
	require(tracked_add_start(sampler), "pause.pending");
	cpu_run(1001);
	require(fakesbi.lcofi, "pause.pending");
	cpu_disable();
	require(tracked_add_start(other), "pause.pending");
	cpu_enable();
	check(fakesbi.lcofi, "pause.interrupt_before_a_pause_comes_after_it");
	fakesbi.lcofi = false;
	cpu_disable();
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_overflow,
						 SPEC_CSR_SCOUNTOVF);
	check(has_counter(fired, sampler->event.counter) &&
		      sbi_pmu_period_sampled(&sampler->event.period, 1000 * rate),
	      "pause.overflow_before_a_pause_is_sampled_after_it");
	cpu_enable();
	cpu_run(1000);
	check(is_count_right(sampler) && is_count_right(other) && fakesbi.lcofi,
	      "pause.next_overflow_comes_after_a_pause");
	sbi_pmu_counters_offline(&cpu.counters);
}

static int fails(u32 counters)
{
	(void)counters;
	return -ENXIO;
}

/* Counters that do not start after a pause do so after the next. */
static void test_start_fails(void)
{
	const struct sbi_pmu_delegated *works;
	struct sbi_pmu_delegated broken;
	struct tracked *t = &cpu.tracked[0];

	boot_delegated();
	works = cpu.counters.backend.delegated;
	broken = *works;
	broken.start = fails;
	require(tracked_open_idx(t, RAW, 5) && tracked_add_start(t), "pause.start_fails");
	cpu_run(1000);
	cpu_disable();
	cpu.counters.backend.delegated = &broken;
	cpu_enable();
	cpu.counters.backend.delegated = works;
	fakesbi_run(100);
	cpu_run(1000);
	check(is_count_right(t), "pause.counter_that_did_not_start_does_so_later");
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_pause(void)
{
	test_group();
	test_changes();
	test_pending();
	test_start_fails();
}
