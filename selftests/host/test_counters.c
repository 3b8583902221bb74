// SPDX-License-Identifier: GPL-2.0-only
/* test_counters: who counts where: sharing, moving, refusing, trying. */
#include "test.h"

static void test_switches(void)
{
	struct tracked *p = cpu.tracked;
	u64 before = 0;

	boot(16, 16, 64);
	for (unsigned int i = 0; i < 8; i++)
		tracked_open_idx(&p[i], RAW, 0x10 + i);
	for (unsigned int round = 0; round < 100; round++) {
		if (round == 1)
			before = cpu_calls();
		for (unsigned int i = 0; i < 8; i++)
			if (!tracked_add_start(&p[i]))
				check(false, "attach");
		cpu_run(3);
		for (unsigned int i = 0; i < 8; i++)
			tracked_del(&p[i]);
		cpu_run(1000);	/* somebody else's time */
	}
	check(cpu_calls() == before, "99 switches with 8 events make no call (%llu)",
	      (unsigned long long)(cpu_calls() - before));
	check(tracked_right(&p[5]) && p[5].reported == 300 * fakesbi_rate(&p[5].event.code),
	      "and count the task's own time");
	sbi_pmu_counters_release_idle(&cpu.counters);
	check(quiet() && !fakesbi.broken, "then everything is given back");
}

static void test_moves(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2, *d = a + 3;
	struct sbi_pmu_plan *plan = calloc(1, sizeof(*plan));

	boot(3, 0, 64);
	fakesbi.can = can_upto;
	tracked_open_idx(a, RAW, 2);	/* 3, 4, 5 */
	tracked_open_idx(b, RAW, 1);	/* 3, 4 */
	tracked_open_idx(c, RAW, 0);	/* 3 */
	check(sbi_pmu_mask_weight(&a->event.candidates) == 3 && sbi_pmu_mask_weight(&b->event.candidates) == 2 &&
	      sbi_pmu_mask_weight(&c->event.candidates) == 1, "trials tell which counters");
	/* In the worst order: each newcomer's only place is taken. */
	check(tracked_add_start(a), "first");
	cpu_run(10);
	check(tracked_add_start(b), "second");
	cpu_run(10);
	check(tracked_add_start(c), "third");
	cpu_run(10);
	check(a->event.counter == 5 && b->event.counter == 4 && c->event.counter == 3, "they moved (%u %u %u)",
	      a->event.counter, b->event.counter, c->event.counter);
	check(tracked_right(a) && tracked_right(b) && tracked_right(c) &&
	      a->reported == 30 * fakesbi_rate(&a->event.code), "and lost nothing");
	tracked_open_idx(d, RAW, 3);
	d->event.candidates = a->event.candidates;
	check(sbi_pmu_event_add(&cpu.counters, &d->event) == -ENOSPC, "a fourth has no place");
	check(sbi_pmu_event_start(&cpu.counters, &d->event) == -ENODEV, "and cannot start");

	check(sbi_pmu_plan_add(plan, &cpu.inv, &a->event.code, &a->event.candidates) &&
	      sbi_pmu_plan_add(plan, &cpu.inv, &b->event.code, &b->event.candidates) &&
	      sbi_pmu_plan_add(plan, &cpu.inv, &c->event.code, &c->event.candidates) &&
	      sbi_pmu_plan_add(plan, &cpu.inv, &a->event.code, &a->event.candidates) &&
	      !sbi_pmu_plan_add(plan, &cpu.inv, &d->event.code, &d->event.candidates),
	      "a plan says the same, and equal events share");
	check(sbi_pmu_event_code_equal(&plan->code[3], &c->event.code) &&
	      sbi_pmu_event_code_equal(&plan->code[4], &b->event.code) &&
	      sbi_pmu_event_code_equal(&plan->code[5], &a->event.code), "with everyone in place");
	free(plan);

	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && a->event.counter == SBI_PMU_NO_COUNTER, "the hart goes: all is given back");
	check(sbi_pmu_event_add(&cpu.counters, &a->event) == -ENODEV, "and nothing comes");
	sbi_pmu_counters_offline(&cpu.counters);
	check(!fakesbi.broken, "going twice is going once");
}

/* A chain that does not need to be long is not. */
static void test_short_chain(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 0, 64);
	for (unsigned int i = 0; i < 3; i++) {
		tracked_open_idx(&p[i], RAW, 0x20 + i);
		if (!tracked_add_start(&p[i]))
			check(false, "attach");
	}
	tracked_open_idx(&p[3], RAW, 0x30);
	p[3].event.candidates = mask_of(3);
	cpu_run(5);
	check(tracked_add_start(&p[3]) && p[3].event.counter == 3 && p[0].event.counter == 6 &&
	      p[1].event.counter == 4 && p[2].event.counter == 5, "one moves, the others stay");
	cpu_run(5);
	check(tracked_right(&p[0]) && tracked_right(&p[1]) && tracked_right(&p[3]), "all is counted");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Of the idle ones the longest unused goes, and fixed ones are used first. */
static void test_choice(void)
{
	struct tracked *p = cpu.tracked;

	boot(2, 0, 64);
	tracked_open_idx(&p[0], SBI_PMU_HW_CPU_CYCLES, 0);
	check(sbi_pmu_mask_weight(&p[0].event.candidates) == 3 && tracked_add_start(&p[0]) &&
	      p[0].event.counter == 0, "cycles on the fixed counter");
	for (unsigned int i = 1; i < 5; i++)
		tracked_open_idx(&p[i], RAW, i);
	check(tracked_add_start(&p[1]) && tracked_add_start(&p[2]) && p[1].event.counter == 3 &&
	      p[2].event.counter == 4, "others beside it");
	tracked_del(&p[2]);
	tracked_del(&p[1]);
	check(tracked_add_start(&p[3]) && p[3].event.counter == 4, "the longest unused goes first");
	check(tracked_add_start(&p[1]) && p[1].event.counter == 3, "and the other is still there");
	tracked_del(&p[1]);
	tracked_del(&p[3]);
	check(tracked_add_start(&p[1]) && tracked_add_start(&p[4]) && p[4].event.counter == 4,
	      "what was used again is not");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A fixed counter is used first, wherever firmware numbers it. */
static void test_fixed_first(void)
{
	struct tracked *a = &cpu.tracked[0];

	memset(&fakesbi, 0, sizeof(fakesbi));
	fakesbi_add(4, CSR_CYCLE + 3, 48);
	fakesbi_add(90, CSR_CYCLE, 64);
	cpu_boot(true);
	tracked_open_idx(a, SBI_PMU_HW_CPU_CYCLES, 0);
	check(sbi_pmu_mask_weight(&a->event.candidates) == 2 && tracked_add_start(a) && a->event.counter == 90,
	      "the fixed counter first, on index 90 as well");
	cpu_run(5);
	check(tracked_right(a) && a->reported, "and it counts");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A counter with an idle event is where another moves to. */
static void test_move_to_idle(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 1);
	tracked_open_idx(b, RAW, 2);
	tracked_open_idx(c, RAW, 3);
	c->event.candidates = mask_of(3);
	if (!tracked_add_start(a) || !tracked_add_start(b))
		check(false, "attach");
	tracked_del(b);
	cpu_run(5);
	check(tracked_add_start(c) && c->event.counter == 3 && a->event.counter == 4, "an idle one makes room");
	cpu_run(5);
	check(tracked_right(a) && tracked_right(c) && a->reported, "all is counted");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* Firmware hands out once more what already counts for us: it is not stopped. */
static void test_reject_ours(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	fakesbi.quirks = QUIRK(FIXED_FALLBACK);
	fakesbi.ctr[3].running = fakesbi.ctr[4].running = true;	/* somebody else has them */
	tracked_open_idx(a, SBI_PMU_HW_CPU_CYCLES, 0);
	tracked_open_idx(b, SBI_PMU_HW_CPU_CYCLES, 0);
	b->event.code.flags = SBI_PMU_CFG_FLAG_SET_UINH;
	b->event.candidates = cpu.inv.programmable;
	if (!tracked_add_start(a) || a->event.counter != 0)
		check(false, "attach");
	cpu_run(5);
	check(sbi_pmu_event_add(&cpu.counters, &b->event) == -EPROTO, "not what was offered");
	cpu_run(5);
	check(fakesbi.ctr[0].running && tracked_right(a), "the one in place counts on");
	fakesbi.ctr[3].running = fakesbi.ctr[4].running = false;
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet(), "all given back");
}

static void test_sharing(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 7);
	tracked_open_idx(b, RAW, 7);
	tracked_open(c, (struct sbi_pmu_event_code){ .idx = RAW, .data = 7, .flags = SBI_PMU_CFG_FLAG_SET_UINH });
	if (!tracked_add_start(a))
		check(false, "attach");
	cpu_run(5);
	check(tracked_add_start(b) && b->event.counter == a->event.counter &&
	      cpu.counters.backend.sbi.calls[SBI_EXT_PMU_COUNTER_CFG_MATCH], "the same event, one counter");
	check(tracked_add_start(c) && c->event.counter != a->event.counter, "another filter, another");
	cpu_run(5);
	tracked_del(a);
	cpu_run(5);
	check(tracked_right(a) && tracked_right(b) && tracked_right(c) &&
	      b->reported == 10 * fakesbi_rate(&b->event.code), "each counts its own time");
	tracked_del(b);
	tracked_del(b);
	tracked_stop(b);
	cpu_run(5);
	check(tracked_right(b), "leaving twice is leaving once");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A move that firmware refuses: what was counting still does. */
static void test_move_refused(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 0x50);
	tracked_open_idx(b, RAW, 0x51);
	b->event.candidates = mask_of(3);
	check(tracked_add_start(a) && a->event.counter == 3, "in place");
	cpu_run(5);
	fakesbi.ctr[4].running = true;	/* somebody else has it */
	check(!tracked_add(b), "no room is made where firmware refuses");
	cpu_run(5);
	check(a->event.counter == 3 && tracked_right(a) && a->reported, "and the other counts on");
	fakesbi.ctr[4].running = false;
	tracked_del(a);
	check(tracked_add(b) && b->event.counter == 3, "later there is room");
	tracked_del(b);
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* Refused there and back: it keeps its count, and may be detached. */
static void test_stranded(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 0x50);
	tracked_open_idx(b, RAW, 0x51);
	b->event.candidates = mask_of(3);
	if (!tracked_add_start(a))
		check(false, "attach");
	cpu_run(3);
	fakesbi.refuse = 1;
	check(!tracked_add(b) && a->event.counter == SBI_PMU_NO_COUNTER && cpu.counters.lost_events == 1 &&
	      tracked_sync() == 1, "firmware refuses all: no counter for it");
	fakesbi.refuse = 0;
	cpu_run(3);
	check(sbi_pmu_event_start(&cpu.counters, &a->event) == -ENODEV, "and does not seem to count");
	check(tracked_right(a) && a->reported, "but keeps its count");
	tracked_del(a);
	fakesbi.start_fails = 1;
	check(sbi_pmu_event_add(&cpu.counters, &a->event) == -EIO && quiet(),
	      "a counter that does not start is given back");
	fakesbi.start_fails = 0;
	check(tracked_add(a), "and taken when it does");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "all given back");
}

/* A counter that is not given back runs on: others are used, until it is. */
static void test_release_fails(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 0x50);
	tracked_open_idx(b, RAW, 0x51);
	if (!tracked_add_start(a))
		check(false, "attach");
	tracked_del(a);
	fakesbi.stop_fails = 1;
	sbi_pmu_counters_release_idle(&cpu.counters);
	fakesbi.stop_fails = 0;
	check(fakesbi.ctr[3].running && tracked_add_start(b) && b->event.counter == 4,
	      "not given back: another is taken");
	check(!tracked_add(a), "and there are no more");
	cpu_run(5);
	check(tracked_right(b) && b->reported, "what counts is right");
	sbi_pmu_counters_offline(&cpu.counters);
	check(!fakesbi.ctr[4].configured && fakesbi.ctr[3].running, "it runs on");
	sbi_pmu_counters_online(&cpu.counters);
	check(quiet() && !fakesbi.broken, "until the hart comes again");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* A counter that firmware announces, and that traps when it is read. */
static void test_dead_counter(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	fakesbi_reset(4, 0, 64);
	fakesbi.dead = mask_of(4);
	cpu_boot(true);
	tracked_open_idx(a, RAW, 1);
	check(sbi_pmu_mask_weight(&a->event.candidates) == 3 && !sbi_pmu_mask_test(&a->event.candidates, 4) &&
	      quiet(), "what cannot be read cannot count; the others can");
	tracked_open_idx(b, RAW, 2);
	check(tracked_add_start(a) && tracked_add_start(b) && a->event.counter == 3 && b->event.counter == 5,
	      "and are used");
	cpu_run(9);
	check(tracked_right(a) && tracked_right(b) && a->reported, "and count");
	/* It dies later on: an error is not a zero, and what was counted stays. */
	fakesbi.dead = mask_of(3);
	cpu_run(9);
	check(tracked_collect(a) == 0, "a read that fails adds nothing");
	tracked_stop(a);
	check(sbi_pmu_event_start(&cpu.counters, &a->event) == -ENXIO && !a->event.active,
	      "what cannot be read does not start");
	fakesbi.dead = (struct sbi_pmu_mask){};
	sbi_pmu_counters_offline(&cpu.counters);

	fakesbi_reset(1, 0, 64);
	fakesbi.dead = mask_of(3);
	cpu_boot(true);
	check(!tracked_open_idx(a, RAW, 1) && quiet(), "none that can be read: refused at open");
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

static void test_backwards(void)
{
	struct tracked *a = &cpu.tracked[0];
	u64 before;

	boot(1, 0, 64);
	tracked_open_idx(a, RAW, 1);
	if (!tracked_add_start(a))
		check(false, "attach");
	cpu_run(9);
	tracked_collect(a);
	before = a->reported;
	fakesbi.ctr[3].value -= 1000;	/* somebody else writes it */
	tracked_collect(a);
	check(a->reported == before, "a counter that went backwards adds nothing");
	cpu_run(9);
	tracked_collect(a);
	check(a->reported == 2 * before, "and counts on from there");
	sbi_pmu_counters_offline(&cpu.counters);
}

static void test_failed_read(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(0, 1, 64);
	tracked_open_idx(a, FW + 4, 0);
	tracked_open_idx(b, FW + 5, 0);
	if (!tracked_add_start(a))
		check(false, "attach");
	cpu_run(7);
	fakesbi.read_fails = 1;
	check(tracked_collect(a) == 0, "a failed read adds nothing");
	fakesbi.read_fails = 0;
	check(tracked_right(a) && a->reported == 7 * fakesbi_rate(&a->event.code),
	      "and loses nothing");
	check(!tracked_add(b), "no second counter, no second event");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

static unsigned int calls_of_trial(struct sbi_pmu_support *truth, const struct sbi_pmu_event_code *code)
{
	const struct sbi_pmu_mask all = sbi_pmu_event_is_firmware(code) ?
		cpu.inv.firmware : sbi_pmu_inventory_all(&cpu.inv);
	u64 before = cpu_calls();

	sbi_pmu_support_probe_here(&cpu.counters, code, &all, truth);
	return cpu_calls() - before;
}

static void test_trial_once(void)
{
	const struct sbi_pmu_event_code raw = { .idx = RAW, .data = 1 }, fw = { .idx = FW };
	struct sbi_pmu_support truth = {}, more = {};
	struct tracked *a = &cpu.tracked[0];

	boot(3, 3, 64);
	fakesbi.can = can_upto;
	calls_of_trial(&truth, &raw);
	check(sbi_pmu_mask_weight(&truth.can) == 2 && sbi_pmu_mask_weight(&truth.cannot) == 6,
	      "each counter is known to hold it or not");
	check(!calls_of_trial(&truth, &raw), "what is known is not asked again");
	tracked_open_idx(a, RAW, 2);
	if (!tracked_add_start(a))
		check(false, "attach");
	calls_of_trial(&more, &raw);
	check(sbi_pmu_mask_weight(&more.can) == 1 && sbi_pmu_mask_test(&more.can, 4) &&
	      !sbi_pmu_mask_test(&more.cannot, 3) && fakesbi.ctr[3].running,
	      "a busy counter is left alone, and unknown");
	cpu_run(5);
	check(tracked_right(a), "and counts on");
	memset(&truth, 0, sizeof(truth));
	calls_of_trial(&truth, &fw);
	check(sbi_pmu_mask_weight(&truth.can) == 3 && quiet() == false, "firmware's are all alike");
	fakesbi.start_fails = 1;
	memset(&truth, 0, sizeof(truth));
	calls_of_trial(&truth, &fw);
	fakesbi.start_fails = 0;
	check(sbi_pmu_mask_empty(&truth.can) && !sbi_pmu_mask_test(&truth.cannot, 6),
	      "a failure is no answer");
	tracked_del(a);
	memset(&truth, 0, sizeof(truth));
	calls_of_trial(&truth, &raw);
	check(sbi_pmu_mask_weight(&truth.can) == 2 && quiet(), "idle ones are tried, too");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !calls_of_trial(&more, &fw) && !fakesbi.broken, "gone: nothing is tried");
}

/* Beside another driver, firmware that strays is asked no more than once. */
static void test_trial_beside(void)
{
	const struct sbi_pmu_event_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	struct sbi_pmu_support truth = {};
	u64 *configs = &cpu.counters.backend.sbi.calls[SBI_EXT_PMU_COUNTER_CFG_MATCH];
	u64 before;

	fakesbi_reset(4, 0, 64);
	fakesbi.quirks = QUIRK(FIXED_ALWAYS);
	cpu_boot(false);
	before = *configs;
	sbi_pmu_support_probe_here(&cpu.counters, &cycles, &cpu.inv.programmable, &truth);
	check(*configs == before + 1 && sbi_pmu_mask_weight(&truth.cannot) == 4,
	      "beside, strays: one question, and the answer is no");
	check(cpu.counters.backend.sbi.calls[SBI_EXT_PMU_COUNTER_STOP] == 0, "and nothing is taken from another");
}

/* Firmware takes what was not offered. */
static void test_stray(void)
{
	const struct sbi_pmu_event_code raw = { .idx = RAW, .data = 1 };
	struct tracked *a = &cpu.tracked[0];
	struct sbi_pmu_support truth = {};
	unsigned int taken = 0;

	boot(3, 3, 64);
	fakesbi.stray = 1;
	for (unsigned int i = 0; i < 200; i++) {
		calls_of_trial(&truth, &raw);
		memset(&truth, 0, sizeof(truth));
		tracked_open_idx(a, RAW, 2);
		a->event.candidates = cpu.inv.programmable;
		taken += tracked_add(a);
		tracked_del(a);
		sbi_pmu_counters_release_idle(&cpu.counters);
		if (!quiet())
			break;
	}
	check(quiet() && !fakesbi.broken, "strays are given back (%u were as offered)", taken);
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_counters(void)
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
