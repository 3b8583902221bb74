// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_quirks: for each quirk of real firmware: the model has it, and with it the driver counts
 * correctly or refuses the event, releases all counters and breaks no rule of the specification.
 */
#include "quirk_checks.h"

static const struct sbi_pmu_event_code codes[] = {
	{ .idx = SBI_PMU_HW_CPU_CYCLES },
	{ .idx = SBI_PMU_HW_INSTRUCTIONS },
	{ .idx = SBI_PMU_HW_CPU_CYCLES },
	{ .idx = SBI_PMU_HW_BRANCH_INSTRUCTIONS },
	{ .idx = 0x10019 },
	{ .idx = RAW, .data = 1 },
	{ .idx = RAW, .data = 6 },
	{ .idx = RAW, .data = 3 },
	{ .idx = RAW, .data = 6 },
	{ .idx = RAW_V2, .data = 1ULL << 50 | 5 },
	{ .idx = RAW },
	{ .idx = FW + 1 },
	{ .idx = FW + 5 },
	{ .idx = FW + 1 },
	{ .idx = FW + SPEC_FW_PLATFORM, .data = 3 },
	/* The last two need filters. */
	{ .idx = SBI_PMU_HW_CPU_CYCLES, .flags = SBI_PMU_CFG_FLAG_SET_UINH },
	{ .idx = RAW, .data = 6, .flags = SBI_PMU_CFG_FLAG_SET_SINH },
};

static unsigned int events; /* of the codes, those in use */

/* Return: number of events that no counter can count */
static unsigned int open_all(void)
{
	unsigned int refused = 0;

	events = ARRAY_SIZE(codes) - (fakesbi_has(QUIRK_NO_FILTER) ? 2 : 0);
	for (unsigned int i = 0; i < events; i++)
		refused += !tracked_open(&cpu.tracked[i], codes[i]);
	return refused;
}

static void start_all(void)
{
	for (unsigned int i = 0; i < events; i++)
		if (cpu.tracked[i].event.candidates)
			tracked_add_start(&cpu.tracked[i]);
}

/* Delete some events, add others on their counters, and add the deleted ones again. */
static void multiplex(void)
{
	for (unsigned int round = 0; round < 12; round++) {
		for (unsigned int i = round % 3; i < events; i += 3)
			tracked_del(&cpu.tracked[i]);
		cpu_run(100 + round);
		for (unsigned int i = (round + 1) % 2; i < events; i += 2)
			if (cpu.tracked[i].event.candidates)
				tracked_add_start(&cpu.tracked[i]);
		cpu_run(20000000);
		if (round == 5)
			sbi_pmu_counters_release_idle(&cpu.counters);
	}
}

/*
 * Open an event, then open it once more while it counts, when the counter of @other has become
 * idle.
 */
static void open_twice(u32 other, u32 event, u64 data)
{
	struct tracked *a = &cpu.tracked[events], *b = a + 1, *c = a + 2;

	for (unsigned int i = 0; i < events; i++)
		tracked_del(&cpu.tracked[i]);
	if (tracked_open_idx(a, other, data) && tracked_add_start(a) &&
	    tracked_open_idx(b, event, data) && tracked_add_start(b)) {
		tracked_del(a);
		cpu_run(50);
		tracked_open_idx(c, event, data);
		tracked_add_start(c);
		cpu_run(50);
		if (!is_count_right(b) || !is_count_right(c))
			check(false, "quirks.event_%#x_counts_when_opened_twice", event);
		tracked_del(c);
	}
	tracked_del(b);
	tracked_del(a);
}

/* Count each event that is supported, alone. Return: number of failures. */
static unsigned int count_each_alone(void)
{
	unsigned int failures = 0;

	for (unsigned int i = 0; i < events; i++)
		tracked_del(&cpu.tracked[i]);
	for (unsigned int i = 0; i < events; i++) {
		struct tracked *p = &cpu.tracked[i];
		u64 before = p->reported;

		if (!p->event.candidates)
			continue;
		failures += !tracked_add_start(p);
		cpu_run(50);
		failures += !is_count_right(p) || p->reported == before;
		tracked_del(p);
	}
	return failures;
}

static void suspend_resume(void)
{
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	sbi_pmu_counters_resume(&cpu.counters);
	cpu_run(77);
}

static void hotplug(void)
{
	sbi_pmu_counters_offline(&cpu.counters);
	tracked_sync();
	fakesbi_restart();
	sbi_pmu_counters_online(&cpu.counters);
	cpu_run(77);
	start_all();
	cpu_run(77);
}

/* Return: number of counters not released; in shared mode fixed ones may be foreign */
static unsigned int unreleased(bool exclusive)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < FAKESBI_CTRS; i++)
		n += fakesbi.ctr[i].running ||
		     (fakesbi.ctr[i].configured && (exclusive || (i != 0 && i != 2)));
	return n;
}

/* @name: name of the firmware or quirk */
static void exercise(const char *name, u64 quirks, enum mode mode)
{
	static const char * const modes[] = { "shared", "exclusive", "snapshot" };
	unsigned int refused, lost, wrong, left;

	fakesbi_reset(8, 3, 32);
	fakesbi.quirks = quirks;
	/* Widths are measured by an event that all counters take. */
	fakesbi.can = quirks & QUIRK(WIDTH_64_ALWAYS) ? NULL : can_hold_upto;
	cpu_boot_mode(mode);
	refused = open_all();
	start_all();
	cpu_run(1000);
	multiplex();
	lost = tracked_sync();
	open_twice(FW + 7, FW + 8, 0);
	open_twice(RAW, RAW, 4);
	start_all();
	suspend_resume();
	lost += tracked_sync();
	hotplug();
	lost += tracked_sync();
	wrong = count_each_alone();
	for (unsigned int i = 0; i < events; i++)
		wrong += !is_count_right(&cpu.tracked[i]);
	sbi_pmu_counters_offline(&cpu.counters);
	left = unreleased(mode != SHARED);
	note("%s, %s: %u events, %u refused, %u wrong, %u counters lost, %u not released", name,
	     modes[mode], events, refused, wrong, lost, left);
	note_broken_rule();
	check(!wrong && !lost && !left && !fakesbi.broken && refused < events / 2,
	      "quirks.%s_counts_are_correct_in_%s_mode", name, modes[mode]);
}

static bool is_present(unsigned int quirk, u64 quirks)
{
	fakesbi_reset(8, 4, 64);
	fakesbi.quirks = quirks;
	return quirk_checks[quirk].is_present();
}

/* Firmware that uses counters 0 and 2 for cycles and instret, even if they are not offered. */
static void test_fixed(const char *name, u64 quirk)
{
	const struct sbi_pmu_event_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	const struct sbi_pmu_event_code instret = { .idx = SBI_PMU_HW_INSTRUCTIONS };
	const struct sbi_pmu_event_code filtered = { .idx = cycles.idx,
						     .flags = SBI_PMU_CFG_FLAG_SET_UINH };
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;
	const u64 all = 0x1fd;
	struct sbi_pmu_support support = {};

	fakesbi_reset(6, 2, 64);
	fakesbi.quirks = quirk;
	fakesbi.can = can_hold_upto;
	cpu_boot(true);
	tracked_open(a, instret);
	tracked_open(a, cycles);
	tracked_open(b, cycles);
	check(is_all_released() && has_counter(a->event.candidates, 0) &&
		      !has_counter(a->event.candidates, 4),
	      "quirks.%s_counter_not_offered_is_released", name);
	check(tracked_add_start(a) && tracked_add_start(b) && a->event.counter == 0 &&
		      b->event.counter == 0,
	      "quirks.%s_cycles_share_counter_0", name);
	cpu_run(10);
	cpu_probe(&cycles, all, &support);
	check(has_counter(support.can, 0) && !has_counter(support.can, 4),
	      "quirks.%s_probe_borrows_counter_of_event", name);
	tracked_open(c, filtered);
	check(!has_counter(c->event.candidates, 0),
	      "quirks.%s_filtered_cycles_do_not_use_counter_0", name);
	cpu_run(10);
	check(is_count_right(a) && is_count_right(b) && a->reported,
	      "quirks.%s_shared_cycles_are_correct", name);
	sbi_pmu_counters_offline(&cpu.counters);
	note_broken_rule();
	check(is_all_released() && !fakesbi.broken, "quirks.%s_fixed_counters_are_released", name);
}

/* More probes than counters: a probe must not leave its counter configured. */
static void test_many_probes(void)
{
	unsigned int supported = 0;

	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = RUSTSBI;
	cpu_boot(true);
	for (unsigned int n = 0; n < 20; n++)
		supported += tracked_open_idx(&cpu.tracked[0], FW + n, 0) &&
			     tracked_open_idx(&cpu.tracked[1], RAW, 1 + n);
	note("%u of 20 pairs of events are supported", supported);
	check(supported == 20 && is_all_released() && !fakesbi.broken,
	      "quirks.abort_at_already_probes_use_up_no_counter");
}

void test_quirks(void)
{
	for (unsigned int q = 0; q < FAKESBI_QUIRKS; q++) {
		const char *label = quirk_checks[q].label;

		check(quirk_checks[q].quirk == q && !is_present(q, 0) && is_present(q, BIT_ULL(q)),
		      "quirks.%s_is_in_model", label);
		for (enum mode mode = SHARED; mode <= SNAPSHOT; mode++)
			exercise(label, BIT_ULL(q), mode);
	}
	test_fixed("fixed_fallback", QUIRK(FIXED_FALLBACK));
	test_fixed("fixed_always", QUIRK(FIXED_ALWAYS));
	test_many_probes();
	for (enum mode mode = SHARED; mode <= SNAPSHOT; mode++) {
		exercise("none", 0, mode);
		exercise("opensbi_1_2", OPENSBI_OLD, mode);
		exercise("opensbi_1_9", OPENSBI_NEW, mode);
		/* In a KVM guest the module does not load in shared mode. */
		if (mode != SHARED) {
			exercise("kvm", KVM, mode);
			exercise("kvm_6_12", KVM_OLD, mode);
		}
		exercise("rustsbi", RUSTSBI, mode);
	}
}
