// SPDX-License-Identifier: GPL-2.0-only
/* test_power: counters that come round, harts that sleep, go and come. */
#include "test.h"

/* The event that happens most often: as often as is promised at most. */
static struct sbi_pmu_event_code fastest(void)
{
	struct sbi_pmu_event_code code = { .idx = RAW };

	while (fakesbi_rate(&code) != SBI_PMU_EVENTS_PER_NS)
		code.data++;
	return code;
}

/* Does a narrow counter's count come out true, if looked at every @every ns? */
static bool narrow_right(unsigned int width, u64 every, unsigned int rounds)
{
	struct tracked *a = &cpu.tracked[0];
	bool right;

	boot(2, 0, width);
	tracked_open(a, fastest());
	if (!tracked_add_start(a))
		check(false, "attach");
	for (unsigned int i = 0; i < rounds; i++) {
		fakesbi_run(every);
		a->expected += every * fakesbi_rate(&a->event.code);
		if (!sbi_pmu_counters_poll_narrow(&cpu.counters))
			check(false, "follow");
	}
	right = tracked_right(a) && a->expected > (rounds - 1) * BIT_ULL(width - 1);
	sbi_pmu_counters_offline(&cpu.counters);
	return right;
}

static void test_follow(void)
{
	static const unsigned int widths[] = { 27, 32, 40, 48, 56 };
	struct tracked *a = &cpu.tracked[0];

	for (unsigned int i = 0; i < ARRAY_SIZE(widths); i++) {
		unsigned int w = widths[i];
		u64 wrap = BIT_ULL(w - 1) / SBI_PMU_EVENTS_PER_NS;

		check(narrow_right(w, wrap, 50), "%u bits come round 25 times, all is counted", w);
		check(!narrow_right(w, 2 * wrap, 50), "%u bits, looked at too late: not", w);
	}
	boot(2, 1, 63);
	tracked_open_idx(a, RAW, 1);
	check(tracked_add_start(a) && sbi_pmu_counters_poll_narrow(&cpu.counters), "63 bits are narrow, too");
	sbi_pmu_counters_offline(&cpu.counters);
	boot(2, 1, 27);
	check(sbi_pmu_inventory_wrap_ns(&cpu.inv) == BIT_ULL(26) / SBI_PMU_EVENTS_PER_NS,
	      "that is what is promised");
	check(!sbi_pmu_counters_poll_narrow(&cpu.counters), "nobody there: nothing to follow");
	tracked_open_idx(a, FW + 1, 0);
	check(tracked_add_start(a) && !sbi_pmu_counters_poll_narrow(&cpu.counters), "nor a firmware counter");
	tracked_del(a);
	tracked_open_idx(a, SBI_PMU_HW_CPU_CYCLES, 0);
	check(tracked_add_start(a) && a->event.counter == 0 && !sbi_pmu_counters_poll_narrow(&cpu.counters),
	      "nor one of 64 bits");
	tracked_del(a);
	tracked_open(a, fastest());
	check(tracked_add_start(a) && sbi_pmu_counters_poll_narrow(&cpu.counters), "one of 27 bits");
	tracked_del(a);
	check(!sbi_pmu_counters_poll_narrow(&cpu.counters), "and not when it is idle");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Two share, one of them stopped: follow serves those who count. */
static void test_follow_shared(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 32);
	tracked_open(a, fastest());
	tracked_open(b, fastest());
	if (!tracked_add_start(a) || !tracked_add(b))
		check(false, "attach");
	cpu_run(1000000000);
	check(tracked_start(b), "the second starts a second later");
	cpu_run(1000000000);
	check(tracked_right(a) && tracked_right(b) && a->reported == 2 * b->reported,
	      "32 bits, two seconds and one");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* A width that firmware exaggerates: the truth is what the limit says. */
static void test_width_limit(void)
{
	struct tracked *a = &cpu.tracked[0];

	fakesbi_reset(2, 0, 32);
	fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
	cpu_boot(true);
	check(cpu.inv.info[3].width == 64, "32 bits that are said to be 64");
	cpu.limits.max_width = 32;
	if (sbi_pmu_probe_inventory(&cpu.counters.backend.sbi, &cpu.limits, &cpu.inv))
		check(false, "inventory");
	check(cpu.inv.info[3].width == 32, "and are 32 by the limit");
	tracked_open(a, fastest());
	if (!tracked_add_start(a))
		check(false, "attach");
	cpu_run(1000000000);
	check(tracked_right(a), "come round, and all is counted");
	sbi_pmu_counters_offline(&cpu.counters);
}

static void seat_three(struct tracked *p)
{
	tracked_open_idx(&p[0], RAW, 1);
	tracked_open_idx(&p[1], RAW, 2);
	tracked_open_idx(&p[2], FW + 4, 0);
	for (unsigned int i = 0; i < 3; i++)
		if (!tracked_add_start(&p[i]))
			check(false, "attach");
}

static void sleep_over(void)
{
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	sbi_pmu_counters_resume(&cpu.counters);
}

/* @quirks: what is lost over suspend. */
static void suspend_under(const char *name, u64 quirks)
{
	struct tracked *p = cpu.tracked;
	unsigned int stranded;

	boot(4, 2, 64);
	fakesbi.quirks = quirks;
	seat_three(p);
	tracked_open_idx(&p[3], RAW, 3);
	tracked_add(&p[3]);	/* there, and not counting */
	cpu_run(11);
	for (unsigned int i = 0; i < 3; i++) {
		sleep_over();
		cpu_run(11);
	}
	stranded = cpu.counters.lost_events;
	check(tracked_right(&p[0]) && tracked_right(&p[1]) && tracked_right(&p[2]) && !stranded &&
	      p[0].reported == 44 * fakesbi_rate(&p[0].event.code),
	      "%s lost over suspend: counts are true", name);
	check(tracked_start(&p[3]), "%s lost: what was stopped starts", name);
	cpu_run(5);
	check(tracked_right(&p[3]) && p[3].reported, "%s lost: and counts", name);
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "%s lost: no rule broken", name);
}

/* Without resume the loss would be seen: this test tests. */
static void suspend_without_resume(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS);
	seat_three(p);
	cpu_run(11);
	fakesbi_suspend();
	cpu_run(11);
	check(!tracked_right(&p[0]), "without suspend and resume the count would be short");
	sbi_pmu_counters_offline(&cpu.counters);
}

static void resume_refused(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES);
	seat_three(p);
	cpu_run(11);
	fakesbi.refuse = 1;
	sleep_over();
	fakesbi.refuse = 0;
	check(cpu.counters.lost_events == 3 && tracked_sync() == 3 && quiet() &&
	      p[0].event.counter == SBI_PMU_NO_COUNTER && list_empty(&p[0].event.node),
	      "refused at resume: stranded, and nothing is left configured");
	cpu_run(11);
	check(tracked_right(&p[0]) && tracked_right(&p[1]) && tracked_right(&p[2]) && p[0].reported,
	      "they keep what they have counted");
	check(tracked_add_start(&p[0]) && p[0].event.counter == 3, "and may come again");
	cpu_run(11);
	check(tracked_right(&p[0]) && p[0].reported == 22 * fakesbi_rate(&p[0].event.code),
	      "and count on");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "no rule broken");
}

/* A counter that cannot be read any more: its user does not pretend. */
static void resume_unreadable(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	seat_three(p);
	cpu_run(11);
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi.dead = mask_of(3);
	sbi_pmu_counters_resume(&cpu.counters);
	check(tracked_sync() == 1 && !p[0].event.active && p[1].event.active,
	      "dead after suspend: stopped, and the others count");
	cpu_run(11);
	check(tracked_right(&p[0]) && tracked_right(&p[1]) && tracked_right(&p[2]), "all is right");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Idle slots are not carried over a suspend. */
static void resume_idle(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	seat_three(p);
	tracked_del(&p[1]);
	sleep_over();
	check(!fakesbi.ctr[4].configured && fakesbi.ctr[3].running &&
	      !sbi_pmu_mask_test(&cpu.counters.plan.configured, 4), "idle slots are given back");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "no rule broken");
}

/* What somebody else has left behind is cleared when the hart comes. */
static void test_leftovers(void)
{
	static struct spec_snapshot page;
	const unsigned long flags[SBI_PMU_ARGS] = { 3, 3, SPEC_CFG_AUTO_START, RAW, 5 };
	struct tracked *a = &cpu.tracked[0];

	for (unsigned int sole = 0; sole < 2; sole++) {
		fakesbi_reset(4, 2, 64);
		fakesbi_memory(0, &page, sizeof(page));
		fakesbi.shmem = &page;
		fakesbi.ctr[7].configured = true;
		fakesbi_call(SBI_EXT_PMU_COUNTER_CFG_MATCH, flags);
		cpu_boot(sole);
		check(quiet() == sole && fakesbi.ctr[3].running == !sole &&
		      (fakesbi.shmem ? 0 : 1) == sole, "leftovers %s",
		      sole ? "are cleared" : "are not ours");
		check(tracked_open_idx(a, RAW, 9) && tracked_add_start(a) && a->event.counter == 4 - sole,
		      "and %s", sole ? "in nobody's way" : "not touched");
		sbi_pmu_counters_offline(&cpu.counters);
		check(fakesbi.ctr[3].running == !sole && !fakesbi.broken, "no rule broken");
	}
}

/* A hart goes and comes: its users have left, and come again. */
static void test_hotplug(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	seat_three(p);
	cpu_run(5);
	sbi_pmu_counters_offline(&cpu.counters);
	check(tracked_sync() == 3 && quiet(), "gone: all are detached");
	fakesbi_restart();
	cpu_run(5);
	check(tracked_right(&p[0]) && tracked_right(&p[2]) && p[0].reported, "with their counts");
	sbi_pmu_counters_online(&cpu.counters);
	for (unsigned int i = 0; i < 3; i++)
		if (!tracked_add_start(&p[i]))
			check(false, "attach");
	cpu_run(5);
	check(tracked_right(&p[0]) && tracked_right(&p[2]) &&
	      p[0].reported == 10 * fakesbi_rate(&p[0].event.code), "back: they count on");
	sbi_pmu_counters_offline(&cpu.counters);
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
