// SPDX-License-Identifier: GPL-2.0-only
/* test_support: which counters can count an event, and what is remembered of it. */
#include "test.h"

#define ENTRIES		4096	/* limit of the cache */
#define STANDARD	52	/* events of sbi_pmu_event_standard() */

static struct sbi_pmu_mask found;

static int find(u32 idx, u64 data, u32 unit)
{
	const struct sbi_pmu_event_code code = { .idx = idx, .data = data, .unit = unit };

	return sbi_pmu_support_find(&cpu.support, &code, &found);
}

static int find_raw(u64 data)
{
	return find(RAW, data, SBI_PMU_UNIT_ANY);
}

/* Is the answer counters @low to @low + @n - 1? */
static bool found_from(unsigned int low, unsigned int n)
{
	bool ok = sbi_pmu_mask_weight(&found) == n;

	for (unsigned int i = low; i < low + n; i++)
		ok &= sbi_pmu_mask_test(&found, i);
	return ok;
}

/* Does another question return @ret without a call? */
static bool is_cached(int ret, u32 idx, u64 data, u32 unit)
{
	const u64 calls = cpu_calls();

	return find(idx, data, unit) == ret && cpu_calls() == calls;
}

/* Does another question return @ret by means of calls? */
static bool is_probed(int ret, u32 idx, u64 data, u32 unit)
{
	const u64 calls = cpu_calls();

	return find(idx, data, unit) == ret && cpu_calls() > calls;
}

static bool ended_clean(void)
{
	sbi_pmu_counters_offline(&cpu.counters);
	return is_all_released() && !fakesbi.broken;
}

static void test_cached(void)
{
	const struct sbi_pmu_event_code filtered = {
		.idx = RAW, .data = 1, .flags = SBI_PMU_CFG_FLAG_SET_UINH,
	};
	unsigned int entries;

	boot(4, 2, 64);
	fakesbi.can = can_hold_upto;
	check(!find_raw(1) && found_from(3, 2), "support.finds_counters_that_take_event");
	check(is_cached(0, RAW, 1, 0) && found_from(3, 2), "support.supported_event_is_cached");
	entries = cpu.support.count;
	check(!sbi_pmu_support_find(&cpu.support, &filtered, &found) && found_from(3, 2) &&
	      cpu.support.count == entries, "support.filter_is_no_part_of_the_key");
	check(!find_raw(3) && found_from(3, 4), "support.data_is_part_of_the_key");
	check(!find(FW + 5, 0, 0) && found_from(7, 2),
	      "support.firmware_event_on_firmware_counters");
	check(is_cached(0, FW + 5, 0, 0), "support.firmware_event_is_cached");

	fakesbi.refuse = 1;
	check(find_raw(2) == -EOPNOTSUPP && sbi_pmu_mask_empty(&found),
	      "support.refused_event_is_eopnotsupp");
	fakesbi.refuse = 0;
	check(is_cached(-EOPNOTSUPP, RAW, 2, 0), "support.refusal_is_cached_if_exclusive");
	check(ended_clean(), "support.cached_leaves_nothing");
}

static void test_busy(void)
{
	struct tracked *t = &cpu.tracked[0];

	boot(2, 0, 64);
	tracked_open_idx(t, RAW, 1);
	tracked_open_idx(t + 1, RAW, 2);
	tracked_add_start(t);
	tracked_add_start(t + 1);
	check(find_raw(3) == -EBUSY && found_from(3, 2), "support.all_busy_is_ebusy");
	tracked_del(t);
	check(!find_raw(3) && found_from(3, 2), "support.busy_counter_stays_a_candidate");
	tracked_del(t + 1);
	check(!find_raw(3) && found_from(3, 2) && is_cached(0, RAW, 3, 0),
	      "support.probed_when_no_longer_busy");

	/* Counter 4 could not be probed as it was busy, and cannot count raw event 0. */
	fakesbi.can = can_hold_upto;
	tracked_add_start(t);
	tracked_add_start(t + 1);
	tracked_del(t->event.counter == 3 ? t : t + 1);
	tracked_open_idx(t + 2, RAW, 0);
	check(!find_raw(0) && found_from(3, 2), "support.unknown_is_candidate");
	tracked_add_start(t + 2);
	tracked_del(t);
	tracked_del(t + 1);
	check(is_cached(0, RAW, 0, 0) && found_from(3, 2), "support.event_in_use_is_not_probed");
	tracked_del(t + 2);
	check(!find_raw(0) && found_from(3, 1), "support.probed_when_no_longer_in_use");

	sbi_pmu_counters_offline(&cpu.counters);
	check(is_cached(-EBUSY, RAW, 4, 0) && found.bits[0] == (BIT(0) | BIT(2) | BIT(3) | BIT(4)),
	      "support.offline_cpu_is_not_probed");
	check(is_all_released() && !fakesbi.broken, "support.busy_leaves_nothing");
}

static int filtered(u32 idx, u64 data, u32 flags, bool needs_irq)
{
	const struct sbi_pmu_event_code code = { .idx = idx, .data = data, .flags = flags };

	return sbi_pmu_support_filtered(&cpu.support, &code, needs_irq, &found);
}

static void test_filtered(void)
{
	const u32 flags = SBI_PMU_CFG_FLAG_SET_UINH;
	struct tracked *t = &cpu.tracked[0];

	boot(1, 0, 64);
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, 0, true) && found.bits[0] == (BIT(0) | BIT(3)),
	      "support.fixed_counter_without_filter");
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, false) && found_from(3, 1),
	      "support.no_fixed_counter_with_filter");
	fakesbi.refuse = 1;
	check(filtered(RAW, 1, 0, false) == -ENOENT && filtered(RAW, 1, flags, true) == -ENOENT,
	      "support.refused_event_is_enoent_to_perf");
	fakesbi.refuse = 0;
	tracked_open_idx(t, RAW, 2);
	tracked_add_start(t);
	check(filtered(RAW, 3, 0, false) == -EBUSY && filtered(RAW, 3, flags, true) == -EBUSY,
	      "support.busy_is_ebusy_to_perf");
	cpu.caps.fixed_alike = true;
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, false) &&
	      found.bits[0] == (BIT(0) | BIT(3)), "support.filter_on_fixed_that_is_like_others");
	check(ended_clean(), "support.filtered_leaves_nothing");

	boot(0, 0, 64);
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, 0, false) && found_from(0, 1),
	      "support.fixed_counter_alone");
	check(filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, false) ==
	      sbi_pmu_filter_errno(&cpu.caps), "support.filter_on_fixed_is_filter_errno");
	cpu.caps.has_h = false;
	check(filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, false) ==
	      sbi_pmu_filter_errno(&cpu.caps), "support.filter_on_fixed_is_filter_errno_without_h");
	check(filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, true) == -EOPNOTSUPP,
	      "support.filter_and_irq_on_fixed_is_eopnotsupp");
	check(ended_clean(), "support.filter_on_fixed_leaves_nothing");
}

static void test_shared(void)
{
	struct tracked *t = &cpu.tracked[0];

	fakesbi_reset(2, 2, 64);
	cpu_boot(false);
	check(!find(SBI_PMU_HW_CPU_CYCLES, 0, 0) && found_from(3, 2),
	      "support.shared_has_no_fixed_counters");
	check(!find(FW + 1, 0, 0) && found_from(5, 2), "support.shared_has_firmware_counters");
	fakesbi.refuse = 1;
	check(find_raw(1) == -EOPNOTSUPP, "support.shared_refusal_is_eopnotsupp");
	fakesbi.refuse = 0;
	check(!find_raw(1) && found_from(3, 2), "support.shared_refusal_is_probed_again");
	check(is_cached(0, RAW, 1, 0), "support.shared_supported_event_is_cached");

	cpu.support.hints = BIT(2);	/* cache references */
	fakesbi.refuse = 1;
	check(!find(SBI_PMU_HW_CACHE_REFERENCES, 0, 0) && found_from(3, 2),
	      "support.shared_hinted_event_has_all_candidates");
	check(find(SBI_PMU_HW_CACHE_MISSES, 0, 0) == -EOPNOTSUPP,
	      "support.shared_event_without_hint_is_refused");
	cpu.support.hints = ~0ULL;
	check(find_raw(2) == -EOPNOTSUPP && find(FW + 2, 0, 0) == -EOPNOTSUPP,
	      "support.hints_are_for_standard_events");
	cpu.support.exclusive = true;
	check(find(SBI_PMU_HW_CACHE_MISSES, 0, 0) == -EOPNOTSUPP,
	      "support.exclusive_ignores_hints");
	cpu.support.exclusive = false;
	fakesbi.refuse = 0;

	tracked_open_idx(t, RAW, 1);
	tracked_open_idx(t + 1, RAW, 5);
	tracked_add_start(t);
	tracked_add_start(t + 1);
	check(!find_raw(6) && found_from(3, 2), "support.shared_all_busy_is_no_error");
	check(ended_clean(), "support.shared_leaves_nothing");
}

static bool no_raw;

static bool can_no_raw(const struct sbi_pmu_event_code *code)
{
	return code->idx != RAW || !no_raw;
}

/* Other VMs use the host's counters, and give them back. */
static void test_vm(void)
{
	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = KVM;
	fakesbi.countable = can_no_raw;
	fakesbi.read_ticks = 1;
	no_raw = true;
	cpu_boot(true);
	check(cpu.support.in_vm && find_raw(4) == -EOPNOTSUPP, "support.vm_refusal_is_eopnotsupp");
	check(is_probed(-EOPNOTSUPP, RAW, 4, 0), "support.vm_refusal_is_probed_again");
	no_raw = false;
	check(!find_raw(4) && !sbi_pmu_mask_empty(&found), "support.vm_event_found_later");
	no_raw = true;
	check(is_cached(0, RAW, 4, 0), "support.vm_supported_event_is_cached");
	check(ended_clean(), "support.vm_leaves_nothing");
}

/* Raw events are for the frontend's counters. */
static bool frontend_only(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return code->idx != RAW || idx < 11;
}

/* The same selector in two units, which is one entry */
static void test_two_units(void)
{
	struct tracked *t = &cpu.tracked[0];
	unsigned int entries;

	boot(29, 0, 64);
	check(!find(RAW, 5, SBI_PMU_UNIT_FRONTEND) && found_from(3, 8),
	      "support.unit_restricts_counters");
	entries = cpu.support.count;
	check(!find(RAW, 5, SBI_PMU_UNIT_BACKEND) && found_from(11, 8) &&
	      cpu.support.count == entries, "support.second_unit_is_probed");
	check(is_cached(0, RAW, 5, SBI_PMU_UNIT_FRONTEND) && found_from(3, 8) &&
	      is_cached(0, RAW, 5, SBI_PMU_UNIT_BACKEND) && found_from(11, 8),
	      "support.both_units_are_cached");

	fakesbi.can = frontend_only;
	check(!find(RAW, 6, SBI_PMU_UNIT_FRONTEND) && found_from(3, 8) &&
	      find(RAW, 6, SBI_PMU_UNIT_BACKEND) == -EOPNOTSUPP &&
	      is_cached(0, RAW, 6, SBI_PMU_UNIT_FRONTEND), "support.one_unit_refuses");
	fakesbi.can = NULL;

	for (unsigned int i = 0; i < 8; i++, t++) {
		const struct sbi_pmu_event_code code = {
			.idx = RAW, .data = 100 + i, .unit = SBI_PMU_UNIT_BACKEND,
		};

		tracked_open(t, code);
		tracked_add_start(t);
	}
	check(!find(RAW, 7, SBI_PMU_UNIT_FRONTEND) &&
	      find(RAW, 7, SBI_PMU_UNIT_BACKEND) == -EBUSY && found_from(11, 8),
	      "support.one_unit_is_busy");
	check(ended_clean(), "support.two_units_leave_nothing");
}

static void test_limit(void)
{
	unsigned int wrong = 0;

	boot(1, 0, 64);
	while (cpu.support.count < ENTRIES)
		wrong += find_raw(1 + cpu.support.count);
	check(!wrong, "support.cache_takes_4096_events");
	check(!find_raw(10000) && found_from(3, 1) && cpu.support.count == ENTRIES,
	      "support.event_found_with_full_cache");
	check(is_probed(0, RAW, 10000, 0) && found_from(3, 1),
	      "support.event_past_limit_is_probed_again");
	check(is_cached(0, RAW, ENTRIES, 0), "support.event_below_limit_is_cached");
	check(ended_clean(), "support.limit_leaves_nothing");

	boot(1, 0, 64);
	kernel_api_no_memory = true;
	check(!find_raw(1) && found_from(3, 1), "support.event_found_without_memory");
	kernel_api_no_memory = false;
	check(is_probed(0, RAW, 1, 0) && is_cached(0, RAW, 1, 0),
	      "support.event_saved_when_there_is_memory");
	check(ended_clean(), "support.no_memory_leaves_nothing");
}

/* Firmware has no cache events. */
static bool no_cache(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return idx && sbi_pmu_event_type(code) != SBI_PMU_EVENT_TYPE_CACHE;
}

static void test_probe_all(void)
{
	unsigned int wrong = 0;
	u32 idx;

	fakesbi_reset(2, 1, 64);
	fakesbi.can = no_cache;
	cpu_boot(true);
	sbi_pmu_support_probe_all(&cpu.support);
	check(cpu.support.count == STANDARD + SBI_PMU_FW_MAX,
	      "support.probe_all_is_standard_and_firmware");
	for (unsigned int n = 0; (idx = sbi_pmu_event_standard(n)); n++)
		wrong += !is_cached(idx < 0x10000 ? 0 : -EOPNOTSUPP, idx, 0, 0);
	for (unsigned int n = 0; n < SBI_PMU_FW_MAX; n++)
		wrong += !is_cached(0, FW + n, 0, 0);
	check(!wrong, "support.probe_all_caches_each_answer");
	check(ended_clean(), "support.probe_all_leaves_nothing");
}

void test_support(void)
{
	test_cached();
	test_busy();
	test_filtered();
	test_shared();
	test_vm();
	test_two_units();
	test_limit();
	test_probe_all();
}
