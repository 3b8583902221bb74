// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stand_in: a core whose cycles can be counted by mode only by events of its own (SpacemiT
 * X60), on the firmware model.
 */
#include "test.h"

#define U	SBI_PMU_CFG_FLAG_SET_SINH
#define K	SBI_PMU_CFG_FLAG_SET_UINH
#define HV	SBI_PMU_CFG_FLAG_SET_MINH
#define X60	0x8000000058000001ULL

static const struct sbi_pmu_vendor vendor = { .substitute = sbi_pmu_stand_in_substitute };

/* Programmable counters count raw events 1 to 0xff, as the vendor's device tree says. */
static bool raw_only(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	(void)idx;
	return code->idx == RAW && code->data && code->data < 0x100;
}

static void boot_x60(u64 quirks, bool (*can)(const struct sbi_pmu_event_code *code, unsigned int))
{
	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = quirks;
	fakesbi.can = can;
	cpu_boot(true);
	cpu.caps.has_h = false;
	cpu.caps.vendor = &vendor;
	cpu.caps.vendor_data = (void *)sbi_pmu_stand_ins_find(0x710, X60);
}

/* The event that is counted for @idx with @flags, in @code. Return: 0 or errno. */
static int count(u32 idx, u32 flags, bool needs_irq, struct sbi_pmu_event_code *code,
		 u64 *candidates)
{
	*code = (struct sbi_pmu_event_code){ .idx = idx, .flags = flags };
	return sbi_pmu_support_filtered(&cpu.support, code, needs_irq ? -EOPNOTSUPP : -EINVAL,
					candidates);
}

/* Does raw event @data count this, on programmable counters, with the same flags? */
static bool is_replaced(u32 idx, u32 flags, bool needs_irq, u64 data)
{
	struct sbi_pmu_event_code code;
	u64 candidates;

	return !count(idx, flags, needs_irq, &code, &candidates) && code.idx == RAW &&
	       code.data == data && code.flags == flags && candidates == GENMASK(6, 3);
}

static int refusal(u32 idx, u32 flags, bool needs_irq)
{
	struct sbi_pmu_event_code code;
	u64 candidates;
	int ret = count(idx, flags, needs_irq, &code, &candidates);

	return ret && (code.idx != idx || code.data) ? 1 : ret;
}

static void test_replaced(void)
{
	struct sbi_pmu_event_code code;
	u64 candidates;

	boot_x60(0, raw_only);
	check(is_replaced(SBI_PMU_HW_CPU_CYCLES, U, false, 0x22) &&
		      is_replaced(SBI_PMU_HW_CPU_CYCLES, U | HV, true, 0x22),
	      "stand_in.user_cycles_are_u_mode_cycle");
	check(is_replaced(SBI_PMU_HW_CPU_CYCLES, K, false, 0x21) &&
		      is_replaced(SBI_PMU_HW_CPU_CYCLES, K | HV, true, 0x21),
	      "stand_in.kernel_cycles_are_s_mode_cycle");
	check(!count(SBI_PMU_HW_CPU_CYCLES, 0, false, &code, &candidates) &&
		      code.idx == SBI_PMU_HW_CPU_CYCLES && candidates == BIT(0),
	      "stand_in.all_cycles_stay_on_cycle");
	check(refusal(SBI_PMU_HW_CPU_CYCLES, U | K, false) == -EINVAL &&
		      refusal(SBI_PMU_HW_CPU_CYCLES, HV, false) == -EINVAL &&
		      refusal(SBI_PMU_HW_INSTRUCTIONS, U, false) == -EINVAL &&
		      refusal(SBI_PMU_HW_INSTRUCTIONS, U, true) == -EOPNOTSUPP,
	      "stand_in.what_has_none_is_refused_as_before");
	check(refusal(SBI_PMU_HW_CACHE_MISSES, U, false) == -ENOENT,
	      "stand_in.unsupported_event_stays_enoent");
	sbi_pmu_counters_offline(&cpu.counters);

	boot_x60(0, NULL);
	check(!count(SBI_PMU_HW_CPU_CYCLES, U, false, &code, &candidates) &&
		      code.idx == SBI_PMU_HW_CPU_CYCLES,
	      "stand_in.not_if_counters_count_cycles");
	sbi_pmu_counters_offline(&cpu.counters);
	boot_x60(0, can_hold_upto);
	fakesbi.refuse = 1;
	check(refusal(SBI_PMU_HW_CACHE_MISSES, U, false) == -ENOENT &&
		      refusal(SBI_PMU_HW_CPU_CYCLES, U, false) == 0,
	      "stand_in.only_for_events_of_the_table");
	sbi_pmu_counters_offline(&cpu.counters);
	check_rules("stand_in.replaced");
}

/* Without lines for raw events in the device tree it is as without stand-ins. */
static bool nothing(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	(void)code;
	(void)idx;
	return false;
}

static void test_no_raw(void)
{
	boot_x60(0, nothing);
	check(refusal(SBI_PMU_HW_CPU_CYCLES, U, false) == -EINVAL,
	      "stand_in.refused_if_firmware_has_no_raw_events");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("stand_in.no_raw");
}

/* With OpenSBI 1.9, where cycle is only read. */
static void test_counts(void)
{
	struct tracked *all = &cpu.tracked[0], *user = all + 1, *kernel = all + 2, *raw = all + 3;
	struct sbi_pmu_event_code code = { .idx = SBI_PMU_HW_CPU_CYCLES };
	bool opened;

	boot_x60(OPENSBI_NEW | QUIRK(FIXED_WITHHELD), raw_only);
	opened = tracked_open(all, code);
	code.flags = U;
	opened &= tracked_open(user, code);
	code.flags = K;
	opened &= tracked_open(kernel, code);
	code = (struct sbi_pmu_event_code){ .idx = RAW, .data = 0x22, .flags = U };
	opened &= tracked_open(raw, code);
	check(opened, "stand_in.opens_beside_cycles");
	check(tracked_add_start(all) && tracked_add_start(user) && tracked_add_start(kernel) &&
		      tracked_add_start(raw) && all->event.counter == 0 &&
		      user->event.counter == raw->event.counter &&
		      user->event.counter != kernel->event.counter,
	      "stand_in.shares_a_counter_with_its_raw_event");
	cpu_run(1000);
	check(is_count_right(all) && is_count_right(user) && is_count_right(kernel) &&
		      user->reported == 1000 * fakesbi_rate(&raw->event.code),
	      "stand_in.counts_are_those_of_the_raw_event");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("stand_in.counts");
}

void test_stand_in(void)
{
	check(sbi_pmu_stand_ins_find(0x710, X60) && !sbi_pmu_stand_ins_find(0x710, X60 + 1) &&
		      !sbi_pmu_stand_ins_find(0x5b7, X60) && !sbi_pmu_stand_ins_find(0, 0),
	      "stand_in.found_by_both_ids");
	test_replaced();
	test_no_raw();
	test_counts();
}
