// SPDX-License-Identifier: GPL-2.0-only
/* test_topdown: sbi-topdown's formulas, computed by hand and compared with perf's metrics. */
#include <math.h>

#include "../../tools/sbi-topdown/formula.h"
#include "test.h"

/* Counts of 1000 cycles. The comments next to the expected shares have the arithmetic. */
static const struct td_sample plain = {
	.enabled = 1000, .running = 1000, .n_events = TD_LEVEL3, .slots = 6,
	.count = {
		[TD_CYCLES] = 1000, [TD_INSTRUCTIONS] = 3000, [TD_FRONT_BUBBLE] = 600,
		[TD_INST_SPEC_RECOVERY] = 3600, [TD_FETCH_LATENCY_BOUND] = 40,
		[TD_BR_MIS_PRED] = 30, [TD_TOTAL_FLUSH] = 10, [TD_EXEC_STALL_CYCLE] = 500,
		[TD_MEMSTALL_STORE] = 50, [TD_MEMSTALL_ANY_LOAD] = 250,
		[TD_MEMSTALL_L1MISS] = 200, [TD_MEMSTALL_L2MISS] = 120,
		[TD_MEMSTALL_L3MISS] = 30,
	},
};

static bool near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= .000000001 * (1 + fabs(b));
}

/* Do the shares equal @expected, in the order of enum td_part? */
static bool shares_equal(const struct td_sample *sample, const double expected[TD_PARTS])
{
	double share[TD_PARTS];
	bool ok = td_compute_shares(sample, share) == TD_VALID;

	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (near(share[i], expected[i]))
			continue;
		note("%s is %f, not %f", td_parts[i].name, share[i], expected[i]);
		ok = false;
	}
	return ok;
}

/* Return: a sample with only the first @n_events. */
static struct td_sample first_events(const struct td_sample *sample, unsigned int n_events)
{
	struct td_sample less = *sample;

	less.n_events = n_events;
	memset(&less.count[n_events], 0, (TD_EVENTS - n_events) * sizeof(less.count[0]));
	return less;
}

static void test_levels(void)
{
	/*
	 * 6000 slots: 3000 retired; 600 empty; 3600 - 3000 wasted; 1800 left for the backend.
	 * Latency 40 of 1000 cycles, bandwidth .1 - .04; 30 and 10 of 40 flushes of .1;
	 * memory 250 + 50, core 500 - 300; L1 50, L2 80, L3 90, DRAM 30, stores 50.
	 */
	static const double three[TD_PARTS] = {
		.5, .1, .04, .06, .1, .075, .025, .3, .3, .05, .08, .09, .03, .05, .2
	};
	/* 8000 slots: 3000; 600; 3600 - 3000; 3800. Only shares of slots are others. */
	static const double three_of_8[TD_PARTS] = {
		.375, .075, .04, .035, .075, .05625, .01875, .475,
		.3, .05, .08, .09, .03, .05, .2
	};
	static const double without_l3[TD_PARTS] = {
		.5, .1, .04, .06, .1, .075, .025, .3, .3, .05, .08, .12, NAN, .05, .2
	};
	static const double two[TD_PARTS] = {
		.5, .1, .04, .06, .1, .075, .025, .3, .3, NAN, NAN, NAN, NAN, NAN, .2
	};
	static const double one[TD_PARTS] = {
		.5, .1, NAN, NAN, .1, NAN, NAN, .3, NAN, NAN, NAN, NAN, NAN, NAN, NAN
	};
	const struct td_sample less[] = {
		first_events(&plain, TD_LEVEL3_NO_L3MISS), first_events(&plain, TD_LEVEL2),
		first_events(&plain, TD_LEVEL1)
	};
	struct td_sample wide = plain;

	wide.slots = 8;
	check(shares_equal(&plain, three), "topdown.level3_shares");
	check(shares_equal(&wide, three_of_8), "topdown.shares_of_8_slots");
	check(shares_equal(&less[0], without_l3), "topdown.level3_without_l3miss");
	check(shares_equal(&less[1], two), "topdown.level2_shares");
	check(shares_equal(&less[2], one), "topdown.level1_shares");
}

/* Each remainder would be negative, and must be 0. */
static void test_negative(void)
{
	static const struct td_sample sample = {
		.enabled = 1, .running = 1, .n_events = TD_LEVEL3, .slots = 6,
		.count = { 100, 600, 60, 599, 50, 0, 7, 10, 20, 30, 40, 50, 60 },
	};
	/* 600 slots: all retired, 60 empty, none wasted, none left. 50 of 100 cycles. */
	static const double expected[TD_PARTS] = {
		1, .1, .5, 0, 0, 0, 0, 0, .5, 0, 0, 0, .6, .2, 0
	};

	check(shares_equal(&sample, expected), "topdown.negative_remainders_are_0");
}

static void test_extremes(void)
{
	struct td_sample huge = {
		.enabled = 1, .running = 1, .n_events = TD_LEVEL3, .slots = 6,
	};
	/* Each count equals cycles: 1/6 of the slots retires, 1/6 is empty, none is wasted. */
	static const double expected[TD_PARTS] = {
		1. / 6, 1. / 6, 1, 0, 0, 0, 0, 4. / 6, 2, 0, 0, 0, 1, 1, 0
	};
	struct td_sample none = plain;
	double share[TD_PARTS];
	unsigned int n_shares = 0;

	for (unsigned int i = 0; i < TD_EVENTS; i++)
		huge.count[i] = UINT64_MAX;
	check(shares_equal(&huge, expected), "topdown.counts_of_64_bits");
	none.count[TD_CYCLES] = 0;
	check(td_compute_shares(&none, share) == TD_NO_CYCLES, "topdown.no_shares_without_cycles");
	for (unsigned int i = 0; i < TD_PARTS; i++)
		n_shares += !isnan(share[i]);
	none = first_events(&none, TD_LEVEL1);
	none.enabled = 0;
	none.running = 0;
	check(!n_shares && td_compute_shares(&none, share) == TD_NO_CYCLES,
	      "topdown.no_shares_if_never_enabled");
	none = plain;
	none.count[TD_BR_MIS_PRED] = 0;
	none.count[TD_TOTAL_FLUSH] = 0;
	check(td_compute_shares(&none, share) == TD_VALID && share[TD_BRANCH_MISPREDICTS] == 0 &&
	      share[TD_MACHINE_CLEARS] == 0, "topdown.flush_shares_are_0_without_flushes");
}

static void test_multiplexed(void)
{
	static const struct { u64 enabled, running; enum td_validity must; } cases[] = {
		{ 1000, 1000, TD_VALID }, { 1000, 995, TD_VALID }, { 1000, 985, TD_MULTIPLEXED },
		{ 1000, 0, TD_MULTIPLEXED }, { UINT64_MAX, UINT64_MAX / 2, TD_MULTIPLEXED },
	};
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct td_sample sample = plain;
		double share[TD_PARTS];

		sample.enabled = cases[i].enabled;
		sample.running = cases[i].running;
		wrong += td_compute_shares(&sample, share) != cases[i].must;
		wrong += isnan(share[TD_RETIRING]) != (cases[i].must != TD_VALID);
	}
	check(!wrong, "topdown.shares_need_99_percent_running");
}

static void test_difference(void)
{
	struct td_sample later = plain, difference;
	unsigned int wrong = 0;

	later.enabled += 7;
	later.running += 6;
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		later.count[i] += i;
	later.count[TD_CYCLES] = 1;
	difference = td_sample_difference(&later, &plain);
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		wrong += difference.count[i] != i;
	check(!wrong && difference.enabled == 7 && difference.running == 6 &&
	      difference.n_events == TD_LEVEL3 && difference.slots == plain.slots,
	      "topdown.difference_is_never_negative");
}

/* A random number of 0 to @limit. */
static u64 random_upto(u64 limit)
{
	return limit ? ((u64)random() << 31 ^ random()) % (limit + 1) : 0;
}

/* A random sample that hardware of any width could give: no part is more than its whole. */
static struct td_sample random_sample(void)
{
	struct td_sample sample = {
		.enabled = 1, .running = 1, .n_events = TD_LEVEL3, .slots = 1 + random() % 16,
	};
	u64 *count = sample.count;
	const u64 cycles = 1 + random_upto(1ULL << random() % 40), slots = sample.slots * cycles;

	count[TD_CYCLES] = cycles;
	count[TD_INSTRUCTIONS] = random_upto(slots);
	count[TD_INST_SPEC_RECOVERY] =
		count[TD_INSTRUCTIONS] + random_upto(slots - count[TD_INSTRUCTIONS]);
	count[TD_FRONT_BUBBLE] = random_upto(slots - count[TD_INST_SPEC_RECOVERY]);
	count[TD_FETCH_LATENCY_BOUND] = random_upto(count[TD_FRONT_BUBBLE] / sample.slots);
	count[TD_BR_MIS_PRED] = random_upto(cycles);
	count[TD_TOTAL_FLUSH] = random_upto(cycles);
	count[TD_EXEC_STALL_CYCLE] = random_upto(cycles);
	count[TD_MEMSTALL_ANY_LOAD] = random_upto(count[TD_EXEC_STALL_CYCLE]);
	count[TD_MEMSTALL_STORE] =
		random_upto(count[TD_EXEC_STALL_CYCLE] - count[TD_MEMSTALL_ANY_LOAD]);
	count[TD_MEMSTALL_L1MISS] = random_upto(count[TD_MEMSTALL_ANY_LOAD]);
	count[TD_MEMSTALL_L2MISS] = random_upto(count[TD_MEMSTALL_L1MISS]);
	count[TD_MEMSTALL_L3MISS] = random_upto(count[TD_MEMSTALL_L2MISS]);
	return sample;
}

static void test_sums(void)
{
	unsigned int wrong = 0;

	for (unsigned int n = 0; n < 100000; n++) {
		const struct td_sample sample = random_sample();
		double s[TD_PARTS];

		wrong += td_compute_shares(&sample, s) != TD_VALID;
		wrong += !near(s[TD_RETIRING] + s[TD_FRONTEND_BOUND] + s[TD_BAD_SPECULATION] +
			       s[TD_BACKEND_BOUND], 1);
		wrong += !near(s[TD_FETCH_LATENCY] + s[TD_FETCH_BANDWIDTH], s[TD_FRONTEND_BOUND]);
		wrong += sample.count[TD_BR_MIS_PRED] + sample.count[TD_TOTAL_FLUSH] &&
			 !near(s[TD_BRANCH_MISPREDICTS] + s[TD_MACHINE_CLEARS],
			       s[TD_BAD_SPECULATION]);
		wrong += !near(s[TD_L1_BOUND] + s[TD_L2_BOUND] + s[TD_L3_BOUND] + s[TD_MEM_BOUND] +
			       s[TD_STORE_BOUND], s[TD_MEMORY_BOUND]);
		wrong += !near(s[TD_MEMORY_BOUND] + s[TD_CORE_BOUND],
			       (double)sample.count[TD_EXEC_STALL_CYCLE] / sample.count[TD_CYCLES]);
	}
	check(!wrong, "topdown.parts_add_up_to_whole");
}

/* ---- perf's metrics ---- */

static double max(double a, double b)
{
	return a > b ? a : b;
}

/* The function of this name in perf's metrics. */
static double d_ratio(double a, double b)
{
	return b ? a / b : 0;
}

static bool metric_agrees(const char *metric, double value, const double *share)
{
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (strcmp(td_parts[i].name, metric + strlen("td_")))
			continue;
		if (!near(share[i], value))
			note("%s: perf has %f, sbi-topdown %f", metric, value, share[i]);
		return near(share[i], value);
	}
	note("sbi-topdown has no %s", metric);
	return false;
}

/* Return: how many of perf's metrics have the same value here. */
static unsigned int count_equal_metrics(const struct td_sample *sample)
{
#define COUNT(name, event)	const double name = sample->count[TD_##event]
	COUNT(cycles, CYCLES);
	COUNT(instructions, INSTRUCTIONS);
	COUNT(front_bubble, FRONT_BUBBLE);
	COUNT(inst_spec_recovery, INST_SPEC_RECOVERY);
	COUNT(fetch_latency_bound, FETCH_LATENCY_BOUND);
	COUNT(br_mis_pred, BR_MIS_PRED);
	COUNT(total_flush, TOTAL_FLUSH);
	COUNT(exec_stall_cycle, EXEC_STALL_CYCLE);
	COUNT(memstall_store, MEMSTALL_STORE);
	COUNT(memstall_any_load, MEMSTALL_ANY_LOAD);
	COUNT(memstall_l1miss, MEMSTALL_L1MISS);
	COUNT(memstall_l2miss, MEMSTALL_L2MISS);
	COUNT(memstall_l3miss, MEMSTALL_L3MISS);
	const double slots = sample->slots;
	double share[TD_PARTS];
	unsigned int n = 0;

	td_compute_shares(sample, share);
#define METRIC(name, expression)			\
	const double name = expression;			\
	n += metric_agrees(#name, name, share)
#include "metrics.inc"
	return n;
}

static void test_metrics(void)
{
	unsigned int wrong = 0;

	for (unsigned int n = 0; n < 20000; n++) {
		struct td_sample sample = random_sample();

		/* Half of the samples are inconsistent, as real counts may be. */
		if (n % 2)
			for (unsigned int i = 1; i < TD_EVENTS; i++)
				sample.count[i] = random_upto(sample.count[TD_CYCLES]);
		wrong += count_equal_metrics(&sample) != TD_PARTS;
		if (wrong)
			break;
	}
	check(!wrong, "topdown.equals_perf_metrics");
}

void test_topdown(void)
{
	srandom(6);
	test_levels();
	test_negative();
	test_extremes();
	test_multiplexed();
	test_difference();
	test_sums();
	test_metrics();
}
