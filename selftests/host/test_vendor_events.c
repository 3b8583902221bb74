// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_vendor_events: standard events of XiangShan's V3 on delegated counters, with firmware that
 * knows none of them, or one.
 */
#include "test.h"

static int encode_v3(const void *data, u64 config, struct sbi_pmu_event_code *code)
{
	const struct sbi_pmu_table *table = data;

	return sbi_pmu_selector_encode(table->bits, config, &code->data, &code->unit);
}

static bool standard_v3(const void *data, u32 idx, struct sbi_pmu_event_code *code)
{
	const u64 config = sbi_pmu_table_standard(data, idx);

	return config && !encode_v3(data, config, code);
}

static const struct sbi_pmu_vendor v3 = {
	.encode = encode_v3,
	.standard = standard_v3,
	.candidates = sbi_pmu_selector_candidates,
};

static bool no_event(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	(void)idx;
	return sbi_pmu_event_is_firmware(code);
}

/* Branches on 20; no other standard event */
static bool only_branches(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return code->idx == SBI_PMU_HW_BRANCH_INSTRUCTIONS && idx == 20;
}

/* All counters of a XiangShan core, in firmware with the events @can */
static void reset_v3(bool (*can)(const struct sbi_pmu_event_code *code, unsigned int idx))
{
	fakesbi_reset(29, 2, 64);
	fakesbi_delegate(true);
	fakesbi.can = can;
}

static u64 calls_of_online(void)
{
	const u64 before = cpu_calls();

	sbi_pmu_counters_offline(&cpu.counters);
	sbi_pmu_counters_online(&cpu.counters);
	return cpu_calls() - before;
}

/* Return: calls when a CPU comes online, more than without the vendor's events. */
static u64 boot_v3(void)
{
	u64 calls;

	cpu_boot_mode(DELEGATED);
	calls = calls_of_online();
	sbi_pmu_counters_offline(&cpu.counters);
	cpu.caps.vendor = &v3;
	cpu.caps.vendor_data = (void *)sbi_pmu_table_find("v3");
	require(!sbi_pmu_delegation_learn(&cpu.counters.backend, &cpu.caps, &cpu.delegation),
		"vendor_events.v3");
	sbi_pmu_support_free(&cpu.support);
	sbi_pmu_counters_online(&cpu.counters);
	return calls_of_online() - calls;
}

static void test_v3(void)
{
	const struct sbi_pmu_event_code branches = { .idx = SBI_PMU_HW_BRANCH_INSTRUCTIONS };
	const struct sbi_pmu_event_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	const struct sbi_pmu_event_code bus = { .idx = SBI_PMU_HW_BUS_CYCLES };
	struct tracked *t = &cpu.tracked[0];
	u64 calls;

	reset_v3(no_event);
	check(!boot_v3(), "vendor_events.firmware_is_not_asked");
	check(!cpu.delegation.of_firmware && cpu.delegation.events > 20,
	      "vendor_events.no_firmware_is_needed");
	calls = cpu_calls();
	check(cpu_candidates(&branches) == GENMASK_ULL(18, 11),
	      "vendor_events.event_on_the_counters_of_its_unit");
	check(cpu_candidates(&cycles) == (GENMASK_ULL(26, 19) | BIT(0)),
	      "vendor_events.cycles_on_cycle_and_the_counters_of_a_unit");
	check(!cpu_candidates(&bus), "vendor_events.event_of_neither_is_refused");
	require(tracked_open_idx(t, branches.idx, 0) && tracked_add_start(t), "vendor_events.v3");
	check(t->event.counter == 11 && fakesbi.ctr[11].event == (0x13e | SPEC_EVENT_MINH),
	      "vendor_events.counter_holds_selector");
	check(cpu_calls() == calls, "vendor_events.event_makes_no_call");
	sbi_pmu_counters_offline(&cpu.counters);
	check(fakesbi.ctr[11].event == SPEC_EVENT_MINH && !fakesbi.ctr[11].running,
	      "vendor_events.event_is_released");
	check_rules("vendor_events.v3");

	/* Firmware knows its machine better. */
	reset_v3(only_branches);
	boot_v3();
	check(cpu_candidates(&branches) == BIT(20) && cpu.delegation.of_firmware == 1 &&
		      learned_event(branches.idx)->selector == (BIT_ULL(40) | branches.idx),
	      "vendor_events.event_of_firmware_goes_first");
	check(learned_event(cycles.idx)->counters == GENMASK(26, 19),
	      "vendor_events.others_are_of_the_table");
	check(fakesbi.ctr[20].configured && !fakesbi.ctr[19].configured,
	      "vendor_events.firmware_holds_only_counters_that_it_knows");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* As in test_delegation.c, but firmware cannot configure programmable counters. */
static void test_stick(void)
{
	for (unsigned int m_mode = 0; m_mode < 2; m_mode++) {
		reset_v3(no_event);
		if (m_mode) {
			fakesbi.boot_event = 0;
			fakesbi_restart();
		}
		fakesbi.maps_events = true;
		fakesbi.read_ticks = 1;
		boot_v3();
		fakesbi.read_ticks = 0;
		check(cpu.delegation.sticks == !m_mode,
		      m_mode ? "vendor_events.events_do_not_stick_without_filter_of_m_mode" :
			       "vendor_events.events_that_stick_are_found");
		sbi_pmu_counters_offline(&cpu.counters);
	}
}

void test_vendor_events(void)
{
	test_v3();
	test_stick();
}
