// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_delegation: counters that are programmed by CSRs (Smcdeleg, Ssccfg): whether that works,
 * what is learned from firmware, and what the counters hold.
 */
#include "test.h"

#define UINH	SBI_PMU_CFG_FLAG_SET_UINH
#define SINH	SBI_PMU_CFG_FLAG_SET_SINH
#define MINH	SBI_PMU_CFG_FLAG_SET_MINH

/* ---- is it there? ---- */

/* Boot a driver that uses SBI calls, and try the CSRs. Return: why they cannot be used. */
static const char *probe(void)
{
	cpu_boot(true);
	return sbi_pmu_delegation_probe(&cpu.counters.backend, &cpu.delegation);
}

static void reset(void)
{
	fakesbi_reset(4, 2, 64);
	fakesbi_delegate(true);
	/* cycle runs after boot, instret does not. */
	fakesbi.ctr[0].running = true;
}

static void test_probe_delegated(void)
{
	reset();
	check(!probe() && cpu.delegation.filters && cpu.delegation.fixed_filters,
	      "delegation.delegated_counters_are_found");
	check(fakesbi.ctr[0].running && !fakesbi.ctr[2].running,
	      "delegation.probe_leaves_fixed_counters_as_they_were");
	check(!fakesbi.ctr[3].running && !fakesbi.ctr[3].event,
	      "delegation.probe_leaves_programmable_counters_free");
	reset();
	fakesbi.smcntrpmf = false;
	check(!probe() && cpu.delegation.filters && !cpu.delegation.fixed_filters,
	      "delegation.without_smcntrpmf_fixed_counters_do_not_filter");
	reset();
	fakesbi.event_bits = SPEC_EVENT_SELECTOR;
	check(!probe() && !cpu.delegation.filters, "delegation.filter_bits_may_be_missing");
	reset();
	fakesbi.event_bits = ~SPEC_EVENT_UINH;
	check(!probe() && !cpu.delegation.filters && !cpu.delegation.fixed_filters,
	      "delegation.one_filter_bit_may_be_missing");
}

/* Each of these makes the counters unusable. */
static void test_faults(void)
{
	reset();
	fakesbi_delegate(false);
	check(!!probe(), "delegation.none_delegated_is_refused");
	for (unsigned int n = 0; n < 7; n++) {
		if (n == 1)
			continue;
		reset();
		fakesbi.delegated &= ~BIT(n);
		check(!!probe(), "delegation.counter_%u_not_delegated_is_refused", n);
	}
	reset();
	fakesbi.no_sireg2 = true;
	check(!!probe(), "delegation.no_sireg2_is_refused");
	reset();
	fakesbi.constant = BIT(5);
	check(!!probe(), "delegation.programmable_value_that_stays_is_refused");
	reset();
	fakesbi.constant = BIT(0);
	check(!!probe(), "delegation.cycle_that_stays_is_refused");
	for (unsigned int n = 2; n < 7; n++) {
		reset();
		fakesbi.unstoppable = BIT(n);
		check(!!probe(), "delegation.counter_%u_that_cannot_be_stopped_is_refused", n);
	}
	/* Firmware says 64 bits. */
	fakesbi_reset(2, 0, 20);
	fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
	fakesbi_delegate(true);
	check(!!probe(), "delegation.counters_of_20_bits_are_refused");
	fakesbi_reset(0, 2, 64);
	fakesbi.ctr[0].info = fakesbi.ctr[2].info = 0;
	fakesbi_delegate(true);
	check(!!probe(), "delegation.no_hardware_counters_is_refused");
	note_broken_rule();
	check(!fakesbi.broken, "delegation.faults_break_no_rule");
}

/* ---- what firmware is asked ---- */

/* Cache references on 3 and 4; cycles on 5; no other standard event */
static bool some(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	switch (code->idx) {
	case SBI_PMU_HW_CACHE_REFERENCES:
		return idx == 3 || idx == 4;
	case SBI_PMU_HW_CPU_CYCLES:
		return idx == 5;
	}
	return sbi_pmu_event_is_firmware(code);
}

static void boot_delegated(bool (*can)(const struct sbi_pmu_event_code *code, unsigned int idx))
{
	reset();
	fakesbi.can = can;
	cpu_boot_mode(DELEGATED);
}

static const struct sbi_pmu_delegated_event *learned(u32 idx)
{
	for (unsigned int i = 0; i < cpu.delegation.events; i++)
		if (cpu.delegation.event[i].idx == idx)
			return &cpu.delegation.event[i];
	return NULL;
}

static void test_learn(void)
{
	const struct sbi_pmu_event_code refs = { .idx = SBI_PMU_HW_CACHE_REFERENCES };
	const struct sbi_pmu_event_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	const struct sbi_pmu_event_code misses = { .idx = SBI_PMU_HW_CACHE_MISSES };
	const struct sbi_pmu_event_code raw = { .idx = RAW, .data = 0x1234 };
	const struct sbi_pmu_delegated_event *e;
	u64 calls;

	boot_delegated(some);
	check(cpu.delegation.events == 2, "delegation.events_of_firmware_are_learned");
	e = learned(refs.idx);
	check(e && e->counters == (BIT(3) | BIT(4)) && e->selector == (BIT_ULL(40) | refs.idx),
	      "delegation.selector_and_counters_are_learned");
	check(fakesbi.ctr[0].running && !fakesbi.ctr[2].running,
	      "delegation.learning_leaves_fixed_counters_as_they_were");
	calls = cpu_calls();
	check(cpu_candidates(&refs).bits[0] == (BIT(3) | BIT(4)),
	      "delegation.event_on_the_counters_of_firmware");
	check(cpu_candidates(&cycles).bits[0] == (BIT(0) | BIT(5)),
	      "delegation.cycles_on_cycle_and_as_firmware_says");
	check(!cpu_candidates(&misses).bits[0], "delegation.unknown_event_is_refused");
	check(cpu_candidates(&raw).bits[0] == 0x78, "delegation.raw_event_on_all_programmable");
	check(cpu_calls() == calls, "delegation.firmware_is_not_asked_again");

	/* OpenSBI before 1.9 returns the fixed counter, and stops it then. */
	fakesbi_reset(4, 0, 64);
	fakesbi.quirks = OPENSBI_OLD & ~QUIRK(GAP_TRAPS);
	fakesbi.can = some;
	fakesbi_delegate(true);
	fakesbi.ctr[0].running = fakesbi.ctr[2].running = true;
	cpu_boot_mode(DELEGATED);
	check(fakesbi.ctr[0].running && fakesbi.ctr[2].running,
	      "delegation.fixed_counters_run_after_firmware_returned_them");

	reset();
	check(!probe(), "delegation.learn_setup");
	fakesbi.no_sireg2 = true;
	check(!!sbi_pmu_delegation_learn(&cpu.counters.backend, &cpu.delegation) &&
	      is_all_released() == false, "delegation.unreadable_selector_is_refused");
	fakesbi.ctr[0].running = false;
	check(is_all_released(), "delegation.unreadable_selector_leaves_nothing");
}

/* A hart keeps only selectors that it has. */
static void test_warl(void)
{
	const struct sbi_pmu_event_code has = { .idx = RAW, .data = 0xff };
	const struct sbi_pmu_event_code lacks = { .idx = RAW, .data = 0x100 };
	const struct sbi_pmu_event_code none = { .idx = RAW, .data = 0 };

	boot_delegated(some);
	fakesbi.event_bits = ~0ULL << 56 | 0xff;
	check(!!cpu_candidates(&has).bits[0] && !cpu_candidates(&lacks).bits[0],
	      "delegation.selector_that_is_not_kept_is_refused");
	check(!cpu_candidates(&none).bits[0], "delegation.selector_0_is_refused");
	sbi_pmu_counters_offline(&cpu.counters);
	check(!fakesbi.ctr[3].event && !fakesbi.ctr[3].running, "delegation.refused_is_released");
}

/* ---- what the counters hold ---- */

static u64 event_of(unsigned int idx)
{
	return fakesbi.ctr[idx].event;
}

static void test_filters(void)
{
	const struct sbi_pmu_event_code user_cycles = {
		.idx = SBI_PMU_HW_CPU_CYCLES, .flags = SINH,
	};
	const struct sbi_pmu_event_code user_instret = {
		.idx = SBI_PMU_HW_INSTRUCTIONS, .flags = SINH,
	};
	const struct sbi_pmu_event_code kernel_raw = {
		.idx = RAW, .data = 9, .flags = UINH | MINH,
	};
	struct tracked *t = &cpu.tracked[0];

	boot_delegated(some);
	check(tracked_open(t, user_cycles) && tracked_add_start(t) && t->event.counter == 0 &&
	      event_of(0) == SPEC_EVENT_SINH,
	      "delegation.filtered_cycles_need_no_programmable_counter");
	cpu_run(1000);
	check(is_count_right(t), "delegation.filtered_cycles_count");
	check(tracked_open(t + 1, kernel_raw) && tracked_add_start(t + 1) &&
	      event_of(3) == (9 | SPEC_EVENT_UINH),
	      "delegation.filter_of_firmware_mode_is_not_for_us");
	/* Firmware has set MINH: it stays. */
	tracked_del(t + 1);
	sbi_pmu_counters_release_idle(&cpu.counters);
	fakesbi.ctr[3].event = SPEC_EVENT_MINH;
	tracked_add_start(t + 1);
	check(event_of(3) == (9 | SPEC_EVENT_UINH | SPEC_EVENT_MINH),
	      "delegation.minh_stays_as_firmware_left_it");
	fakesbi.ctr[3].event &= ~SPEC_EVENT_MINH;
	sbi_pmu_counters_offline(&cpu.counters);
	check(!event_of(0) && !event_of(3) && fakesbi.ctr[0].running && !fakesbi.ctr[3].running,
	      "delegation.counters_are_as_after_boot");

	reset();
	fakesbi.can = some;
	fakesbi.smcntrpmf = false;
	cpu_boot_mode(DELEGATED);
	check(tracked_open(t, user_cycles) && tracked_add_start(t) && t->event.counter == 5,
	      "delegation.without_smcntrpmf_programmable_counters_filter");
	check(tracked_open_idx(t + 1, SBI_PMU_HW_CPU_CYCLES, 0) && tracked_add_start(t + 1) &&
	      t[1].event.counter == 0, "delegation.without_smcntrpmf_cycle_counts");
	cpu_run(1000);
	check(is_count_right(t) && is_count_right(t + 1),
	      "delegation.without_smcntrpmf_counts_are_correct");
	check(!tracked_open(t + 2, user_instret),
	      "delegation.without_smcntrpmf_instret_has_no_filter");
}

/* Switches make no call, and a counter that only counts wraps without an interrupt. */
static void test_switches(void)
{
	struct tracked *t = &cpu.tracked[0];
	u64 calls;

	fakesbi_reset(4, 2, 27);
	fakesbi_delegate(true);
	cpu_boot_mode(DELEGATED);
	for (unsigned int i = 0; i < 4; i++)
		require(tracked_open_idx(&t[i], RAW, i + 1), "delegation.switch");
	calls = cpu_calls();
	for (unsigned int n = 0; n < 20; n++) {
		for (unsigned int i = 0; i < 4; i++)
			require(tracked_add_start(&t[i]), "delegation.switch");
		cpu_run(10000000);
		for (unsigned int i = 0; i < 4; i++)
			tracked_del(&t[i]);
	}
	check(cpu_calls() == calls, "delegation.switch_makes_no_call");
	check(!fakesbi.lcofi, "delegation.wrap_of_counting_event_makes_no_interrupt");
	for (unsigned int i = 0; i < 4; i++)
		check(is_count_right(&t[i]), "delegation.count_%u_is_right_after_switches", i);
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("delegation.switch");
}

/* Handle a pending overflow interrupt, as overflow.c does. Return: was there a sample? */
static bool handle_overflow(struct sbi_pmu_event *event, u64 period)
{
	struct sbi_pmu_mask fired;
	bool sampled = false;

	if (!fakesbi.lcofi)
		return false;
	fakesbi.lcofi = false;
	cpu_disable();
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_overflow,
						 SPEC_CSR_SCOUNTOVF);
	/* The handler takes long. */
	fakesbi_run(20000);
	if (sbi_pmu_mask_test(&fired, event->counter) && event->period.left <= 0)
		sampled = sbi_pmu_period_sampled(&event->period, period);
	cpu_enable();
	return sampled;
}

/* An overflow: no call, one write that stops all counters, and one that starts them. */
static void test_samples(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	struct tracked *sampler = &cpu.tracked[0], *other = &cpu.tracked[1];
	unsigned int writes, samples = 0;
	u64 calls;

	boot_delegated(NULL);
	require(tracked_open_idx(sampler, RAW, 5) && tracked_open_idx(other, RAW, 7),
		"delegation.samples");
	sampler->event.sampling = SBI_PMU_BY_INTERRUPT;
	sampler->event.period.left = 1000 * rate;
	calls = cpu_calls();
	require(tracked_add_start(sampler) && tracked_add_start(other), "delegation.samples");
	cpu_enable();
	writes = fakesbi.inhibit_writes;
	for (unsigned int i = 0; i < 1000; i++) {
		cpu_run(100);
		samples += handle_overflow(&sampler->event, 1000 * rate);
	}
	note("100 periods, %u samples, %u writes of scountinhibit", samples,
	     fakesbi.inhibit_writes - writes);
	check(samples == 100 && is_count_right(sampler), "delegation.one_sample_per_period");
	check(fakesbi.inhibit_writes - writes == 2 * 100,
	      "delegation.overflow_stops_and_starts_all_by_one_write");
	check(is_count_right(other), "delegation.others_stand_still_meanwhile");
	tracked_del(sampler);
	tracked_add_start(sampler);
	cpu_enable();
	check(cpu_calls() == calls, "delegation.samples_make_no_call");
	sbi_pmu_counters_offline(&cpu.counters);
	check(!event_of(3) && !event_of(4), "delegation.samples_release_all");
}

/* A kernel before kexec has left counters in the CSRs and in firmware. */
static void test_leftover(void)
{
	reset();
	fakesbi.ctr[4].event = 7;
	fakesbi.ctr[4].running = true;
	fakesbi.ctr[5].configured = fakesbi.ctr[5].running = true;
	cpu_boot_mode(DELEGATED);
	check(!event_of(4) && !fakesbi.ctr[4].running && !fakesbi.ctr[5].configured &&
	      !fakesbi.ctr[5].running, "delegation.leftover_is_released");
	check(fakesbi.ctr[0].running, "delegation.cycle_runs_on");
}

void test_delegation(void)
{
	test_probe_delegated();
	test_faults();
	test_learn();
	test_warl();
	test_filters();
	test_switches();
	test_samples();
	test_leftover();
}
