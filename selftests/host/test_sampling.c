// SPDX-License-Identifier: GPL-2.0-only
/* test_sampling: periods that end, on counters that are shared and that interrupt. */
#include "test.h"

#define SAMPLERS	8

static u64 period[SAMPLERS], sampled[SAMPLERS];
static unsigned int samples;

/* A sample for one whose period is over, but for one of @skid in the wrong mode. */
static void sample(unsigned int i, unsigned int skid)
{
	struct sbi_pmu_event *event = &cpu.tracked[i].event;

	if (event->period.left > 0)
		return;
	if (skid && !(fakesbi_random() % skid)) {
		sbi_pmu_period_defer(&event->period);
		return;
	}
	sampled[i] += sbi_pmu_period_sampled(&event->period, period[i]);
	samples++;
}

/* As overflow.c and perf.c do it. */
static void serve(unsigned int skid)
{
	struct sbi_pmu_mask fired;

	if (!fakesbi.lcofi)
		return;
	fakesbi.lcofi = false;
	cpu.counters.disabled = true;
	fired = sbi_pmu_counters_stop_overflowed(&cpu.counters, fakesbi_scountovf);
	for (unsigned int i = 0; i < SAMPLERS; i++) {
		const struct sbi_pmu_event *event = &cpu.tracked[i].event;

		if (event->active && sbi_pmu_mask_test(&fired, event->counter))
			sample(i, skid);
	}
	cpu.counters.disabled = false;
	sbi_pmu_counters_start(&cpu.counters);
}

static bool sampler_open(unsigned int i, u32 idx, u64 data, u64 events)
{
	struct tracked *p = &cpu.tracked[i];

	if (!tracked_open_idx(p, idx, data))
		return false;
	p->event.candidates = sbi_pmu_mask_and(p->event.candidates, &cpu.inv.programmable);
	p->event.sampling = SBI_PMU_BY_INTERRUPT;
	p->event.period.left = events;
	period[i] = events;
	sampled[i] = 0;
	return true;
}

/* What samples stand for and what was since the last make up what has happened. */
static bool sampler_right(unsigned int i)
{
	struct tracked *p = &cpu.tracked[i];

	return tracked_right(p) && sampled[i] + p->event.period.since_sample == p->expected;
}

static void run_served(u64 ticks, u64 step)
{
	for (; ticks; ticks -= step) {
		cpu_run(step);
		serve(0);
	}
}

static void test_one(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	u64 before;

	boot(4, 2, 64);
	fakesbi.sscofpmf = true;
	samples = 0;
	if (!sampler_open(0, RAW, 5, 1000 * rate) || !tracked_add_start(&cpu.tracked[0]))
		check(false, "a sampler attaches");
	cpu_enable();
	before = cpu_calls();
	run_served(100000, 100);
	check(samples == 100, "100 periods, 100 samples (%u)", samples);
	check(cpu_calls() - before == 2 * 100, "two calls each (%llu)",
	      (unsigned long long)(cpu_calls() - before));
	check(sampler_right(0), "and nothing is lost");

	/* It leaves and comes back: one stop, one start; while away, nothing. */
	tracked_del(&cpu.tracked[0]);
	before = cpu_calls();
	cpu_run(500000);
	check(cpu_calls() == before, "leaving makes no call");
	tracked_add_start(&cpu.tracked[0]);
	cpu_enable();
	check(cpu_calls() - before == 2, "coming back makes two");
	fakesbi.lcofi = false;
	run_served(50000, 100);
	check(samples == 150 && sampler_right(0), "and it goes on where it was (%u)", samples);
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

/* A late handler: one sample stands for all that was, and the periods keep their pace. */
static void test_late(void)
{
	struct sbi_pmu_event event = { .period = { .left = -2500, .since_sample = 3500, .deferred = 3 } };

	check(sbi_pmu_period_sampled(&event.period, 1000) == 3500 && event.period.left == 500, "three periods late");
	check(!event.period.since_sample && !event.period.deferred, "the next sample begins anew");
	event.period.left = 0;
	check(!sbi_pmu_period_sampled(&event.period, 1000) && event.period.left == 1000, "just over");
	event.period.left = -7;
	sbi_pmu_period_sampled(&event.period, 1);
	check(event.period.left == 1, "a period of one event");
}

/* A sample that would be of the wrong mode stays due. */
static void test_skid(void)
{
	struct sbi_pmu_event event = { .period = { .left = -1, .since_sample = 1001 } };

	for (unsigned int i = 0; i < 100; i++)
		sbi_pmu_period_defer(&event.period);
	check(event.period.left == -1 && event.period.since_sample == 1001 && event.period.deferred == 20,
	      "it asks for ever more events, up to a limit (%u)", event.period.deferred);
}

/* Always in the wrong mode with a period of 1: the hart gets on all the same. */
static void test_skid_storm(void)
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
		serve(1);
	}
	check(cpu_calls() - before < 2 * 40, "a million cycles, few overflows (%llu calls)",
	      (unsigned long long)(cpu_calls() - before));
	check(sampler_right(0), "and what was counted is not lost");
}

static void test_shared(void)
{
	boot(4, 0, 64);
	fakesbi.sscofpmf = true;
	fakesbi.quirks = QUIRK(TIED);
	samples = 0;
	if (!sampler_open(0, RAW, 5, 7000) || !sampler_open(1, RAW, 5, 31000) ||
	    !tracked_open_idx(&cpu.tracked[SAMPLERS], RAW, 5))
		check(false, "three of one event open");
	for (unsigned int i = 0; i < 2; i++)
		tracked_add_start(&cpu.tracked[i]);
	tracked_add_start(&cpu.tracked[SAMPLERS]);
	cpu_enable();
	run_served(200000, 40);
	check(sampler_right(0) && sampler_right(1) && tracked_right(&cpu.tracked[SAMPLERS]),
	      "two samplers and a count share a counter, all are right");
	check(cpu.tracked[0].event.period.left > -16 && cpu.tracked[1].event.period.left > -16,
	      "and no period is overdue");
	tracked_del(&cpu.tracked[0]);
	run_served(200000, 40);
	check(sampler_right(1) && tracked_right(&cpu.tracked[SAMPLERS]),
	      "one leaves, the others go on");
	tracked_del(&cpu.tracked[1]);
	run_served(10000000, 1000);
	check(tracked_right(&cpu.tracked[SAMPLERS]) && sbi_pmu_mask_empty(&cpu.counters.in[SBI_PMU_ARMED]),
	      "with the last sampler gone it counts on, unarmed");
}

/* Periods longer than half a narrow counter's range. */
static void test_narrow(void)
{
	boot(2, 0, 32);
	fakesbi.sscofpmf = true;
	samples = 0;
	sampler_open(0, RAW, 5, 5ULL << 30);
	tracked_add_start(&cpu.tracked[0]);
	cpu_enable();
	run_served(6000000000, 1000000);
	check(samples == cpu.tracked[0].expected / period[0] && samples > 1 && sampler_right(0),
	      "more than a round of a 32-bit counter to a period (%u samples)", samples);
}

/* Another counter's interrupt is pending while one is armed. */
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
	check(fakesbi.lcofi, "an overflow waits");
	tracked_add_start(&cpu.tracked[1]);
	cpu_enable();
	check(fakesbi.lcofi, "and still does when another is armed");
	run_served(100000, 40);
	check(sampler_right(0) && sampler_right(1) && samples > 100 &&
	      cpu.tracked[0].event.period.left > -16 && cpu.tracked[1].event.period.left > -16,
	      "both go on (%u samples)", samples);
}

static struct sbi_pmu_mask silent_ones(void)
{
	const struct sbi_pmu_mask awaited = sbi_pmu_counters_sampling(&cpu.counters);

	return sbi_pmu_counters_lost_irqs(&cpu.counters, &awaited);
}

/* An overflow that leaves no sign: no interrupt, no OF bit. */
static void test_silent(void)
{
	struct tracked *p = &cpu.tracked[0];
	struct sbi_pmu_mask silent;

	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	samples = 0;
	sampler_open(0, RAW, 5, 1000);
	tracked_add_start(p);
	cpu_enable();
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent), "all is well");
	cpu_run(10);
	silent = silent_ones();
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent), "nor is it when time goes by");
	cpu_run(2000);
	fakesbi.ctr[p->event.counter].overflown = false;
	fakesbi.lcofi = false;
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent), "it has overflowed: it may just be late");
	silent = silent_ones();
	check(sbi_pmu_mask_test(&silent, p->event.counter), "and still is at the next look: lost");
	sbi_pmu_counters_stop(&cpu.counters, &silent);
	sample(0, 0);
	sbi_pmu_counters_start(&cpu.counters);
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent) && sampled[0] && sampler_right(0), "served, all is well");
	tracked_stop(p);
	silent = sbi_pmu_counters_sampling(&cpu.counters);
	check(sbi_pmu_mask_empty(&silent) && !sbi_pmu_mask_empty(&cpu.counters.in[SBI_PMU_ARMED]),
	      "stopped, nobody waits");
}

/* As when a task leaves and comes back. */
static void arm_again(struct tracked *p)
{
	tracked_stop(p);
	tracked_start(p);
	cpu_enable();
}

static void test_refused(void)
{
	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	sampler_open(0, RAW, 5, 1000);
	tracked_add_start(&cpu.tracked[0]);
	fakesbi.start_fails = 1;
	cpu_enable();
	fakesbi.start_fails = 0;
	check(cpu.tracked[0].event.counter == SBI_PMU_NO_COUNTER && !cpu.tracked[0].event.active && quiet(),
	      "a counter that does not start again is given up");
	check(cpu.counters.lost_events == 1, "and that is told");
}

/* Every second STOP fails: a counter is lost if two in a row do, not if one does. */
static void test_hardly_stops(void)
{
	unsigned int lost = 0, wrong = 0;

	for (unsigned int i = 0; i < 400; i++) {
		boot(2, 0, 64);
		fakesbi.sscofpmf = true;
		sampler_open(0, RAW, 5, 1000);
		tracked_add_start(&cpu.tracked[0]);
		cpu_enable();
		fakesbi.stop_fails = 2;
		arm_again(&cpu.tracked[0]);
		fakesbi.stop_fails = 0;
		run_served(10000, 100);
		if (cpu.tracked[0].event.counter == SBI_PMU_NO_COUNTER)
			lost++;
		else
			wrong += !sampler_right(0) || cpu.tracked[0].event.period.left <= 0;
	}
	check(lost > 60 && lost < 140 && !wrong,
	      "of 400 counters that hardly stop a quarter is lost (%u, %u wrong)", lost, wrong);
}

static void test_poll(void)
{
	struct tracked *p = &cpu.tracked[0];

	boot(2, 0, 64);
	tracked_open_idx(p, RAW, 5);
	p->event.sampling = SBI_PMU_BY_TIMER;
	p->event.period.left = 1000;
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 0, "nobody to look at");
	tracked_add_start(p);
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 10000000,
	      "its pace is not known: late");
	p->event.period.since_poll = 500;
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 2000000, "it is: in time");
	p->event.period.since_poll = 100000;
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 100000, "but not too soon");
	p->event.period.since_poll = 1;
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 10000000, "nor too late");
	p->event.period.left = -1;
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 100000, "overdue: soon");
	p->event.period.deferred = 2;
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 400000, "in vain: later");
	p->event.period.deferred = 20;
	check(sbi_pmu_counters_poll_ns(&cpu.counters, 1000000) == 10000000, "up to a limit");
	check(sbi_pmu_mask_empty(&cpu.counters.in[SBI_PMU_RESTART]), "and its counter is never armed");
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
			serve(16);
	}
}

/* Samplers and counts come and go on few counters, in random order. */
static void test_random_samples(unsigned long steps, enum mode way, u64 quirks,
				unsigned int width)
{
	unsigned int wrong = 0, overdue = 0;

	fakesbi_reset(5, 0, width);
	fakesbi.quirks = quirks;
	fakesbi.sscofpmf = true;
	cpu_boot_mode(way);
	samples = 0;
	for (unsigned int i = 0; i < SAMPLERS; i++) {
		sampler_open(i, RAW, i / 2, 1 + fakesbi_random() % 20000);
		tracked_open_idx(&cpu.tracked[SAMPLERS + i], RAW, i / 2);
	}
	for (unsigned long n = 0; n < steps; n++) {
		if (way == SNAPSHOT && fakesbi_random() % 2)
			cpu_disable();
		random_step();
		tracked_sync();
		if (n % 16)
			continue;
		/* Who starts overdue is served 16 events later, or more after skids. */
		cpu_enable();
		cpu_run(16 << 4);
		serve(0);
		for (unsigned int i = 0; i < SAMPLERS; i++) {
			wrong += !sampler_right(i) || !tracked_right(&cpu.tracked[SAMPLERS + i]);
			overdue += cpu.tracked[i].active && cpu.tracked[i].event.period.left <= -(16 << 4);
		}
	}
	check(!wrong, "%lu steps at %u bits: every sample and count is true (%u wrong)", steps,
	      width, wrong);
	check(!overdue && samples > steps / 100, "no sample is missed (%u of %u)", overdue,
	      samples);
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet(), "nothing is left running");
}

void test_sampling(unsigned long steps)
{
	test_one();
	test_late();
	test_skid();
	test_skid_storm();
	test_shared();
	test_narrow();
	test_pending();
	test_silent();
	test_refused();
	test_hardly_stops();
	test_poll();
	test_random_samples(steps / 20, EXCLUSIVE, 0, 64);
	test_random_samples(steps / 20, EXCLUSIVE, QUIRK(PENDING_KEEPS_OF) | QUIRK(TIED), 40);
	test_random_samples(steps / 20, EXCLUSIVE, QUIRK(START_RUNNING_DEAFENS) | QUIRK(LAST_STATUS),
			    64);
	test_random_samples(steps / 20, SNAPSHOT, 0, 40);
	test_random_samples(steps / 20, SNAPSHOT, KVM, 48);
	test_random_samples(steps / 20, SNAPSHOT, KVM_OLD, 64);
	test_random_samples(steps / 20, SNAPSHOT, QUIRK(NO_SNAPSHOT), 64);
}
