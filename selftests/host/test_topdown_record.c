// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topdown_record: which event sbi-topdown --record samples, what it calls perf with, and
 * how it reads and shows perf's report.
 */
#include <math.h>
#include <stdlib.h>

#include "../../tools/sbi-topdown/record.h"
#include "../../tools/sbi-topdown/show.h"
#include "test.h"

/* ---- what is sampled ---- */

static void test_bottleneck(void)
{
	double share[TD_PARTS] = {
		[TD_RETIRING] = .2, [TD_FRONTEND_BOUND] = .3, [TD_FETCH_LATENCY] = .1,
		[TD_FETCH_BANDWIDTH] = .2, [TD_BAD_SPECULATION] = .1, [TD_BACKEND_BOUND] = .4,
		[TD_MEMORY_BOUND] = .5, [TD_L2_BOUND] = .2, [TD_MEM_BOUND] = .3,
		[TD_CORE_BOUND] = .1,
	};

	check(td_bottleneck(share) == TD_MEM_BOUND, "topdown_record.bottleneck_of_three_levels");
	for (unsigned int i = TD_L1_BOUND; i <= TD_STORE_BOUND; i++)
		share[i] = NAN;
	check(td_bottleneck(share) == TD_MEMORY_BOUND, "topdown_record.bottleneck_of_two_levels");
	share[TD_FRONTEND_BOUND] = .5;
	check(td_bottleneck(share) == TD_FETCH_BANDWIDTH,
	      "topdown_record.bottleneck_follows_largest_part");
	share[TD_RETIRING] = .9;
	check(td_bottleneck(share) == TD_RETIRING, "topdown_record.bottleneck_may_be_retiring");
	for (unsigned int i = 0; i < TD_PARTS; i++)
		share[i] = NAN;
	check(td_bottleneck(share) == TD_PARTS, "topdown_record.no_bottleneck_without_shares");
}

/* Each part has an event that the level of the part counts, so that a period can be chosen. */
static void test_events(void)
{
	struct td_sample sample = { .count[TD_MEMSTALL_STORE] = 1 };
	static const unsigned int counted[] = { 0, TD_LEVEL1, TD_LEVEL2, TD_LEVEL3 };
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < TD_PARTS; i++) {
		const enum td_event event = td_event_of_part(i, &sample);
		/* --record is refused at level 1. */
		const unsigned int level = td_parts[i].level < 2 ? 2 : td_parts[i].level;

		if (event == TD_CYCLES || event >= counted[level]) {
			note("%s: %s", td_parts[i].name, td_events[event]);
			wrong++;
		}
	}
	check(!wrong, "topdown_record.each_part_has_a_counted_event");
	check(td_event_of_part(TD_MEMORY_BOUND, &sample) == TD_MEMSTALL_STORE,
	      "topdown_record.more_stores_sample_stores");
	sample.count[TD_MEMSTALL_ANY_LOAD] = 2;
	check(td_event_of_part(TD_MEMORY_BOUND, &sample) == TD_MEMSTALL_ANY_LOAD,
	      "topdown_record.more_loads_sample_loads");
}

static void test_periods(void)
{
	static const struct { u64 count; double seconds; u64 period; } rows[] = {
		{ 0, 1, 0 }, { 1, 1, 1 }, { 99, 0, 1 }, { 100, 0, 1 }, { 200, 0, 2 },
		{ 1000000, .1, 10000 }, { 1000000, 1, 1000 }, { 1000000, 3, 333 },
		{ 1000000, 1000, 200 }, { ~0ULL, 5, ~0ULL / 5000 },
	};
	struct td_sample sample = { .n_events = TD_LEVEL2 };
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		u64 period;

		sample.count[TD_BR_MIS_PRED] = rows[i].count;
		period = td_choose_period(&sample, TD_BR_MIS_PRED, rows[i].seconds);
		/* Computed in floating point. */
		if (fabs((double)period - rows[i].period) > rows[i].period / 1e9) {
			note("%llu in %g s: %llu", (unsigned long long)rows[i].count,
			     rows[i].seconds, (unsigned long long)period);
			wrong++;
		}
	}
	check(!wrong, "topdown_record.period_from_count_and_time");
	sample.n_events = TD_LEVEL1;
	check(!td_choose_period(&sample, TD_BR_MIS_PRED, 1),
	      "topdown_record.no_period_for_event_not_counted");
}

/* ---- perf ---- */

static bool arguments_are(const struct td_arguments *arguments, const char * const *expected)
{
	unsigned int i;

	for (i = 0; i < arguments->n && expected[i]; i++)
		if (strcmp(arguments->argv[i], expected[i])) {
			note("argument %u is '%s', not '%s'", i, arguments->argv[i], expected[i]);
			return false;
		}
	return i == arguments->n && !expected[i] && !arguments->argv[i];
}

static void test_arguments(void)
{
	static const char * const plain[] = {
		"perf", "record", "-q", "-g", "-o", "a file", "-c", "4000", "-e",
		"cpu/br_mis_pred/u", "--", "./a.out", "-p", "x y", NULL
	};
	static const char * const pids[] = {
		"perf", "record", "-q", "-g", "-o", "a file", "-c", "4000", "-e",
		"cpu/br_mis_pred/u", "-p", "12,345", "--", "./a.out", "-p", "x y", NULL
	};
	static const char * const cpus[] = {
		"perf", "record", "-q", "-g", "-o", "a file", "-c", "4000", "-e",
		"cpu/br_mis_pred/u", "-a", "--", "./a.out", "-p", "x y", NULL
	};
	char *command[4] = { "./a.out", "-p", "x y", NULL };
	struct options options = { .command = command };
	struct td_profile profile = { .period = 4000, .file = "a file" };
	struct td_arguments arguments;
	bool last;

	check(td_record_arguments(&arguments, &options, &profile, "cpu/br_mis_pred/u") &&
	      arguments_are(&arguments, plain), "topdown_record.arguments_for_command");
	td_free_arguments(&arguments);
	options.all_cpus = true;
	check(td_record_arguments(&arguments, &options, &profile, "cpu/br_mis_pred/u") &&
	      arguments_are(&arguments, cpus), "topdown_record.arguments_for_all_cpus");
	td_free_arguments(&arguments);
	options.all_cpus = false;
	options.pids[0] = 12;
	options.pids[1] = 345;
	options.n_pids = 2;
	check(td_record_arguments(&arguments, &options, &profile, "cpu/br_mis_pred/u") &&
	      arguments_are(&arguments, pids), "topdown_record.arguments_for_processes");
	td_free_arguments(&arguments);
	for (unsigned int i = 0; i < MAX_PIDS; i++)
		options.pids[i] = 1 << 30;
	options.n_pids = MAX_PIDS;
	last = td_record_arguments(&arguments, &options, &profile, "x") &&
	       strlen(arguments.pids) == 11 * MAX_PIDS - 1;
	check(last, "topdown_record.arguments_have_all_processes");
	td_free_arguments(&arguments);
	check(td_report_arguments(&arguments, &profile) &&
	      !strcmp(arguments.argv[arguments.n - 1], "a file") && !arguments.argv[arguments.n],
	      "topdown_record.report_reads_the_file");
	td_free_arguments(&arguments);
}

static const char report[] =
	"# Overhead  Samples  Symbol  Shared Object\n\n"
	" 52.56% \t 246  \t[.] blocked  \tmatmul  \t\n"
	"47.01%\t         220\t[.] matrix::operator()(int, int)\tlibmatrix.so.1\n"
	"no line of a function\n"
	"0.40%\tx\t[.] no_number_of_samples\tmatmul\n"
	"0.40%\t2\t[k] handle_\033page_fault\t[kernel.kallsyms]\n"
	"0.03%\t1\t[.] 0x000000000001f2c4\n";

static struct td_profile read_report(const char *text)
{
	struct td_profile profile = {
		.part = TD_MEMORY_BOUND, .event = TD_MEMSTALL_ANY_LOAD, .period = 4000,
		.file = "perf.data",
	};
	FILE *file = fmemopen((char *)text, strlen(text), "r");

	td_read_functions(&profile, file);
	fclose(file);
	return profile;
}

static void test_report(void)
{
	const struct td_profile profile = read_report(report), none = read_report("\n");
	const struct td_function *f = profile.function;

	for (unsigned int i = 0; i < profile.n_functions; i++)
		note("%s in %s: %f, %llu", f[i].name, f[i].object, f[i].share, f[i].samples);
	check(profile.n_functions == 3 && profile.samples == 468,
	      "topdown_record.report_has_three_functions");
	check(!strcmp(f[0].name, "blocked") && !strcmp(f[0].object, "matmul") &&
	      f[0].samples == 246 && fabs(f[0].share - .5256) < 1e-9 &&
	      !strcmp(f[1].name, "matrix::operator()(int, int)") &&
	      !strcmp(f[1].object, "libmatrix.so.1"), "topdown_record.report_of_user_mode");
	check(!strcmp(f[2].name, "handle_?page_fault") &&
	      !strcmp(f[2].object, "[kernel.kallsyms]"), "topdown_record.report_of_kernel");
	check(!none.n_functions && !none.samples, "topdown_record.report_without_functions");
}

/* ---- output ---- */

static char text[65536];

static void show(const struct td_profile *profile, const struct td_style *style)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	td_show_functions(out, profile, style);
	fclose(out);
}

static void test_show(void)
{
	struct td_profile profile = read_report(report);
	struct td_style style = { .width = 80, .rows = 24 };
	unsigned int width, widest = 0;

	show(&profile, NULL);
	check(strstr(text, "Memory bound: functions by memstall_any_load, 468 samples of 4000") &&
	      strstr(text, "  52.6 %      246  blocked ") &&
	      strstr(text, "  [kernel.kallsyms]\n") && strstr(text, "perf report -i perf.data") &&
	      !strstr(text, " more\n"), "topdown_record.text_has_all_functions");
	show(&profile, &style);
	note("%s", text);
	check(strstr(text, "  blocked                           52.6 %  ####"),
	      "topdown_record.bars_on_a_terminal");
	for (style.width = 20; style.width < 200; style.width += 7) {
		show(&profile, &style);
		for (const char *line = text; *line; line += width + !!line[width]) {
			width = strcspn(line, "\n");
			if (width > style.width && strchr("#.", line[width - 1]))
				widest = width;
		}
	}
	check(!widest, "topdown_record.bars_fit_terminal");
	profile.n_functions = TD_FUNCTIONS + 5;
	show(&profile, NULL);
	check(strstr(text, "  and 5 more\n"), "topdown_record.text_counts_the_rest");
}

void test_topdown_record(void)
{
	test_bottleneck();
	test_events();
	test_periods();
	test_arguments();
	test_report();
	test_show();
}
