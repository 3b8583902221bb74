// SPDX-License-Identifier: GPL-2.0-only
/* test_counters: assignment of events to counters, sharing, moving, refusing and probing. */
#include "test.h"

static void test_context_switch(void)
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
			require(tracked_add_start(&p[i]), "counters.context_switch");
		cpu_run(3);
		for (unsigned int i = 0; i < 8; i++)
			tracked_del(&p[i]);
		cpu_run(1000);	/* another task runs */
	}
	note("99 switches with 8 events, %llu calls", (unsigned long long)(cpu_calls() - before));
	check(cpu_calls() == before, "counters.context_switch_makes_no_call");
	check(is_count_right(&p[5]) && p[5].reported == 300 * fakesbi_rate(&p[5].event.code),
	      "counters.context_switch_counts_only_own_task");
	sbi_pmu_counters_release_idle(&cpu.counters);
	check_released("counters.context_switch");
}

static void test_move_chain(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2, *d = a + 3;
	struct sbi_pmu_plan *plan = calloc(1, sizeof(*plan));

	boot(3, 0, 64);
	fakesbi.can = can_hold_upto;
	tracked_open_idx(a, RAW, 2);	/* 3, 4, 5 */
	tracked_open_idx(b, RAW, 1);	/* 3, 4 */
	tracked_open_idx(c, RAW, 0);	/* 3 */
	check(sbi_pmu_mask_weight(&a->event.candidates) == 3 &&
	      sbi_pmu_mask_weight(&b->event.candidates) == 2 &&
	      sbi_pmu_mask_weight(&c->event.candidates) == 1,
	      "counters.probe_finds_candidates");
	/* The worst order: the only counter of each new event is in use. */
	check(tracked_add_start(a), "counters.move_chain_first_event_added");
	cpu_run(10);
	check(tracked_add_start(b), "counters.move_chain_second_event_added");
	cpu_run(10);
	check(tracked_add_start(c), "counters.move_chain_third_event_added");
	cpu_run(10);
	note("on counters %u, %u and %u", a->event.counter, b->event.counter, c->event.counter);
	check(a->event.counter == 5 && b->event.counter == 4 && c->event.counter == 3,
	      "counters.move_chain_moves_events");
	check(is_count_right(a) && is_count_right(b) && is_count_right(c) &&
	      a->reported == 30 * fakesbi_rate(&a->event.code),
	      "counters.move_chain_keeps_counts");
	tracked_open_idx(d, RAW, 3);
	d->event.candidates = a->event.candidates;
	check(sbi_pmu_event_add(&cpu.counters, &d->event) == -ENOSPC,
	      "counters.add_without_free_counter_fails");
	check(sbi_pmu_event_start(&cpu.counters, &d->event) == -ENODEV,
	      "counters.start_without_counter_fails");

	check(sbi_pmu_plan_add(plan, &cpu.inv, &a->event.code, &a->event.candidates) &&
	      sbi_pmu_plan_add(plan, &cpu.inv, &b->event.code, &b->event.candidates) &&
	      sbi_pmu_plan_add(plan, &cpu.inv, &c->event.code, &c->event.candidates) &&
	      sbi_pmu_plan_add(plan, &cpu.inv, &a->event.code, &a->event.candidates) &&
	      !sbi_pmu_plan_add(plan, &cpu.inv, &d->event.code, &d->event.candidates),
	      "counters.plan_agrees_with_counters_and_shares");
	check(sbi_pmu_event_code_equal(&plan->counter[3].code, &c->event.code) &&
	      sbi_pmu_event_code_equal(&plan->counter[4].code, &b->event.code) &&
	      sbi_pmu_event_code_equal(&plan->counter[5].code, &a->event.code),
	      "counters.plan_assigns_same_counters");
	free(plan);

	sbi_pmu_counters_offline(&cpu.counters);
	check(is_all_released() && a->event.counter == SBI_PMU_NO_COUNTER,
	      "counters.offline_releases_counters_and_events");
	check(sbi_pmu_event_add(&cpu.counters, &a->event) == -ENODEV,
	      "counters.add_while_offline_fails");
	sbi_pmu_counters_offline(&cpu.counters);
	check_rules("counters.offline_twice");
}

/* No more events move than necessary. */
static void test_short_chain(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 0, 64);
	for (unsigned int i = 0; i < 3; i++) {
		tracked_open_idx(&p[i], RAW, 0x20 + i);
		require(tracked_add_start(&p[i]), "counters.short_chain");
	}
	tracked_open_idx(&p[3], RAW, 0x30);
	p[3].event.candidates = mask_of(3);
	cpu_run(5);
	check(tracked_add_start(&p[3]) && p[3].event.counter == 3 && p[0].event.counter == 6 &&
	      p[1].event.counter == 4 && p[2].event.counter == 5,
	      "counters.short_chain_moves_one_event");
	cpu_run(5);
	check(is_count_right(&p[0]) && is_count_right(&p[1]) && is_count_right(&p[3]),
	      "counters.short_chain_keeps_counts");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Fixed counters are used first, then of the idle ones the least recently used. */
static void test_choice(void)
{
	struct tracked *p = cpu.tracked;

	boot(2, 0, 64);
	tracked_open_idx(&p[0], SBI_PMU_HW_CPU_CYCLES, 0);
	check(sbi_pmu_mask_weight(&p[0].event.candidates) == 3 && tracked_add_start(&p[0]) &&
	      p[0].event.counter == 0, "counters.cycles_use_fixed_counter");
	for (unsigned int i = 1; i < 5; i++)
		tracked_open_idx(&p[i], RAW, i);
	check(tracked_add_start(&p[1]) && tracked_add_start(&p[2]) && p[1].event.counter == 3 &&
	      p[2].event.counter == 4, "counters.raw_events_use_programmable_counters");
	tracked_del(&p[2]);
	tracked_del(&p[1]);
	check(tracked_add_start(&p[3]) && p[3].event.counter == 4,
	      "counters.least_recently_used_is_replaced");
	check(tracked_add_start(&p[1]) && p[1].event.counter == 3,
	      "counters.idle_event_returns_to_its_counter");
	tracked_del(&p[1]);
	tracked_del(&p[3]);
	check(tracked_add_start(&p[1]) && tracked_add_start(&p[4]) && p[4].event.counter == 4,
	      "counters.recently_used_is_not_replaced");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.choice");
}

/* A fixed counter is used first, whatever its index is. */
static void test_fixed_first(void)
{
	struct tracked *a = &cpu.tracked[0];

	memset(&fakesbi, 0, sizeof(fakesbi));
	fakesbi_add(4, CSR_CYCLE + 3, 48);
	fakesbi_add(90, CSR_CYCLE, 64);
	cpu_boot(true);
	tracked_open_idx(a, SBI_PMU_HW_CPU_CYCLES, 0);
	check(sbi_pmu_mask_weight(&a->event.candidates) == 2 && tracked_add_start(a) &&
	      a->event.counter == 90, "counters.fixed_counter_with_high_index_is_used_first");
	cpu_run(5);
	check(is_count_right(a) && a->reported, "counters.fixed_counter_with_high_index_counts");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.fixed_counter_with_high_index");
}

/* An event moves to a counter that only an idle event holds. */
static void test_move_to_idle(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 1);
	tracked_open_idx(b, RAW, 2);
	tracked_open_idx(c, RAW, 3);
	c->event.candidates = mask_of(3);
	require(tracked_add_start(a) && tracked_add_start(b), "counters.move_to_idle");
	tracked_del(b);
	cpu_run(5);
	check(tracked_add_start(c) && c->event.counter == 3 && a->event.counter == 4,
	      "counters.move_to_idle_replaces_idle_event");
	cpu_run(5);
	check(is_count_right(a) && is_count_right(c) && a->reported,
	      "counters.move_to_idle_keeps_counts");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.move_to_idle");
}

/* Firmware returns a counter that is already in use by the driver: it must not be stopped. */
static void test_returned_counter_in_use(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	fakesbi.quirks = QUIRK(FIXED_FALLBACK);
	fakesbi.ctr[3].running = fakesbi.ctr[4].running = true;	/* not by the driver */
	tracked_open_idx(a, SBI_PMU_HW_CPU_CYCLES, 0);
	tracked_open_idx(b, SBI_PMU_HW_CPU_CYCLES, 0);
	b->event.code.flags = SBI_PMU_CFG_FLAG_SET_UINH;
	b->event.candidates = cpu.inv.programmable;
	require(tracked_add_start(a) && a->event.counter == 0, "counters.returned_counter_in_use");
	cpu_run(5);
	check(sbi_pmu_event_add(&cpu.counters, &b->event) == -EPROTO,
	      "counters.returned_counter_in_use_is_rejected");
	cpu_run(5);
	check(fakesbi.ctr[0].running && is_count_right(a),
	      "counters.returned_counter_in_use_still_counts");
	fakesbi.ctr[3].running = fakesbi.ctr[4].running = false;
	sbi_pmu_counters_offline(&cpu.counters);
	check(is_all_released(), "counters.returned_counter_in_use_is_released");
}

static void test_sharing(void)
{
	const struct sbi_pmu_event_code filtered = {
		.idx = RAW, .data = 7, .flags = SBI_PMU_CFG_FLAG_SET_UINH
	};
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 7);
	tracked_open_idx(b, RAW, 7);
	tracked_open(c, filtered);
	require(tracked_add_start(a), "counters.sharing");
	cpu_run(5);
	check(tracked_add_start(b) && b->event.counter == a->event.counter &&
	      cpu.counters.backend.sbi.calls[SBI_EXT_PMU_COUNTER_CFG_MATCH],
	      "counters.equal_events_share");
	check(tracked_add_start(c) && c->event.counter != a->event.counter,
	      "counters.events_with_other_filter_do_not_share");
	cpu_run(5);
	tracked_del(a);
	cpu_run(5);
	check(is_count_right(a) && is_count_right(b) && is_count_right(c) &&
	      b->reported == 10 * fakesbi_rate(&b->event.code),
	      "counters.sharing_events_count_their_own_time");
	tracked_del(b);
	tracked_del(b);
	tracked_stop(b);
	cpu_run(5);
	check(is_count_right(b), "counters.delete_twice_keeps_count");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.sharing");
}

/* Firmware refuses a move: the event that was to move continues to count. */
static void test_refused_move(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 0x50);
	tracked_open_idx(b, RAW, 0x51);
	b->event.candidates = mask_of(3);
	check(tracked_add_start(a) && a->event.counter == 3,
	      "counters.refused_move_starts_on_first_counter");
	cpu_run(5);
	fakesbi.ctr[4].running = true;	/* not by the driver */
	check(!tracked_add(b), "counters.refused_move_fails_add");
	cpu_run(5);
	check(a->event.counter == 3 && is_count_right(a) && a->reported,
	      "counters.refused_move_keeps_event_in_place");
	fakesbi.ctr[4].running = false;
	tracked_del(a);
	check(tracked_add(b) && b->event.counter == 3,
	      "counters.refused_move_does_not_block_counter");
	tracked_del(b);
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.refused_move");
}

/* An event is moved to a counter that cannot be read: nothing counts there after. */
static void test_unreadable_move(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 0x50);
	tracked_open_idx(b, RAW, 0x51);
	b->event.candidates = mask_of(3);
	require(tracked_add_start(a) && a->event.counter == 3, "counters.unreadable_move");
	cpu_run(5);
	fakesbi.ctr[4].dead = true;
	check(tracked_add_start(b) && b->event.counter == 3,
	      "counters.unreadable_move_makes_room");
	check(a->event.counter == SBI_PMU_NO_COUNTER && !cpu.counters.plan.counter[4].events &&
	      !sbi_pmu_mask_test(&cpu.counters.plan.busy, 4),
	      "counters.unreadable_move_leaves_no_event");
	check(cpu.counters.plan.counter[3].events == 1, "counters.unreadable_move_counts_events");
	fakesbi.ctr[3].dead = fakesbi.ctr[4].dead = false;
	cpu_run(5);
	check(is_count_right(b) && a->event.counter == 4, "counters.unreadable_move_is_recovered");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.unreadable_move");
}

static bool takes_9;

static bool sometimes_9(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	(void)idx;
	return code->idx != RAW || code->data != 9 || takes_9;
}

/*
 * Firmware refuses event 9, which it took when that was opened (the other driver, or the host
 * of a VM, has its counters now): this does not cost failing calls at each context switch.
 */
static void test_refused_add(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *refused = a + 2;
	unsigned int added = 0, rounds = 0;
	u64 calls;

	fakesbi_reset(2, 0, 64);
	fakesbi.can = sometimes_9;
	takes_9 = true;
	cpu_boot(true);
	tracked_open_idx(a, RAW, 1);
	tracked_open_idx(b, RAW, 2);
	tracked_open_idx(refused, RAW, 9);
	takes_9 = false;
	require(tracked_add_start(a) && tracked_add_start(b), "counters.refused_add");
	tracked_del(a);
	tracked_del(b);
	check(!tracked_add(refused), "counters.refused_event_is_not_added");
	calls = cpu_calls();
	require(tracked_add_start(a) && tracked_add_start(b), "counters.refused_add");
	check(cpu_calls() == calls, "counters.refused_event_evicts_no_idle_counter");
	tracked_del(a);
	tracked_del(b);
	check(!tracked_add(refused), "counters.refused_event_is_tried_twice");
	calls = cpu_calls();
	check(!tracked_add(refused) && cpu_calls() == calls,
	      "counters.second_refusal_is_not_repeated_at_next_add");
	for (unsigned int i = 0; i < 1000; i++)
		added += tracked_add(refused);
	note("%lu calls in 1000 adds that are refused", (unsigned long)(cpu_calls() - calls));
	/* Each attempt costs 8: release, refusal, configure and start of two idle counters. */
	check(!added && cpu_calls() - calls < 1000 / 64 * 8 + 7 * 8,
	      "counters.refusals_are_repeated_ever_less_often");
	takes_9 = true;
	while (!tracked_add(refused) && rounds < 1000)
		rounds++;
	check(rounds < 64, "counters.refused_event_is_tried_again");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.refused_add");
}

/*
 * Firmware refuses the move and the way back: the event is tried again, and goes on. If
 * firmware still refuses, it must be disabled: it keeps its count and can be deleted.
 */
static void test_lost_counter(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 0x50);
	tracked_open_idx(b, RAW, 0x51);
	b->event.candidates = mask_of(3);
	require(tracked_add_start(a), "counters.lost_counter");
	cpu_run(3);
	fakesbi.refuse = 1;
	check(!tracked_add(b) && a->event.counter == SBI_PMU_NO_COUNTER && !a->event.active,
	      "counters.refused_move_and_return_lose_counter");
	fakesbi.refuse = 0;
	cpu_run(3);
	check(is_count_right(a) && a->reported == 6 * fakesbi_rate(&a->event.code) &&
	      !cpu.counters.lost_events && !cpu.lost, "counters.event_with_lost_counter_goes_on");
	fakesbi.refuse = 1;
	require(!tracked_add(b), "counters.lost_counter_again");
	cpu_run(3);
	fakesbi.refuse = 0;
	check(cpu.counters.lost_events == 1 && cpu.lost == 1 && hlist_unhashed(&a->event.node),
	      "counters.event_without_counter_is_disabled");
	check(sbi_pmu_event_start(&cpu.counters, &a->event) == -ENODEV,
	      "counters.event_with_lost_counter_does_not_start");
	check(is_count_right(a) && a->reported, "counters.event_with_lost_counter_keeps_count");
	tracked_del(a);
	tracked_open_idx(a, RAW, 0x50);
	fakesbi.start_fails = 1;
	check(sbi_pmu_event_add(&cpu.counters, &a->event) == -EIO && is_all_released(),
	      "counters.failed_start_releases_counter");
	fakesbi.start_fails = 0;
	check(tracked_add(a), "counters.add_works_after_failed_start");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.lost_counter");
}

/* A counter that cannot be released keeps running: it is not used until the next online. */
static void test_release_fails(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 64);
	tracked_open_idx(a, RAW, 0x50);
	tracked_open_idx(b, RAW, 0x51);
	require(tracked_add_start(a), "counters.failed_release");
	tracked_del(a);
	fakesbi.stop_fails = 1;
	sbi_pmu_counters_release_idle(&cpu.counters);
	fakesbi.stop_fails = 0;
	check(fakesbi.ctr[3].running && tracked_add_start(b) && b->event.counter == 4,
	      "counters.failed_release_leads_to_other_counter");
	check(!tracked_add(a), "counters.counter_of_failed_release_is_not_used");
	cpu_run(5);
	check(is_count_right(b) && b->reported, "counters.failed_release_keeps_other_counts");
	sbi_pmu_counters_offline(&cpu.counters);
	check(!fakesbi.ctr[4].configured && fakesbi.ctr[3].running,
	      "counters.failed_release_is_not_repeated_offline");
	sbi_pmu_counters_online(&cpu.counters);
	check_released("counters.online_after_failed_release");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* A counter that firmware reports, but a read of its CSR traps. */
static void test_unreadable_counter(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	fakesbi_reset(4, 0, 64);
	fakesbi.ctr[4].dead = true;
	cpu_boot(true);
	tracked_open_idx(a, RAW, 1);
	check(sbi_pmu_mask_weight(&a->event.candidates) == 3 &&
	      !sbi_pmu_mask_test(&a->event.candidates, 4) && is_all_released(),
	      "counters.unreadable_counter_is_no_candidate");
	tracked_open_idx(b, RAW, 2);
	check(tracked_add_start(a) && tracked_add_start(b) && a->event.counter == 3 &&
	      b->event.counter == 5, "counters.unreadable_counter_is_skipped");
	cpu_run(9);
	check(is_count_right(a) && is_count_right(b) && a->reported,
	      "counters.unreadable_counter_does_not_affect_others");
	/* Reads fail later: an error is not a value of 0, the count is kept. */
	fakesbi.ctr[3].dead = true;
	cpu_run(9);
	check(tracked_collect(a) == 0, "counters.failed_csr_read_adds_nothing");
	tracked_stop(a);
	check(sbi_pmu_event_start(&cpu.counters, &a->event) == -ENXIO && !a->event.active,
	      "counters.start_on_unreadable_counter_fails");
	fakesbi.ctr[3].dead = fakesbi.ctr[4].dead = false;
	sbi_pmu_counters_offline(&cpu.counters);

	fakesbi_reset(1, 0, 64);
	fakesbi.ctr[3].dead = true;
	cpu_boot(true);
	check(!tracked_open_idx(a, RAW, 1) && is_all_released(),
	      "counters.open_without_readable_counter_fails");
	check_rules("counters.unreadable_counter");
}

static void test_backwards(void)
{
	struct tracked *a = &cpu.tracked[0];
	u64 before;

	boot(1, 0, 64);
	tracked_open_idx(a, RAW, 1);
	require(tracked_add_start(a), "counters.backwards");
	cpu_run(9);
	tracked_collect(a);
	before = a->reported;
	fakesbi.ctr[3].value -= 1000;	/* not by the driver */
	tracked_collect(a);
	check(a->reported == before, "counters.value_that_went_backwards_adds_nothing");
	cpu_run(9);
	tracked_collect(a);
	check(a->reported == 2 * before, "counters.counting_continues_after_backwards_value");
	sbi_pmu_counters_offline(&cpu.counters);
}

static void test_failed_firmware_read(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(0, 1, 64);
	tracked_open_idx(a, FW + 4, 0);
	tracked_open_idx(b, FW + 5, 0);
	require(tracked_add_start(a), "counters.failed_firmware_read");
	cpu_run(7);
	fakesbi.read_fails = 1;
	check(tracked_collect(a) == 0, "counters.failed_firmware_read_adds_nothing");
	fakesbi.read_fails = 0;
	check(is_count_right(a) && a->reported == 7 * fakesbi_rate(&a->event.code),
	      "counters.failed_firmware_read_loses_nothing");
	check(!tracked_add(b), "counters.one_firmware_counter_takes_one_event");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("counters.failed_firmware_read");
}

/* Probe an event on all of its counters. Return: number of SBI calls. */
static unsigned int probe_calls(struct sbi_pmu_support *support,
				const struct sbi_pmu_event_code *code)
{
	const struct sbi_pmu_mask all = sbi_pmu_event_is_firmware(code) ?
		cpu.inv.firmware : sbi_pmu_inventory_all(&cpu.inv);
	u64 before = cpu_calls();

	cpu_probe(code, &all, support);
	return cpu_calls() - before;
}

static void test_probe_results(void)
{
	const struct sbi_pmu_event_code raw = { .idx = RAW, .data = 1 }, fw = { .idx = FW };
	struct sbi_pmu_support support = {}, more = {};
	struct tracked *a = &cpu.tracked[0];

	boot(3, 3, 64);
	fakesbi.can = can_hold_upto;
	probe_calls(&support, &raw);
	check(sbi_pmu_mask_weight(&support.can) == 2 && sbi_pmu_mask_weight(&support.cannot) == 6,
	      "counters.probe_decides_for_each_counter");
	check(!probe_calls(&support, &raw), "counters.probe_is_not_repeated");
	tracked_open_idx(a, RAW, 2);
	require(tracked_add_start(a), "counters.probe_results");
	probe_calls(&more, &raw);
	check(!memcmp(&more, &support, sizeof(more)) && fakesbi.ctr[3].running,
	      "counters.probe_borrows_counter_in_use");
	cpu_run(5);
	check(is_count_right(a), "counters.probe_keeps_count_of_counter_in_use");
	memset(&support, 0, sizeof(support));
	probe_calls(&support, &fw);
	check(sbi_pmu_mask_weight(&support.can) == 3 && !is_all_released(),
	      "counters.probe_finds_all_firmware_counters");
	fakesbi.start_fails = 1;
	memset(&support, 0, sizeof(support));
	probe_calls(&support, &fw);
	fakesbi.start_fails = 0;
	check(sbi_pmu_mask_empty(&support.can) && !sbi_pmu_mask_test(&support.cannot, 6),
	      "counters.failed_probe_decides_nothing");
	tracked_del(a);
	memset(&support, 0, sizeof(support));
	probe_calls(&support, &raw);
	check(sbi_pmu_mask_weight(&support.can) == 2 && fakesbi.ctr[3].running,
	      "counters.probe_borrows_counter_of_idle_event");
	sbi_pmu_counters_offline(&cpu.counters);
	check(is_all_released() && !probe_calls(&more, &fw) && !fakesbi.broken,
	      "counters.probe_while_offline_makes_no_call");
}

/*
 * In shared mode firmware that returns a counter that was not offered is asked once only: the
 * returned counter may be in use by another driver.
 */
static void test_probe_shared(void)
{
	const struct sbi_pmu_event_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	struct sbi_pmu_support support = {};
	u64 *configs = &cpu.counters.backend.sbi.calls[SBI_EXT_PMU_COUNTER_CFG_MATCH];
	u64 before;

	fakesbi_reset(4, 0, 64);
	fakesbi.quirks = QUIRK(FIXED_ALWAYS);
	cpu_boot(false);
	before = *configs;
	cpu_probe(&cycles, &cpu.inv.programmable, &support);
	check(*configs == before + 1 && sbi_pmu_mask_weight(&support.cannot) == 4,
	      "counters.shared_probe_stops_at_counter_not_offered");
	check(cpu.counters.backend.sbi.calls[SBI_EXT_PMU_COUNTER_STOP] == 0 && support.strayed,
	      "counters.shared_probe_stops_no_foreign_counter");
}

/* Firmware configures a counter that was not offered. */
static void test_counter_not_offered(void)
{
	const struct sbi_pmu_event_code raw = { .idx = RAW, .data = 1 };
	struct tracked *a = &cpu.tracked[0];
	struct sbi_pmu_support support = {};
	unsigned int added = 0;

	boot(3, 3, 64);
	fakesbi.stray = 1;
	for (unsigned int i = 0; i < 200; i++) {
		probe_calls(&support, &raw);
		memset(&support, 0, sizeof(support));
		tracked_open_idx(a, RAW, 2);
		a->event.candidates = cpu.inv.programmable;
		added += tracked_add(a);
		tracked_del(a);
		sbi_pmu_counters_release_idle(&cpu.counters);
		if (!is_all_released())
			break;
	}
	note("200 adds, firmware returned an offered counter in %u", added);
	check_released("counters.counter_not_offered");
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_counters(void)
{
	test_context_switch();
	test_move_chain();
	test_short_chain();
	test_choice();
	test_sharing();
	test_fixed_first();
	test_move_to_idle();
	test_returned_counter_in_use();
	test_refused_move();
	test_unreadable_move();
	test_refused_add();
	test_lost_counter();
	test_release_fails();
	test_unreadable_counter();
	test_backwards();
	test_failed_firmware_read();
	test_probe_results();
	test_probe_shared();
	test_counter_not_offered();
}
