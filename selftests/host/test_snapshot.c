// SPDX-License-Identifier: GPL-2.0-only
/* test_snapshot: counters that firmware saves to and starts from the snapshot shared memory. */
#include "test.h"

/* In the older version each read returns the total added to the previous result. */
static const struct firmware {
	const char *name;
	u64 quirks;
} firmwares[] = { { "kvm", KVM }, { "kvm_6_12", KVM_OLD } };

/* The one that is tested */
static const struct firmware *fw;

/* Report a result of this firmware. */
static void check_fw(bool ok, const char *name)
{
	check(ok, "snapshot.%s_%s", fw->name, name);
}

static void check_fw_rules(const char *test)
{
	char name[64];

	snprintf(name, sizeof(name), "snapshot.%s_%s", fw->name, test);
	check_rules(name);
}

static void boot_snapshot(void)
{
	fakesbi_reset(8, 4, 48);
	fakesbi.quirks = fw->quirks;
	fakesbi.sscofpmf = true;
	cpu_boot_mode(SNAPSHOT);
}

static struct tracked *open_start(unsigned int n, u32 idx, u64 data)
{
	struct tracked *p = &cpu.tracked[n];

	require(tracked_open_idx(p, idx, data) && tracked_add_start(p), "snapshot.event");
	return p;
}

static struct tracked *open_sampler(unsigned int n, u64 data, u64 period)
{
	struct tracked *p = &cpu.tracked[n];

	tracked_open_idx(p, RAW, data);
	p->event.sampling = SBI_PMU_BY_INTERRUPT;
	p->event.period.left = period;
	tracked_add_start(p);
	return p;
}

/* Return: number of the first @n events that have counted, and correctly */
static unsigned int counts_right(unsigned int n)
{
	unsigned int right = 0;

	for (unsigned int i = 0; i < n; i++)
		right += is_count_right(&cpu.tracked[i]) && cpu.tracked[i].reported;
	return right;
}

/* Return: firmware does not have the shared memory, and cannot have it. */
static bool shmem_unused(void)
{
	return !cpu.counters.backend.shmem.registered &&
	       !cpu.counters.backend.shmem.may_be_registered;
}

/* A context switch makes two calls, whatever the number of events, and no reads. */
static void test_context_switch(void)
{
	static const u32 events[] = {
		SBI_PMU_HW_CPU_CYCLES, SBI_PMU_HW_INSTRUCTIONS, RAW, RAW, RAW, FW + 1, FW + 2, RAW
	};
	u64 calls, reads;

	for (unsigned int n = 1; n <= ARRAY_SIZE(events); n++) {
		boot_snapshot();
		cpu_disable();
		for (unsigned int i = 0; i < n; i++)
			open_start(i, events[i], events[i] == RAW ? i : 0);
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
		note("%u events: %llu calls, %llu reads", n,
		     (unsigned long long)(cpu_calls() - calls),
		     (unsigned long long)(fakesbi.reads - reads));
		check(cpu_calls() - calls == 2 && fakesbi.reads == reads,
		      "snapshot.%s_switch_of_%u_events_makes_two_calls", fw->name, n);
		check(counts_right(n) == n, "snapshot.%s_switch_of_%u_events_keeps_counts",
		      fw->name, n);
		sbi_pmu_counters_offline(&cpu.counters);
		note_broken_rule();
		check(is_all_released() && !fakesbi.shmem && shmem_unused() && !fakesbi.broken,
		      "snapshot.%s_switch_of_%u_events_releases_all", fw->name, n);
	}
}

/* An event that counts while others are added and deleted is stopped and started with them. */
static void test_other_events(void)
{
	struct tracked *stays, *changes;

	boot_snapshot();
	cpu_disable();
	stays = open_start(0, SBI_PMU_HW_CPU_CYCLES, 0);
	changes = open_start(1, RAW, 5);
	for (unsigned int i = 0; i < 50; i++) {
		cpu_run(100);
		cpu_disable();
		tracked_del(changes);
		cpu_run(100);
		if (i % 3 == 0)
			tracked_collect(stays);
		if (i % 2)
			cpu_disable();
		tracked_add_start(changes);
	}
	check_fw(counts_right(2) == 2, "changes_of_other_events_keep_counts");
	cpu_enable();
	check_fw(cpu.counters.plan.busy && fakesbi.ctr[stays->event.counter].running,
		 "changes_of_other_events_restart_counter");
	cpu_disable();
	tracked_del(changes);
	cpu_enable();
	check_fw(!fakesbi.ctr[3].running && fakesbi.ctr[3].configured,
		 "idle_counter_is_stopped_and_configured");
	sbi_pmu_counters_release_idle(&cpu.counters);
	check_fw(!fakesbi.ctr[3].configured && !fakesbi.broken, "idle_counter_is_released");
}

/* Some sampling counters overflow: one call stops all counters, one starts them. */
static void test_overflow(void)
{
	u64 calls, reads;
	u64 fired;

	boot_snapshot();
	cpu_disable();
	for (unsigned int i = 0; i < 5; i++)
		open_sampler(i, i, i < 3 ? 10000 : 10000000);
	cpu_run(10000);
	check_fw(fakesbi.lcofi, "overflow_interrupts");
	calls = cpu_calls();
	reads = fakesbi.reads;
	cpu_disable();
	fakesbi.lcofi = false;
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_overflow,
						 SPEC_CSR_SCOUNTOVF);
	note("%u counters have overflowed", hweight64(fired));
	check_fw(hweight64(fired) == 3, "overflow_finds_counters");
	for (unsigned int i = 0; i < 3; i++) {
		struct sbi_pmu_period *period = &cpu.tracked[i].event.period;

		check(period->left <= 0 &&
			      sbi_pmu_period_sampled(period, 1000000) == cpu.tracked[i].expected,
		      "snapshot.%s_overflow_of_counter_%u_accounts_for_all_events", fw->name, i);
	}
	cpu_enable();
	note("%llu calls, %llu reads", (unsigned long long)(cpu_calls() - calls),
	     (unsigned long long)(fakesbi.reads - reads));
	check_fw(cpu_calls() - calls == 2 && fakesbi.reads == reads, "overflow_makes_two_calls");
	check_fw(counts_right(5) == 5, "overflow_keeps_counts");
	cpu_run(1000);
	cpu_disable();
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_overflow,
						 SPEC_CSR_SCOUNTOVF);
	check_fw(!fired, "stale_overflow_bit_is_ignored");
	cpu_run(10);
	check_fw(counts_right(5) == 5 && !fakesbi.broken, "stale_overflow_bit_loses_no_count");
}

/* A count of one is not mistaken for a counter that has not counted. */
static void test_count_of_one(void)
{
	unsigned int data = 0;

	while (fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = data }) != 1)
		data++;
	boot_snapshot();
	cpu_disable();
	open_start(0, RAW, data);
	for (unsigned int i = 0; i < 10; i++) {
		cpu_run(i % 2);
		cpu_disable();
	}
	note("count %llu", (unsigned long long)cpu.tracked[0].reported);
	check_fw(counts_right(1) == 1 && cpu.tracked[0].expected == 5, "single_events_are_counted");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Firmware has dropped the shared memory, so a call that needs it stops or starts nothing. */
static void test_dropped_shmem(void)
{
	boot_snapshot();
	cpu_disable();
	open_start(0, SBI_PMU_HW_CPU_CYCLES, 0);
	open_start(1, RAW, 4);
	open_start(2, FW + 1, 0);
	cpu_run(100);
	fakesbi.shmem = NULL;
	cpu_disable();
	check_fw(counts_right(3) == 3 && cpu.counters.backend.shmem.registered && fakesbi.shmem,
		 "dropped_shmem_is_registered_again_at_stop");
	fakesbi.shmem = NULL;
	cpu_run(100);
	check_fw(counts_right(3) == 3 && cpu.counters.backend.shmem.registered && fakesbi.shmem,
		 "dropped_shmem_is_registered_again_at_start");
	sbi_pmu_counters_offline(&cpu.counters);
	check_fw(is_all_released() && !fakesbi.broken, "dropped_shmem_releases_all");
}

/* Firmware has dropped the shared memory and refuses to register it again. */
static void test_refused_shmem(void)
{
	struct tracked *sampler;
	u64 fired;
	u64 before;

	boot_snapshot();
	cpu_disable();
	open_start(0, SBI_PMU_HW_CPU_CYCLES, 0);
	open_start(1, RAW, 4);
	open_start(2, FW + 1, 0);
	sampler = open_sampler(3, 6, 1000);
	cpu_run(100);
	fakesbi.shmem = NULL;
	fakesbi.shmem_fails = 1;
	cpu_disable();
	check_fw(counts_right(2) == 2 && shmem_unused(), "refused_shmem_reads_each_counter");
	before = cpu.tracked[2].expected;
	cpu_run(100);
	check_fw(counts_right(2) == 2, "refused_shmem_keeps_counts");
	tracked_collect(&cpu.tracked[2]);
	check_fw(cpu.tracked[2].reported == cpu.tracked[2].expected - before &&
			 !cpu.counters.in[SBI_PMU_LOST],
		 "refused_shmem_restarts_firmware_counter_from_zero");
	cpu_run(1000);
	check_fw(fakesbi.lcofi, "refused_shmem_still_interrupts");
	fakesbi.lcofi = false;
	cpu.counters.disabled = true;
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_overflow,
						 SPEC_CSR_SCOUNTOVF);
	check_fw(has_counter(fired, sampler->event.counter),
		 "refused_shmem_finds_overflowed_counter");
	cpu_run(100);
	check_fw(is_count_right(sampler), "refused_shmem_keeps_count_of_sampler");
	fakesbi.shmem_fails = 0;
	sbi_pmu_counters_suspend(&cpu.counters);
	sbi_pmu_counters_resume(&cpu.counters);
	cpu_enable();
	check_fw(cpu.counters.backend.shmem.registered, "resume_registers_shmem_again");
	cpu_run(100);
	cpu_disable();
	check_fw(counts_right(2) == 2, "resume_with_shmem_keeps_counts");
	fakesbi.shmem = NULL;
	fakesbi.shmem_fails = 1;
	cpu_run(100);
	check_fw(shmem_unused(), "shmem_dropped_while_stopped_is_unused");
	check_fw(counts_right(2) == 2, "shmem_dropped_while_stopped_keeps_counts");
	fakesbi.shmem_fails = 0;
	sbi_pmu_counters_suspend(&cpu.counters);
	sbi_pmu_counters_resume(&cpu.counters);
	fakesbi.shmem_fails = 1;
	sbi_pmu_counters_offline(&cpu.counters);
	check_fw(cpu.counters.backend.shmem.may_be_registered && fakesbi.shmem,
		 "shmem_may_be_registered_after_refused_unregistration");
	fakesbi.shmem_fails = 0;
	check_fw_rules("refused_shmem");
}

/* Firmware loses all its state: only the counts since the last update are lost. */
static void test_lost_state(void)
{
	static const char * const names[] = { "cycles", "raw", "firmware_1", "firmware_2" };
	u64 before[4];

	boot_snapshot();
	cpu_disable();
	open_start(0, SBI_PMU_HW_CPU_CYCLES, 0);
	open_start(1, RAW, 4);
	open_start(2, FW + 1, 0);
	open_start(3, FW + 2, 0);
	cpu_run(100);
	cpu_disable();
	check_fw(counts_right(4) == 4, "counts_are_correct_before_state_is_lost");
	cpu_enable();
	fakesbi_restart();
	cpu_disable();
	for (unsigned int i = 0; i < 4; i++) {
		tracked_collect(&cpu.tracked[i]);
		before[i] = cpu.tracked[i].expected;
		check(cpu.tracked[i].reported == before[i],
		      "snapshot.%s_lost_state_keeps_count_of_%s", fw->name, names[i]);
	}
	cpu_run(100);
	cpu_disable();
	check_fw(counts_right(4) == 4 && !cpu.counters.in[SBI_PMU_LOST],
		 "counting_continues_after_lost_state");
	fakesbi_restart();
	cpu_enable();
	cpu_run(100);
	cpu_disable();
	tracked_collect(&cpu.tracked[0]);
	check_fw(cpu.tracked[0].reported == 2 * before[0],
		 "state_lost_while_stopped_loses_one_interval");
	cpu_enable();
	before[0] = cpu.tracked[0].expected;
	cpu_run(100);
	cpu_disable();
	tracked_collect(&cpu.tracked[0]);
	check_fw(cpu.tracked[0].reported > 2 * before[0] / 3,
		 "counting_continues_after_state_lost_while_stopped");
	sbi_pmu_counters_offline(&cpu.counters);
	check_fw(is_all_released(), "lost_state_releases_all");
}

/* An error of one counter does not affect the others. */
static void test_counter_error(void)
{
	boot_snapshot();
	cpu_disable();
	open_start(0, SBI_PMU_HW_CPU_CYCLES, 0);
	open_start(1, RAW, 4);
	open_start(2, RAW, 6);
	cpu_run(100);
	fakesbi.ctr[cpu.tracked[1].event.counter].running = false;
	cpu_disable();
	check_fw(counts_right(3) == 3, "stopped_counter_does_not_affect_other_counts");
	cpu_run(100);
	cpu_disable();
	check_fw(counts_right(3) == 3, "stopped_counter_is_started_with_others");
	fakesbi.start_fails = 1;
	cpu_enable();
	check_fw(cpu.lost == 3 && is_all_released(), "counters_that_do_not_start_are_released");
	fakesbi.start_fails = 0;
	check_fw_rules("counter_error");
}

void test_snapshot(void)
{
	for (fw = firmwares; fw < firmwares + ARRAY_SIZE(firmwares); fw++) {
		test_context_switch();
		test_other_events();
		test_overflow();
		test_count_of_one();
		test_dropped_shmem();
		test_refused_shmem();
		test_lost_state();
		test_counter_error();
	}
}
