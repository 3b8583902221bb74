// SPDX-License-Identifier: GPL-2.0-only
/* test_sampling: overflows and timers: each period has its sample, at which cost, and when not. */
#include "test.h"

static const struct machine sbi = { .quirks = OPENSBI_NEW, .params = { "backend=sbi" } };
static const struct machine timer = { .params = { "backend=sbi", "overflow=timer" } };

static u64 samples(struct perf_event *e)
{
	return perf_model(e)->samples;
}

static void test_period(void)
{
	struct perf_event *e, *beside;
	unsigned long before;

	boot(&sbi);
	e = open_sampler(5, 10000);
	before = all_calls();
	perf_run(time_of(e, 9000));
	check(!samples(e), "sampling.no_sample_before_the_end_of_the_period");
	perf_run(time_of(e, 1100));
	check(samples(e) == 1 && perf_model(e)->sampled >= 10000, "sampling.one_sample_per_period");
	check(all_calls() - before == 2, "sampling.sample_makes_two_calls");
	check(perf_core.took == 1, "sampling.time_of_a_sample_is_reported");
	perf_run(time_of(e, 5000));
	before = all_calls();
	perf_disable(e);
	check(all_calls() == before, "sampling.delete_makes_no_call");
	/* Its counter runs on, and overflows once. */
	perf_run(1000000);
	check(all_calls() - before == 2, "sampling.idle_counter_overflows_once");
	perf_run(1000000);
	before = all_calls();
	perf_enable(e);
	check(all_calls() - before == 2, "sampling.add_after_delete_makes_two_calls");
	perf_run(time_of(e, 5000));
	check(samples(e) == 2 && is_right(e), "sampling.period_continues_after_delete_and_add");
	beside = open_raw(6);
	open_raw(7);
	before = all_calls();
	perf_run(time_of(e, 10000));
	check(samples(e) == 3 && all_calls() - before == 2,
	      "sampling.overflow_beside_others_makes_two_calls");
	perf_run(time_of(e, 100000));
	check(samples(e) == 13 && is_right(e) && is_right(beside), "sampling.samples_account_for_all_events");
}

/*
 * A user's events share a counter: they make no handler longer than if each had its own, no sample
 * look longer than one alone, and all are sampled, by turns.
 */
static void test_equal_events(const char *name, const char *overflow)
{
	struct perf_event *e[64];
	u64 alone = 0, most = 0;
	bool all = true;

	for (unsigned int n = 1; n <= ARRAY_SIZE(e); n *= 8) {
		boot(&(struct machine){ .params = { "backend=sbi", overflow } });
		for (unsigned int i = 0; i < n; i++)
			e[i] = open_task(ATTR(5, .sample_period = 1000000));
		host.sample_ns = 1000;
		host.longest_irq = perf_core.took_ns = 0;
		for (unsigned int i = 0; i < n; i++, perf_rotate())
			perf_run(time_of(e[0], 10000000));
		host.sample_ns = 0;
		note("%u events: %llu ns a sample, interrupts disabled for %llu ns", n,
		     perf_core.took_ns, host.longest_irq);
		alone = alone ?: perf_core.took_ns;
		most = max(most, perf_core.took_ns);
		all = all && host.longest_irq <= 6 * alone;
		for (unsigned int i = 0; i < n; i++)
			all = all && samples(e[i]);
	}
	check(all, "sampling.equal_events_take_turns_%s", name);
	check(alone && most <= alone, "sampling.equal_events_report_time_of_one_sample_%s", name);
}

/* A group samples at once, or never. */
static void test_equal_members(void)
{
	struct perf_event *leader;
	unsigned int n = 1;

	boot(&sbi);
	leader = open_sampler(5, 1000000);
	while (n < 10 && perf_open(ATTR(5, .sample_period = 1000000), NULL, 0, leader, &(int){ 0 }))
		n++;
	check(n == 6 && open_member(leader, 5), "sampling.members_are_as_many_as_can_sample");
	perf_run(10000000);
	check(all_right() && samples(leader), "sampling.equal_members_sample");
}

/* The calls in the handler take time, in which counters count, and other ones overflow. */
static void test_slow_calls(void)
{
	struct perf_event *a, *b;
	unsigned long before;
	bool in_time = true;

	boot(&sbi);
	a = open_sampler(5, 10000);
	open_raw(6);
	host.call_ns = 300;
	before = all_calls();
	perf_run(time_of(a, 105000));
	note("%lu calls for %llu samples", all_calls() - before, samples(a));
	check(samples(a) == 10 && all_calls() - before == 20,
	      "sampling.slow_calls_cause_no_more_overflows");
	b = open_sampler(7, 10001);
	for (unsigned int n = 0; n < 100; n++) {
		perf_run(time_of(b, 10001));
		in_time = in_time && is_sampled(a, 1000) && is_sampled(b, 1000);
	}
	check(in_time, "sampling.overflow_while_another_is_served_interrupts_again");
	/* Its counter is started again for each sample of the other. */
	b = open_sampler(5, 1000000);
	perf_run(time_of(b, 3500000));
	check(samples(b) == 3, "sampling.slow_calls_end_no_period_early");
	host.call_ns = 0;
}

/* An event that is alone counts on as soon as its counter is started, as no other can differ. */
static void test_slow_alone(void)
{
	struct perf_event *e;
	u64 lost;

	boot(&sbi);
	e = open_sampler(5, 10000);
	host.call_ns = 300;
	perf_run(time_of(e, 105000));
	host.call_ns = 0;
	lost = (perf_model(e)->happened - perf_read(e)) / perf_model(e)->rate;
	note("%llu ns are lost at %llu samples", lost, samples(e));
	check(lost <= samples(e) * 300, "sampling.alone_an_event_misses_no_call_but_the_stop");
}

/* An interrupt comes late: its sample stands for all periods that have ended. */
static void test_late(void)
{
	struct perf_event *e;

	boot(&sbi);
	e = open_sampler(5, 10000);
	host.irq_enabled[0] = false;
	perf_run(time_of(e, 45000));
	host.irq_enabled[0] = true;
	perf_interrupts();
	check(samples(e) == 1 && perf_model(e)->sampled >= 45000,
	      "sampling.late_sample_stands_for_all_periods");
	perf_run(time_of(e, 50000 - 45000 + 500));
	check(samples(e) == 2, "sampling.late_sample_keeps_period_of_one");
}

/* The counter of an event of one mode overflows just before the hart leaves that mode. */
static void test_modes(void)
{
	struct perf_event_attr attr;
	struct perf_event *e;
	unsigned long before;

	boot(&sbi);
	attr = (struct perf_event_attr){ .type = TYPE, .config = 5, .sample_period = 10000,
					 .exclude_user = 1 };
	e = open_attr(&attr);
	host.regs.user = true;
	before = all_calls();
	perf_run(time_of(e, 1000000));
	note("%lu calls while the sample is due in another mode", all_calls() - before);
	check(!samples(e) && all_calls() - before < 100, "sampling.deferred_samples_cause_few_overflows");
	host.regs.user = false;
	perf_run(time_of(e, 4000000));
	check(samples(e) > 200 && is_sampled(e, 0) && is_right(e),
	      "sampling.deferred_samples_lose_no_count");
	check(!strstr(host_debugfs("overflow"), "\n0 0 0 "), "sampling.deferred_samples_are_reported");
	perf_close(e);

	/* A new period ends where it should, whatever was due before. */
	e = open_attr(&attr);
	host.regs.user = true;
	perf_run(time_of(e, 1000000));
	host.regs.user = false;
	perf_set_period(e, 1000);
	perf_run(time_of(e, 10500));
	check(samples(e) == 10, "sampling.new_period_ends_the_wait_for_a_deferred_sample");
	perf_close(e);

	/* Of user mode, and served in the kernel: the user's registers are those of the overflow. */
	attr.exclude_user = 0;
	attr.exclude_kernel = 1;
	e = open_attr(&attr);
	perf_run(time_of(e, 100000));
	check(samples(e) >= 9 && !perf_model(e)->wrong_mode, "sampling.user_mode_is_seen_from_the_kernel");
	perf_switch(&perf_core.idle);
	perf_run(time_of(e, 100000));
	check(samples(e) <= 11, "sampling.kernel_thread_has_no_user_mode");
	check(host.irq_enabled[0], "sampling.deferred_samples_leave_the_interrupt_on");
}

/* A low-power state keeps events and values, but firmware sets overflow bits as it restores them. */
static void test_resume(void)
{
	struct perf_event *e;
	u64 begin;

	boot(&sbi);
	e = open_sampler(5, 10000);
	perf_run(time_of(e, 5000));
	host_cpu_pm(CPU_PM_ENTER);
	for (unsigned int i = 0; i < fakesbi.end; i++)
		fakesbi.ctr[i].overflown = fakesbi.ctr[i].running;
	host.read_ns = 1; /* so that counters are seen to count */
	host_cpu_pm(CPU_PM_EXIT);
	host.read_ns = 0;
	begin = host.now;
	while (!samples(e) && host.now - begin < NSEC_PER_SEC)
		perf_run(100);
	check(host.now - begin < time_of(e, 10000), "sampling.resume_restarts_armed_counters");
}

static void nohz_full(void)	{ host.nohz_full = true; }

/* Hardware loses the interrupt of this period, and QEMU the overflow bit, too. */
static void lose_irq(struct perf_event *e, bool bit_too)
{
	const u64 ns = time_of(e, e->hw.sample_period + 1 - perf_read(e) % e->hw.sample_period);

	fakesbi_run(ns);
	perf_model(e)->happened += ns * perf_model(e)->rate;
	fakesbi.lcofi = false;
	if (bit_too)
		fakesbi.ctr[3].overflown = false;
}

/* Time to its next sample, a second at most */
static u64 until_sample(struct perf_event *e)
{
	const u64 begin = host.now, before = samples(e);

	while (samples(e) == before && host.now - begin < NSEC_PER_SEC)
		perf_run(1000000);
	return host.now - begin;
}

static bool has_lost(const char *irqs)
{
	return strstr(host_debugfs("overflow"), irqs);
}

static void test_lost_irq(const char *name, bool bit_too, void (*prepare)(void))
{
	struct machine machine = sbi;
	struct perf_event *e;

	machine.prepare = prepare;
	boot(&machine);
	e = open_sampler(5, 10000);
	lose_irq(e, bit_too);
	check(until_sample(e) < 300 * NSEC_PER_MSEC,
	      "sampling.interrupt_that_is_lost_%s_is_found", name);
	check(has_lost("\n0 1 0"), "sampling.interrupt_that_is_lost_%s_is_counted", name);
	perf_run(time_of(e, 100000));
	check(samples(e) >= 10 && is_right(e) && is_sampled(e, 0),
	      "sampling.sampling_continues_after_irq_is_lost_%s", name);
	lose_irq(e, bit_too);
	check(until_sample(e) < 30 * NSEC_PER_MSEC && has_lost("\n0 2 0"),
	      "sampling.next_interrupt_that_is_lost_%s_is_found_soon", name);
}

/* Cores that are known to lose interrupts are looked at ten times as often as others. */
static void test_looks(void)
{
	static const struct {
		const char *core;
		struct machine machine;
		bool often;
	} looks[] = {
		{ "other", {} },
		{ "marchid_25", { .arch = 25 }, true },
		{ "thead", { THEAD }, true },
		{ "thead_with_lcofi", { .vendor = 0x5b7, .arch = 0x80000000090c0d00 } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(looks); i++) {
		struct perf_event *e;

		boot(&looks[i].machine);
		e = open_sampler(5, 10000);
		lose_irq(e, false);
		check((until_sample(e) < 20 * NSEC_PER_MSEC) == looks[i].often,
		      "sampling.lost_interrupt_is_found_%s_on_%s", looks[i].often ? "soon" : "later",
		      looks[i].core);
	}
}

/* An interrupt that is late, before the look for lost ones or at it, is not lost. */
static void test_not_lost(void)
{
	struct perf_event *e;

	boot(&sbi);
	e = open_sampler(5, 10000);
	host.irq_enabled[0] = false;
	perf_run(300 * NSEC_PER_MSEC);
	host.irq_enabled[0] = true;
	perf_interrupts();
	check(samples(e) == 1 && has_lost("\n0 0 0"), "sampling.pending_interrupt_is_not_lost");
	perf_close(e);

	e = open_sampler(5, NSEC_PER_SEC);
	perf_run(host_next_timer(NSEC_PER_SEC) - 1000);
	lose_irq(e, true);
	perf_run(2000);
	fakesbi.lcofi = fakesbi.ctr[3].overflown = true;
	perf_run(1000000);
	check(samples(e) == 1 && has_lost("\n0 0 0"),
	      "sampling.interrupt_just_after_a_look_is_not_lost");
	perf_close(e);

	/* Periods of more than half of the range: the counter stops half-way, and is no overflow. */
	boot(&(struct machine){ .width = 32, .params = { "backend=sbi" } });
	e = open_sampler(64, 3ULL << 30);
	perf_run(NSEC_PER_SEC);
	check(has_lost("\n0 0 0"), "sampling.long_period_on_narrow_counter_has_lost_no_interrupt");
	perf_run(9 * NSEC_PER_SEC);
	check(samples(e) == 3 && is_right(e), "sampling.long_period_on_narrow_counter_is_kept");
}

/* Tasks are switched while periods of both are far from their ends. */
static void test_switches(const char *name, unsigned int width, u64 period)
{
	struct perf_event *e, *other;
	unsigned long before;

	boot(&(struct machine){ .width = width, .params = { "backend=sbi" } });
	e = open_task(ATTR(5, .sample_period = period));
	other = perf_open(ATTR(5, .sample_period = period), &perf_core.task[1], -1, NULL, &(int){ 0 });
	before = all_calls();
	for (unsigned int n = 0; n < 100; n++) {
		perf_run(100);
		go_away(100);
	}
	note("%lu calls in 100 switches", all_calls() - before);
	check(all_calls() - before < 10 && is_right(e) && is_right(other),
	      "sampling.%s_makes_no_calls_at_switches", name);
}

/* The task makes progress, and no event is lost. */
static void test_period_of_one(void)
{
	struct perf_event *e;

	boot(&sbi);
	e = open_sampler(64, 1);
	host.irqs = 0;
	perf_run(1600);
	note("%lu interrupts", host.irqs);
	check(host.irqs >= 90 && host.irqs <= 110 && is_right(e) && is_sampled(e, 32),
	      "sampling.period_of_one_event_leaves_time");
}

/* An interrupt for which no event waits; and a restart that firmware refuses. */
static void test_spurious(void)
{
	struct perf_event *e, *count;

	boot(&sbi);
	e = open_sampler(5, 100000);
	count = open_raw(6);
	open_raw(FIRMWARE_EVENT(1));
	for (unsigned int n = 0; n < 10; n++) {
		perf_run(100);
		fakesbi.lcofi = true;
		perf_interrupts();
	}
	check(!samples(e) && !fakesbi.lcofi, "sampling.spurious_interrupt_has_no_sample");
	perf_run(time_of(e, 1000000));
	check(is_right(e) && is_right(count) && samples(e) >= 9,
	      "sampling.counters_run_on_after_spurious_interrupt");
	perf_disable(e);
	/* It stays pending until counters are stopped. */
	fakesbi.lcofi = fakesbi.lcofi_stays = true;
	perf_run(1000);
	check(!fakesbi.lcofi_stays, "sampling.interrupt_for_nobody_is_ended");
	fakesbi.lcofi = false;
	perf_run(1000);
	check(all_right(), "sampling.interrupt_for_nobody_loses_no_count");
	host.call_ns = 300;
	for (unsigned int n = 0; n < 3000; n++) {
		perf_run(1000000);
		fakesbi.lcofi = fakesbi.lcofi_stays = true; /* ends by a call */
		perf_interrupts();
	}
	host.call_ns = 0;
	perf_enable(e);
	check(host.irq_enabled[0], "sampling.spurious_interrupts_leave_the_interrupt_on");
	host.call_ns = 5000;
	for (unsigned int n = 0; n < 6000; n++) {
		fakesbi.lcofi = fakesbi.lcofi_stays = true;
		perf_run(n % 2 ? 1 : time_of(e, 100000));
	}
	host.call_ns = 0;
	check(host.irq_enabled[0], "sampling.three_interrupts_for_each_sample_leave_the_interrupt_on");
	fakesbi.start_fails = 1;
	perf_run(time_of(e, 100000));
	fakesbi.start_fails = 0;
	perf_interrupts();
	check(e->state == PERF_EVENT_STATE_INACTIVE && host_logged("event descheduled"),
	      "sampling.lost_event_is_reported");
}

static void quiet_cycle(void)	{ fakesbi.no_overflow = BIT(0); }

/* @by_timer: fixed counters do not interrupt */
static void test_source(const char *name, struct machine machine, bool by_timer)
{
	struct perf_event *e, *cycles;

	boot(&machine);
	e = open_sampler(5, 10000);
	perf_run(100000);
	check(e && is_sampled(e, 0) && is_right(e), "sampling.%s_samples_raw_events", name);
	machine.no_hpm = true;
	machine.params[0] = "backend=sbi";
	boot(&machine);
	cycles = open_attr(GENERAL(0, .sample_period = 10000));
	perf_run(by_timer ? 10000000 : 100000);
	check(cycles && is_sampled(cycles, by_timer ? 1000000 : 0) && is_right(cycles),
	      "sampling.%s_samples_cycles", name);
}

/* After the test at load an overflow interrupt comes that does not end. */
static void test_endless(const char *name, u64 quirks, bool wrong_mode)
{
	struct perf_event_attr attr = { .sample_period = 1000000, .exclude_user = wrong_mode };
	struct perf_event *e, *later;
	unsigned int left_ms;

	boot(&(struct machine){ .quirks = QUIRK(LEVEL), .cpus = 2, .params = { "backend=sbi" } });
	attr.type = TYPE;
	attr.config = 5;
	e = open_attr(&attr);
	perf_run(time_of(e, 10000000));
	check(is_sampled(e, 0) && perf_core.took, "sampling.%s_samples_before", name);
	fakesbi.quirks |= quirks;
	host.regs.user = wrong_mode;
	host.irqs = 0;
	host.call_ns = 20000; /* a slow hart: 25 served in a ms */
	for (left_ms = 500; left_ms && host.irq_enabled[0]; left_ms--)
		perf_run(NSEC_PER_MSEC);
	check(host_next_timer(NSEC_PER_SEC) <= 10 * NSEC_PER_MSEC,
	      "sampling.%s_has_the_timer_at_once", name);
	perf_run(left_ms * NSEC_PER_MSEC);
	host.call_ns = 0;
	host.regs.user = false;
	perf_run(100000000);
	note("%lu interrupts", host.irqs);
	check(host.irqs < 3000 && !host.irq_enabled[0], "sampling.%s_is_switched_off", name);
	check(host.irq_enabled[1] && strstr(host_debugfs("overflow"), "1 0 0 0\n"),
	      "sampling.%s_stays_on_on_other_cpus", name);
	check(host_logged("CPU0: stuck overflow interrupt disabled"), "sampling.%s_is_reported", name);
	attr.config = 6;
	attr.sample_period = 100000;
	attr.disabled = attr.inherit = 1;
	later = perf_inherit(open_task(&attr), current);
	attr.disabled = attr.inherit = 0;
	perf_run(100000000);
	check(is_right(later) && is_sampled(e, 2000000) && is_sampled(later, 2000000),
	      "sampling.%s_is_replaced_by_the_timer", name);
	perf_close(e);
	perf_close(later);
	attr.config = 5;
	attr.sample_period = 4000000;
	e = open_attr(&attr);
	host.irqs = 0;
	host.call_ns = 20000;
	host.regs.user = wrong_mode;
	perf_run(5 * NSEC_PER_SEC);
	host.regs.user = false;
	host.call_ns = 0;
	check(!host.irq_enabled[0] && host.irqs < 5000, "sampling.%s_is_off_for_longer_each_time", name);
	fakesbi.quirks &= ~quirks;
	perf_run(5 * NSEC_PER_SEC);
	host.irqs = 0;
	perf_run(100000000);
	check(host.irq_enabled[0] && host.irqs && is_sampled(e, 0),
	      "sampling.%s_samples_again_once_it_ends", name);
}

/*
 * A user starts and stops @nr events so that their counters overflow when nobody waits for that, or
 * opens and closes them; @at_start: just as they are started again. Another task samples as well.
 */
static void test_toggling(const char *name, struct machine machine, unsigned int nr, bool reopen,
			  bool at_start)
{
	/* An event is disabled again before this is over: to enable others takes some time. */
	const unsigned int period = 600 + 1000 * nr;
	struct perf_event *e[4] = {}, *other;

	machine.cpus = 2;
	boot(&machine);
	host.perfmon = false;
	host.regs.user = true;
	host.read_ns = 10;
	host.clock_ns = 20;
	host.call_ns = 300;
	other = perf_open(ATTR(9, .sample_period = 200000), &perf_core.task[1], -1, NULL, &(int){ 0 });
	for (unsigned int loops = 0; loops < 6000 && host.irq_enabled[0]; loops++) {
		for (unsigned int i = 0; i < nr; i++) {
			e[i] = e[i] ?: open_task(ATTR(5 + i, .sample_period = 100000, .exclude_kernel = 1));
			perf_set_period(e[i], perf_model(e[i])->rate * period);
			perf_run(100); /* a system call */
			fakesbi.lcofi |= at_start;
			perf_enable(e[i]);
		}
		perf_run(100);
		for (unsigned int i = 0; i < nr; i++) {
			perf_disable(e[i]);
			if (reopen) {
				perf_close(e[i]);
				e[i] = NULL;
			}
		}
		perf_run(at_start ? 100 : period);
	}
	host.read_ns = host.clock_ns = host.call_ns = 0;
	check(host.irq_enabled[0] && !host_logged("stuck overflow interrupt"), "sampling.user_cannot_end_interrupt_%s", name);
	perf_switch(&perf_core.task[1]);
	perf_run(time_of(other, 1000000));
	perf_switch(&perf_core.idle);
	host_run_cpu(1);
	perf_switch(&perf_core.task[1]);
	perf_run(time_of(other, 1000000));
	check(is_sampled(other, 0) && samples(other) >= 9, "sampling.other_task_is_sampled_%s", name);
	host_run_cpu(0);
}

/*
 * The same with @nr equal events on one counter, which is armed for the next when one leaves; and
 * with one of the kernel (nr == 1) that overflows in user mode, so that its samples are deferred.
 */
static void test_ladder(const char *name, unsigned int nr)
{
	struct perf_event *e[4];

	boot(&sbi);
	host.regs.user = true;
	host.read_ns = 10;
	host.clock_ns = 20;
	host.call_ns = 300;
	for (unsigned int i = 0; i < nr; i++)
		e[i] = open_task(ATTR(5, .sample_period = 1000000, .disabled = 1, .exclude_kernel = nr > 1,
				      .exclude_user = nr == 1));
	for (unsigned int loops = 0; loops < 3000 && host.irq_enabled[0]; loops++) {
		for (unsigned int i = 0; i < nr; i++) {
			perf_set_period(e[i], nr == 1 ? 300 : perf_model(e[i])->rate * (4000 + 3000 * i));
			perf_enable(e[i]);
			perf_run(nr == 1 ? 5000 : 100);
		}
		for (unsigned int i = 0; i < nr; i++) {
			perf_disable(e[i]);
			perf_run(nr == 1 ? 0 : i ? 3000 : 4000);
		}
	}
	host.read_ns = host.clock_ns = host.call_ns = 0;
	host.regs.user = false;
	check(host.irq_enabled[0], "sampling.user_cannot_end_interrupt_by_%s", name);
}

/* With snapshot a section stops all counters. */
static void test_endless_snapshot(void)
{
	boot(&(struct machine){ .quirks = KVM, .params = { "backend=snapshot" } });
	host.read_ns = 1;
	open_sampler(5, 1000000);
	host.read_ns = 0;
	for (unsigned int n = 0; n < 20000 && host.irq_enabled[0]; n++) {
		fakesbi.lcofi = true;
		host.call_ns = 20000;
		perf_run(1000);
		host.call_ns = 0;
	}
	check(!host.irq_enabled[0], "sampling.endless_in_a_vm_is_switched_off");
}

/* With overflow=lcofi no timer takes samples. */
static void test_only_lcofi(void)
{
	boot(&(struct machine){ .can = is_not_fixed,
				.params = { "backend=sbi", "overflow=lcofi" } });
	check(open_errno(GENERAL(0, .sample_period = 10000)) == -EOPNOTSUPP,
	      "sampling.lcofi_by_name_refuses_to_sample_by_timer");
}

static void test_frequency(void)
{
	struct perf_event *e;

	boot(&sbi);
	e = open_attr(ATTR(5, .sample_freq = 4000, .freq = 1));
	for (unsigned int n = 0; n < 250; n++) {
		perf_run(TICK_NSEC);
		perf_tick();
	}
	note("%llu samples in a second", perf_model(e)->samples);
	check(perf_model(e)->samples > 3500 && perf_model(e)->samples < 5000,
	      "perf.frequency_is_reached");
	check(is_right(e) && is_sampled(e, 0), "perf.frequency_counts_are_right");
}

/* ---- by timer ---- */

static void test_timer(void)
{
	struct perf_event *e;
	unsigned long calls;
	u64 before;

	boot(&timer);
	check(host_next_timer(NSEC_PER_SEC) == NSEC_PER_SEC, "sampling.no_look_without_events");
	e = open_raw(5);
	check(host_next_timer(NSEC_PER_SEC) == NSEC_PER_SEC, "sampling.no_look_at_counting_event");
	perf_close(e);
	e = open_sampler(5, 20000000);
	before = host_next_timer(NSEC_PER_SEC);
	note("first look after %llu us", before / 1000);
	check(before == 1000000, "sampling.first_look_is_after_1_ms");
	perf_run(25000000);
	check(samples(e) == 2, "sampling.look_is_after_end_of_period");
	open_raw(FIRMWARE_EVENT(1)); /* is not read */
	calls = all_calls();
	perf_run(300000000);
	check(samples(e) >= 30 && is_sampled(e, 2000000) && is_right(e),
	      "sampling.timer_samples_stand_for_all");
	check(all_calls() == calls, "sampling.timer_samples_make_no_calls");
	before = host.timer_irqs;
	perf_run(100000000);
	note("%llu looks for 10 periods", host.timer_irqs - before);
	check(host.timer_irqs - before < 25, "sampling.looks_are_few");
	perf_set_period(e, 3000000 * perf_model(e)->rate);
	perf_run(10000000);
	before = host.timer_irqs;
	perf_run(300000000);
	note("%llu looks for 100 periods", host.timer_irqs - before);
	check(host.timer_irqs - before < 110, "sampling.look_is_once_for_short_period");
	perf_disable(e);
	check(host_next_timer(NSEC_PER_SEC) == NSEC_PER_SEC, "sampling.no_look_at_stopped_event");
	perf_close(e);
	/* Looks are 100 us apart in which the task runs, also if that is in two pieces. */
	e = open_task(ATTR(5, .sample_period = 1000));
	perf_run(10000000);
	for (before = host.timer_irqs; host.timer_irqs == before;)
		perf_run(1000);
	perf_run(40000);
	go_away(5000000);
	before = host_next_timer(NSEC_PER_SEC);
	note("next look after %llu ns", before);
	check(before > 58000 && before <= 60000, "sampling.looks_are_apart_in_time_of_the_task");
	perf_close(e);
	/* The timer is not the overflow: what it finds in the kernel is no sample of user mode. */
	e = open_attr(ATTR(6, .exclude_kernel = 1, .sample_period = 100000));
	perf_run(10000000);
	check(!samples(e), "sampling.timer_has_no_user_mode_in_the_kernel");
	host.regs.user = true;
	perf_run(100000000);
	check(samples(e) && is_right(e) && perf_read(e) - perf_model(e)->sampled < 30000000,
	      "sampling.timer_waits_for_user_mode");
	/* Perf core may stop it while the PMU is enabled. */
	host.irqs_off = true;
	e->pmu->stop(e, PERF_EF_UPDATE);
	host.irqs_off = false;
	check(host_next_timer(NSEC_PER_SEC) == NSEC_PER_SEC,
	      "sampling.no_look_at_event_stopped_alone");
}

/* A task runs for some us at a time, beside another one. */
static void test_bursts(unsigned int us, unsigned int percent)
{
	struct perf_event *e;
	u64 before;

	boot(&timer);
	fakesbi_seed(us + percent);
	e = open_task(ATTR(5, .sample_period = 2000000));
	before = host.timer_irqs;
	for (unsigned int n = 0; n < 200000 / us; n++) {
		const unsigned int jitter = percent ? fakesbi_random() % (us * 10 * percent) : 0;

		perf_run(us * 1000 + jitter);
		perf_switch(&perf_core.task[1]);
		perf_run(us * 3000);
		perf_switch(&perf_core.task[0]);
	}
	note("%llu samples, %llu looks for %llu periods", samples(e), host.timer_irqs - before,
	     perf_model(e)->happened / 2000000);
	check(samples(e) * 2000000 >= perf_model(e)->happened * 9 / 10 && is_right(e),
	      "sampling.bursts_of_%u_us_%u_percent_jitter_have_sample_for_each_period", us, percent);
	check(host.timer_irqs - before < 5 * samples(e),
	      "sampling.bursts_of_%u_us_%u_percent_jitter_have_few_looks", us, percent);
}

void test_sampling(void)
{
	test_period();
	test_equal_events("by_interrupt", NULL);
	test_equal_events("by_timer", "overflow=timer");
	test_equal_members();
	test_slow_calls();
	test_slow_alone();
	test_late();
	test_modes();
	test_resume();
	test_looks();
	test_lost_irq("alone", false, NULL);
	test_lost_irq("with_its_bit", true, NULL);
	test_lost_irq("on_nohz_full_cpu", false, nohz_full);
	test_not_lost();
	test_switches("long_period", 64, 100000000);
	test_switches("long_period_of_narrow_counter", 32, 1ULL << 34);
	test_period_of_one();
	test_spurious();
	test_source("lcofi", (struct machine){ }, true);
	test_source("thead", (struct machine){ THEAD }, false);
	test_source("andes", (struct machine){ ANDES }, false);
	test_source("lcofi_of_all_but_cycle",
		    (struct machine){ .quirks = QUIRK(FIXED_HOMOGENEOUS), .impl = 1, .prepare = quiet_cycle },
		    true);
	/* XuanTie C908 and C920v2 have Sscofpmf, and fixed counters that interrupt. */
	test_source("lcofi_of_fixed_counter",
		    (struct machine){ .impl = 1, .quirks = QUIRK(FIXED_HOMOGENEOUS) }, false);
	test_endless("overflow_bit_that_sticks", QUIRK(OF_STICKS), false);
	test_endless("overflow_bit_that_sticks_in_wrong_mode", QUIRK(OF_STICKS), true);
	test_endless("overflow_without_name", D1_OLD, false);
	test_toggling("by_one_event", sbi, 1, false, false);
	test_toggling("by_starting_it_again", (struct machine){ .params = { "backend=sbi" } }, 1, false, true);
	test_toggling("by_four_events", sbi, 4, false, false);
	test_toggling("by_opening", sbi, 1, true, false);
	test_toggling("of_delegated_counters", (struct machine){ .delegated = true, .params = { "backend=csr" } },
		      2, false, false);
	test_toggling("in_a_vm", (struct machine){ .quirks = KVM, .params = { "backend=sbi" } }, 2, false, false);
	test_ladder("equal_events", 2);
	test_ladder("deferred_samples", 1);
	test_endless_snapshot();
	test_only_lcofi();
	test_frequency();
	test_timer();
	test_bursts(50, 0);
	test_bursts(200, 30);
	test_bursts(3000, 30);
}
