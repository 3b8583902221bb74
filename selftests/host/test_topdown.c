// SPDX-License-Identifier: GPL-2.0-only
/* test_topdown: sbi-topdown's formulas, by hand and against perf's metrics. */
#include <math.h>

#include "../../tools/sbi-topdown/formula.h"
#include "test.h"

/* Out of a thousand cycles: what each share must be is worked out beside the case. */
static const struct td_sample plain = {
	.enabled = 1000, .running = 1000, .known = TD_LEVEL3,
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

/* Is it @expected, in the order of enum td_part? */
static bool gives(const struct td_sample *sample, const double expected[TD_PARTS])
{
	double share[TD_PARTS];
	bool ok = td_shares(sample, share) == TD_RIGHT;

	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (near(share[i], expected[i]))
			continue;
		printf("# %s is %f, not %f\n", td_parts[i].name, share[i], expected[i]);
		ok = false;
	}
	return ok;
}

/* The same, after @known of the events. */
static struct td_sample first(const struct td_sample *sample, unsigned int known)
{
	struct td_sample less = *sample;

	less.known = known;
	memset(&less.count[known], 0, (TD_EVENTS - known) * sizeof(less.count[0]));
	return less;
}

static void test_plain(void)
{
	/*
	 * 6000 slots: 3000 retired; 600 empty; 3600 - 3000 wasted; the rest of 1800.
	 * Latency 40 of 1000 cycles, bandwidth .1 - .04; 30 and 10 of 40 flushes of .1;
	 * memory 250 + 50, core 500 - 300; L1 50, L2 80, L3 90, DRAM 30, stores 50.
	 */
	static const double three[TD_PARTS] = {
		.5, .1, .04, .06, .1, .075, .025, .3, .3, .05, .08, .09, .03, .05, .2
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
		first(&plain, TD_LEVEL3_LESS), first(&plain, TD_LEVEL2), first(&plain, TD_LEVEL1)
	};

	check(gives(&plain, three), "topdown: three levels");
	check(gives(&less[0], without_l3), "topdown: L3 and DRAM as one");
	check(gives(&less[1], two), "topdown: two levels");
	check(gives(&less[2], one), "topdown: one level");
}

/* Each remainder would be below 0: nothing is, and no share is of the wrong sign. */
static void test_negative(void)
{
	static const struct td_sample sample = {
		.enabled = 1, .running = 1, .known = TD_LEVEL3,
		.count = { 100, 600, 60, 599, 50, 0, 7, 10, 20, 30, 40, 50, 60 },
	};
	/* 600 slots: all retired, 60 empty, none wasted, none left. 50 of 100 cycles. */
	static const double expected[TD_PARTS] = {
		1, .1, .5, 0, 0, 0, 0, 0, .5, 0, 0, 0, .6, .2, 0
	};

	check(gives(&sample, expected), "topdown: what would be negative is nothing");
}

static void test_extremes(void)
{
	struct td_sample huge = { .enabled = 1, .running = 1, .known = TD_LEVEL3 };
	/* As many of all as cycles: a sixth retires, a sixth is empty, none is wasted. */
	static const double expected[TD_PARTS] = {
		1. / 6, 1. / 6, 1, 0, 0, 0, 0, 4. / 6, 2, 0, 0, 0, 1, 1, 0
	};
	struct td_sample none = plain;
	double share[TD_PARTS];
	unsigned int known = 0;

	for (unsigned int i = 0; i < TD_EVENTS; i++)
		huge.count[i] = UINT64_MAX;
	check(gives(&huge, expected), "topdown: counts of 64 bits");
	none.count[TD_CYCLES] = 0;
	check(td_shares(&none, share) == TD_NOTHING, "topdown: no cycles, no shares");
	for (unsigned int i = 0; i < TD_PARTS; i++)
		known += !isnan(share[i]);
	none = first(&none, TD_LEVEL1);
	none.enabled = 0;
	none.running = 0;
	check(!known && td_shares(&none, share) == TD_NOTHING, "topdown: nor of what never ran");
	none = plain;
	none.count[TD_BR_MIS_PRED] = 0;
	none.count[TD_TOTAL_FLUSH] = 0;
	check(td_shares(&none, share) == TD_RIGHT && share[TD_BRANCH_MISPREDICTS] == 0 &&
	      share[TD_MACHINE_CLEARS] == 0, "topdown: no flushes, no shares of them");
}

static void test_displaced(void)
{
	static const struct { u64 enabled, running; enum td_verdict must; } cases[] = {
		{ 1000, 1000, TD_RIGHT }, { 1000, 995, TD_RIGHT }, { 1000, 985, TD_DISPLACED },
		{ 1000, 0, TD_DISPLACED }, { UINT64_MAX, UINT64_MAX / 2, TD_DISPLACED },
	};
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct td_sample sample = plain;
		double share[TD_PARTS];

		sample.enabled = cases[i].enabled;
		sample.running = cases[i].running;
		wrong += td_shares(&sample, share) != cases[i].must;
		wrong += isnan(share[TD_RETIRING]) != (cases[i].must != TD_RIGHT);
	}
	check(!wrong, "topdown: what was not counted all the time gives no numbers");
}

static void test_since(void)
{
	struct td_sample later = plain, since;
	unsigned int wrong = 0;

	later.enabled += 7;
	later.running += 6;
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		later.count[i] += i;
	later.count[TD_CYCLES] = 1;
	since = td_since(&later, &plain);
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		wrong += since.count[i] != i;
	check(!wrong && since.enabled == 7 && since.running == 6 && since.known == TD_LEVEL3,
	      "topdown: an interval, in which nothing goes back");
}

static u64 below(u64 limit)
{
	return limit ? ((u64)random() << 31 ^ random()) % (limit + 1) : 0;
}

/* What could be: each event is at most what it is a part of. */
static struct td_sample likely(void)
{
	struct td_sample sample = { .enabled = 1, .running = 1, .known = TD_LEVEL3 };
	u64 *count = sample.count;
	const u64 cycles = 1 + below(1ULL << random() % 40), slots = 6 * cycles;

	count[TD_CYCLES] = cycles;
	count[TD_INSTRUCTIONS] = below(slots);
	count[TD_INST_SPEC_RECOVERY] =
		count[TD_INSTRUCTIONS] + below(slots - count[TD_INSTRUCTIONS]);
	count[TD_FRONT_BUBBLE] = below(slots - count[TD_INST_SPEC_RECOVERY]);
	count[TD_FETCH_LATENCY_BOUND] = below(count[TD_FRONT_BUBBLE] / 6);
	count[TD_BR_MIS_PRED] = below(cycles);
	count[TD_TOTAL_FLUSH] = below(cycles);
	count[TD_EXEC_STALL_CYCLE] = below(cycles);
	count[TD_MEMSTALL_ANY_LOAD] = below(count[TD_EXEC_STALL_CYCLE]);
	count[TD_MEMSTALL_STORE] = below(count[TD_EXEC_STALL_CYCLE] - count[TD_MEMSTALL_ANY_LOAD]);
	count[TD_MEMSTALL_L1MISS] = below(count[TD_MEMSTALL_ANY_LOAD]);
	count[TD_MEMSTALL_L2MISS] = below(count[TD_MEMSTALL_L1MISS]);
	count[TD_MEMSTALL_L3MISS] = below(count[TD_MEMSTALL_L2MISS]);
	return sample;
}

static void test_sums(void)
{
	unsigned int wrong = 0;

	for (unsigned int n = 0; n < 100000; n++) {
		const struct td_sample sample = likely();
		double s[TD_PARTS];

		wrong += td_shares(&sample, s) != TD_RIGHT;
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
	check(!wrong, "topdown: parts make the whole, level 1 makes 100 %%");
}

/* ---- perf's metrics ---- */

static double max(double a, double b)
{
	return a > b ? a : b;
}

/* As perf has it. */
static double d_ratio(double a, double b)
{
	return b ? a / b : 0;
}

static bool agrees(const char *metric, double value, const double *share)
{
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (strcmp(td_parts[i].name, metric + strlen("td_")))
			continue;
		if (!near(share[i], value))
			printf("# %s: perf has %f, sbi-topdown %f\n", metric, value, share[i]);
		return near(share[i], value);
	}
	printf("# sbi-topdown has no %s\n", metric);
	return false;
}

/* Return: how many metrics agree. */
static unsigned int metrics_agree(const struct td_sample *sample)
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
	double share[TD_PARTS];
	unsigned int n = 0;

	td_shares(sample, share);
#define METRIC(name, expression)			\
	const double name = expression;			\
	n += agrees(#name, name, share)
#include "metrics.inc"
	return n;
}

static void test_metrics(void)
{
	unsigned int wrong = 0;

	for (unsigned int n = 0; n < 20000; n++) {
		struct td_sample sample = likely();

		/* And what cannot be, but was counted. */
		if (n % 2)
			for (unsigned int i = 1; i < TD_EVENTS; i++)
				sample.count[i] = below(sample.count[TD_CYCLES]);
		wrong += metrics_agree(&sample) != TD_PARTS;
		if (wrong)
			break;
	}
	check(!wrong, "topdown: perf's metrics are the same");
}

void test_topdown(void)
{
	srandom(6);
	test_plain();
	test_negative();
	test_extremes();
	test_displaced();
	test_since();
	test_sums();
	test_metrics();
}
