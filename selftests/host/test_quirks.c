// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_quirks: each quirk of real firmware by its name: the model has it, and
 * under it the driver's counts are right or the event is refused, nothing is
 * left behind, and no rule of the specification is broken.
 */
#include "quirk_checks.h"

static const struct sbi_pmu_event_code wanted[] = {
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
	/* the last two only where there are filters */
	{ .idx = SBI_PMU_HW_CPU_CYCLES, .flags = SBI_PMU_CFG_FLAG_SET_UINH },
	{ .idx = RAW, .data = 6, .flags = SBI_PMU_CFG_FLAG_SET_SINH },
};

static unsigned int players;

static unsigned int open_all(void)
{
	unsigned int refused = 0;

	players = ARRAY_SIZE(wanted) - (fakesbi_has(QUIRK_NO_FILTER) ? 2 : 0);
	for (unsigned int i = 0; i < players; i++)
		refused += !tracked_open(&cpu.tracked[i], wanted[i]);
	return refused;
}

static void seat_all(void)
{
	for (unsigned int i = 0; i < players; i++)
		if (!sbi_pmu_mask_empty(&cpu.tracked[i].event.candidates))
			tracked_add_start(&cpu.tracked[i]);
}

/* Some leave, others take their counters, they come back. */
static void take_turns(void)
{
	for (unsigned int round = 0; round < 12; round++) {
		for (unsigned int i = round % 3; i < players; i += 3)
			tracked_del(&cpu.tracked[i]);
		cpu_run(100 + round);
		for (unsigned int i = (round + 1) % 2; i < players; i += 2)
			if (!sbi_pmu_mask_empty(&cpu.tracked[i].event.candidates))
				tracked_add_start(&cpu.tracked[i]);
		cpu_run(20000000);
		if (round == 5)
			sbi_pmu_counters_release_idle(&cpu.counters);
	}
}

/*
 * An event is opened again while it counts, when a counter is free that was
 * not when it was opened first.
 */
static void open_again(u32 other, u32 event, u64 data)
{
	struct tracked *a = &cpu.tracked[players], *b = a + 1, *c = a + 2;

	for (unsigned int i = 0; i < players; i++)
		tracked_del(&cpu.tracked[i]);
	if (tracked_open_idx(a, other, data) && tracked_add_start(a) && tracked_open_idx(b, event, data) &&
	    tracked_add_start(b)) {
		tracked_del(a);
		cpu_run(50);
		tracked_open_idx(c, event, data);
		tracked_add_start(c);
		cpu_run(50);
		if (!tracked_right(b) || !tracked_right(c))
			check(false, "%#x: counts when opened again", event);
		tracked_del(c);
	}
	tracked_del(b);
	tracked_del(a);
}

/* Whatever was not refused at open counts when nobody else does. */
static unsigned int each_alone(void)
{
	unsigned int bad = 0;

	for (unsigned int i = 0; i < players; i++)
		tracked_del(&cpu.tracked[i]);
	for (unsigned int i = 0; i < players; i++) {
		struct tracked *p = &cpu.tracked[i];
		u64 before = p->reported;

		if (sbi_pmu_mask_empty(&p->event.candidates))
			continue;
		bad += !tracked_add_start(p);
		cpu_run(50);
		bad += !tracked_right(p) || p->reported == before;
		tracked_del(p);
	}
	return bad;
}

static void sleep_and_go(void)
{
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	sbi_pmu_counters_resume(&cpu.counters);
	cpu_run(77);
}

static void go_and_come(void)
{
	sbi_pmu_counters_offline(&cpu.counters);
	tracked_sync();
	fakesbi_restart();
	sbi_pmu_counters_online(&cpu.counters);
	cpu_run(77);
	seat_all();
	cpu_run(77);
}

/* Counters that hold an event for nobody; beside, fixed ones may be another's. */
static unsigned int left_behind(bool sole)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < FAKESBI_CTRS; i++)
		n += fakesbi.ctr[i].running ||
		     (fakesbi.ctr[i].configured && (sole || (i != 0 && i != 2)));
	return n;
}

static void workout(const char *name, u64 quirks, enum mode way)
{
	static const char * const ways[] = { "beside", "sole", "resting" };
	const bool sole = way != SHARED;
	unsigned int refused, lost, wrong, left;

	/* What claims more bits than it has takes a limit: see test_power.c. */
	fakesbi_reset(8, 3, quirks & QUIRK(WIDTH_64_ALWAYS) ? 64 : 32);
	fakesbi.quirks = quirks;
	fakesbi.can = can_upto;
	cpu_boot_mode(way);
	refused = open_all();
	seat_all();
	cpu_run(1000);
	take_turns();
	lost = tracked_sync();
	open_again(FW + 7, FW + 8, 0);
	open_again(RAW, RAW, 4);
	seat_all();
	sleep_and_go();
	lost += tracked_sync();
	go_and_come();
	lost += tracked_sync();
	wrong = each_alone();
	for (unsigned int i = 0; i < players; i++)
		wrong += !tracked_right(&cpu.tracked[i]);
	sbi_pmu_counters_offline(&cpu.counters);
	left = left_behind(sole);
	check(!wrong && !lost && !left && !fakesbi.broken && refused < players / 2,
	      "%s, %s: %u events, %u refused, %u wrong, %u lost, %u left, %u rules broken (%s)",
	      name, ways[way], players, refused, wrong, lost, left, fakesbi.broken,
	      fakesbi.why ? fakesbi.why : "-");
}

static bool shows(unsigned int quirk, u64 quirks)
{
	fakesbi_reset(8, 4, 64);
	fakesbi.quirks = quirks;
	return quirk_rows[quirk].shows();
}

/* Firmware that hands out counter 0 and 2 whatever it is offered. */
static void fixed_whatever(const char *name, u64 quirk)
{
	const struct sbi_pmu_event_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	const struct sbi_pmu_event_code instret = { .idx = SBI_PMU_HW_INSTRUCTIONS };
	const struct sbi_pmu_event_code filtered = { .idx = cycles.idx, .flags = SBI_PMU_CFG_FLAG_SET_UINH };
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;
	const struct sbi_pmu_mask all = { { 0x1fd } };
	struct sbi_pmu_support truth = {};

	fakesbi_reset(6, 2, 64);
	fakesbi.quirks = quirk;
	fakesbi.can = can_upto;
	cpu_boot(true);
	tracked_open(a, instret);
	tracked_open(a, cycles);
	tracked_open(b, cycles);
	check(quiet() && sbi_pmu_mask_test(&a->event.candidates, 0) && !sbi_pmu_mask_test(&a->event.candidates, 4),
	      "%s: what strays is given back", name);
	check(tracked_add_start(a) && tracked_add_start(b) && a->event.counter == 0 && b->event.counter == 0,
	      "%s: cycles on counter 0, shared", name);
	cpu_run(10);
	sbi_pmu_support_probe_here(&cpu.counters, &cycles, &all, &truth);
	check(sbi_pmu_mask_empty(&truth.can) && sbi_pmu_mask_empty(&truth.cannot),
	      "%s: not tried while it counts", name);
	tracked_open(c, filtered);
	check(!sbi_pmu_mask_test(&c->event.candidates, 0), "%s: no filter there", name);
	cpu_run(10);
	check(tracked_right(a) && tracked_right(b) && a->reported, "%s: counts are right", name);
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "%s: no rule broken (%s)", name,
	      fakesbi.why ? fakesbi.why : "-");
}

/* More trials than there are counters: none may be used up by them. */
static void abort_at_already(void)
{
	unsigned int can = 0;

	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = RUSTSBI;
	cpu_boot(true);
	for (unsigned int n = 0; n < 20; n++)
		can += tracked_open_idx(&cpu.tracked[0], FW + n, 0) &&
		       tracked_open_idx(&cpu.tracked[1], RAW, 1 + n);
	check(can == 20 && quiet() && !fakesbi.broken, "ABORT_AT_ALREADY: 40 trials, %u can", can);
}

void test_quirks(void)
{
	for (unsigned int q = 0; q < FAKESBI_QUIRKS; q++) {
		const char *name = quirk_rows[q].name;

		check(quirk_rows[q].quirk == q && !shows(q, 0) && shows(q, BIT_ULL(q)),
		      "%s: the model has it", name);
		for (enum mode way = SHARED; way <= SNAPSHOT; way++)
			workout(name, BIT_ULL(q), way);
	}
	fixed_whatever("FIXED_FALLBACK", QUIRK(FIXED_FALLBACK));
	fixed_whatever("FIXED_ALWAYS", QUIRK(FIXED_ALWAYS));
	abort_at_already();
	for (enum mode way = SHARED; way <= SNAPSHOT; way++) {
		workout("none", 0, way);
		workout("OpenSBI 1.2", OPENSBI_OLD, way);
		workout("OpenSBI 1.9", OPENSBI_NEW, way);
		workout("KVM", KVM, way);
		workout("KVM of 6.12", KVM_OLD, way);
		workout("RustSBI", RUSTSBI, way);
	}
}
