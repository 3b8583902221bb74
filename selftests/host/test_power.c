// SPDX-License-Identifier: GPL-2.0-only
/* test_power: counters that come round, harts that sleep, go and come. */
#include "test.h"

/* The event that happens most often: as often as is promised at most. */
static struct sbi_pmu_code fastest(void)
{
	struct sbi_pmu_code code = { .idx = RAW };

	while (fakesbi_rate(&code) != SBI_PMU_EVENTS_PER_NS)
		code.data++;
	return code;
}

/* Does a narrow counter's count come out true, if looked at every @every ns? */
static bool narrow_right(unsigned int width, u64 every, unsigned int rounds)
{
	struct player *a = &hart.player[0];
	bool right;

	boot(2, 0, width);
	player_open(a, fastest());
	if (!player_seat(a))
		check(false, "attach");
	for (unsigned int i = 0; i < rounds; i++) {
		fakesbi_run(every);
		a->expected += every * fakesbi_rate(&a->user.code);
		if (!sbi_pmu_slots_follow(&hart.slots))
			check(false, "follow");
	}
	right = player_right(a) && a->expected > (rounds - 1) * BIT_ULL(width - 1);
	sbi_pmu_slots_down(&hart.slots);
	return right;
}

static void test_follow(void)
{
	static const unsigned int widths[] = { 27, 32, 40, 48, 56 };
	struct player *a = &hart.player[0];

	for (unsigned int i = 0; i < ARRAY_SIZE(widths); i++) {
		unsigned int w = widths[i];
		u64 wrap = BIT_ULL(w - 1) / SBI_PMU_EVENTS_PER_NS;

		check(narrow_right(w, wrap, 50), "%u bits come round 25 times, all is counted", w);
		check(!narrow_right(w, 2 * wrap, 50), "%u bits, looked at too late: not", w);
	}
	boot(2, 1, 63);
	player_open_idx(a, RAW, 1);
	check(player_seat(a) && sbi_pmu_slots_follow(&hart.slots), "63 bits are narrow, too");
	sbi_pmu_slots_down(&hart.slots);
	boot(2, 1, 27);
	check(sbi_pmu_inventory_wrap_ns(&hart.inv) == BIT_ULL(26) / SBI_PMU_EVENTS_PER_NS,
	      "that is what is promised");
	check(!sbi_pmu_slots_follow(&hart.slots), "nobody there: nothing to follow");
	player_open_idx(a, FW + 1, 0);
	check(player_seat(a) && !sbi_pmu_slots_follow(&hart.slots), "nor a firmware counter");
	player_detach(a);
	player_open_idx(a, SBI_PMU_GENERAL_CYCLES, 0);
	check(player_seat(a) && a->user.slot == 0 && !sbi_pmu_slots_follow(&hart.slots),
	      "nor one of 64 bits");
	player_detach(a);
	player_open(a, fastest());
	check(player_seat(a) && sbi_pmu_slots_follow(&hart.slots), "one of 27 bits");
	player_detach(a);
	check(!sbi_pmu_slots_follow(&hart.slots), "and not when it is idle");
	sbi_pmu_slots_down(&hart.slots);
}

/* Two share, one of them stopped: follow serves those who count. */
static void test_follow_shared(void)
{
	struct player *a = &hart.player[0], *b = a + 1;

	boot(2, 0, 32);
	player_open(a, fastest());
	player_open(b, fastest());
	if (!player_seat(a) || !player_attach(b))
		check(false, "attach");
	hart_run(1000000000);
	check(player_start(b), "the second starts a second later");
	hart_run(1000000000);
	check(player_right(a) && player_right(b) && a->reported == 2 * b->reported,
	      "32 bits, two seconds and one");
	sbi_pmu_slots_down(&hart.slots);
}

/* A width that firmware exaggerates: the truth is what the limit says. */
static void test_width_limit(void)
{
	struct player *a = &hart.player[0];

	fakesbi_reset(2, 0, 32);
	fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
	hart_boot(true);
	check(hart.inv.ctr[3].width == 64, "32 bits that are said to be 64");
	hart.slots.fw.width_limit = 32;
	if (sbi_pmu_fw_inventory(&hart.slots.fw, &hart.inv))
		check(false, "inventory");
	check(hart.inv.ctr[3].width == 32, "and are 32 by the limit");
	player_open(a, fastest());
	if (!player_seat(a))
		check(false, "attach");
	hart_run(1000000000);
	check(player_right(a), "come round, and all is counted");
	sbi_pmu_slots_down(&hart.slots);
}

static void seat_three(struct player *p)
{
	player_open_idx(&p[0], RAW, 1);
	player_open_idx(&p[1], RAW, 2);
	player_open_idx(&p[2], FW + 4, 0);
	for (unsigned int i = 0; i < 3; i++)
		if (!player_seat(&p[i]))
			check(false, "attach");
}

static void sleep_over(void)
{
	sbi_pmu_slots_suspend(&hart.slots);
	fakesbi_suspend();
	sbi_pmu_slots_resume(&hart.slots);
}

/* @quirks: what is lost over suspend. */
static void suspend_under(const char *name, u64 quirks)
{
	struct player *p = hart.player;
	unsigned int stranded;

	boot(4, 2, 64);
	fakesbi.quirks = quirks;
	seat_three(p);
	player_open_idx(&p[3], RAW, 3);
	player_attach(&p[3]);	/* there, and not counting */
	hart_run(11);
	for (unsigned int i = 0; i < 3; i++) {
		sleep_over();
		hart_run(11);
	}
	stranded = hart.slots.stranded;
	check(player_right(&p[0]) && player_right(&p[1]) && player_right(&p[2]) && !stranded &&
	      p[0].reported == 44 * fakesbi_rate(&p[0].user.code),
	      "%s lost over suspend: counts are true", name);
	check(player_start(&p[3]), "%s lost: what was stopped starts", name);
	hart_run(5);
	check(player_right(&p[3]) && p[3].reported, "%s lost: and counts", name);
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "%s lost: no rule broken", name);
}

/* Without resume the loss would be seen: this test tests. */
static void suspend_without_resume(void)
{
	struct player *p = hart.player;

	boot(4, 2, 64);
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS);
	seat_three(p);
	hart_run(11);
	fakesbi_suspend();
	hart_run(11);
	check(!player_right(&p[0]), "without suspend and resume the count would be short");
	sbi_pmu_slots_down(&hart.slots);
}

static void resume_refused(void)
{
	struct player *p = hart.player;

	boot(4, 2, 64);
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES);
	seat_three(p);
	hart_run(11);
	fakesbi.refuse = 1;
	sleep_over();
	fakesbi.refuse = 0;
	check(hart.slots.stranded == 3 && players_sync() == 3 && quiet() &&
	      p[0].user.slot == SBI_PMU_NO_SLOT && list_empty(&p[0].user.node),
	      "refused at resume: stranded, and nothing is left configured");
	hart_run(11);
	check(player_right(&p[0]) && player_right(&p[1]) && player_right(&p[2]) && p[0].reported,
	      "they keep what they have counted");
	check(player_seat(&p[0]) && p[0].user.slot == 3, "and may come again");
	hart_run(11);
	check(player_right(&p[0]) && p[0].reported == 22 * fakesbi_rate(&p[0].user.code),
	      "and count on");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken");
}

/* A counter that cannot be read any more: its user does not pretend. */
static void resume_unreadable(void)
{
	struct player *p = hart.player;

	boot(4, 2, 64);
	seat_three(p);
	hart_run(11);
	sbi_pmu_slots_suspend(&hart.slots);
	fakesbi.dead = mask_of(3);
	sbi_pmu_slots_resume(&hart.slots);
	check(players_sync() == 1 && !p[0].user.live && p[1].user.live,
	      "dead after suspend: stopped, and the others count");
	hart_run(11);
	check(player_right(&p[0]) && player_right(&p[1]) && player_right(&p[2]), "all is right");
	sbi_pmu_slots_down(&hart.slots);
}

/* Idle slots are not carried over a suspend. */
static void resume_idle(void)
{
	struct player *p = hart.player;

	boot(4, 2, 64);
	seat_three(p);
	player_detach(&p[1]);
	sleep_over();
	check(!fakesbi.ctr[4].configured && fakesbi.ctr[3].running &&
	      !sbi_pmu_mask_test(&hart.slots.plan.configured, 4), "idle slots are given back");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken");
}

/* What somebody else has left behind is cleared when the hart comes. */
static void test_leftovers(void)
{
	static struct fakesbi_snapshot page;
	const xlen_t flags[SBI_PMU_ARGS] = { 3, 3, SBI_PMU_CFG_AUTO_START, RAW, 5 };
	struct player *a = &hart.player[0];

	for (unsigned int sole = 0; sole < 2; sole++) {
		fakesbi_reset(4, 2, 64);
		fakesbi_memory(0, &page, sizeof(page));
		fakesbi.shmem = &page;
		fakesbi.ctr[7].configured = true;
		fakesbi_call(SBI_PMU_FID_CONFIG_MATCHING, flags);
		hart_boot(sole);
		check(quiet() == sole && fakesbi.ctr[3].running == !sole &&
		      (fakesbi.shmem ? 0 : 1) == sole, "leftovers %s",
		      sole ? "are cleared" : "are not ours");
		check(player_open_idx(a, RAW, 9) && player_seat(a) && a->user.slot == 4 - sole,
		      "and %s", sole ? "in nobody's way" : "not touched");
		sbi_pmu_slots_down(&hart.slots);
		check(fakesbi.ctr[3].running == !sole && !fakesbi.broken, "no rule broken");
	}
}

/* A hart goes and comes: its users have left, and come again. */
static void test_hotplug(void)
{
	struct player *p = hart.player;

	boot(4, 2, 64);
	seat_three(p);
	hart_run(5);
	sbi_pmu_slots_down(&hart.slots);
	check(players_sync() == 3 && quiet(), "gone: all are detached");
	fakesbi_restart();
	hart_run(5);
	check(player_right(&p[0]) && player_right(&p[2]) && p[0].reported, "with their counts");
	sbi_pmu_slots_up(&hart.slots);
	for (unsigned int i = 0; i < 3; i++)
		if (!player_seat(&p[i]))
			check(false, "attach");
	hart_run(5);
	check(player_right(&p[0]) && player_right(&p[2]) &&
	      p[0].reported == 10 * fakesbi_rate(&p[0].user.code), "back: they count on");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken");
}

void test_power(void)
{
	test_follow();
	test_follow_shared();
	test_width_limit();
	suspend_under("nothing", 0);
	suspend_under("events", QUIRK(SUSPEND_LOSES_EVENTS));
	suspend_under("values", QUIRK(SUSPEND_LOSES_VALUES));
	suspend_under("all", QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES));
	suspend_without_resume();
	resume_refused();
	resume_unreadable();
	resume_idle();
	test_leftovers();
	test_hotplug();
}
