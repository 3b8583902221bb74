// SPDX-License-Identifier: GPL-2.0-only
/* test_support: which counters can count an event, and what is remembered of it. */
#include "test.h"

#define ENTRIES		1024	/* limit of the cache */
#define STANDARD	52	/* events of sbi_pmu_event_standard() */

static u64 found;

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
	bool ok = hweight64(found) == n;

	for (unsigned int i = low; i < low + n; i++)
		ok &= has_counter(found, i);
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
		.idx = RAW,
		.data = 1,
		.flags = SBI_PMU_CFG_FLAG_SET_UINH,
	};
	unsigned int entries;

	boot(4, 2, 64);
	fakesbi.can = can_hold_upto;
	check(!find_raw(1) && found_from(3, 2), "support.finds_counters_that_take_event");
	check(is_cached(0, RAW, 1, 0) && found_from(3, 2), "support.supported_event_is_cached");
	entries = cpu.support.count;
	check(!sbi_pmu_support_find(&cpu.support, &filtered, &found) && found_from(3, 2) &&
		      cpu.support.count == entries,
	      "support.filter_is_no_part_of_the_key");
	check(!find_raw(3) && found_from(3, 4), "support.data_is_part_of_the_key");
	check(!find(FW + 5, 0, 0) && found_from(7, 2),
	      "support.firmware_event_on_firmware_counters");
	check(is_cached(0, FW + 5, 0, 0), "support.firmware_event_is_cached");

	fakesbi.refuse = 1;
	check(find_raw(2) == -EOPNOTSUPP && !found, "support.refused_event_is_eopnotsupp");
	fakesbi.refuse = 0;
	check(is_cached(-EOPNOTSUPP, RAW, 2, 0), "support.refusal_is_cached_if_exclusive");
	check(ended_clean(), "support.cached_leaves_nothing");
}

/* ---- opening does not depend on load ---- */

/* The host of a VM has even raw events. */
static bool has_even(const struct sbi_pmu_event_code *code)
{
	return code->idx != RAW || code->data % 2 == 0;
}

static const struct load {
	const char *name;
	u64 quirks;
	enum mode mode;
} loads[] = {
	{ "plain", 0, EXCLUSIVE },
	{ "shared", 0, SHARED },
	{ "opensbi_1_2", OPENSBI_OLD, EXCLUSIVE },
	{ "opensbi_1_9", OPENSBI_NEW, EXCLUSIVE },
	{ "rustsbi", RUSTSBI, EXCLUSIVE },
	{ "snapshot", 0, SNAPSHOT },
	{ "kvm", KVM, EXCLUSIVE },
	{ "kvm_snapshot", KVM, SNAPSHOT },
	{ "kvm_6_12", KVM_OLD, EXCLUSIVE },
	{ "kvm_6_12_snapshot", KVM_OLD, SNAPSHOT },
};

static bool not_9(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	(void)idx;
	return code->idx != RAW || code->data != 9;
}

static void boot_loaded(const struct load *l)
{
	/* With this quirk a read of counter 4 traps. */
	fakesbi_reset(l->quirks & QUIRK(GAP_TRAPS) ? 3 : 2, 2, 64);
	fakesbi.quirks = l->quirks;
	fakesbi.countable = has_even;
	fakesbi.can = not_9;
	cpu_boot_mode(l->mode);
	/* The reference counter of a VM needs time. */
	fakesbi.read_ticks = cpu.support.in_vm;
}

/* Events that are opened idle and loaded: some are supported, some are not. */
static const struct sbi_pmu_event_code questions[] = {
	{ .idx = RAW, .data = 2 },
	{ .idx = RAW, .data = 3 },
	{ .idx = RAW, .data = 9 },
	{ .idx = RAW_V2, .data = 1ULL << 50 },
	{ .idx = FW + 5 },
	{ .idx = SBI_PMU_HW_CPU_CYCLES },
	{ .idx = SBI_PMU_HW_REF_CPU_CYCLES },
	{ .idx = FW + RISCV_PLAT_FW_EVENT, .data = 1 },
};

struct answer {
	int ret;
	u64 found;
};

static void ask(struct answer answers[ARRAY_SIZE(questions)])
{
	for (unsigned int i = 0; i < ARRAY_SIZE(questions); i++) {
		answers[i].ret = sbi_pmu_support_find(&cpu.support, &questions[i], &found);
		answers[i].found = found;
	}
}

/* Both programmable counters and one of firmware are in use; one samples. */
static void load_counters(struct tracked *t)
{
	tracked_open_idx(t, RAW, 4);
	tracked_open_idx(t + 1, RAW, 6);
	tracked_open_idx(t + 2, FW + 4, 0);
	t[1].event.sampling = SBI_PMU_BY_INTERRUPT;
	t[1].event.period.left = 1000000;
	for (unsigned int i = 0; i < 3; i++)
		require(tracked_add_start(&t[i]), "support.load");
	cpu_enable();
}

static void test_loaded(const struct load *l)
{
	struct answer idle[ARRAY_SIZE(questions)], loaded[ARRAY_SIZE(questions)];
	struct tracked *t = &cpu.tracked[0];
	unsigned int different = 0;
	u64 reads, calls;

	boot_loaded(l);
	ask(idle);
	check(!idle[0].ret && idle[2].ret == -EOPNOTSUPP && !idle[4].ret, "support.idle_%s_answers",
	      l->name);
	check(ended_clean(), "support.idle_%s_leaves_nothing", l->name);

	boot_loaded(l);
	load_counters(t);
	cpu_run(1000);
	reads = fakesbi.reads;
	calls = cpu_calls();
	ask(loaded);
	note("%s: %lu calls to open %lu events, loaded", l->name,
	     (unsigned long)(cpu_calls() - calls), (unsigned long)ARRAY_SIZE(questions));
	for (unsigned int i = 0; i < ARRAY_SIZE(questions); i++)
		different += idle[i].ret != loaded[i].ret ||
			     memcmp(&idle[i].found, &loaded[i].found, sizeof(found));
	check(!different, "support.%s_answers_alike_idle_and_loaded", l->name);
	cpu_run(1000);
	/* In a VM time passes, too, and nobody counts for a part of it. */
	reads = (fakesbi.reads - reads) * fakesbi.read_ticks;
	for (unsigned int i = 0; i < 3; i++)
		check(t[i].active && is_count_near(&t[i], reads), "support.%s_counts_go_on_%u",
		      l->name, i);
	check(cpu.counters.state[t[1].event.counter] == SBI_PMU_ARMED && !fakesbi.lcofi,
	      "support.%s_counter_stays_armed", l->name);
	cpu_run(1000000);
	check(fakesbi.lcofi, "support.%s_period_ends", l->name);
	note_broken_rule();
	check(ended_clean(), "support.loaded_%s_leaves_nothing", l->name);
}

/* An idle counter that is borrowed has its event again after. */
static void test_idle_kept(void)
{
	struct tracked *t = &cpu.tracked[0];
	u64 calls;

	boot(2, 0, 64);
	tracked_open_idx(t, RAW, 1);
	tracked_add_start(t);
	tracked_del(t);
	check(!find_raw(2) && found_from(3, 2), "support.idle_counter_is_borrowed");
	calls = cpu_calls();
	tracked_add_start(t);
	check(cpu_calls() == calls, "support.idle_counter_keeps_its_event");
	tracked_del(t);
	check(ended_clean(), "support.idle_kept_leaves_nothing");
}

/* Firmware cannot tell: the event is probed again, but not at each open if it can count. */
static void test_unknown(void)
{
	unsigned int cached = 0, probed = 0;

	boot(2, 0, 64);
	fakesbi.start_fails = 1;
	check(find_raw(3) == -EBUSY, "support.error_is_ebusy");
	fakesbi.start_fails = 0;
	check(!find_raw(3) && found_from(3, 2), "support.event_is_probed_again_after_error");

	/* Of some events one counter is known. */
	fakesbi.start_fails = 2;
	for (u64 n = 10; n < 30; n++)
		find_raw(n);
	fakesbi.start_fails = 0;
	for (u64 n = 10; n < 30; n++) {
		find_raw(n);
		cached += is_cached(0, RAW, n, 0);
	}
	check(cached == 20, "support.incomplete_is_not_probed_at_each_open");
	jiffies += HZ + 1;
	for (u64 n = 10; n < 30; n++) {
		probed += is_probed(0, RAW, n, 0);
		cached += is_cached(0, RAW, n, 0);
	}
	note("%u of 20 events were incomplete", probed);
	check(probed && cached == 40, "support.incomplete_is_probed_a_second_later");

	sbi_pmu_counters_offline(&cpu.counters);
	check(is_cached(-EBUSY, RAW, 5, 0) && found == (BIT(0) | BIT(2) | BIT(3) | BIT(4)),
	      "support.offline_cpu_is_not_probed");
	check(is_all_released() && !fakesbi.broken, "support.unknown_leaves_nothing");
}

/* Only the opener's CPU is asked, unless it has other counters. */
static void test_opener(void)
{
	static const struct cpumask second = { .bits = BIT(1) }, both = { .bits = 3 };

	boot(1, 0, 64);
	cpu.support.cpus = &both;
	kernel_api_cpu = 1;
	find_raw(1);
	check(kernel_api_called_cpu == 1, "support.opener_on_cpu_1_asks_cpu_1");
	kernel_api_cpu = 0;
	find_raw(2);
	check(kernel_api_called_cpu == 0, "support.opener_on_cpu_0_asks_cpu_0");
	cpu.support.cpus = &second;
	find_raw(3);
	check(kernel_api_called_cpu == 1, "support.opener_without_counters_asks_another_cpu");
	check(ended_clean(), "support.opener_leaves_nothing");
}

static int filtered(u32 idx, u64 data, u32 flags, int refusal)
{
	struct sbi_pmu_event_code code = { .idx = idx, .data = data, .flags = flags };

	return sbi_pmu_support_filtered(&cpu.support, &code, refusal, &found);
}

static void test_filtered(void)
{
	const u32 flags = SBI_PMU_CFG_FLAG_SET_UINH;

	boot(1, 0, 64);
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, 0, -EINVAL) && found == (BIT(0) | BIT(3)),
	      "support.fixed_counter_without_filter");
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, -EINVAL) && found_from(3, 1),
	      "support.no_fixed_counter_with_filter");
	fakesbi.refuse = 1;
	check(filtered(RAW, 1, 0, -EINVAL) == -ENOENT &&
		      filtered(RAW, 1, flags, -EINVAL) == -ENOENT,
	      "support.refused_event_is_enoent_to_perf");
	fakesbi.refuse = 0;
	fakesbi.start_fails = 1;
	check(filtered(RAW, 3, 0, -EINVAL) == -EBUSY && filtered(RAW, 3, flags, -EINVAL) == -EBUSY,
	      "support.unknown_is_ebusy_to_perf");
	fakesbi.start_fails = 0;
	cpu.caps.fixed_alike = true;
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, -EINVAL) && found == (BIT(0) | BIT(3)),
	      "support.filter_on_fixed_that_is_like_others");
	check(ended_clean(), "support.filtered_leaves_nothing");

	boot(0, 0, 64);
	check(!filtered(SBI_PMU_HW_CPU_CYCLES, 0, 0, -EINVAL) && found_from(0, 1),
	      "support.fixed_counter_alone");
	check(filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, -EINVAL) == -EINVAL &&
		      filtered(SBI_PMU_HW_CPU_CYCLES, 0, flags, -ENOENT) == -ENOENT,
	      "support.filter_on_fixed_is_refused");
	check(ended_clean(), "support.filter_on_fixed_leaves_nothing");
}

/* The other driver uses a counter, or no longer. */
static void hold(unsigned int idx, bool held)
{
	fakesbi.ctr[idx].configured = fakesbi.ctr[idx].running = held;
}

/* Firmware has raw events 1 to 99; event 7 counts on counter 3 only. */
static bool has_99(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return code->idx != RAW || (code->data < 100 && (code->data != 7 || idx == 3));
}

static void test_shared(void)
{
	fakesbi_reset(2, 2, 64);
	fakesbi.can = has_99;
	cpu_boot(false);
	check(!find(SBI_PMU_HW_CPU_CYCLES, 0, 0) && found_from(3, 2),
	      "support.shared_has_no_fixed_counters");
	check(!find(FW + 1, 0, 0) && found_from(5, 2), "support.shared_has_firmware_counters");
	check(!find_raw(1) && found_from(3, 2) && is_cached(0, RAW, 1, 0),
	      "support.shared_supported_event_is_cached");
	check(find_raw(100) == -EOPNOTSUPP && is_cached(-EOPNOTSUPP, RAW, 100, 0),
	      "support.shared_refusal_of_free_counters_is_cached");

	hold(3, true);
	check(is_cached(0, RAW, 1, 0) && found_from(3, 2),
	      "support.shared_supported_event_opens_while_held");
	check(!find_raw(2) && found_from(4, 1), "support.shared_event_opens_on_free_counter");
	check(is_cached(0, RAW, 2, 0), "support.shared_held_counter_is_not_probed_at_each_open");
	check(find_raw(7) == -EBUSY && found_from(3, 1),
	      "support.shared_event_of_held_counter_is_ebusy");
	check(find_raw(101) == -EBUSY, "support.shared_no_event_of_held_counter_is_ebusy");
	hold(4, true);
	check(find_raw(5) == -EBUSY && found_from(3, 2), "support.shared_all_held_is_ebusy");
	check(is_probed(-EBUSY, RAW, 5, 0), "support.shared_ebusy_is_probed_again");
	hold(3, false);
	hold(4, false);
	check(!find_raw(5) && found_from(3, 2) && !find_raw(7) && found_from(3, 1),
	      "support.shared_event_opens_when_no_longer_held");
	check(find_raw(101) == -EOPNOTSUPP, "support.shared_no_event_when_no_longer_held");
	jiffies += HZ + 1;
	check(!find_raw(2) && found_from(3, 2), "support.shared_held_counter_is_found_later");
	check(ended_clean(), "support.shared_leaves_nothing");

	/* A counter that has taken no event yet may be one that takes none. */
	fakesbi_reset(2, 0, 64);
	fakesbi.can = has_99;
	hold(3, true);
	hold(4, true);
	cpu_boot(false);
	check(find(SBI_PMU_HW_CPU_CYCLES, 0, 0) == -EOPNOTSUPP && find_raw(1) == -EOPNOTSUPP,
	      "support.shared_counters_without_any_event_are_no_reason");
	hold(3, false);
	hold(4, false);
	check(!find(SBI_PMU_HW_CPU_CYCLES, 0, 0) && !find_raw(1) && found_from(3, 2),
	      "support.shared_counters_are_found_later");
	check(ended_clean(), "support.shared_without_counters_leaves_nothing");
}

/* A device tree maps cycles to the fixed counter alone: what a probe says is final. */
static bool only_fixed(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return code->idx != SBI_PMU_HW_CPU_CYCLES || idx == 0;
}

static void test_no_hint(void)
{
	struct tracked *t = &cpu.tracked[0];
	unsigned int kept = 0;
	u64 calls;

	fakesbi_reset(8, 0, 64);
	fakesbi.can = only_fixed;
	cpu_boot(false);
	for (unsigned int i = 0; i < 8; i++) {
		tracked_open_idx(t + i, RAW, 1 + i);
		tracked_add_start(t + i);
	}
	for (unsigned int i = 0; i < 8; i++)
		tracked_del(t + i);
	check(find(SBI_PMU_HW_CPU_CYCLES, 0, 0) == -EOPNOTSUPP,
	      "support.shared_event_of_fixed_counter_does_not_open");
	calls = cpu_calls();
	for (unsigned int i = 0; i < 8; i++)
		kept += tracked_add_start(t + i);
	check(kept == 8 && cpu_calls() == calls, "support.shared_refused_event_evicts_nothing");
	check(ended_clean(), "support.no_hint_leaves_nothing");
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
	check(!find_raw(4) && found, "support.vm_event_found_later");
	no_raw = true;
	check(is_cached(0, RAW, 4, 0), "support.vm_supported_event_is_cached");
	check(ended_clean(), "support.vm_leaves_nothing");
}

/* Raw events are for the frontend's counters. */
static bool frontend_only(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return code->idx != RAW || idx < 11;
}

/* The same selector in two units */
static void test_two_units(void)
{
	struct tracked *t = &cpu.tracked[0];

	boot(29, 0, 64);
	check(!find(RAW, 5, SBI_PMU_UNIT_FRONTEND) && found_from(3, 8),
	      "support.unit_restricts_counters");
	check(!find(RAW, 5, SBI_PMU_UNIT_BACKEND) && found_from(11, 8),
	      "support.second_unit_is_probed");
	check(is_cached(0, RAW, 5, SBI_PMU_UNIT_FRONTEND) && found_from(3, 8) &&
		      is_cached(0, RAW, 5, SBI_PMU_UNIT_BACKEND) && found_from(11, 8),
	      "support.both_units_are_cached");

	fakesbi.can = frontend_only;
	check(!find(RAW, 6, SBI_PMU_UNIT_FRONTEND) && found_from(3, 8) &&
		      find(RAW, 6, SBI_PMU_UNIT_BACKEND) == -EOPNOTSUPP &&
		      is_cached(0, RAW, 6, SBI_PMU_UNIT_FRONTEND),
	      "support.one_unit_refuses");
	fakesbi.can = NULL;

	for (unsigned int i = 0; i < 8; i++, t++) {
		const struct sbi_pmu_event_code code = {
			.idx = RAW,
			.data = 100 + i,
			.unit = SBI_PMU_UNIT_BACKEND,
		};

		tracked_open(t, code);
		tracked_add_start(t);
	}
	check(!find(RAW, 7, SBI_PMU_UNIT_FRONTEND) && found_from(3, 8) &&
		      !find(RAW, 7, SBI_PMU_UNIT_BACKEND) && found_from(11, 8),
	      "support.busy_unit_is_found");
	check(ended_clean(), "support.two_units_leave_nothing");
}

static void test_limit(void)
{
	unsigned int wrong = 0;

	boot(1, 0, 64);
	for (unsigned int n = 1; n <= ENTRIES; n++)
		wrong += find_raw(n);
	check(!wrong && cpu.support.count == ENTRIES, "support.cache_has_limit");
	/* Event 1 is in use all the time, others come and go. */
	for (unsigned int n = 2; n <= 2 * ENTRIES; n++)
		wrong += !is_cached(0, RAW, 1, 0) || find_raw(10000 + n);
	check(!wrong && cpu.support.count == ENTRIES, "support.cache_keeps_recently_used");
	check(is_probed(0, RAW, 2, 0) && is_cached(0, RAW, 2, 0) && found_from(3, 1),
	      "support.cache_forgets_least_recently_used");
	check(is_cached(0, RAW, 10000 + 2 * ENTRIES, 0), "support.cache_has_the_last_event");
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

/* What sbi_pmu_support_each() shows of raw events */
struct shown {
	unsigned int n;
	u64 data[8];
	unsigned int counters[8];
};

static void show(void *arg, const struct sbi_pmu_event_code *code, u64 counters)
{
	struct shown *shown = arg;

	if (code->idx != RAW || shown->n == ARRAY_SIZE(shown->data))
		return;
	shown->data[shown->n] = code->data;
	shown->counters[shown->n++] = hweight64(counters);
}

static void test_each(void)
{
	struct shown shown = {};

	boot(4, 2, 64);
	fakesbi.can = can_hold_upto;
	find_raw(1);
	fakesbi.refuse = 1;
	find_raw(2);
	fakesbi.refuse = 0;
	find_raw(3);
	sbi_pmu_support_each(&cpu.support, show, &shown);
	check(shown.n == 2 && shown.data[0] == 1 && shown.counters[0] == 2 && shown.data[1] == 3 &&
		      shown.counters[1] == 4,
	      "support.each_shows_supported_events_and_their_counters");
	check(ended_clean(), "support.each_leaves_nothing");
}

/* A vendor that encodes events, but does not say which counters can hold them */
static void test_no_candidates(void)
{
	static const struct sbi_pmu_vendor vendor = {};

	boot(8, 0, 64);
	cpu.caps.vendor = &vendor;
	check(!find(RAW, 5, 1) && found_from(3, 8),
	      "support.vendor_without_candidates_asks_all_counters");
	check(ended_clean(), "support.vendor_without_candidates_leaves_nothing");
}

void test_support(void)
{
	test_cached();
	for (unsigned int i = 0; i < ARRAY_SIZE(loads); i++)
		test_loaded(&loads[i]);
	test_idle_kept();
	test_unknown();
	test_opener();
	test_filtered();
	test_shared();
	test_no_hint();
	test_vm();
	test_two_units();
	test_no_candidates();
	test_limit();
	test_probe_all();
	test_each();
}
