// SPDX-License-Identifier: GPL-2.0-only
/* test_sampling: sampling periods, on counters that are shared and that interrupt. */
#include "test.h"

#define SAMPLERS	8

/* The overflow interrupt of the cores */
static const struct sbi_pmu_irq_source *irq_source;
static u64 period[SAMPLERS], sampled[SAMPLERS];
static unsigned int samples;

/*
 * Take a sample if the event's period has ended. One of @defer samples is in the wrong mode and
 * is deferred; 0: none.
 */
static void take_sample(unsigned int i, unsigned int defer)
{
	struct sbi_pmu_event *event = &cpu.tracked[i].event;

	if (event->period.left > 0)
		return;
	if (defer && !(fakesbi_random() % defer)) {
		sbi_pmu_period_defer(&event->period);
		return;
	}
	sampled[i] += sbi_pmu_period_sampled(&event->period, period[i]);
	samples++;
}

/* Handle a pending overflow interrupt, as overflow.c does; to take samples takes @ticks. */
static void handle_overflow_slowly(unsigned int defer, u64 ticks)
{
	u64 fired;

	if (!fakesbi.lcofi)
		return;
	fakesbi.lcofi = false;
	cpu.counters.disabled = true;
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_overflow,
						 irq_source->overflow);
	fakesbi_run(ticks);
	for (unsigned int i = 0; i < SAMPLERS; i++) {
		const struct sbi_pmu_event *event = &cpu.tracked[i].event;

		if (event->active && has_counter(fired, event->counter))
			take_sample(i, defer);
	}
	cpu.counters.disabled = false;
	sbi_pmu_counters_start(&cpu.counters);
	sbi_pmu_counters_recover(&cpu.counters);
}

static void handle_overflow(unsigned int defer)
{
	handle_overflow_slowly(defer, 0);
}

static bool sampler_open(unsigned int i, u32 idx, u64 data, u64 events)
{
	struct tracked *p = &cpu.tracked[i];
	u64 full;

	if (!tracked_open_idx(p, idx, data))
		return false;
	full = sbi_pmu_support_full(&cpu.support);
	p->event.candidates = p->event.candidates & full;
	p->event.sampling = SBI_PMU_BY_INTERRUPT;
	p->event.period.left = events;
	period[i] = events;
	sampled[i] = 0;
	return true;
}

/* Return: the events of all samples and those since the last sample are all that happened */
static bool sampler_right(unsigned int i)
{
	struct tracked *p = &cpu.tracked[i];

	return is_count_right(p) && sampled[i] + p->event.period.since_sample == p->expected;
}

/* Return: no period ended so many events ago that a sample is missing */
static bool sampler_on_time(unsigned int i)
{
	return cpu.tracked[i].event.period.left > -16;
}

/* Let time pass and handle overflows after each @step. */
static void run_sampling(u64 ticks, u64 step)
{
	for (; ticks; ticks -= step) {
		cpu_run(step);
		handle_overflow(0);
	}
}

static void test_one(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	u64 before;

	boot(4, 2, 64);
	fakesbi.sscofpmf = true;
	samples = 0;
	require(sampler_open(0, RAW, 5, 1000 * rate) && tracked_add_start(&cpu.tracked[0]),
		"sampling.one_event");
	cpu_enable();
	before = cpu_calls();
	run_sampling(100000, 100);
	note("100 periods, %u samples, %llu calls", samples,
	     (unsigned long long)(cpu_calls() - before));
	check(samples == 100, "sampling.one_sample_per_period");
	check(cpu_calls() - before == 2 * 100, "sampling.sample_makes_two_calls");
	check(sampler_right(0), "sampling.samples_account_for_all_events");

	/* Delete and add: one stop, one start, no sample in between. */
	tracked_del(&cpu.tracked[0]);
	before = cpu_calls();
	cpu_run(500000);
	check(cpu_calls() == before, "sampling.delete_makes_no_call");
	tracked_add_start(&cpu.tracked[0]);
	cpu_enable();
	check(cpu_calls() - before == 2, "sampling.add_after_delete_makes_two_calls");
	fakesbi.lcofi = false;
	run_sampling(50000, 100);
	note("150 periods, %u samples", samples);
	check(samples == 150 && sampler_right(0), "sampling.period_continues_after_delete_and_add");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("sampling.one_event");
}

/* Each overflow interrupt samples, by its CSR; where they can, on the fixed counters, too. */
static void test_source(const char *name, unsigned int csr, bool fixed)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = SBI_PMU_HW_CPU_CYCLES });
	const struct sbi_pmu_irq_source *usual = irq_source;
	char released[32];
	u64 before;

	irq_source = sbi_pmu_irq_source_named(name);
	boot(0, 0, 64);
	check(!sampler_open(0, SBI_PMU_HW_CPU_CYCLES, 0, 1000) || !cpu.tracked[0].event.candidates,
	      "sampling.%s_needs_counters_that_interrupt", name);

	fakesbi_reset(fixed ? 0 : 1, 0, 64);
	fakesbi.quirks = fixed ? QUIRK(FIXED_HOMOGENEOUS) : 0;
	fakesbi.overflow_csr = csr;
	cpu_boot(true);
	cpu.caps.fixed_alike = irq_source->fixed;
	samples = 0;
	require(sampler_open(0, SBI_PMU_HW_CPU_CYCLES, 0, 1000 * rate) &&
			tracked_add_start(&cpu.tracked[0]),
		"sampling.source");
	cpu_enable();
	before = cpu_calls();
	run_sampling(100000, 100);
	note("%s: counter %u, %u samples of 100, %llu calls", name, cpu.tracked[0].event.counter,
	     samples, (unsigned long long)(cpu_calls() - before));
	check(samples == 100 && sampler_right(0) && cpu_calls() - before == 2 * 100,
	      "sampling.%s_samples_cycles", name);
	sbi_pmu_counters_offline(&cpu.counters);
	snprintf(released, sizeof(released), "sampling.%s", name);
	check_released(released);
	cpu.caps.fixed_alike = false;
	irq_source = usual;
}

/*
 * While samples are taken, no hardware counter counts: events of a group stay together
 * however long that takes, also one that shares the sampler's counter. One call stops all
 * counters, one starts the sampler's and one all others.
 */
static void test_no_skew(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	struct tracked *armed = &cpu.tracked[1], *other = &cpu.tracked[SAMPLERS];
	struct tracked *shared = other + 1;
	u64 before, ticks = 0;

	boot(6, 2, 64);
	fakesbi.sscofpmf = true;
	samples = 0;
	require(sampler_open(0, RAW, 5, 1000 * rate) && sampler_open(1, RAW, 9, 1ULL << 40) &&
			tracked_open_idx(other, RAW, 7) && tracked_open_idx(shared, RAW, 5),
		"sampling.no_skew");
	for (unsigned int i = 0; i < 2; i++)
		tracked_add_start(&cpu.tracked[i]);
	tracked_add_start(other);
	tracked_add_start(shared);
	cpu_enable();
	before = cpu_calls();
	while (samples < 50) {
		cpu_run(100);
		ticks += 100;
		handle_overflow_slowly(0, 20000);
	}
	note("50 samples in %llu ticks, %llu calls", (unsigned long long)ticks,
	     (unsigned long long)(cpu_calls() - before));
	check(cpu_calls() - before == 3 * 50, "sampling.overflow_beside_others_makes_three_calls");
	check(sampler_right(0) && is_count_right(shared) && is_count_right(other) &&
		      is_count_right(armed),
	      "sampling.nothing_counts_while_samples_are_taken");
	check(ticks <= 51 * 1000, "sampling.each_period_has_its_sample_despite_slow_handler");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("sampling.no_skew");
}

/* After a late interrupt one sample stands for several periods, and the next is on schedule. */
static void test_late(void)
{
	struct sbi_pmu_event event = {
		.period = { .left = -2500, .since_sample = 3500, .deferred = 3 }
	};

	check(sbi_pmu_period_sampled(&event.period, 1000) == 3500 && event.period.left == 500,
	      "sampling.late_sample_stands_for_all_periods");
	check(!event.period.since_sample && !event.period.deferred,
	      "sampling.sample_resets_deferred_state");
	event.period.left = 0;
	check(!sbi_pmu_period_sampled(&event.period, 1000) && event.period.left == 1000,
	      "sampling.sample_at_exact_end_starts_full_period");
	event.period.left = -7;
	sbi_pmu_period_sampled(&event.period, 1);
	check(event.period.left == 1, "sampling.late_sample_keeps_period_of_one");
}

/* A sample in the wrong mode is deferred: its period has still ended. */
static void test_defer(void)
{
	struct sbi_pmu_event event = { .period = { .left = -1, .since_sample = 1001 } };

	for (unsigned int i = 0; i < 100; i++)
		sbi_pmu_period_defer(&event.period);
	note("deferred %u after 100 times", event.period.deferred);
	check(event.period.left == -1 && event.period.since_sample == 1001 &&
		      event.period.deferred == 16,
	      "sampling.deferring_has_a_limit");
}

/* A period of 1 that is always in the wrong mode: overflows must not use up all CPU time. */
static void test_always_deferred(void)
{
	u64 before;

	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	sampler_open(0, RAW, 5, 1);
	tracked_add_start(&cpu.tracked[0]);
	cpu_enable();
	before = cpu_calls();
	for (unsigned int i = 0; i < 1000000; i += 16) {
		cpu_run(16);
		handle_overflow(1);
	}
	note("1000000 cycles, %llu calls", (unsigned long long)(cpu_calls() - before));
	check(cpu_calls() - before < 2 * 40, "sampling.deferred_samples_cause_few_overflows");
	check(sampler_right(0), "sampling.deferred_samples_lose_no_count");
}

static void test_shared_counter(void)
{
	struct tracked *count = &cpu.tracked[SAMPLERS];

	boot(4, 0, 64);
	fakesbi.sscofpmf = true;
	fakesbi.quirks = QUIRK(TIED);
	samples = 0;
	require(sampler_open(0, RAW, 5, 7000) && sampler_open(1, RAW, 5, 31000) &&
			tracked_open_idx(count, RAW, 5),
		"sampling.shared_counter");
	for (unsigned int i = 0; i < 2; i++)
		tracked_add_start(&cpu.tracked[i]);
	tracked_add_start(count);
	cpu_enable();
	run_sampling(200000, 40);
	check(sampler_right(0) && sampler_right(1) && is_count_right(count),
	      "sampling.two_samplers_and_a_count_share_a_counter");
	check(sampler_on_time(0) && sampler_on_time(1),
	      "sampling.shared_counter_samples_each_period");
	tracked_del(&cpu.tracked[0]);
	run_sampling(200000, 40);
	check(sampler_right(1) && is_count_right(count),
	      "sampling.shared_counter_continues_without_one_sampler");
	tracked_del(&cpu.tracked[1]);
	run_sampling(10000000, 1000);
	check(is_count_right(count) && !cpu.counters.in[SBI_PMU_ARMED],
	      "sampling.shared_counter_without_sampler_is_not_armed");
}

/* A period longer than half the range of a narrow counter */
static void test_long_period(void)
{
	boot(2, 0, 32);
	fakesbi.sscofpmf = true;
	samples = 0;
	sampler_open(0, RAW, 5, 5ULL << 30);
	tracked_add_start(&cpu.tracked[0]);
	cpu_enable();
	run_sampling(6000000000, 1000000);
	note("%u samples", samples);
	check(samples == cpu.tracked[0].expected / period[0] && samples > 1 && sampler_right(0),
	      "sampling.period_longer_than_32_bit_counter");
}

/* The interrupt of one counter is pending while another is armed. */
static void test_pending(void)
{
	boot(4, 0, 64);
	fakesbi.sscofpmf = true;
	fakesbi.quirks = QUIRK(PENDING_KEEPS_OF);
	samples = 0;
	sampler_open(0, RAW, 5, 1000);
	sampler_open(1, RAW, 6, 1000);
	tracked_add_start(&cpu.tracked[0]);
	cpu_enable();
	cpu_run(1000);
	check(fakesbi.lcofi, "sampling.end_of_period_is_pending");
	tracked_add_start(&cpu.tracked[1]);
	cpu_enable();
	check(fakesbi.lcofi, "sampling.interrupt_stays_pending_when_other_counter_is_armed");
	run_sampling(100000, 40);
	note("%u samples", samples);
	check(sampler_right(0) && sampler_right(1) && samples > 100 && sampler_on_time(0) &&
		      sampler_on_time(1),
	      "sampling.both_counters_sample_after_pending_interrupt");
}

static u64 lost_irqs(void)
{
	const u64 sampling = sbi_pmu_counters_sampling(&cpu.counters);

	return sbi_pmu_counters_lost_irqs(&cpu.counters, sampling);
}

/* An overflow without interrupt and without OF bit */
static void test_lost_irq(void)
{
	struct tracked *p = &cpu.tracked[0];
	u64 lost;

	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	samples = 0;
	sampler_open(0, RAW, 5, 1000);
	tracked_add_start(p);
	cpu_enable();
	lost = lost_irqs();
	check(!lost, "sampling.no_lost_irq_at_start");
	cpu_run(10);
	lost = lost_irqs();
	lost = lost_irqs();
	check(!lost, "sampling.no_lost_irq_before_overflow");
	cpu_run(2000);
	fakesbi.ctr[p->event.counter].overflown = false;
	fakesbi.lcofi = false;
	lost = lost_irqs();
	check(!lost, "sampling.first_check_after_overflow_finds_no_lost_irq");
	lost = lost_irqs();
	check(has_counter(lost, p->event.counter),
	      "sampling.second_check_after_overflow_finds_lost_irq");
	sbi_pmu_counters_stop(&cpu.counters, lost);
	take_sample(0, 0);
	sbi_pmu_counters_start(&cpu.counters);
	lost = lost_irqs();
	check(!lost && sampled[0] && sampler_right(0),
	      "sampling.sampling_continues_after_lost_irq");
	tracked_stop(p);
	lost = sbi_pmu_counters_sampling(&cpu.counters);
	check(!lost && cpu.counters.in[SBI_PMU_ARMED],
	      "sampling.armed_counter_of_stopped_event_is_not_sampling");
}

/* Stop and start the event, as at two context switches. */
static void restart(struct tracked *p)
{
	tracked_stop(p);
	tracked_start(p);
	cpu_enable();
}

static void test_failed_start(void)
{
	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	sampler_open(0, RAW, 5, 1000);
	tracked_add_start(&cpu.tracked[0]);
	fakesbi.start_fails = 1;
	cpu_enable();
	fakesbi.start_fails = 0;
	check(cpu.tracked[0].event.counter == SBI_PMU_NO_COUNTER && !cpu.tracked[0].event.active &&
		      is_all_released(),
	      "sampling.counter_that_does_not_restart_is_released");
	check(cpu.counters.lost_events == 1, "sampling.lost_event_is_reported");
}

/*
 * Half of all STOPs fail: a counter is lost after two failures in a row, and an event that is
 * tried again after that is lost where the same happens to it once more.
 */
static void test_failed_stops(void)
{
	unsigned int lost = 0, wrong = 0;

	for (unsigned int i = 0; i < 400; i++) {
		boot(2, 0, 64);
		fakesbi.sscofpmf = true;
		sampler_open(0, RAW, 5, 1000);
		tracked_add_start(&cpu.tracked[0]);
		cpu_enable();
		fakesbi.stop_fails = 2;
		cpu.tracked[0].event.period.left = 700;
		restart(&cpu.tracked[0]);
		fakesbi.stop_fails = 0;
		run_sampling(10000, 100);
		if (cpu.tracked[0].event.counter == SBI_PMU_NO_COUNTER)
			lost++;
		else
			wrong += !sampler_right(0) || cpu.tracked[0].event.period.left <= 0;
	}
	note("400 counters with failing stops, %u lost, %u wrong", lost, wrong);
	check(lost && lost < 40 && !wrong, "sampling.failed_stops_lose_few_events");
}

/* ---- by timer ---- */

/* When is an event due that started at 0, in ns? */
static u64 due(s64 left, u64 seen, u64 seen_ns, u64 waited, unsigned int deferred)
{
	const struct sbi_pmu_period p = {
		.left = left,
		.seen = seen,
		.seen_ns = seen_ns,
		.waited = waited,
		.deferred = deferred,
	};

	return sbi_pmu_period_due(&p);
}

static void test_due(void)
{
	const s64 far = ~0ULL >> 1;

	check(due(1000, 0, 0, 0, 0) == 1000000, "sampling.first_look_is_after_1_ms");
	check(due(1000, 0, 700000, 700000, 0) == 300000, "sampling.first_look_goes_on_after_stop");
	check(due(1000, 0, 1000000, 1000000, 0) == 10000000,
	      "sampling.look_is_late_if_no_event_is_seen");
	check(due(1600, 500, 1000000, 0, 0) == 3400000, "sampling.look_is_after_end_of_period");
	check(due(1600, 100000, 1000000, 0, 0) == 100000, "sampling.looks_are_some_time_apart");
	check(due(1600, 100000, 1000000, 80000, 0) == 20000,
	      "sampling.time_between_looks_goes_on_after_stop");
	check(due(1, 3000000, 1000000, 100000, 0) == 10000, "sampling.look_is_not_at_once");
	check(due(1600, 1, 1000000, 0, 0) == 10000000, "sampling.look_is_not_too_late");
	check(due(far, 1, 1, 0, 0) == 10000000, "sampling.look_at_longest_period");
	check(due(0, 500, 1000000, 200000, 0) == 10000 && due(-far, 0, 0, 200000, 0) == 10000,
	      "sampling.look_is_soon_if_period_was_over_at_start");
	check(due(-1, 500, 1000000, 30000, 0) == 70000,
	      "sampling.look_is_soon_but_not_after_last_look");
	check(due(-1, 500, 1000000, 0, 2) == 400000, "sampling.look_is_later_if_deferred");
	check(due(-1, 500, 1000000, 0, 20) == 10000000,
	      "sampling.look_is_not_too_late_if_deferred");
}

/* The rate is that of the last milliseconds, and above all since the last look. */
static void test_rate(void)
{
	struct sbi_pmu_period p = {};

	sbi_pmu_period_started(&p, 1000);
	sbi_pmu_period_count(&p, 500);
	sbi_pmu_period_stopped(&p, 6000);
	check(p.seen == 500 && p.seen_ns == 5000 && p.waited == 5000,
	      "sampling.rate_is_known_at_stop");
	sbi_pmu_period_started(&p, 1000000);
	sbi_pmu_period_count(&p, 500);
	sbi_pmu_period_looked(&p, 1005000);
	check(p.seen == 500 && p.seen_ns == 5000 && !p.waited && p.since == 1005000,
	      "sampling.rate_leaves_out_time_in_which_event_is_stopped");
	p = (struct sbi_pmu_period){ .seen = 10000000, .seen_ns = 10000000 };
	sbi_pmu_period_stopped(&p, 35000000);
	check(p.seen == 1250000 && p.seen_ns == 5625000, "sampling.rate_forgets_old_events");
}

/**
 * struct bursts - what was seen of a task that counts, and then sleeps, again and again
 * @samples: samples taken
 * @looks: expiries of the timer
 * @weight: events in the samples
 * @count: events
 */
struct bursts {
	u64 samples, looks, weight, count;
};

/* A task runs for @on ns, then sleeps for @off ns; two events in a ns on average. */
static struct bursts run_bursts(u64 on, u64 off, u64 events, unsigned int jitter)
{
	struct sbi_pmu_period p = { .left = events };
	struct bursts b = {};
	u64 now = 0, n, next, end;

	for (unsigned int i = 0; i < 4000; i++, now += off) {
		sbi_pmu_period_started(&p, now);
		for (end = now + on; now < end; now = next) {
			next = sbi_pmu_period_due(&p);
			n = next < end ? next - now : end - now;
			n = 2 * n + (jitter ? n * (fakesbi_random() % jitter) / 100 : 0);
			sbi_pmu_period_count(&p, n);
			b.count += n;
			if (next >= end) {
				now = end;
				break;
			}
			b.looks++;
			sbi_pmu_period_looked(&p, next);
			if (p.left > 0)
				continue;
			b.weight += sbi_pmu_period_sampled(&p, events);
			b.samples++;
		}
		sbi_pmu_period_stopped(&p, now);
	}
	return b;
}

/* @us: on and off; @events: of a period; @jitter: more events, up to so many hundredths */
static void test_bursts(unsigned int on_us, unsigned int off_us, u64 events, unsigned int jitter)
{
	const struct bursts b = run_bursts(on_us * 1000, off_us * 1000, events, jitter);

	note("%u us on, %u us off: %llu periods of %llu, %llu samples of %llu, %llu looks", on_us,
	     off_us, (unsigned long long)(b.count / events), (unsigned long long)events,
	     (unsigned long long)b.samples, (unsigned long long)b.weight,
	     (unsigned long long)b.looks);
	check(b.samples * 10 >= b.count / events * 9 && b.samples <= b.count / events,
	      "sampling.bursts_of_%u_us_%u_percent_jitter_have_sample_for_each_period", on_us,
	      jitter);
	check(b.count - b.weight <= 2 * events + 2 * on_us * 1000,
	      "sampling.bursts_of_%u_us_%u_percent_jitter_have_right_weights", on_us, jitter);
	check(b.looks * 10 <= b.samples * (10 + jitter / 2) + 100,
	      "sampling.bursts_of_%u_us_%u_percent_jitter_have_few_looks", on_us, jitter);
}

static void test_counter_due(void)
{
	struct tracked *p = &cpu.tracked[0], *count = p + 1;
	struct sbi_pmu_counters *c = &cpu.counters;

	boot(2, 0, 64);
	tracked_open_idx(p, RAW, 5);
	tracked_open_idx(count, RAW, 5);
	p->event.sampling = SBI_PMU_BY_TIMER;
	p->event.period.left = 1000;
	check(!sbi_pmu_timed_due(c), "sampling.no_look_without_events");
	tracked_add_start(count);
	check(!sbi_pmu_timed_due(c) && !sbi_pmu_timed_look(c, count->event.counter, 1),
	      "sampling.no_look_at_counting_event");
	sbi_pmu_period_started(&p->event.period, 5000000);
	tracked_add_start(p);
	check(sbi_pmu_timed_due(c) == 6000000, "sampling.look_at_sampling_event");
	cpu_run(100);
	check(sbi_pmu_timed_look(c, p->event.counter, 5000100) &&
		      p->event.period.since_sample == 100 * fakesbi_rate(&p->event.code) &&
		      p->event.period.since == 5000100,
	      "sampling.look_accounts_event");
	check(!c->in[SBI_PMU_RESTART], "sampling.polled_counter_is_not_armed");
	tracked_stop(p);
	check(!sbi_pmu_timed_due(c), "sampling.no_look_at_stopped_event");
}

static void test_by_timer(void)
{
	test_due();
	test_rate();
	for (unsigned int jitter = 0; jitter <= 20; jitter += 20) {
		test_bursts(500, 1500, 1000000, jitter);
		test_bursts(100, 2000, 1000000, jitter);
		test_bursts(900, 1100, 1000000, jitter);
		test_bursts(1500, 500, 1000000, jitter);
		test_bursts(20, 80, 1000000, jitter);
	}
	test_counter_due();
}

static void random_step(void)
{
	const unsigned int i = fakesbi_random() % SAMPLERS;
	struct tracked *p = &cpu.tracked[i];

	switch (fakesbi_random() % 16) {
	case 0 ... 2:
		tracked_add(p);
		break;
	case 3 ... 4:
		tracked_start(p);
		break;
	case 5:
		tracked_stop(p);
		break;
	case 6 ... 7:
		tracked_del(p);
		break;
	case 8:
		sbi_pmu_counters_suspend(&cpu.counters);
		if (fakesbi_random() % 2)
			fakesbi_suspend();
		sbi_pmu_counters_resume(&cpu.counters);
		break;
	case 9:
		tracked_collect(&cpu.tracked[SAMPLERS + i]);
		break;
	case 10:
		tracked_add_start(&cpu.tracked[SAMPLERS + i]);
		break;
	case 11:
		tracked_del(&cpu.tracked[SAMPLERS + i]);
		break;
	default:
		cpu_enable();
		cpu_run(fakesbi_random() % 2000);
		if (fakesbi_random() % 8)
			handle_overflow(16);
	}
}

static const struct scenario {
	const char *name;
	u64 quirks;
	unsigned int width; /* bits of the programmable counters */
	enum mode mode;
} scenarios[] = {
	{ "plain_64_bits", 0, 64, EXCLUSIVE },
	{ "pending_tied_40_bits", QUIRK(PENDING_KEEPS_OF) | QUIRK(TIED), 40, EXCLUSIVE },
	{ "deafened_64_bits", QUIRK(START_RUNNING_LOSES_IRQ) | QUIRK(LAST_STATUS), 64, EXCLUSIVE },
	{ "snapshot_40_bits", 0, 40, SNAPSHOT },
	{ "snapshot_kvm_48_bits", KVM, 48, SNAPSHOT },
	{ "snapshot_kvm_6_12_64_bits", KVM_OLD, 64, SNAPSHOT },
	{ "snapshot_refused_64_bits", QUIRK(NO_SNAPSHOT), 64, SNAPSHOT },
};

/* Sampling and counting events are added and deleted on few counters, in random order. */
static void test_random_samples(unsigned long steps, const struct scenario *s)
{
	unsigned int wrong = 0, overdue = 0;
	char test[64];

	fakesbi_reset(5, 0, s->width);
	fakesbi.quirks = s->quirks;
	fakesbi.sscofpmf = true;
	cpu_boot_mode(s->mode);
	samples = 0;
	for (unsigned int i = 0; i < SAMPLERS; i++) {
		sampler_open(i, RAW, i / 2, 1 + fakesbi_random() % 20000);
		tracked_open_idx(&cpu.tracked[SAMPLERS + i], RAW, i / 2);
	}
	for (unsigned long n = 0; n < steps; n++) {
		if (s->mode == SNAPSHOT && fakesbi_random() % 2)
			cpu_disable();
		random_step();
		tracked_sync();
		if (n % 16)
			continue;
		/* An overdue event is sampled after 16 more events, or later when deferred. */
		cpu_enable();
		cpu_run(16 << 4);
		handle_overflow(0);
		for (unsigned int i = 0; i < SAMPLERS; i++) {
			const struct tracked *p = &cpu.tracked[i];

			wrong += !sampler_right(i) || !is_count_right(&cpu.tracked[SAMPLERS + i]);
			overdue += p->active && p->event.period.left <= -(16 << 4);
		}
	}
	note("%lu steps, %u samples, %u overdue, %u counts wrong", steps, samples, overdue, wrong);
	check(!wrong, "sampling.random_%s_counts_are_correct", s->name);
	check(!overdue && samples > steps / 100, "sampling.random_%s_misses_no_sample", s->name);
	snprintf(test, sizeof(test), "sampling.random_%s", s->name);
	check_rules(test);
	sbi_pmu_counters_offline(&cpu.counters);
	check(is_all_released(), "sampling.random_%s_releases_all", s->name);
}

void test_sampling(unsigned long steps)
{
	irq_source = sbi_pmu_irq_source_named("lcofi");
	test_one();
	test_source("lcofi", 0xda0, false);
	test_source("thead", 0x5c5, true);
	test_source("andes", 0x9d4, true);
	test_no_skew();
	test_late();
	test_defer();
	test_always_deferred();
	test_shared_counter();
	test_long_period();
	test_pending();
	test_lost_irq();
	test_failed_start();
	test_failed_stops();
	test_by_timer();
	for (unsigned int i = 0; i < ARRAY_SIZE(scenarios); i++)
		test_random_samples(steps / 20, &scenarios[i]);
}
