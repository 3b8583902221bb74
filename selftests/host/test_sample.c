// SPDX-License-Identifier: GPL-2.0-only
/* test_sample: periods that end, on counters that are shared and that interrupt. */
#include "test.h"

#define SAMPLERS	8

static u64 period[SAMPLERS], sampled[SAMPLERS];
static unsigned int samples;

/* A sample for one whose period is over, but for one of @skid in the wrong mode. */
static void sample(unsigned int i, unsigned int skid)
{
	struct sbi_pmu_user *user = &hart.player[i].user;

	if (user->left > 0)
		return;
	if (skid && !(fakesbi_random() % skid)) {
		sbi_pmu_user_skidded(user);
		return;
	}
	sampled[i] += sbi_pmu_user_sampled(user, period[i]);
	samples++;
}

/* As overflow.c and perf.c do it. */
static void serve(unsigned int skid)
{
	struct sbi_pmu_mask fired;

	if (!fakesbi.lcofi)
		return;
	fakesbi.lcofi = false;
	hart.slots.held = true;
	fired = sbi_pmu_slots_fired(&hart.slots, fakesbi_scountovf);
	for (unsigned int i = 0; i < SAMPLERS; i++) {
		const struct sbi_pmu_user *user = &hart.player[i].user;

		if (user->live && sbi_pmu_mask_test(&fired, user->slot))
			sample(i, skid);
	}
	hart.slots.held = false;
	sbi_pmu_slots_arm(&hart.slots);
}

static bool sampler_open(unsigned int i, u32 idx, u64 data, u64 events)
{
	struct player *p = &hart.player[i];

	if (!player_open_idx(p, idx, data))
		return false;
	p->user.can = sbi_pmu_mask_and(p->user.can, &hart.inv.hpm);
	p->user.sampling = SBI_PMU_INTERRUPTED;
	p->user.left = events;
	period[i] = events;
	sampled[i] = 0;
	return true;
}

/* What samples stand for and what was since the last make up what has happened. */
static bool sampler_right(unsigned int i)
{
	struct player *p = &hart.player[i];

	return player_right(p) && sampled[i] + p->user.since == p->expected;
}

static void run_served(u64 ticks, u64 step)
{
	for (; ticks; ticks -= step) {
		hart_run(step);
		serve(0);
	}
}

static void test_one(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_code){ .idx = RAW, .data = 5 });
	u64 before;

	boot(4, 2, 64);
	fakesbi.sscofpmf = true;
	samples = 0;
	if (!sampler_open(0, RAW, 5, 1000 * rate) || !player_seat(&hart.player[0]))
		check(false, "a sampler attaches");
	hart_arm();
	before = hart_calls();
	run_served(100000, 100);
	check(samples == 100, "100 periods, 100 samples (%u)", samples);
	check(hart_calls() - before == 2 * 100, "two calls each (%llu)",
	      (unsigned long long)(hart_calls() - before));
	check(sampler_right(0), "and nothing is lost");

	/* It leaves and comes back: one stop, one start; while away, nothing. */
	player_detach(&hart.player[0]);
	before = hart_calls();
	hart_run(500000);
	check(hart_calls() == before, "leaving makes no call");
	player_seat(&hart.player[0]);
	hart_arm();
	check(hart_calls() - before == 2, "coming back makes two");
	fakesbi.lcofi = false;
	run_served(50000, 100);
	check(samples == 150 && sampler_right(0), "and it goes on where it was (%u)", samples);
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

/* A late handler: one sample stands for all that was, and the periods keep their pace. */
static void test_late(void)
{
	struct sbi_pmu_user user = { .left = -2500, .since = 3500, .skids = 3 };

	check(sbi_pmu_user_sampled(&user, 1000) == 3500 && user.left == 500, "three periods late");
	check(!user.since && !user.skids, "the next sample begins anew");
	user.left = 0;
	check(!sbi_pmu_user_sampled(&user, 1000) && user.left == 1000, "just over");
	user.left = -7;
	sbi_pmu_user_sampled(&user, 1);
	check(user.left == 1, "a period of one event");
}

/* A sample that would be of the wrong mode stays due. */
static void test_skid(void)
{
	struct sbi_pmu_user user = { .left = -1, .since = 1001 };

	for (unsigned int i = 0; i < 100; i++)
		sbi_pmu_user_skidded(&user);
	check(user.left == -1 && user.since == 1001 && user.skids == 20,
	      "it asks for ever more events, up to a limit (%u)", user.skids);
}

/* Always in the wrong mode with a period of 1: the hart gets on all the same. */
static void test_skid_storm(void)
{
	u64 before;

	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	sampler_open(0, RAW, 5, 1);
	player_seat(&hart.player[0]);
	hart_arm();
	before = hart_calls();
	for (unsigned int i = 0; i < 1000000; i += 16) {
		hart_run(16);
		serve(1);
	}
	check(hart_calls() - before < 2 * 40, "a million cycles, few overflows (%llu calls)",
	      (unsigned long long)(hart_calls() - before));
	check(sampler_right(0), "and what was counted is not lost");
}

static void test_shared(void)
{
	boot(4, 0, 64);
	fakesbi.sscofpmf = true;
	fakesbi.quirks = QUIRK(TIED);
	samples = 0;
	if (!sampler_open(0, RAW, 5, 7000) || !sampler_open(1, RAW, 5, 31000) ||
	    !player_open_idx(&hart.player[SAMPLERS], RAW, 5))
		check(false, "three of one event open");
	for (unsigned int i = 0; i < 2; i++)
		player_seat(&hart.player[i]);
	player_seat(&hart.player[SAMPLERS]);
	hart_arm();
	run_served(200000, 40);
	check(sampler_right(0) && sampler_right(1) && player_right(&hart.player[SAMPLERS]),
	      "two samplers and a count share a counter, all are right");
	check(hart.player[0].user.left > -16 && hart.player[1].user.left > -16,
	      "and no period is overdue");
	player_detach(&hart.player[0]);
	run_served(200000, 40);
	check(sampler_right(1) && player_right(&hart.player[SAMPLERS]),
	      "one leaves, the others go on");
	player_detach(&hart.player[1]);
	run_served(10000000, 1000);
	check(player_right(&hart.player[SAMPLERS]) && sbi_pmu_mask_empty(&hart.slots.armed),
	      "with the last sampler gone it counts on, unarmed");
}

/* Periods longer than half a narrow counter's range. */
static void test_narrow(void)
{
	boot(2, 0, 32);
	fakesbi.sscofpmf = true;
	samples = 0;
	sampler_open(0, RAW, 5, 5ULL << 30);
	player_seat(&hart.player[0]);
	hart_arm();
	run_served(6000000000, 1000000);
	check(samples == hart.player[0].expected / period[0] && samples > 1 && sampler_right(0),
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
	player_seat(&hart.player[0]);
	hart_arm();
	hart_run(1000);
	check(fakesbi.lcofi, "an overflow waits");
	player_seat(&hart.player[1]);
	hart_arm();
	check(fakesbi.lcofi, "and still does when another is armed");
	run_served(100000, 40);
	check(sampler_right(0) && sampler_right(1) && samples > 100 &&
	      hart.player[0].user.left > -16 && hart.player[1].user.left > -16,
	      "both go on (%u samples)", samples);
}

static struct sbi_pmu_mask silent_ones(void)
{
	const struct sbi_pmu_mask awaited = sbi_pmu_slots_awaited(&hart.slots);

	return sbi_pmu_slots_silent(&hart.slots, &awaited);
}

/* An overflow that leaves no sign: no interrupt, no OF bit. */
static void test_silent(void)
{
	struct player *p = &hart.player[0];
	struct sbi_pmu_mask silent;

	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	samples = 0;
	sampler_open(0, RAW, 5, 1000);
	player_seat(p);
	hart_arm();
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent), "all is well");
	hart_run(10);
	silent = silent_ones();
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent), "nor is it when time goes by");
	hart_run(2000);
	fakesbi.ctr[p->user.slot].overflown = false;
	fakesbi.lcofi = false;
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent), "it has overflowed: it may just be late");
	silent = silent_ones();
	check(sbi_pmu_mask_test(&silent, p->user.slot), "and still is at the next look: lost");
	sbi_pmu_slots_halt(&hart.slots, &silent);
	sample(0, 0);
	sbi_pmu_slots_arm(&hart.slots);
	silent = silent_ones();
	check(sbi_pmu_mask_empty(&silent) && sampled[0] && sampler_right(0), "served, all is well");
	player_stop(p);
	silent = sbi_pmu_slots_awaited(&hart.slots);
	check(sbi_pmu_mask_empty(&silent) && !sbi_pmu_mask_empty(&hart.slots.armed),
	      "stopped, nobody waits");
}

/* As when a task leaves and comes back. */
static void arm_again(struct player *p)
{
	player_stop(p);
	player_start(p);
	hart_arm();
}

static void test_refused(void)
{
	boot(2, 0, 64);
	fakesbi.sscofpmf = true;
	sampler_open(0, RAW, 5, 1000);
	player_seat(&hart.player[0]);
	fakesbi.start_fails = 1;
	hart_arm();
	fakesbi.start_fails = 0;
	check(hart.player[0].user.slot == SBI_PMU_NO_SLOT && !hart.player[0].user.live && quiet(),
	      "a counter that does not start again is given up");
	check(hart.slots.stranded == 1, "and that is told");
}

/* Every second STOP fails: a counter is lost if two in a row do, not if one does. */
static void test_hardly_stops(void)
{
	unsigned int lost = 0, wrong = 0;

	for (unsigned int i = 0; i < 400; i++) {
		boot(2, 0, 64);
		fakesbi.sscofpmf = true;
		sampler_open(0, RAW, 5, 1000);
		player_seat(&hart.player[0]);
		hart_arm();
		fakesbi.stop_fails = 2;
		arm_again(&hart.player[0]);
		fakesbi.stop_fails = 0;
		run_served(10000, 100);
		if (hart.player[0].user.slot == SBI_PMU_NO_SLOT)
			lost++;
		else
			wrong += !sampler_right(0) || hart.player[0].user.left <= 0;
	}
	check(lost > 60 && lost < 140 && !wrong,
	      "of 400 counters that hardly stop a quarter is lost (%u, %u wrong)", lost, wrong);
}

static void test_poll(void)
{
	struct player *p = &hart.player[0];

	boot(2, 0, 64);
	player_open_idx(p, RAW, 5);
	p->user.sampling = SBI_PMU_POLLED;
	p->user.left = 1000;
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 0, "nobody to look at");
	player_seat(p);
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 10000000,
	      "its pace is not known: late");
	p->user.seen = 500;
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 2000000, "it is: in time");
	p->user.seen = 100000;
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 100000, "but not too soon");
	p->user.seen = 1;
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 10000000, "nor too late");
	p->user.left = -1;
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 100000, "overdue: soon");
	p->user.skids = 2;
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 400000, "in vain: later");
	p->user.skids = 20;
	check(sbi_pmu_slots_poll_ns(&hart.slots, 1000000) == 10000000, "up to a limit");
	check(sbi_pmu_mask_empty(&hart.slots.stale), "and its counter is never armed");
}

static void random_step(void)
{
	const unsigned int i = fakesbi_random() % SAMPLERS;
	struct player *p = &hart.player[i];

	switch (fakesbi_random() % 16) {
	case 0 ... 2:
		player_attach(p);
		break;
	case 3 ... 4:
		player_start(p);
		break;
	case 5:
		player_stop(p);
		break;
	case 6 ... 7:
		player_detach(p);
		break;
	case 8:
		sbi_pmu_slots_suspend(&hart.slots);
		if (fakesbi_random() % 2)
			fakesbi_suspend();
		sbi_pmu_slots_resume(&hart.slots);
		break;
	case 9:
		player_collect(&hart.player[SAMPLERS + i]);
		break;
	case 10:
		player_seat(&hart.player[SAMPLERS + i]);
		break;
	case 11:
		player_detach(&hart.player[SAMPLERS + i]);
		break;
	default:
		hart_arm();
		hart_run(fakesbi_random() % 2000);
		if (fakesbi_random() % 8)
			serve(16);
	}
}

/* Samplers and counts come and go on few counters, in random order. */
static void test_random_samples(unsigned long steps, enum way way, u64 quirks,
				unsigned int width)
{
	unsigned int wrong = 0, overdue = 0;

	fakesbi_reset(5, 0, width);
	fakesbi.quirks = quirks;
	fakesbi.sscofpmf = true;
	hart_boot_way(way);
	samples = 0;
	for (unsigned int i = 0; i < SAMPLERS; i++) {
		sampler_open(i, RAW, i / 2, 1 + fakesbi_random() % 20000);
		player_open_idx(&hart.player[SAMPLERS + i], RAW, i / 2);
	}
	for (unsigned long n = 0; n < steps; n++) {
		if (way == RESTING && fakesbi_random() % 2)
			hart_hold();
		random_step();
		players_sync();
		if (n % 16)
			continue;
		/* Who starts overdue is served 16 events later, or more after skids. */
		hart_arm();
		hart_run(16 << 4);
		serve(0);
		for (unsigned int i = 0; i < SAMPLERS; i++) {
			wrong += !sampler_right(i) || !player_right(&hart.player[SAMPLERS + i]);
			overdue += hart.player[i].live && hart.player[i].user.left <= -(16 << 4);
		}
	}
	check(!wrong, "%lu steps at %u bits: every sample and count is true (%u wrong)", steps,
	      width, wrong);
	check(!overdue && samples > steps / 100, "no sample is missed (%u of %u)", overdue,
	      samples);
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet(), "nothing is left running");
}

void test_sample(unsigned long steps)
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
	test_random_samples(steps / 20, SOLE, 0, 64);
	test_random_samples(steps / 20, SOLE, QUIRK(PENDING_KEEPS_OF) | QUIRK(TIED), 40);
	test_random_samples(steps / 20, SOLE, QUIRK(START_RUNNING_DEAFENS) | QUIRK(LAST_STATUS),
			    64);
	test_random_samples(steps / 20, RESTING, 0, 40);
	test_random_samples(steps / 20, RESTING, KVM, 48);
	test_random_samples(steps / 20, RESTING, KVM_OLD, 64);
	test_random_samples(steps / 20, RESTING, QUIRK(NO_SNAPSHOT), 64);
}
