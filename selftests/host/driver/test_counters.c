// SPDX-License-Identifier: GPL-2.0-only
/* test_counters: which events get which counters, what moves, and what happens if firmware refuses. */
#include "test.h"

static const struct machine sbi = { .hpm = 2, .params = { "backend=sbi" } };

/* A raw event that can be on counters 3 to 3 + n; @other makes it another event. */
#define UP_TO(n, other)	((n) | (other) << 4)

CAN(can_up_to, code->idx != RAW || idx <= 3 + (code->data & 15))

/* Is the event active, and on this counter? */
static bool is_on(const struct perf_event *e, unsigned int idx)
{
	const struct fakesbi_code *code = &perf_model((struct perf_event *)e)->code;
	const struct fakesbi_code *got = &fakesbi.ctr[idx].code;

	return e->state == PERF_EVENT_STATE_ACTIVE && !(e->hw.state & PERF_HES_STOPPED) &&
	       fakesbi.ctr[idx].configured && got->idx == code->idx && got->data == code->data &&
	       got->flags == code->flags;
}

static void test_moves(void)
{
	struct perf_event *a, *b, *c, *d[4];

	boot(&(struct machine){ .hpm = 3, .can = can_up_to, .params = { "backend=sbi" } });
	/* The worst order: the only counter of each new event is in use. */
	a = open_raw(UP_TO(2, 1));
	perf_run(10);
	b = open_raw(UP_TO(1, 1));
	perf_run(10);
	c = open_raw(UP_TO(0, 1));
	perf_run(10);
	check(is_on(a, 5) && is_on(b, 4) && is_on(c, 3), "counters.move_chain_moves_events");
	check(all_right(), "counters.move_chain_keeps_counts");
	d[0] = open_raw(UP_TO(2, 2));
	check(d[0] && d[0]->state == PERF_EVENT_STATE_INACTIVE,
	      "counters.add_without_free_counter_fails");

	boot(&(struct machine){ .hpm = 4, .can = can_up_to, .params = { "backend=sbi" } });
	for (unsigned int i = 0; i < 3; i++)
		d[i] = open_raw(UP_TO(15, i));
	perf_run(5);
	d[3] = open_raw(UP_TO(0, 9));
	perf_run(5);
	check(is_on(d[3], 3) && is_on(d[0], 6) && is_on(d[1], 4) && is_on(d[2], 5),
	      "counters.short_chain_moves_one_event");
	check(all_right(), "counters.short_chain_keeps_counts");
}

/* cycle, and of hpmcounter3 the number 90 is high. */
static void high_index(void)
{
	memset(fakesbi.ctr, 0, sizeof(fakesbi.ctr));
	memset(fakesbi.by_csr, 0, sizeof(fakesbi.by_csr));
	fakesbi.end = 0;
	fakesbi_add(4, SPEC_CSR_CYCLE + 3, 48);
	fakesbi_add(40, SPEC_CSR_CYCLE, 64);
}

static void test_choice(void)
{
	struct perf_event *a, *b, *c, *keep;
	unsigned long before;

	boot(&(struct machine){ .prepare = high_index });
	a = open_general(PERF_COUNT_HW_CPU_CYCLES);
	perf_run(5);
	check(is_on(a, 40) && is_right(a), "counters.fixed_counter_with_high_index_is_used_first");
	/* The overflow bit is that of the CSR, not of firmware's index. */
	b = open_sampler(5, 10000);
	perf_run(100000);
	check(is_sampled(b, 0) && is_right(b), "sampling.counter_with_another_index_than_csr_samples");

	boot(&sbi);
	keep = open_general(PERF_COUNT_HW_CPU_CYCLES);
	check(is_on(keep, 0), "counters.cycles_use_fixed_counter");
	a = open_raw(1);
	b = open_raw(2);
	check(is_on(a, 3) && is_on(b, 4), "counters.raw_events_use_programmable_counters");
	perf_close(b);
	perf_close(a);
	c = open_raw(3);
	check(is_on(c, 4), "counters.least_recently_used_is_replaced");
	before = calls(SPEC_FID_CONFIG_MATCHING);
	a = open_raw(1);
	check(is_on(a, 3) && calls(SPEC_FID_CONFIG_MATCHING) == before,
	      "counters.idle_event_returns_to_its_counter");
	perf_close(c);
	perf_close(a);
	perf_close(keep);
	check(!fakesbi.ctr[0].configured && !fakesbi.ctr[3].configured && !fakesbi.ctr[4].configured,
	      "counters.last_close_releases_idle_counters");
}

static void test_sharing(void)
{
	struct perf_event *a, *b, *c;
	unsigned int on = 0;

	boot(&sbi);
	a = open_raw(7);
	b = open_raw(7);
	c = open_attr(ATTR(7, .exclude_kernel = 1));
	check(is_on(a, 3) && is_on(b, 3), "counters.equal_events_share");
	check(is_on(c, 4), "counters.events_with_other_filter_do_not_share");
	for (unsigned int i = 0; i < 40; i++)
		on += !!open_member(a, 7);
	perf_run(10);
	check(on == 40 && all_right(), "counters.many_equal_events_are_a_group");
	boot(&(struct machine){ .hpm = 1, .params = { "backend=sbi" } });
	a = open_raw(7);
	for (on = 1; on < 66 && open_member(a, 7);)
		on++;
	check(on == 64, "counters.group_of_equal_events_has_a_limit");

	/* Each interrupt looks at all events of a counter. */
	boot(&sbi);
	a = open_raw(10);
	on = 0;
	for (unsigned int i = 0; i < 66; i++)
		on += open_raw(9)->state == PERF_EVENT_STATE_ACTIVE;
	check(on == 64, "share.sharing_of_a_counter_has_a_limit");
	check(is_on(a, 3) && is_right(a), "share.other_event_fits_beside_full_counter");

	/* One that samples costs each of them more. */
	for (unsigned int tied = 0; tied < 2; tied++) {
		boot(&(struct machine){ .hpm = 16, .quirks = tied ? QUIRK(TIED) : 0,
					.params = { "backend=sbi" } });
		on = 0;
		for (unsigned int i = 0; i < 20; i++)
			on += open_sampler(9, 100000)->state == PERF_EVENT_STATE_ACTIVE;
		perf_run(10000000);
		check(on == (tied ? 4 : 18), "share.four_sampling_events_share_%s",
		      tied ? "the_counter" : "each_counter");
	}
}

/* A counting event does not share the counter of one that samples, if a fixed one is free. */
static void test_beside_sampler(void)
{
	struct perf_event *s, *c;

	boot(&sbi);
	s = open_attr(GENERAL(0, .sample_period = 1000000));
	c = open_general(PERF_COUNT_HW_CPU_CYCLES);
	check(is_on(s, 3) && is_on(c, 0), "share.counting_event_takes_fixed_counter_beside_sampler");
	perf_run(10000000);
	check(is_right(s) && is_right(c) && is_sampled(s, 0),
	      "share.fixed_counter_beside_sampler_counts");
	perf_close(s);
	perf_close(c);
	s = open_attr(GENERAL(0, .sample_period = 1000000));
	c = perf_open(GENERAL(0), NULL, 0, s, &(int){ 0 });
	check(c && !fakesbi.ctr[0].running, "share.member_is_on_the_counter_of_its_sampler");
}

static bool has_cycles_of_two(unsigned int idx)
{
	char line[64];

	snprintf(line, sizeof(line), "\n0 %u %#x/64 0x1 0 0 2\n", idx, 0xc00 + idx);
	return strstr(host_debugfs("counters"), line);
}

/* Equal members of a group, on two counters, would differ by M-mode. */
static void test_equal_members(void)
{
	struct task_struct *task = &perf_core.task[0];
	struct perf_event *e, *leader, *member;

	boot(&(struct machine){ .hpm = 2, .smcntrpmf = BIT(0), .params = { "backend=sbi" } });
	/* The fixed counter is busy, and gets their event later. */
	e = open_attr(GENERAL(0, .exclude_kernel = 1));
	perf_switch(task);
	leader = perf_open(GENERAL(0), task, -1, NULL, &(int){ 0 });
	member = perf_open(GENERAL(0), task, -1, leader, &(int){ 0 });
	perf_close(e);
	e = open_attr(GENERAL(0, .config2 = BIT(0)));
	check(is_on(e, 0) && has_cycles_of_two(3), "share.equal_members_stay_on_one_counter");
	perf_close(e);

	/* The leader moves. The counter that the member had is idle, and holds its event. */
	perf_disable(member);
	e = open_attr(ATTR(9, .config2 = BIT(3)));
	perf_close(e);
	perf_close(open_attr(GENERAL(0, .config2 = BIT(3))));
	perf_enable(member);
	check(has_cycles_of_two(0), "share.equal_member_follows_its_leader");
}

/* As cycles:u has the fixed one, where the sampler cannot go later */
static void test_move_of_sampler(bool first)
{
	struct perf_event *user, *s = NULL, *c, *other;

	boot(&(struct machine){ .hpm = 1, .smcntrpmf = BIT(0), .params = { "backend=sbi" } });
	/* Pinned events stay where they are as others come. */
	if (first)
		s = open_attr(GENERAL(0, .pinned = 1, .sample_period = 100000));
	user = open_attr(GENERAL(0, .pinned = 1, .exclude_kernel = 1));
	c = open_attr(GENERAL(0, .pinned = 1));
	s = s ?: open_attr(GENERAL(0, .pinned = 1, .sample_period = 100000));
	check(is_on(user, 0) && is_on(s, 3) && is_on(c, 3),
	      "share.fixed_counter_is_taken_by_other_filter_%u", first);
	perf_disable(user);
	other = open_raw(9);
	perf_run(1000000);
	check(is_sampled(s, 0) && is_right(s) && is_right(c) && is_right(other),
	      "share.sampler_does_not_move_with_counting_event_%u", first);
}

/* One counter counts cycles, with one filter at a time. */
static void test_fixed_filters(void)
{
	struct perf_event *all, *user, *leader;
	int error;

	boot(&(struct machine){ .quirks = OPENSBI_NEW, .can = is_not_cycles, .smcntrpmf = BIT(0) });
	all = open_general(PERF_COUNT_HW_CPU_CYCLES);
	user = open_attr(GENERAL(0, .exclude_kernel = 1));
	check(is_on(all, 0) && user && user->state == PERF_EVENT_STATE_INACTIVE,
	      "counters.filters_do_not_share_fixed_counter");
	perf_run(10);
	perf_rotate();
	check(is_on(user, 0) && all->state == PERF_EVENT_STATE_INACTIVE,
	      "counters.filters_take_turns_on_fixed_counter");
	perf_run(10);
	check(all_right(), "counters.filters_on_fixed_counter_count");
	perf_close(all);
	perf_close(user);
	leader = open_general(PERF_COUNT_HW_CPU_CYCLES);
	check(!perf_open(GENERAL(0, .exclude_kernel = 1), NULL, 0, leader, &error) &&
	      error == -EINVAL, "counters.filters_on_one_counter_are_no_group");
}

/* The other driver, or nobody, has cycles on counter 3. */
static void hold_cycles(bool held)
{
	fakesbi.ctr[3].code = (struct fakesbi_code){ .idx = SPEC_GENERAL_CYCLES };
	hold(3, held);
}

/* QEMU: of programmable counters with cycles one counts, whatever the filters. */
static void test_tied(const char *name, struct machine machine)
{
	static const u64 filters[] = { 0, 1, 2 }; /* none, :u, :k */
	struct perf_event *e[ARRAY_SIZE(filters)];
	bool turns = true;
	int error = 0;

	machine.hpm = 4;
	machine.quirks = OPENSBI_NEW | QUIRK(TIED);
	boot(&machine);
	check(host_logged("one programmable counter only"), "%s.log_says_so", name);
	for (unsigned int i = 0; i < ARRAY_SIZE(e); i++)
		e[i] = open_attr(GENERAL(1, .exclude_kernel = filters[i] == 1, .exclude_user = filters[i] == 2));
	take_turns(30);
	check(all_right(), "%s.no_filter_of_an_event_shows_zero", name);
	for (unsigned int i = 1; i < ARRAY_SIZE(e); i++)
		turns = turns && perf_model(e[i])->running < perf_model(e[i])->enabled;
	check(turns, "%s.filters_take_turns", name);
	/* The fixed counter takes one more. */
	e[0] = perf_open(GENERAL(1, .exclude_user = 1), NULL, 0, e[1], &error);
	e[2] = perf_open(GENERAL(1), NULL, 0, e[1], e[0] ? &error : &(int){ 0 });
	check(!e[0] == !!e[2] && error == -EINVAL, "%s.filters_are_no_group", name);
	check(open_member(e[1], 9), "%s.other_event_joins_group", name);
}

/* A raw event with the selector of instructions is that event under another name. */
static void test_tied_names(void)
{
	struct perf_event *raw, *user, *kernel;

	boot(&(struct machine){ .hpm = 4, .delegated = true, .quirks = OPENSBI_NEW | QUIRK(TIED),
				.params = { "backend=csr" } });
	raw = open_raw(BIT_ULL(40) | SPEC_GENERAL_INSTRUCTIONS);
	user = open_attr(GENERAL(1, .exclude_kernel = 1));
	kernel = open_attr(GENERAL(1, .exclude_user = 1));
	take_turns(30);
	check(perf_read(raw) && perf_read(user) && perf_read(kernel), "tied_names.none_shows_zero");
	check(perf_model(user)->running < perf_model(user)->enabled, "tied_names.they_take_turns");
}

/* Only cycles and instructions happen often enough to tell. */
static bool is_rare(const struct fakesbi_code *code)
{
	return code->idx > SPEC_GENERAL_INSTRUCTIONS && code->idx < RAW;
}

static void rare_events(void)
{
	fakesbi.silent = is_rare;
}

/* The first event that tells decides. What held an event and is free is no holder. */
static void test_tied_alone(void)
{
	struct perf_event *e;

	boot(&(struct machine){ .quirks = OPENSBI_NEW | QUIRK(TIED), .prepare = rare_events });
	check(host_logged("an event counts on one programmable counter only"), "tied_alone.log_is_sure");
	perf_close(open_raw(5));
	fakesbi.ctr[3].running = true; /* not by the driver */
	e = open_raw(5);
	check(is_on(e, 4), "tied_alone.event_leaves_counter_that_refuses_it");
	fakesbi.ctr[3].running = false;
}

static void test_tied_shared(void)
{
	struct perf_event *e;

	boot(&(struct machine){ .quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD) | QUIRK(TIED), .other = "cpu" });
	host.read_ns = 1;
	hold_cycles(true);
	e = open_attr(ATTR(STANDARD_EVENT(SPEC_GENERAL_CYCLES), .exclude_kernel = 1));
	check(e && e->state == PERF_EVENT_STATE_INACTIVE, "tied_shared.event_of_other_driver_waits");
	hold_cycles(false);
	for (unsigned int n = 0; n < 32; n++)
		perf_rotate();
	perf_run(1000);
	check(e->state == PERF_EVENT_STATE_ACTIVE && perf_read(e), "tied_shared.event_counts_when_other_driver_ends");
	host.read_ns = 0;
}

#define ON(code, mask)	ATTR(code, .config2 = (mask), .disabled = 1)

/* An event that is on counter 3 goes to 4, whoever counts. */
static void test_counterid_mask(const char *name, struct machine machine)
{
	struct perf_event *a, *b, *c, *busy[2];
	int error = 0;

	machine.hpm = 2;
	machine.can = can_up_to;
	boot(&machine);
	for (unsigned int i = 0; i < 2; i++)
		busy[i] = open_raw(UP_TO(1, 9 + i));
	/* What no counter of the mask counts is refused; delegated ones are not asked. */
	check(!open_errno(ON(UP_TO(0, 1), 0)) && !open_errno(ON(UP_TO(0, 1), BIT(3))) &&
	      open_errno(ON(UP_TO(0, 1), BIT(4))) == (machine.delegated ? 0 : -ENOENT),
	      "counterid_mask.%s_is_asked_beside_busy_counters", name);
	a = open_attr(ON(UP_TO(1, 1), BIT(3) | BIT(4)));
	b = perf_open(ATTR(UP_TO(1, 2), .config2 = BIT(3)), NULL, 0, a, &error);
	c = perf_open(ATTR(UP_TO(1, 3), .config2 = BIT(3) | BIT(4)), NULL, 0, a, &error);
	check(b && !c && error == -EINVAL, "counterid_mask.%s_group_is_validated", name);
	perf_close(busy[0]);
	perf_close(busy[1]);
	perf_enable(a);
	perf_run(1000);
	check(is_on(a, 4) && is_on(b, 3) && all_right(), "counterid_mask.%s_group_counts", name);
	perf_close(b);
	b = open_attr(ATTR(UP_TO(1, 1), .config2 = BIT(3)));
	c = open_attr(ATTR(UP_TO(1, 1), .config2 = BIT(4)));
	perf_run(1000);
	check(is_on(b, 3) && is_on(c, 4), "counterid_mask.%s_equal_events_may_not_share", name);
	perf_close(b);
	b = open_attr(ATTR(UP_TO(1, 4), .config2 = BIT(4)));
	check(b->state == PERF_EVENT_STATE_INACTIVE && is_on(a, 4) && is_on(c, 4),
	      "counterid_mask.%s_events_that_share_stay_where_all_may_be", name);
}

/* What holds the event and may not have it for this one is released, if nobody counts there. */
static void test_mask_beside_others(void)
{
	struct perf_event *e, *never;
	unsigned long before;

	boot(&(struct machine){ .quirks = OPENSBI_NEW | QUIRK(TIED) });
	open_raw(9);
	perf_close(open_attr(ATTR(5, .config2 = BIT(4))));
	e = open_attr(ATTR(5, .config2 = BIT(5)));
	perf_run(1000);
	check(is_on(e, 5) && all_right(), "counterid_mask.idle_holder_makes_way_where_one_counts");
	open_attr(ATTR(9, .config2 = BIT(4), .pinned = 1));
	never = open_attr(ATTR(5, .config2 = BIT(4), .disabled = 1));
	perf_run(1000);
	before = all_calls();
	for (unsigned int i = 0; i < 10; i++) {
		perf_disable(e);
		perf_enable(never);
		perf_disable(never);
		perf_enable(e);
	}
	check(!perf_model(never)->running && all_calls() == before,
	      "counterid_mask.idle_holder_stays_if_that_helps_nobody");

	/* The other driver has a counter, but not one of the mask. */
	boot(&(struct machine){ .hpm = 1, .other = "cpu" });
	hold(3, true);
	check(open_errno(ATTR(5)) == -EBUSY && open_errno(ATTR(5, .config2 = BIT(31))) == -ENOENT,
	      "counterid_mask.counter_of_other_driver_is_no_reason");
	hold(3, false);
}

/* Firmware refuses a move, or the counter cannot be read: nobody loses counts. */
static void test_refused_move(void)
{
	struct perf_event *a, *b;

	boot(&(struct machine){ .hpm = 2, .can = can_up_to, .params = { "backend=sbi" } });
	a = open_raw(UP_TO(15, 1));
	perf_run(5);
	fakesbi.ctr[4].running = true; /* not by the driver */
	b = open_raw(UP_TO(0, 2));
	perf_run(5);
	check(b->state == PERF_EVENT_STATE_INACTIVE && is_on(a, 3) && is_right(a),
	      "counters.refused_move_keeps_event_in_place");
	fakesbi.ctr[4].running = false;
	perf_resched();
	perf_close(a);
	for (unsigned int i = 0; i < 100; i++)
		perf_resched();
	check(is_on(b, 3), "counters.refused_move_does_not_block_counter");

	boot(&(struct machine){ .hpm = 3, .can = can_up_to, .params = { "backend=sbi" } });
	a = open_raw(STANDARD_EVENT(5)); /* known to count on all three */
	perf_run(5);
	fakesbi.ctr[4].running = true;
	b = open_own(UP_TO(0, 2));
	go_away(5);
	perf_run(5);
	fakesbi.ctr[4].running = false;
	check(is_on(a, 5) && is_on(b, 3) && is_right(a) && is_right(b),
	      "counters.event_moves_elsewhere_after_refused_move");

	boot(&(struct machine){ .hpm = 2, .can = can_up_to, .params = { "backend=sbi" } });
	a = open_raw(STANDARD_EVENT(5));
	perf_run(5);
	fakesbi.ctr[4].dead = true;
	b = open_raw(UP_TO(0, 2));
	perf_run(5);
	fakesbi.ctr[4].dead = false;
	for (unsigned int i = 0; i < 100; i++)
		perf_resched();
	perf_run(5);
	check(is_right(a) && is_right(b) && is_on(a, 4) && is_on(b, 3),
	      "counters.unreadable_move_is_recovered");
}

/* Firmware takes any counter for the event of a task, also one that counts others. */
static void test_stray(void)
{
	struct perf_event *a;
	unsigned int hits = 0;
	u64 before;

	boot(&(struct machine){ .hpm = 2, .firmware = 1, .params = { "backend=sbi" } });
	fakesbi_seed(1);
	a = open_raw(1);
	for (unsigned int n = 0; n < 2; n++)
		perf_open(ATTR(FIRMWARE_EVENT(n)), &perf_core.task[n], -1, NULL, &(int){ 0 });
	for (unsigned int n = 0; n < 2000; n++) {
		perf_run(1000);
		before = fakesbi.ctr[3].configured_at;
		fakesbi.stray = 2;
		perf_switch(&perf_core.task[n % 2]);
		fakesbi.stray = 0;
		hits += fakesbi.ctr[3].configured_at != before;
		perf_resched();
	}
	note("%u times", hits);
	check(hits && all_right() && perf_model(a)->running < perf_model(a)->enabled,
	      "counters.counter_that_firmware_takes_is_taken_back");
}

static bool takes_9;

CAN(sometimes_9, code->idx != RAW || code->data != 9 || takes_9)

/* Firmware refuses event 9, which it took at open: no failing calls at each switch */
static void test_refused_add(void)
{
	struct perf_event *a, *refused;
	unsigned long before;
	unsigned int n;

	takes_9 = true;
	boot(&(struct machine){ .hpm = 2, .can = sometimes_9, .params = { "backend=sbi" } });
	a = open_own(1);
	refused = open_task(ATTR(9, .disabled = 1));
	takes_9 = false;
	perf_enable(refused);
	check(refused->state == PERF_EVENT_STATE_INACTIVE, "counters.refused_event_is_not_added");
	before = all_calls();
	for (n = 0; n < 1000; n++)
		perf_switch(&perf_core.task[n % 2]);
	note("%lu calls in 1000 switches with an event that is refused", all_calls() - before);
	check(all_calls() - before < 1000 / 64 * 8 + 7 * 8,
	      "counters.refusals_are_not_repeated_at_each_add");
	takes_9 = true;
	for (n = 0; n < 300 && refused->state != PERF_EVENT_STATE_ACTIVE; n++)
		perf_switch(&perf_core.task[n % 2]);
	perf_switch(&perf_core.task[0]);
	perf_run(100);
	check(refused->state == PERF_EVENT_STATE_ACTIVE && is_right(refused) && is_right(a),
	      "counters.refused_event_is_tried_again");

	/* Its counter was idle: that has the event that it had. */
	boot(&(struct machine){ .hpm = 1, .can = sometimes_9, .params = { "backend=sbi" } });
	refused = open_attr(ATTR(9, .disabled = 1));
	a = open_raw(1);
	perf_disable(a);
	takes_9 = false;
	perf_enable(refused);
	before = calls(SPEC_FID_CONFIG_MATCHING);
	perf_disable(refused);
	perf_enable(a);
	perf_run(100);
	check(is_on(a, 3) && is_right(a) && calls(SPEC_FID_CONFIG_MATCHING) == before,
	      "counters.refused_event_leaves_idle_counter_as_it_was");
}

/* Did its running time stand still in the last @ns, as it did not count? */
static bool shows_loss(const struct perf_event *e, u64 running, u64 ns)
{
	const struct perf_model *m = perf_model((struct perf_event *)e);

	return e->state == PERF_EVENT_STATE_INACTIVE && m->running == running &&
	       m->enabled >= running + ns;
}

static void lose_counters(void)
{
	fakesbi.refuse = 1;
	perf_suspend(true);
	perf_run(1);
	fakesbi.refuse = 0;
}

/* Perf core must not take a part of a count for all of it. */
static void test_lost_counter_shows(void)
{
	struct perf_event *leader, *member, *pinned;
	unsigned long asked;
	u64 running;

	boot(&(struct machine){ .hpm = 2, .quirks = QUIRK(SUSPEND_LOSES_EVENTS),
				.params = { "backend=sbi" } });
	leader = open_raw(FIRMWARE_EVENT(3));
	member = open_member(leader, 1);
	perf_run(100);
	lose_counters();
	running = perf_model(leader)->running;
	perf_run(1000);
	check(shows_loss(member, running, 1000) && shows_loss(leader, running, 1000) &&
	      host_logged("firmware refused a counter: event descheduled") &&
	      strstr(host_debugfs("counters"), "0: firmware refused a counter that was in use, 2 times"),
	      "counters.group_with_lost_counter_is_not_running");
	check(is_right(member) && perf_read(member), "counters.event_with_lost_counter_keeps_count");
	/* Both members have lost theirs, and ask at each 32nd add. */
	for (unsigned int n = 0; n < 130; n++)
		perf_rotate();
	perf_run(1000);
	check(is_right(leader) && is_right(member) && perf_model(member)->running == running + 1000,
	      "counters.group_counts_again_later");
	perf_close(leader);
	pinned = open_attr(ATTR(1, .pinned = 1));
	lose_counters();
	check(pinned->state == PERF_EVENT_STATE_ERROR, "counters.pinned_event_is_in_error");
	boot(&(struct machine){ .hpm = 1, .firmware = 1, .quirks = QUIRK(SUSPEND_LOSES_EVENTS),
				.params = { "backend=sbi" } });
	open_raw(FIRMWARE_EVENT(3));
	perf_close(open_raw(1));
	open_raw(1); /* has the counter of that, so that firmware was not asked */
	lose_counters();
	asked = calls(SPEC_FID_CONFIG_MATCHING);
	for (unsigned int n = 0; n < 20; n++)
		perf_rotate();
	check(calls(SPEC_FID_CONFIG_MATCHING) == asked, "counters.lost_counter_is_not_asked_at_once");

	boot(&(struct machine){ .hpm = 2, .quirks = QUIRK(SUSPEND_LOSES_EVENTS),
				.prepare = no_kallsyms, .params = { "backend=sbi" } });
	member = open_raw(1);
	perf_run(100);
	lose_counters();
	perf_resched();
	running = perf_model(member)->running;
	perf_run(1000);
	check(shows_loss(member, running, 1000), "counters.without_kallsyms_next_add_shows_loss");
}

/* A counter that cannot be released keeps running: it is not used until the next online. */
static void test_release_fails(void)
{
	struct perf_event *a, *b;

	boot(&(struct machine){ .cpus = 2, .hpm = 2, .params = { "backend=sbi" } });
	a = open_raw(1);
	fakesbi.stop_fails = 1;
	perf_close(a);
	fakesbi.stop_fails = 0;
	b = open_raw(2);
	perf_run(5);
	check(fakesbi.ctr[3].running && is_on(b, 4), "counters.failed_release_leads_to_other_counter");
	check(is_right(b) && perf_read(b), "counters.failed_release_keeps_other_counts");
	unload_unchecked();
	/* What is left so is released by the next that is loaded. */
	check(!boot_again(), "counters.online_after_failed_release");
	check(unload(), "counters.online_after_failed_release_releases_all");
}

static void test_group_read(void)
{
	struct perf_event *leader, *first, *last;

	boot(&(struct machine){ .params = { "backend=sbi" } });
	leader = open_attr(ATTR(1, .read_format = PERF_FORMAT_GROUP));
	first = open_member(leader, 2);
	last = open_member(leader, 3);
	perf_run(100);
	host.read_ns = 10; /* each read of a CSR takes that, and what perf core does for a member */
	perf_read(leader);
	check(count_ns(leader) == 100 && count_ns(first) == 110 && count_ns(last) == 120,
	      "counters.members_are_read_one_after_the_other");
	perf_read(leader);
	check(count_ns(leader) > 120, "counters.group_is_read_again");
	host.read_ns = 0;
	check(is_right(leader) && is_right(first) && is_right(last),
	      "counters.group_that_was_read_counts_on");
}

/* A leader of another PMU, cpu-clock, was throttled, and its period is set: that PMU is disabled. */
static void test_start_enabled(const char *backend, const struct machine *machine)
{
	struct perf_event *e, *sampler;

	boot(machine);
	e = open_raw(5);
	sampler = open_sampler(6, 300);
	perf_run(1000);
	host.irqs_off = 1;
	e->hw.interrupts = MAX_INTERRUPTS;
	e->pmu->stop(e, 0);
	host.irqs_off = 0;
	perf_run(1000);
	host.irqs_off = 1;
	e->hw.interrupts = 0;
	e->pmu->start(e, 0);
	host.irqs_off = 0;
	perf_run(1000);
	check(is_right(e) && count_ns(e) >= 2000 && is_sampled(sampler, 0),
	      "counters.%s_start_while_the_pmu_is_enabled", backend);
}

/* The SBI calls of a move take time, in which a sampler counts no more than others of its group. */
static void test_slow_move(void)
{
	struct perf_event *leader, *sampler, *other;

	boot(&(struct machine){ .hpm = 2, .can = can_up_to, .params = { "backend=sbi" } });
	leader = open_general(PERF_COUNT_HW_INSTRUCTIONS);
	sampler = perf_open(ATTR(UP_TO(1, 1), .sample_period = 1000000), NULL, 0, leader,
			    &(int){ 0 });
	open_raw(FIRMWARE_EVENT(1));
	perf_run(1000);
	host.call_ns = 300;
	other = open_own(UP_TO(0, 2));
	host.call_ns = 0;
	perf_run(1000);
	check(is_on(other, 3) && is_on(sampler, 4) && count_ns(sampler) == count_ns(leader),
	      "counters.slow_move_keeps_members_equal");
}

/* A sampler has counted up to when the PMU was disabled, though KVM of 6.12 is asked later again. */
static void test_read_again(void)
{
	struct perf_event *leader, *sampler;

	boot(&(struct machine){ .quirks = KVM_OLD, .params = { "backend=sbi" } });
	host.read_ns = 1; /* a reference counter needs time */
	leader = open_attr(ATTR(5, .disabled = 1));
	sampler = perf_open(ATTR(6, .sample_period = 100000), NULL, 0, leader, &(int){ 0 });
	host.read_ns = 0;
	perf_enable(leader);
	host.read_ns = 10;
	perf_run(1000000);
	host.read_ns = 0;
	perf_read(leader);
	perf_read(sampler);
	check(perf_model(sampler)->samples > 50 && count_ns(sampler) == count_ns(leader),
	      "counters.value_at_disable_is_kept_in_an_old_vm");
}

static void dead_4(void)	{ fakesbi.ctr[4].dead = true; }

static void test_reads(void)
{
	struct perf_event *a, *b;
	u64 before;

	boot(&(struct machine){ .hpm = 4, .prepare = dead_4, .params = { "backend=sbi" } });
	a = open_raw(1);
	b = open_raw(2);
	perf_run(9);
	check(is_on(a, 3) && is_on(b, 5), "counters.unreadable_counter_is_skipped");
	check(is_right(a) && is_right(b), "counters.unreadable_counter_does_not_affect_others");
	fakesbi.ctr[3].dead = true;
	before = local64_read(&a->count);
	perf_run(9);
	check(perf_read(a) == before, "counters.failed_csr_read_adds_nothing");
	fakesbi.ctr[3].dead = false;
	check(is_right(a), "counters.failed_csr_read_loses_nothing");
	perf_disable(a);
	fakesbi.ctr[3].dead = true;
	perf_enable(a);
	perf_interrupts();
	check(is_on(a, 6) && is_right(a), "counters.event_on_unreadable_counter_moves");
	fakesbi.ctr[3].dead = false;
	before = perf_read(a);
	fakesbi.ctr[6].value -= 1000; /* not by the driver */
	check(perf_read(a) == before, "counters.value_that_went_backwards_adds_nothing");
	perf_run(9);
	check(perf_read(a) == before + 9 * perf_model(a)->rate,
	      "counters.counting_continues_after_backwards_value");

	boot(&(struct machine){ .no_hpm = true, .firmware = 1, .params = { "backend=sbi" } });
	a = open_raw(FIRMWARE_EVENT(4));
	perf_run(7);
	fakesbi.read_fails = 1;
	check(!perf_read(a), "counters.failed_firmware_read_adds_nothing");
	fakesbi.read_fails = 0;
	check(is_right(a) && perf_read(a), "counters.failed_firmware_read_loses_nothing");
	b = open_raw(FIRMWARE_EVENT(5));
	check(b->state == PERF_EVENT_STATE_INACTIVE, "counters.one_firmware_counter_takes_one_event");
}

/* ---- which counters can count an event: asked at the first open ---- */

static unsigned long open_calls(u64 config, int error)
{
	const unsigned long before = calls(SPEC_FID_CONFIG_MATCHING);
	const int got = open_errno(ATTR(config, .disabled = 1));

	if (got != error)
		note("errno %d, not %d", got, error);
	return got == error ? calls(SPEC_FID_CONFIG_MATCHING) - before : ~0UL;
}

static bool is_cached(u64 config, int error)
{
	return !open_calls(config, error);
}

static bool is_asked(u64 config, int error)
{
	const unsigned long n = open_calls(config, error);

	return n && n < 1000;
}

/* Firmware has raw events 1 to 99; event 7 counts on counter 3 only. */
CAN(has_99, code->idx != RAW || (code->data < 100 && (code->data != 7 || idx == 3)))

static void test_no_memory(void)
{
	struct perf_event *leader;
	int error = 0;

	boot(&(struct machine){ .params = { "backend=sbi" } });
	leader = open_raw(1);
	for (unsigned int n = 1; n < 20 && !host.alloc_fails_in; n++) {
		host.alloc_fails_in = n;
		if (!perf_open(ATTR(100 + n), NULL, 0, leader, &error) && error != -ENOMEM)
			break;
		error = 0;
	}
	check(!error && host.alloc_fails_in, "support.open_without_memory_is_enomem");
	host.alloc_fails_in = 0;
}

static void test_support(void)
{
	struct perf_event *busy, *other;
	unsigned long before;

	boot(&(struct machine){ .hpm = 2, .can = has_99, .params = { "backend=sbi" } });
	check(is_asked(1, 0) && is_cached(1, 0), "support.supported_event_is_cached");
	before = open_calls(2, 0);
	note("%lu configurations to learn of an event", before);
	check(before == 1, "support.one_counter_is_enough");
	check(is_asked(100, -ENOENT) && is_cached(100, -ENOENT),
	      "support.refusal_is_cached_if_exclusive");
	check(is_cached(FIRMWARE_EVENT(3), 0), "support.firmware_event_is_cached");
	fakesbi.start_fails = 1;
	check(is_asked(3, -EBUSY), "support.error_is_ebusy");
	fakesbi.start_fails = 0;
	check(is_asked(3, 0) && is_cached(3, 0), "support.event_is_probed_again_after_error");
	/* A counter in use is borrowed, and its count goes on. */
	busy = open_raw(4);
	other = open_sampler(6, 1000000);
	perf_run(1000);
	check(is_asked(5, 0) && is_asked(101, -ENOENT), "support.loaded_answers_as_idle");
	perf_run(10000000);
	check(is_right(busy) && is_right(other) && is_sampled(other, 0),
	      "support.counts_and_periods_go_on");
	perf_disable(busy);
	before = calls(SPEC_FID_CONFIG_MATCHING);
	check(is_asked(8, 0), "support.idle_counter_is_borrowed");
	before = calls(SPEC_FID_CONFIG_MATCHING);
	perf_enable(busy);
	check(calls(SPEC_FID_CONFIG_MATCHING) == before, "support.idle_counter_keeps_its_event");
}

static void test_support_shared(void)
{
	struct perf_event *e;

	boot(&(struct machine){ .hpm = 2, .firmware = 2, .other = "cpu", .can = has_99 });
	host.perfmon = true;
	check(is_asked(1, 0) && is_cached(1, 0), "support.shared_supported_event_is_cached");
	check(is_asked(100, -ENOENT) && is_cached(100, -ENOENT),
	      "support.shared_refusal_of_free_counters_is_cached");
	hold(3, true);
	check(is_cached(1, 0), "support.shared_supported_event_opens_while_held");
	check(is_asked(2, 0) && is_cached(2, 0),
	      "support.shared_held_counter_is_not_probed_at_each_open");
	check(is_asked(7, -EBUSY), "support.shared_event_of_held_counter_is_ebusy");
	check(host_logged("another PMU uses"), "support.shared_ebusy_is_logged");
	hold(4, true);
	check(is_asked(5, -EBUSY) && is_asked(5, -EBUSY), "support.shared_ebusy_is_probed_again");
	hold(3, false);
	hold(4, false);
	check(is_asked(5, 0) && is_asked(7, 0),
	      "support.shared_event_opens_when_no_longer_held");
	/* Of event 2 only counter 4 is known, which event 1 has. */
	hold(3, true);
	open_raw(1);
	hold(3, false);
	e = open_raw(2);
	perf_run(1000);
	check(is_on(e, 3) && all_right(), "support.shared_held_counter_is_used_later");
}

static void hold_4(void)
{
	hold(4, true);
}

/* It had counter 4 when the module was loaded: that is not asked for cycles later. */
static void test_shared_cycles(void)
{
	struct perf_event *cycles;

	boot(&(struct machine){ .hpm = 2, .other = "cpu", .can = has_99, .prepare = hold_4 });
	host.perfmon = true;
	hold(4, false);
	open_raw(7);
	host.read_ns = 1; /* so that a counter moves */
	cycles = open_raw(STANDARD_EVENT(1));
	host.read_ns = 0;
	check(cycles && cycles->state == PERF_EVENT_STATE_INACTIVE,
	      "support.shared_cycles_are_on_no_counter_that_was_held_at_load");
}

/* Firmware takes another counter now and then: that says nothing of those that were not offered. */
static void test_support_stray(void)
{
	unsigned int refused = 0;

	boot(&(struct machine){ .hpm = 4, .params = { "backend=sbi" } });
	fakesbi_seed(1);
	host.perfmon = true;
	fakesbi.stray = 4;
	for (unsigned int n = 1; n <= 200; n++)
		refused += !!open_errno(ATTR(n, .disabled = 1));
	fakesbi.stray = 0;
	note("%u of 200 refused", refused);
	check(refused < 4, "support.stray_counter_refuses_for_itself");
}

/* The other driver asks for a counter for its event. Return: does it get one? */
static bool other_counts(void)
{
	const unsigned long config[FAKESBI_ARGS] = { 0, 3 << 3, 0, RAW, 77 };
	const struct sbiret ret = fakesbi_call(SPEC_FID_CONFIG_MATCHING, config);
	const unsigned long stop[FAKESBI_ARGS] = { ret.value, 1, SPEC_STOP_RESET };

	if (!ret.error)
		fakesbi_call(SPEC_FID_STOP, stop);
	return !ret.error;
}

/* The programmable counters that have an event */
static unsigned int held(void)
{
	return fakesbi.ctr[3].configured + 2 * fakesbi.ctr[4].configured;
}

/* Two tasks run for three ms each, in turn. Return: calls */
static unsigned long switch_tasks(unsigned int times)
{
	const unsigned long before = all_calls();

	while (times--) {
		perf_switch(&perf_core.task[0]);
		perf_run(3000000);
		perf_switch(&perf_core.task[1]);
		perf_run(3000000);
	}
	return all_calls() - before;
}

static bool has_timer(void)
{
	return host_next_timer(10 * NSEC_PER_SEC) < 10 * NSEC_PER_SEC;
}

static void open_two(struct perf_event *e[2])
{
	for (unsigned int i = 0; i < 2; i++)
		e[i] = perf_open(ATTR(1 + i), &perf_core.task[0], -1, NULL, &(int){ 0 });
}

/* In shared mode a task with events on all counters sleeps, and others need them. */
static void test_give_back(bool nohz_full)
{
	const char *on = nohz_full ? "_on_nohz_full_cpu" : "";
	struct perf_event *e[2], *keep;

	boot(&(struct machine){ .hpm = 2, .other = "cpu", .quirks = OPENSBI_NEW });
	host.perfmon = true;
	host.nohz_full = nohz_full;
	keep = perf_open(ATTR(FIRMWARE_EVENT(1)), &perf_core.task[2], -1, NULL, &(int){ 0 });
	open_two(e);
	perf_switch(&perf_core.task[0]);
	perf_run(5 * NSEC_PER_SEC);
	check(held() == 3 && !other_counts() && !has_timer(),
	      "give_back.busy_counters_need_no_timer%s", on);
	check(!switch_tasks(100), "give_back.counters_in_use_make_no_calls%s", on);
	perf_switch(&perf_core.idle);
	perf_run(9 * NSEC_PER_MSEC);
	check(held() == 3 && !switch_tasks(1), "give_back.counters_are_kept_for_some_time%s", on);
	perf_switch(&perf_core.idle);
	perf_run(25 * NSEC_PER_MSEC);
	check(!held() && other_counts(), "give_back.sleeping_task_gives_back%s", on);
	check(!has_timer(), "give_back.idle_cpu_is_left_alone%s", on);
	perf_switch(&perf_core.task[0]);
	perf_run(5);
	check(is_right(e[0]) && is_right(e[1]) && held() == 3, "give_back.task_counts_again%s", on);
	perf_close(e[0]);
	perf_run(25 * NSEC_PER_MSEC);
	check(held() == 2 && other_counts() && is_right(e[1]),
	      "give_back.last_close_of_event_gives_back%s", on);
	perf_close(keep);
	perf_close(e[1]);
	check(!held(), "give_back.last_close_gives_back_at_once%s", on);
	open_two(e);
	perf_run(5);
	perf_switch(&perf_core.idle);
	check(held() == 3 && has_timer(), "give_back.timer_runs_at_unload%s", on);
}

/* An ordinary user opens events of all counters; his task sleeps nearly all the time. */
static void test_leave_one(void)
{
	struct perf_event *e[4];
	unsigned int refused = 0;
	int error = 0;

	boot(&(struct machine){ .hpm = 4, .other = "cpu", .quirks = OPENSBI_NEW });
	host.perfmon = false;
	for (unsigned int i = 0; i < ARRAY_SIZE(e); i++)
		e[i] = perf_open(ATTR(1 + i), &perf_core.task[0], -1, NULL, &error);
	perf_run(1000);
	check(all_right() && e[2] && !e[3] && error == -EBUSY && !fakesbi.ctr[6].configured,
	      "give_back.ordinary_user_leaves_one");
	host.perfmon_asked = 0;
	check(!open_errno(ATTR(1)) && !host.perfmon_asked, "give_back.it_is_no_denial_in_the_audit_log");
	for (unsigned int n = 0; n < 100; n++) {
		perf_switch(&perf_core.task[0]);
		perf_run(10000);
		perf_switch(&perf_core.task[1]);
		perf_run(30 * NSEC_PER_MSEC);
		refused += !other_counts();
	}
	check(!refused, "give_back.task_that_sleeps_keeps_no_counters");

	boot(&(struct machine){ .hpm = 1, .other = "cpu", .quirks = OPENSBI_NEW });
	host.perfmon = false;
	check(open_errno(ATTR(1)) == -EBUSY && host_logged("is left to the other PMU"),
	      "give_back.last_counter_is_ebusy_for_ordinary_users");
	host.perfmon = true;
	check(!open_errno(ATTR(1)), "give_back.last_counter_is_for_cap_perfmon");
}

static void test_give_back_elsewhere(void)
{
	struct perf_event *e[2];

	boot(&(struct machine){ .hpm = 2, .cpus = 2, .other = "cpu" });
	host.perfmon = true;
	open_two(e);
	perf_switch(&perf_core.task[0]);
	perf_switch(&perf_core.idle);
	host_run_cpu(1);
	perf_switch(&perf_core.task[0]);
	check(held() == 3, "give_back.task_migrates");
	host_run_cpu(0);
	perf_run(25 * NSEC_PER_MSEC);
	check(!held(), "give_back.cpu_that_it_has_left_gives_back");
	host_run_cpu(1);
	perf_switch(&perf_core.idle);
	host_run_cpu(0);
	perf_hotplug(1, false);
	check(!has_timer(), "give_back.offline_cpu_has_no_timer");
	perf_hotplug(1, true);
	host_run_cpu(1);
	perf_switch(&perf_core.task[0]);
	perf_switch(&perf_core.idle);
	check(held() == 3, "give_back.task_counts_on_cpu_that_came_back");
	perf_run(25 * NSEC_PER_MSEC);
	check(!held(), "give_back.cpu_that_came_back_gives_back");
	host_run_cpu(0);

	boot(&(struct machine){ .hpm = 2 });
	open_two(e);
	perf_switch(&perf_core.task[0]);
	perf_switch(&perf_core.idle);
	perf_run(NSEC_PER_SEC);
	check(held() == 3 && !has_timer(), "give_back.exclusive_mode_keeps_counters");
}

static bool no_raw;

static bool can_raw(const struct fakesbi_code *code)
{
	return code->idx != RAW || !no_raw;
}

static void vm(void)
{
	fakesbi.countable = can_raw;
	no_raw = true;
}

/* Other VMs use the host's counters, and give them back. */
static void test_support_vm(void)
{
	boot(&(struct machine){ .quirks = KVM, .prepare = vm });
	/* The reference counter of a VM needs time. */
	host.read_ns = 1;
	check(is_asked(4, -ENOENT) && is_cached(4, -ENOENT), "support.vm_refusal_is_cached");
	no_raw = false;
	perf_run(2 * NSEC_PER_SEC);
	check(is_asked(4, 0), "support.vm_event_found_later");
	no_raw = true;
	check(is_cached(4, 0), "support.vm_supported_event_is_cached");
}

/* Only the opener's CPU is asked, unless it has other counters. */
static void test_opener(void)
{
	unsigned long before;

	boot(&(struct machine){ .cpus = 2 });
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		before = fakesbi_harts[!cpu].calls[SPEC_FID_CONFIG_MATCHING];
		host_run_cpu(cpu);
		perf_close(perf_open(ATTR(5 + cpu), &perf_core.task[3], -1, NULL, &(int){ 0 }));
		check(fakesbi_harts[!cpu].calls[SPEC_FID_CONFIG_MATCHING] == before,
		      "support.opener_on_cpu_%u_asks_cpu_%u", cpu, cpu);
	}
	host_run_cpu(0);
}

static void test_hotplug(void)
{
	const struct perf_event_attr *const attr = GENERAL(0), *narrow;
	struct perf_event *e, *s;
	int error;

	boot(&(struct machine){ .cpus = 2, .width = 27 });
	narrow = ATTR(5);
	e = perf_open(attr, NULL, 1, NULL, &error);
	perf_open(narrow, NULL, 1, NULL, &error);
	perf_run(10000);
	perf_hotplug(1, false);
	perf_run(10000);
	check(is_right(e) && e->state == PERF_EVENT_STATE_OFF, "perf.offline_cpu_keeps_its_counts");
	check(!strcmp(perf_sysfs("cpus"), "0"), "perf.offline_cpu_is_not_listed");
	check(!perf_open(attr, NULL, 1, NULL, &error) && error == -ENODEV,
	      "perf.offline_cpu_has_no_events");
	perf_hotplug(1, true);
	perf_run(10000);
	check(is_right(e), "perf.cpu_comes_back");
	s = perf_open(ATTR(6), NULL, 1, e, &error);
	check(!s && error == -ENODEV, "perf.nothing_joins_an_event_of_an_unplugged_cpu");
	e = perf_open(narrow, NULL, 1, NULL, &error);
	perf_run(100000000);
	check(is_right(e), "perf.narrow_counter_wraps_after_its_cpu_came_back");
	/* A task's event waits for its CPU. */
	perf_hotplug(1, false);
	e = perf_open(narrow, &perf_core.task[1], 1, NULL, &error);
	perf_hotplug(1, true);
	host_run_cpu(1);
	perf_switch(&perf_core.task[1]);
	perf_run(10000);
	check(e && is_right(e) && perf_read(e), "perf.event_of_a_task_waits_for_its_cpu");
	host_run_cpu(0);

	/* Perf core does not offer a task's events to a CPU of another kind: a pinned one would end. */
	boot(&(struct machine){ .cpus = 2, .arch = 1, .other_arch = 2 });
	e = open_task(ATTR(5, .pinned = 1));
	perf_run(1000);
	perf_switch(&perf_core.idle);
	host_run_cpu(1);
	perf_switch(&perf_core.task[0]);
	perf_run(1000);
	perf_switch(&perf_core.idle);
	host_run_cpu(0);
	perf_switch(&perf_core.task[0]);
	perf_run(1000);
	check(e->state == PERF_EVENT_STATE_ACTIVE && is_right(e) &&
	      perf_model(e)->happened == 2000 * perf_model(e)->rate,
	      "perf.pinned_event_waits_on_cpu_of_other_kind");
}

/* The event of a child is like its parent's: counter, filter, and how it is sampled. */
static void test_inherit(void)
{
	struct perf_event *parent, *child, *other;

	boot(&(struct machine){ .hpm = 2, .can = can_up_to, .params = { "backend=sbi" } });
	parent = open_task(ATTR(UP_TO(0, 1), .inherit = 1, .exclude_kernel = 1,
				.sample_period = 100000));
	child = perf_inherit(parent, &perf_core.task[1]);
	other = perf_open(ATTR(UP_TO(1, 2)), &perf_core.task[1], -1, NULL, &(int){ 0 });
	perf_switch(&perf_core.task[1]);
	host.regs.user = true;
	perf_run(100000);
	check(is_on(child, 3) && is_on(other, 4) && is_right(child) && is_right(other) &&
	      is_sampled(child, 0), "perf.child_counts_as_its_parent");
	perf_switch(&perf_core.task[0]);
	perf_run(100000);
	check(is_right(parent) && is_sampled(parent, 0), "perf.parent_counts_beside_child");
}

void test_counters(void)
{
	test_moves();
	test_choice();
	test_sharing();
	test_beside_sampler();
	test_equal_members();
	test_move_of_sampler(true);
	test_move_of_sampler(false);
	test_fixed_filters();
	test_tied("tied_exclusive", (struct machine){ .params = { "backend=sbi" } });
	test_tied("tied_filtering_fixed", (struct machine){ .smcntrpmf = BIT(0) | BIT(2) });
	test_tied("tied_delegated", (struct machine){ .delegated = true, .params = { "backend=csr" } });
	test_tied_names();
	test_tied_alone();
	test_tied_shared();
	test_counterid_mask("sbi", (struct machine){ .params = { "backend=sbi" } });
	test_counterid_mask("snapshot", (struct machine){ .params = { "backend=snapshot" } });
	test_counterid_mask("csr", (struct machine){ .delegated = true, .params = { "backend=csr" } });
	test_mask_beside_others();
	test_refused_move();
	test_stray();
	test_refused_add();
	test_lost_counter_shows();
	test_release_fails();
	test_group_read();
	test_start_enabled("sbi", &(struct machine){ .params = { "backend=sbi" } });
	test_start_enabled("snapshot", &(struct machine){ .params = { "backend=snapshot" } });
	test_start_enabled("csr", &(struct machine){ .delegated = true, .params = { "backend=csr" } });
	test_slow_move();
	test_read_again();
	test_reads();
	test_no_memory();
	test_support();
	test_support_shared();
	test_shared_cycles();
	test_support_stray();
	test_give_back(false);
	test_give_back(true);
	test_give_back_elsewhere();
	test_leave_one();
	test_support_vm();
	test_opener();
	test_hotplug();
	test_inherit();
}
