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

const struct sbi_pmu_delegated_event *learned_event(u32 idx)
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
	e = learned_event(refs.idx);
	check(e && e->counters == (BIT(3) | BIT(4)) && e->selector == (BIT_ULL(40) | refs.idx),
	      "delegation.selector_and_counters_are_learned");
	check(fakesbi.ctr[0].running && !fakesbi.ctr[2].running,
	      "delegation.learning_leaves_fixed_counters_as_they_were");
	calls = cpu_calls();
	check(cpu_candidates(&refs) == (BIT(3) | BIT(4)),
	      "delegation.event_on_the_counters_of_firmware");
	check(cpu_candidates(&cycles) == (BIT(0) | BIT(5)),
	      "delegation.cycles_on_cycle_and_as_firmware_says");
	check(!cpu_candidates(&misses), "delegation.unknown_event_is_refused");
	check(cpu_candidates(&raw) == 0x78, "delegation.raw_event_on_all_programmable");
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
	check(!!sbi_pmu_delegation_learn(&cpu.counters.backend, &cpu.caps, &cpu.delegation) &&
		      is_all_released() == false,
	      "delegation.unreadable_selector_is_refused");
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
	check(cpu_candidates(&has) && !cpu_candidates(&lacks),
	      "delegation.selector_that_is_not_kept_is_refused");
	check(!cpu_candidates(&none), "delegation.selector_0_is_refused");
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
		.idx = SBI_PMU_HW_CPU_CYCLES,
		.flags = SINH,
	};
	const struct sbi_pmu_event_code user_instret = {
		.idx = SBI_PMU_HW_INSTRUCTIONS,
		.flags = SINH,
	};
	const struct sbi_pmu_event_code kernel_raw = {
		.idx = RAW,
		.data = 9,
		.flags = UINH | MINH,
	};
	struct tracked *t = &cpu.tracked[0];

	boot_delegated(some);
	check(tracked_open(t, user_cycles) && tracked_add_start(t) && t->event.counter == 0 &&
		      event_of(0) == (SPEC_EVENT_SINH | SPEC_EVENT_MINH),
	      "delegation.filtered_cycles_need_no_programmable_counter");
	cpu_run(1000);
	check(is_count_right(t), "delegation.filtered_cycles_count");
	check(tracked_open(t + 1, kernel_raw) && tracked_add_start(t + 1) &&
		      t[1].event.counter == 3 &&
		      event_of(3) == (9 | SPEC_EVENT_UINH | SPEC_EVENT_MINH),
	      "delegation.filter_of_m_mode_is_of_firmware");
	tracked_del(t + 1);
	sbi_pmu_counters_offline(&cpu.counters);
	check(!(event_of(0) & ~SPEC_EVENT_MINH) && !event_of(3) && fakesbi.ctr[0].running &&
		      !fakesbi.ctr[3].running,
	      "delegation.counters_are_as_after_boot");

	reset();
	fakesbi.can = some;
	fakesbi.smcntrpmf = false;
	cpu_boot_mode(DELEGATED);
	check(tracked_open(t, user_cycles) && tracked_add_start(t) && t->event.counter == 5,
	      "delegation.without_smcntrpmf_programmable_counters_filter");
	check(tracked_open_idx(t + 1, SBI_PMU_HW_CPU_CYCLES, 0) && tracked_add_start(t + 1) &&
		      t[1].event.counter == 0,
	      "delegation.without_smcntrpmf_cycle_counts");
	cpu_run(1000);
	check(is_count_right(t) && is_count_right(t + 1),
	      "delegation.without_smcntrpmf_counts_are_correct");
	check(!tracked_open(t + 2, user_instret),
	      "delegation.without_smcntrpmf_instret_has_no_filter");
}

/* Open cycles without M-mode. Return: the counters that may have it. */
static u32 open_without_m_mode(bool filter)
{
	const struct perf_event_attr attr = { .exclude_hv = 1 };
	struct sbi_pmu_event_code code = { .idx = SBI_PMU_HW_CPU_CYCLES };

	boot_delegated(some);
	/* Without Sscofpmf programmable counters have no filter, whatever their bits keep. */
	cpu.caps.filter = filter;
	sbi_pmu_delegation_caps(&cpu.delegation, &cpu.caps);
	require(!sbi_pmu_event_filter(&cpu.caps, &attr, &code), "delegation.exclude_hv");
	return tracked_open(&cpu.tracked[0], code) ? cpu.tracked[0].event.candidates : 0;
}

static void test_exclude_hv(void)
{
	struct tracked *t = &cpu.tracked[0];

	check(open_without_m_mode(true) == (BIT(0) | BIT(5)) && !t->event.code.flags,
	      "delegation.exclude_hv_is_no_filter_where_all_counters_have_it");
	sbi_pmu_counters_offline(&cpu.counters);
	check(open_without_m_mode(false) == BIT(0) && tracked_add_start(t) &&
		      event_of(0) == SPEC_EVENT_MINH,
	      "delegation.exclude_hv_has_cycle_where_only_fixed_counters_filter");
	sbi_pmu_counters_offline(&cpu.counters);
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
	u64 fired;
	bool sampled = false;

	if (!fakesbi.lcofi)
		return false;
	fakesbi.lcofi = false;
	cpu_disable();
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_overflow,
						 SPEC_CSR_SCOUNTOVF);
	/* The handler takes long. */
	fakesbi_run(20000);
	if (has_counter(fired, event->counter) && event->period.left <= 0)
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

/*
 * A counter that only counts does not interrupt when it wraps, as its OF bit is set. A sampling
 * event that shares it from the very value that it has needs the interrupt.
 */
static void test_armed_as_it_is(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	struct tracked *sampler = &cpu.tracked[0], *other = &cpu.tracked[1];

	boot_delegated(NULL);
	require(tracked_open_idx(sampler, RAW, 5) && tracked_open_idx(other, RAW, 5) &&
			tracked_add_start(other) && other->event.counter == 3,
		"delegation.armed");
	cpu_run(10);
	cpu_disable();
	fakesbi.ctr[3].value = -1000 * rate;
	other->event.prev = fakesbi.ctr[3].value;
	sbi_pmu_counters_stop_all(&cpu.counters);
	check(fakesbi.ctr[3].overflown, "delegation.counting_event_does_not_interrupt");
	sampler->event.sampling = SBI_PMU_BY_INTERRUPT;
	sampler->event.period.left = 1000 * rate;
	require(tracked_add_start(sampler), "delegation.armed");
	cpu_enable();
	check(fakesbi.ctr[3].value == -1000 * rate && !fakesbi.ctr[3].overflown,
	      "delegation.armed_counter_interrupts_from_the_value_it_has");
	cpu_run(1000);
	check(fakesbi.lcofi && handle_overflow(&sampler->event, 1000 * rate),
	      "delegation.armed_counter_makes_a_sample");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* A kernel before kexec has left counters in the CSRs and in firmware. */
static void test_leftover(void)
{
	reset();
	fakesbi.ctr[0].event = SPEC_EVENT_UINH;
	fakesbi.ctr[4].event = 7;
	fakesbi.ctr[4].running = true;
	fakesbi.ctr[5].configured = fakesbi.ctr[5].running = true;
	cpu_boot_mode(DELEGATED);
	check(!(event_of(4) & SPEC_EVENT_SELECTOR) && !fakesbi.ctr[4].running &&
		      !(event_of(5) & SPEC_EVENT_SELECTOR) && !fakesbi.ctr[5].running,
	      "delegation.leftover_is_released");
	check(fakesbi.ctr[0].running && !fakesbi.ctr[2].running,
	      "delegation.leftover_fixed_counters_run_as_before");
	check(!(event_of(0) & SPEC_EVENT_UINH), "delegation.leftover_filter_of_cycle_is_cleared");
	sbi_pmu_counters_offline(&cpu.counters);
	check(fakesbi.ctr[0].running && !fakesbi.ctr[2].running && !fakesbi.ctr[0].configured,
	      "delegation.fixed_counters_run_as_before_load");
	check_rules("delegation.leftover");
}

/* ---- M-mode ---- */

/* Hardware counters, as bits, that do not count M-mode */
static u32 without_m_mode(void)
{
	u32 without = 0;

	for (unsigned int i = 0; i < 7; i++)
		if (fakesbi.ctr[i].event & SPEC_EVENT_MINH)
			without |= BIT(i);
	return without;
}

static void test_m_mode(void)
{
	reset();
	/* Other software had firmware release these, so their filters are gone. */
	fakesbi.ctr[3].event = fakesbi.ctr[5].event = 0;
	cpu_boot_mode(DELEGATED);
	check(without_m_mode() == 0x7d && !cpu.delegation.sticks,
	      "delegation.no_counter_counts_m_mode");
	for (unsigned int i = 2; i < 7; i++)
		check(fakesbi.ctr[i].configured, "delegation.firmware_takes_counter_%u_for_in_use",
		      i);
	sbi_pmu_counters_offline(&cpu.counters);
	check(!fakesbi.ctr[2].configured && !fakesbi.ctr[3].configured && !event_of(3) &&
		      !fakesbi.ctr[6].configured,
	      "delegation.firmware_has_all_counters_after");

	boot_delegated(NULL);
	fakesbi.quirks |= QUIRK(SUSPEND_LOSES_EVENTS);
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	/* Hardware may come back with no filter: firmware has to set it. */
	fakesbi.ctr[4].event = 0;
	sbi_pmu_counters_resume(&cpu.counters);
	check(without_m_mode() == 0x7d, "delegation.no_counter_counts_m_mode_after_suspend");
	/* Firmware that was started again does not know what it held. */
	for (unsigned int i = 0; i < 7; i++)
		fakesbi.ctr[i].configured = false;
	fakesbi.quirks |= QUIRK(UNUSED_SKIPPED);
	sbi_pmu_counters_offline(&cpu.counters);
	check(!fakesbi.ctr[3].running && !fakesbi.ctr[6].running,
	      "delegation.counters_that_firmware_forgot_are_stopped");
	fakesbi.quirks &= ~(QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(UNUSED_SKIPPED));

	/* No event is known for counters 3 and 6, and firmware does not configure them. */
	boot_delegated(some);
	check(!fakesbi.ctr[6].configured && without_m_mode() == 0x7d,
	      "delegation.counters_without_events_are_as_firmware_left_them");
	sbi_pmu_counters_offline(&cpu.counters);
	check_rules("delegation.m_mode");
}

/* Open @data as a raw event, or as a standard one if it is one; count it. */
static bool counts_right(u32 idx, u64 data)
{
	struct tracked *t = &cpu.tracked[0];

	if (!tracked_open_idx(t, idx, data) || !tracked_add_start(t))
		return false;
	cpu_run(1000);
	return is_count_right(t);
}

/* Each in turn is the only event, and all have the same counters. */
static bool events_count_in_turn(void)
{
	bool right = true;

	for (u32 idx = SBI_PMU_HW_CACHE_REFERENCES; idx <= SBI_PMU_HW_BRANCH_MISSES; idx++) {
		right &= counts_right(idx, 0);
		tracked_del(&cpu.tracked[0]);
		sbi_pmu_counters_release_idle(&cpu.counters);
		right &= counts_right(RAW, idx);
		tracked_del(&cpu.tracked[0]);
		sbi_pmu_counters_release_idle(&cpu.counters);
	}
	return right;
}

/* As on QEMU up to 11: S-mode cannot remove the event of a counter that does not count M-mode. */
static void test_events_stick(void)
{
	reset();
	fakesbi.maps_events = true;
	fakesbi.read_ticks = 1;
	cpu_boot_mode(DELEGATED);
	fakesbi.read_ticks = 0;
	check(cpu.delegation.sticks, "delegation.events_that_stick_are_found");
	check(events_count_in_turn(), "delegation.events_do_not_stick");
	check(without_m_mode() == 0x5, "delegation.counters_whose_events_stick_count_m_mode");
	sbi_pmu_counters_offline(&cpu.counters);
	/* The hart starts again, as firmware has set it up. */
	fakesbi_restart();
	sbi_pmu_counters_online(&cpu.counters);
	check(events_count_in_turn(), "delegation.events_do_not_stick_after_hotplug");
	/* Firmware sets up the hart again after a low-power state, and keeps what it holds. */
	fakesbi.quirks |= QUIRK(SUSPEND_LOSES_EVENTS);
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	sbi_pmu_counters_resume(&cpu.counters);
	check(events_count_in_turn(), "delegation.events_do_not_stick_after_suspend");
	sbi_pmu_counters_offline(&cpu.counters);
	check_rules("delegation.events_stick");
	check(!fakesbi.mapped, "delegation.no_event_is_left");
}

/* ---- faults while counters are used ---- */

/* The probe changes nothing, whatever it finds. */
static void test_probe_restores(void)
{
	struct fakesbi_ctr before[7];

	reset();
	cpu_boot(true);
	fakesbi.ctr[0].event = SPEC_EVENT_UINH;
	fakesbi.ctr[4].event = 9 | SPEC_EVENT_SINH;
	fakesbi.ctr[4].running = true;
	fakesbi.ctr[5].event = 8 | SPEC_EVENT_MINH;
	for (unsigned int i = 0; i < 7; i++)
		fakesbi.ctr[i].value = 1000 + i;
	for (unsigned int fault = 0; fault < 2; fault++) {
		bool same = true;

		memcpy(before, fakesbi.ctr, sizeof(before));
		fakesbi.constant = fault ? BIT(6) : 0;
		check(!sbi_pmu_delegation_probe(&cpu.counters.backend, &cpu.delegation) == !fault,
		      "delegation.probe_%u_finds_fault", fault);
		for (unsigned int i = 0; i < 7; i++)
			same &= fakesbi.ctr[i].event == before[i].event &&
				fakesbi.ctr[i].value == before[i].value &&
				fakesbi.ctr[i].overflown == before[i].overflown &&
				fakesbi.ctr[i].running == before[i].running;
		check(same, "delegation.probe_%u_changes_nothing", fault);
	}
	fakesbi.ctr[4].running = false;
}

/* Firmware that takes counter 3, in use, when it is asked for one of its own */
static struct sbiret call_takes_3(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	if (fid != SPEC_FID_CONFIG_MATCHING || arg[3] >> 16 != SPEC_TYPE_FIRMWARE)
		return fakesbi_call(fid, arg);
	fakesbi.ctr[3].event = 77;
	fakesbi.ctr[3].configured = true;
	fakesbi.ctr[3].running = false;
	return (struct sbiret){ .value = 3 };
}

static void stray(const char *when, bool paused)
{
	struct tracked *t = &cpu.tracked[0], *own = t + 1;

	require(tracked_open_idx(t, RAW, 5) && tracked_add_start(t) && t->event.counter == 3 &&
			tracked_open_idx(own, FW + 1, 0),
		"delegation.stray");
	cpu_run(1000);
	if (paused)
		cpu_disable();
	cpu.counters.backend.sbi.call = call_takes_3;
	check(!tracked_add(own), "delegation.counter_in_use_is_not_given_to_firmware_%s", when);
	cpu.counters.backend.sbi.call = fakesbi_call;
	check(fakesbi.ctr[3].running == !paused, "delegation.counter_in_use_runs_as_before_%s",
	      when);
	cpu_run(1000);
	check(is_count_right(t) && t->event.counter == 3,
	      "delegation.counter_in_use_is_taken_back_%s", when);
	check(event_of(3) == (5 | SPEC_EVENT_MINH), "delegation.event_in_use_is_restored_%s", when);
	sbi_pmu_counters_offline(&cpu.counters);
	check(!fakesbi.ctr[3].configured && !event_of(3), "delegation.stray_counter_is_released_%s",
	      when);
}

static void test_stray(void)
{
	boot_delegated(NULL);
	stray("at_once", false);
	boot_delegated(NULL);
	stray("in_a_pause", true);
	/* RustSBI does not release a counter that is stopped. */
	reset();
	fakesbi.quirks = QUIRK(ABORT_AT_ALREADY) | QUIRK(CONFIGURED_IS_TAKEN);
	cpu_boot_mode(DELEGATED);
	stray("by_rustsbi", false);
}

static int fails(u32 counters)
{
	(void)counters;
	return -ENXIO;
}

/* Counters that do not stop are configured again: what they counted meanwhile is not known. */
static void test_stop_fails(void)
{
	const struct sbi_pmu_delegated *works;
	struct sbi_pmu_delegated broken;
	struct tracked *t = &cpu.tracked[0];

	boot_delegated(NULL);
	works = cpu.counters.backend.delegated;
	broken = *works;
	broken.stop = fails;
	require(tracked_open_idx(t, RAW, 5) && tracked_add_start(t), "delegation.stop_fails");
	cpu_run(1000);
	check(is_count_right(t), "delegation.counts_before_stop_fails");
	cpu.counters.backend.delegated = &broken;
	cpu_disable();
	sbi_pmu_counters_stop_all(&cpu.counters);
	cpu.counters.backend.delegated = works;
	check(has_counter(cpu.counters.in[SBI_PMU_LOST], 3),
	      "delegation.counter_that_does_not_stop_is_lost");
	fakesbi_run(50);
	cpu_run(1000);
	check(is_count_right(t), "delegation.counter_that_did_not_stop_is_configured_again");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* The kernel crashes. The next one has firmware release all counters, as this driver does. */
static void test_crash(void)
{
	struct tracked *t = &cpu.tracked[0];
	bool left = false;

	boot_delegated(NULL);
	for (unsigned int i = 0; i < 4; i++)
		require(tracked_open_idx(&t[i], RAW, i + 1) && tracked_add_start(&t[i]),
			"delegation.crash");
	for (unsigned int i = 3; i < 7; i++) {
		const unsigned long arg[SBI_PMU_ARGS] = { 0, BIT(i), SPEC_STOP_RESET };

		left |= fakesbi_call(SPEC_FID_STOP, arg).error;
		left |= fakesbi.ctr[i].running || fakesbi.ctr[i].event;
	}
	check(!left, "delegation.firmware_releases_all_after_a_crash");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Another CPU */
static void test_equal(void)
{
	struct sbi_pmu_delegation other;

	boot_delegated(NULL);
	other = cpu.delegation;
	check(other.events && sbi_pmu_delegation_equal(&other, &cpu.delegation),
	      "delegation.same_counters_are_equal");
	other.event[1].selector++;
	check(!sbi_pmu_delegation_equal(&other, &cpu.delegation),
	      "delegation.other_selectors_are_not_equal");
	other = cpu.delegation;
	other.event[1].counters ^= BIT(3);
	check(!sbi_pmu_delegation_equal(&other, &cpu.delegation),
	      "delegation.events_of_other_counters_are_not_equal");
	other = cpu.delegation;
	other.of_firmware--;
	check(!sbi_pmu_delegation_equal(&other, &cpu.delegation),
	      "delegation.firmware_with_fewer_events_is_not_equal");
	other = cpu.delegation;
	other.sticks = !other.sticks;
	check(!sbi_pmu_delegation_equal(&other, &cpu.delegation),
	      "delegation.other_behaviour_is_not_equal");
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_delegation(void)
{
	test_probe_delegated();
	test_faults();
	test_learn();
	test_warl();
	test_filters();
	test_exclude_hv();
	test_switches();
	test_samples();
	test_armed_as_it_is();
	test_leftover();
	test_m_mode();
	test_events_stick();
	test_probe_restores();
	test_stray();
	test_stop_fails();
	test_crash();
	test_equal();
}
