// SPDX-License-Identifier: GPL-2.0-only
/* test_slot: who counts where: sharing, moving, refusing, trying. */
#include "test.h"

static void test_switches(void)
{
	struct player *p = hart.player;
	u64 before = 0;

	boot(16, 16, 64);
	for (unsigned int i = 0; i < 8; i++)
		player_open_idx(&p[i], RAW, 0x10 + i);
	for (unsigned int round = 0; round < 100; round++) {
		if (round == 1)
			before = hart_calls();
		for (unsigned int i = 0; i < 8; i++)
			if (!player_seat(&p[i]))
				check(false, "attach");
		hart_run(3);
		for (unsigned int i = 0; i < 8; i++)
			player_detach(&p[i]);
		hart_run(1000);	/* somebody else's time */
	}
	check(hart_calls() == before, "99 switches with 8 events make no call (%llu)",
	      (unsigned long long)(hart_calls() - before));
	check(player_right(&p[5]) && p[5].reported == 300 * fakesbi_rate(&p[5].user.code),
	      "and count the task's own time");
	sbi_pmu_slots_release_idle(&hart.slots);
	check(quiet() && !fakesbi.broken, "then everything is given back");
}

static void test_moves(void)
{
	struct player *a = &hart.player[0], *b = a + 1, *c = a + 2, *d = a + 3;
	struct sbi_pmu_plan *plan = calloc(1, sizeof(*plan));

	boot(3, 0, 64);
	fakesbi.can = can_upto;
	player_open_idx(a, RAW, 2);	/* 3, 4, 5 */
	player_open_idx(b, RAW, 1);	/* 3, 4 */
	player_open_idx(c, RAW, 0);	/* 3 */
	check(sbi_pmu_mask_weight(&a->user.can) == 3 && sbi_pmu_mask_weight(&b->user.can) == 2 &&
	      sbi_pmu_mask_weight(&c->user.can) == 1, "trials tell which counters");
	/* In the worst order: each newcomer's only place is taken. */
	check(player_seat(a), "first");
	hart_run(10);
	check(player_seat(b), "second");
	hart_run(10);
	check(player_seat(c), "third");
	hart_run(10);
	check(a->user.slot == 5 && b->user.slot == 4 && c->user.slot == 3, "they moved (%u %u %u)",
	      a->user.slot, b->user.slot, c->user.slot);
	check(player_right(a) && player_right(b) && player_right(c) &&
	      a->reported == 30 * fakesbi_rate(&a->user.code), "and lost nothing");
	player_open_idx(d, RAW, 3);
	d->user.can = a->user.can;
	check(sbi_pmu_user_attach(&hart.slots, &d->user) == -ENOSPC, "a fourth has no place");
	check(sbi_pmu_user_start(&hart.slots, &d->user) == -ENODEV, "and cannot start");

	check(sbi_pmu_plan_fits(plan, &hart.inv, &a->user.code, &a->user.can) &&
	      sbi_pmu_plan_fits(plan, &hart.inv, &b->user.code, &b->user.can) &&
	      sbi_pmu_plan_fits(plan, &hart.inv, &c->user.code, &c->user.can) &&
	      sbi_pmu_plan_fits(plan, &hart.inv, &a->user.code, &a->user.can) &&
	      !sbi_pmu_plan_fits(plan, &hart.inv, &d->user.code, &d->user.can),
	      "a plan says the same, and equal events share");
	check(sbi_pmu_code_equal(&plan->code[3], &c->user.code) &&
	      sbi_pmu_code_equal(&plan->code[4], &b->user.code) &&
	      sbi_pmu_code_equal(&plan->code[5], &a->user.code), "with everyone in place");
	free(plan);

	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && a->user.slot == SBI_PMU_NO_SLOT, "the hart goes: all is given back");
	check(sbi_pmu_user_attach(&hart.slots, &a->user) == -ENODEV, "and nothing comes");
	sbi_pmu_slots_down(&hart.slots);
	check(!fakesbi.broken, "going twice is going once");
}

/* A chain that does not need to be long is not. */
static void test_short_chain(void)
{
	struct player *p = hart.player;

	boot(4, 0, 64);
	for (unsigned int i = 0; i < 3; i++) {
		player_open_idx(&p[i], RAW, 0x20 + i);
		if (!player_seat(&p[i]))
			check(false, "attach");
	}
	player_open_idx(&p[3], RAW, 0x30);
	p[3].user.can = mask_of(3);
	hart_run(5);
	check(player_seat(&p[3]) && p[3].user.slot == 3 && p[0].user.slot == 6 &&
	      p[1].user.slot == 4 && p[2].user.slot == 5, "one moves, the others stay");
	hart_run(5);
	check(player_right(&p[0]) && player_right(&p[1]) && player_right(&p[3]), "all is counted");
	sbi_pmu_slots_down(&hart.slots);
}

/* Of the idle ones the longest unused goes, and fixed ones are used first. */
static void test_choice(void)
{
	struct player *p = hart.player;

	boot(2, 0, 64);
	player_open_idx(&p[0], SBI_PMU_GENERAL_CYCLES, 0);
	check(sbi_pmu_mask_weight(&p[0].user.can) == 3 && player_seat(&p[0]) &&
	      p[0].user.slot == 0, "cycles on the fixed counter");
	for (unsigned int i = 1; i < 5; i++)
		player_open_idx(&p[i], RAW, i);
	check(player_seat(&p[1]) && player_seat(&p[2]) && p[1].user.slot == 3 &&
	      p[2].user.slot == 4, "others beside it");
	player_detach(&p[2]);
	player_detach(&p[1]);
	check(player_seat(&p[3]) && p[3].user.slot == 4, "the longest unused goes first");
	check(player_seat(&p[1]) && p[1].user.slot == 3, "and the other is still there");
	player_detach(&p[1]);
	player_detach(&p[3]);
	check(player_seat(&p[1]) && player_seat(&p[4]) && p[4].user.slot == 4,
	      "what was used again is not");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A fixed counter is used first, wherever firmware numbers it. */
static void test_fixed_first(void)
{
	struct player *a = &hart.player[0];

	memset(&fakesbi, 0, sizeof(fakesbi));
	fakesbi_add(4, SBI_PMU_CSR_CYCLE + 3, 48);
	fakesbi_add(90, SBI_PMU_CSR_CYCLE, 64);
	hart_boot(true);
	player_open_idx(a, SBI_PMU_GENERAL_CYCLES, 0);
	check(sbi_pmu_mask_weight(&a->user.can) == 2 && player_seat(a) && a->user.slot == 90,
	      "the fixed counter first, on index 90 as well");
	hart_run(5);
	check(player_right(a) && a->reported, "and it counts");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A counter with an idle event is where another moves to. */
static void test_move_to_idle(void)
{
	struct player *a = &hart.player[0], *b = a + 1, *c = a + 2;

	boot(2, 0, 64);
	player_open_idx(a, RAW, 1);
	player_open_idx(b, RAW, 2);
	player_open_idx(c, RAW, 3);
	c->user.can = mask_of(3);
	if (!player_seat(a) || !player_seat(b))
		check(false, "attach");
	player_detach(b);
	hart_run(5);
	check(player_seat(c) && c->user.slot == 3 && a->user.slot == 4, "an idle one makes room");
	hart_run(5);
	check(player_right(a) && player_right(c) && a->reported, "all is counted");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* Firmware hands out once more what already counts for us: it is not stopped. */
static void test_reject_ours(void)
{
	struct player *a = &hart.player[0], *b = a + 1;

	boot(2, 0, 64);
	fakesbi.quirks = QUIRK(FIXED_FALLBACK);
	fakesbi.ctr[3].running = fakesbi.ctr[4].running = true;	/* somebody else has them */
	player_open_idx(a, SBI_PMU_GENERAL_CYCLES, 0);
	player_open_idx(b, SBI_PMU_GENERAL_CYCLES, 0);
	b->user.code.flags = SBI_PMU_CFG_UINH;
	b->user.can = hart.inv.hpm;
	if (!player_seat(a) || a->user.slot != 0)
		check(false, "attach");
	hart_run(5);
	check(sbi_pmu_user_attach(&hart.slots, &b->user) == -EPROTO, "not what was offered");
	hart_run(5);
	check(fakesbi.ctr[0].running && player_right(a), "the one in place counts on");
	fakesbi.ctr[3].running = fakesbi.ctr[4].running = false;
	sbi_pmu_slots_down(&hart.slots);
	check(quiet(), "all given back");
}

static void test_sharing(void)
{
	struct player *a = &hart.player[0], *b = a + 1, *c = a + 2;

	boot(2, 0, 64);
	player_open_idx(a, RAW, 7);
	player_open_idx(b, RAW, 7);
	player_open(c, (struct sbi_pmu_code){ .idx = RAW, .data = 7, .flags = SBI_PMU_CFG_UINH });
	if (!player_seat(a))
		check(false, "attach");
	hart_run(5);
	check(player_seat(b) && b->user.slot == a->user.slot &&
	      hart.slots.fw.calls[SBI_PMU_FID_CONFIG_MATCHING], "the same event, one counter");
	check(player_seat(c) && c->user.slot != a->user.slot, "another filter, another");
	hart_run(5);
	player_detach(a);
	hart_run(5);
	check(player_right(a) && player_right(b) && player_right(c) &&
	      b->reported == 10 * fakesbi_rate(&b->user.code), "each counts its own time");
	player_detach(b);
	player_detach(b);
	player_stop(b);
	hart_run(5);
	check(player_right(b), "leaving twice is leaving once");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A move that firmware refuses: what was counting still does. */
static void test_move_refused(void)
{
	struct player *a = &hart.player[0], *b = a + 1;

	boot(2, 0, 64);
	player_open_idx(a, RAW, 0x50);
	player_open_idx(b, RAW, 0x51);
	b->user.can = mask_of(3);
	check(player_seat(a) && a->user.slot == 3, "in place");
	hart_run(5);
	fakesbi.ctr[4].running = true;	/* somebody else has it */
	check(!player_attach(b), "no room is made where firmware refuses");
	hart_run(5);
	check(a->user.slot == 3 && player_right(a) && a->reported, "and the other counts on");
	fakesbi.ctr[4].running = false;
	player_detach(a);
	check(player_attach(b) && b->user.slot == 3, "later there is room");
	player_detach(b);
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* Refused there and back: it keeps its count, and may be detached. */
static void test_stranded(void)
{
	struct player *a = &hart.player[0], *b = a + 1;

	boot(2, 0, 64);
	player_open_idx(a, RAW, 0x50);
	player_open_idx(b, RAW, 0x51);
	b->user.can = mask_of(3);
	if (!player_seat(a))
		check(false, "attach");
	hart_run(3);
	fakesbi.refuse = 1;
	check(!player_attach(b) && a->user.slot == SBI_PMU_NO_SLOT && hart.slots.stranded == 1 &&
	      players_sync() == 1, "firmware refuses all: no counter for it");
	fakesbi.refuse = 0;
	hart_run(3);
	check(sbi_pmu_user_start(&hart.slots, &a->user) == -ENODEV, "and does not seem to count");
	check(player_right(a) && a->reported, "but keeps its count");
	player_detach(a);
	fakesbi.start_fails = 1;
	check(sbi_pmu_user_attach(&hart.slots, &a->user) == -EIO && quiet(),
	      "a counter that does not start is given back");
	fakesbi.start_fails = 0;
	check(player_attach(a), "and taken when it does");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A counter that is not given back runs on: others are used, until it is. */
static void test_release_fails(void)
{
	struct player *a = &hart.player[0], *b = a + 1;

	boot(2, 0, 64);
	player_open_idx(a, RAW, 0x50);
	player_open_idx(b, RAW, 0x51);
	if (!player_seat(a))
		check(false, "attach");
	player_detach(a);
	fakesbi.stop_fails = 1;
	sbi_pmu_slots_release_idle(&hart.slots);
	fakesbi.stop_fails = 0;
	check(fakesbi.ctr[3].running && player_seat(b) && b->user.slot == 4,
	      "not given back: another is taken");
	check(!player_attach(a), "and there are no more");
	hart_run(5);
	check(player_right(b) && b->reported, "what counts is right");
	sbi_pmu_slots_down(&hart.slots);
	check(!fakesbi.ctr[4].configured && fakesbi.ctr[3].running, "it runs on");
	sbi_pmu_slots_up(&hart.slots);
	check(quiet() && !fakesbi.broken, "until the hart comes again");
	sbi_pmu_slots_down(&hart.slots);
}

/* A counter that firmware announces, and that traps when it is read. */
static void test_dead_counter(void)
{
	struct player *a = &hart.player[0], *b = a + 1;

	fakesbi_reset(4, 0, 64);
	fakesbi.dead = mask_of(4);
	hart_boot(true);
	player_open_idx(a, RAW, 1);
	check(sbi_pmu_mask_weight(&a->user.can) == 3 && !sbi_pmu_mask_test(&a->user.can, 4) &&
	      quiet(), "what cannot be read cannot count; the others can");
	player_open_idx(b, RAW, 2);
	check(player_seat(a) && player_seat(b) && a->user.slot == 3 && b->user.slot == 5,
	      "and are used");
	hart_run(9);
	check(player_right(a) && player_right(b) && a->reported, "and count");
	/* It dies later on: an error is not a zero, and what was counted stays. */
	fakesbi.dead = mask_of(3);
	hart_run(9);
	check(player_collect(a) == 0, "a read that fails adds nothing");
	player_stop(a);
	check(sbi_pmu_user_start(&hart.slots, &a->user) == -ENXIO && !a->user.live,
	      "what cannot be read does not start");
	fakesbi.dead = (struct sbi_pmu_mask){};
	sbi_pmu_slots_down(&hart.slots);

	fakesbi_reset(1, 0, 64);
	fakesbi.dead = mask_of(3);
	hart_boot(true);
	check(!player_open_idx(a, RAW, 1) && quiet(), "none that can be read: refused at open");
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

static void test_backwards(void)
{
	struct player *a = &hart.player[0];
	u64 before;

	boot(1, 0, 64);
	player_open_idx(a, RAW, 1);
	if (!player_seat(a))
		check(false, "attach");
	hart_run(9);
	player_collect(a);
	before = a->reported;
	fakesbi.ctr[3].value -= 1000;	/* somebody else writes it */
	player_collect(a);
	check(a->reported == before, "a counter that went backwards adds nothing");
	hart_run(9);
	player_collect(a);
	check(a->reported == 2 * before, "and counts on from there");
	sbi_pmu_slots_down(&hart.slots);
}

static void test_failed_read(void)
{
	struct player *a = &hart.player[0], *b = a + 1;

	boot(0, 1, 64);
	player_open_idx(a, FW + 4, 0);
	player_open_idx(b, FW + 5, 0);
	if (!player_seat(a))
		check(false, "attach");
	hart_run(7);
	fakesbi.read_fails = 1;
	check(player_collect(a) == 0, "a failed read adds nothing");
	fakesbi.read_fails = 0;
	check(player_right(a) && a->reported == 7 * fakesbi_rate(&a->user.code),
	      "and loses nothing");
	check(!player_attach(b), "no second counter, no second event");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

static unsigned int calls_of_trial(struct sbi_pmu_truth *truth, const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_mask all = sbi_pmu_code_is_firmware(code) ?
		hart.inv.firmware : sbi_pmu_inventory_all(&hart.inv);
	u64 before = hart_calls();

	sbi_pmu_slots_trial(&hart.slots, code, &all, truth);
	return hart_calls() - before;
}

static void test_trial_once(void)
{
	const struct sbi_pmu_code raw = { .idx = RAW, .data = 1 }, fw = { .idx = FW };
	struct sbi_pmu_truth truth = {}, more = {};
	struct player *a = &hart.player[0];

	boot(3, 3, 64);
	fakesbi.can = can_upto;
	calls_of_trial(&truth, &raw);
	check(sbi_pmu_mask_weight(&truth.can) == 2 && sbi_pmu_mask_weight(&truth.cannot) == 6,
	      "each counter is known to hold it or not");
	check(!calls_of_trial(&truth, &raw), "what is known is not asked again");
	player_open_idx(a, RAW, 2);
	if (!player_seat(a))
		check(false, "attach");
	calls_of_trial(&more, &raw);
	check(sbi_pmu_mask_weight(&more.can) == 1 && sbi_pmu_mask_test(&more.can, 4) &&
	      !sbi_pmu_mask_test(&more.cannot, 3) && fakesbi.ctr[3].running,
	      "a busy counter is left alone, and unknown");
	hart_run(5);
	check(player_right(a), "and counts on");
	memset(&truth, 0, sizeof(truth));
	calls_of_trial(&truth, &fw);
	check(sbi_pmu_mask_weight(&truth.can) == 3 && quiet() == false, "firmware's are all alike");
	fakesbi.start_fails = 1;
	memset(&truth, 0, sizeof(truth));
	calls_of_trial(&truth, &fw);
	fakesbi.start_fails = 0;
	check(sbi_pmu_mask_empty(&truth.can) && !sbi_pmu_mask_test(&truth.cannot, 6),
	      "a failure is no answer");
	player_detach(a);
	memset(&truth, 0, sizeof(truth));
	calls_of_trial(&truth, &raw);
	check(sbi_pmu_mask_weight(&truth.can) == 2 && quiet(), "idle ones are tried, too");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !calls_of_trial(&more, &fw) && !fakesbi.broken, "gone: nothing is tried");
}

/* Beside another driver, firmware that strays is asked no more than once. */
static void test_trial_beside(void)
{
	const struct sbi_pmu_code cycles = { .idx = SBI_PMU_GENERAL_CYCLES };
	struct sbi_pmu_truth truth = {};
	u64 *configs = &hart.slots.fw.calls[SBI_PMU_FID_CONFIG_MATCHING];
	u64 before;

	fakesbi_reset(4, 0, 64);
	fakesbi.quirks = QUIRK(FIXED_ALWAYS);
	hart_boot(false);
	before = *configs;
	sbi_pmu_slots_trial(&hart.slots, &cycles, &hart.inv.hpm, &truth);
	check(*configs == before + 1 && sbi_pmu_mask_weight(&truth.cannot) == 4,
	      "beside, strays: one question, and the answer is no");
	check(hart.slots.fw.calls[SBI_PMU_FID_STOP] == 0, "and nothing is taken from another");
}

/* Firmware takes what was not offered. */
static void test_stray(void)
{
	const struct sbi_pmu_code raw = { .idx = RAW, .data = 1 };
	struct player *a = &hart.player[0];
	struct sbi_pmu_truth truth = {};
	unsigned int taken = 0;

	boot(3, 3, 64);
	fakesbi.stray = 1;
	for (unsigned int i = 0; i < 200; i++) {
		calls_of_trial(&truth, &raw);
		memset(&truth, 0, sizeof(truth));
		player_open_idx(a, RAW, 2);
		a->user.can = hart.inv.hpm;
		taken += player_attach(a);
		player_detach(a);
		sbi_pmu_slots_release_idle(&hart.slots);
		if (!quiet())
			break;
	}
	check(quiet() && !fakesbi.broken, "strays are given back (%u were as offered)", taken);
	sbi_pmu_slots_down(&hart.slots);
}

void test_slot(void)
{
	test_switches();
	test_moves();
	test_short_chain();
	test_choice();
	test_sharing();
	test_fixed_first();
	test_move_to_idle();
	test_reject_ours();
	test_move_refused();
	test_stranded();
	test_release_fails();
	test_dead_counter();
	test_backwards();
	test_failed_read();
	test_trial_once();
	test_trial_beside();
	test_stray();
}
