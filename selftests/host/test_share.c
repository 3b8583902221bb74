// SPDX-License-Identifier: GPL-2.0-only
/* test_share: which events share a counter, and reads from within calls to firmware. */
#include "test.h"

/*
 * A counting event takes the fixed counter on which nothing counts, and not the programmable
 * one of a sampler. Without such a counter they share.
 */
static void test_fixed_beside_sampler(void)
{
	struct tracked *sampler = &cpu.tracked[0], *a = sampler + 1, *b = sampler + 2;
	u64 before;

	boot(4, 0, 64);
	fakesbi.sscofpmf = true;
	require(tracked_open_idx(sampler, SBI_PMU_HW_CPU_CYCLES, 0) &&
			tracked_open_idx(a, SBI_PMU_HW_CPU_CYCLES, 0) &&
			tracked_open_idx(b, SBI_PMU_HW_CPU_CYCLES, 0),
		"share.fixed_beside_sampler");
	sampler->event.candidates = cpu.inv.programmable;
	sampler->event.sampling = SBI_PMU_BY_INTERRUPT;
	sampler->event.period.left = 1ULL << 40;
	tracked_add_start(sampler);
	tracked_add_start(a);
	tracked_add_start(b);
	cpu_run(1000);
	check(sampler->event.counter == 3 && a->event.counter == 0 && b->event.counter == 0,
	      "share.counting_event_takes_fixed_counter_beside_sampler");
	check(is_count_right(sampler) && is_count_right(a) && is_count_right(b),
	      "share.fixed_counter_beside_sampler_counts");
	tracked_del(a);
	tracked_del(b);
	cpu_run(10);
	before = cpu_calls();
	tracked_add_start(b);
	tracked_add_start(a);
	check(cpu_calls() == before && a->event.counter == 0 && b->event.counter == 0,
	      "share.counting_event_comes_back_without_call");
	tracked_del(a);
	a->event.candidates = cpu.inv.programmable;
	tracked_add_start(a);
	check(a->event.counter == sampler->event.counter,
	      "share.equal_events_share_programmable_counter");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("share.fixed_beside_sampler");
}

/* Equal events share a counter up to a limit; the next one waits, others do not. */
static void test_sharing_limit(void)
{
	static struct sbi_pmu_event event[SBI_PMU_EVENTS_PER_COUNTER + 1];
	struct sbi_pmu_event * const last = &event[SBI_PMU_EVENTS_PER_COUNTER];
	struct sbi_pmu_event_code code = { .idx = RAW, .data = 1 };
	u64 candidates;
	static struct sbi_pmu_plan plan;
	unsigned int added = 0, planned = 0;

	boot(4, 0, 64);
	candidates = cpu_candidates(&code);
	for (unsigned int i = 0; i < ARRAY_SIZE(event); i++) {
		sbi_pmu_event_init(&event[i], &code, candidates);
		added += !sbi_pmu_event_add(&cpu.counters, &event[i]);
		planned += sbi_pmu_plan_add(&plan, &cpu.inv, &code, candidates);
	}
	check(added == SBI_PMU_EVENTS_PER_COUNTER && last->counter == SBI_PMU_NO_COUNTER,
	      "share.sharing_of_a_counter_has_a_limit");
	check(planned == SBI_PMU_EVENTS_PER_COUNTER, "share.group_has_the_same_limit");
	code.data = 2;
	sbi_pmu_event_init(last, &code, candidates);
	check(!sbi_pmu_event_add(&cpu.counters, last),
	      "share.other_event_fits_beside_full_counter");
	sbi_pmu_event_del(&cpu.counters, last);
	sbi_pmu_event_del(&cpu.counters, &event[0]);
	sbi_pmu_event_init(last, &event[1].code, candidates);
	check(!sbi_pmu_event_add(&cpu.counters, last) && last->counter == event[1].counter,
	      "share.counter_below_limit_is_shared_again");
	cpu.counters.fixed_alike = true;
	check(sbi_pmu_event_add(&cpu.counters, &event[0]) == -ENOSPC,
	      "share.event_does_not_return_to_full_counter");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Each call is traced, and the trace reads an event: a group read, or a BPF program. */
static struct sbiret traced_call(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	const struct sbiret ret = fakesbi_call(fid, arg);
	static bool in_trace; /* the kernel does not trace what a trace does */

	if (in_trace)
		return ret;
	in_trace = true;
	/* Firmware counters go on while their value is on its way. */
	if (fid == SBI_EXT_PMU_COUNTER_FW_READ)
		cpu_run(7);
	for (unsigned int i = 0; i < TRACKED; i++)
		if (cpu.tracked[i].event.counter != SBI_PMU_NO_COUNTER)
			tracked_collect(&cpu.tracked[i]);
	in_trace = false;
	return ret;
}

/* Events on the counter that a call is about, by @width and mode, count right all the same. */
static void test_reads_in_calls(unsigned int width, enum mode mode, const char *name)
{
	struct tracked *count = &cpu.tracked[0], *sampler = count + 1, *fw = count + 2;
	bool right = true;

	fakesbi_reset(6, 2, width);
	fakesbi.sscofpmf = true;
	cpu_boot_mode(mode);
	require(tracked_open_idx(count, RAW, 1) && tracked_open_idx(sampler, RAW, 1) &&
			tracked_open_idx(fw, FW + 1, 0),
		"share.reads_in_calls");
	sampler->event.candidates = sampler->event.candidates & cpu.inv.programmable;
	sampler->event.sampling = SBI_PMU_BY_INTERRUPT;
	cpu.counters.backend.sbi.call = traced_call;
	for (unsigned int i = 0; i < 20; i++) {
		sampler->event.period.left = 100000;
		cpu_disable();
		for (unsigned int e = 0; e < 3; e++)
			if (!cpu.tracked[e].active && (e + i) % 2)
				tracked_add_start(&cpu.tracked[e]);
		cpu_run(5000);
		/* What happens while a counter is read may be in this read or in the next. */
		right = right && is_count_right(count) && is_count_right(sampler);
		tracked_collect(fw);
		right = right && fw->expected - fw->reported <= 7 * fakesbi_rate(&fw->event.code);
		cpu_disable();
		tracked_del(&cpu.tracked[i % 3]);
		cpu_run(1000);
	}
	check(right && count->reported && sampler->reported && fw->reported,
	      "share.reads_in_calls_count_right_%s", name);
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_share(void)
{
	test_fixed_beside_sampler();
	test_sharing_limit();
	test_reads_in_calls(48, EXCLUSIVE, "48_bits");
	test_reads_in_calls(64, EXCLUSIVE, "64_bits");
	test_reads_in_calls(64, SNAPSHOT, "snapshot");
}
