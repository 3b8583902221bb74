// SPDX-License-Identifier: GPL-2.0-only
/*
 * report - from counts to shares by the formulas of metrics.tsv, and their output: bars for a
 * terminal, text for a pipe or a file, CSV for programs.
 *
 * A cycle has a number of slots, each for one micro-op from decode on. Level 1 divides the slots.
 * Most events of levels 2 and 3 count cycles, not slots: such a part may be larger than the part
 * it belongs to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topdown.h"

#define X(name, level) #name,
const char * const td_events[TD_EVENTS] = { TD_EVENT_LIST(X) };
#undef X

#define X(name, level) level,
static const unsigned int event_levels[TD_EVENTS] = { TD_EVENT_LIST(X) };
#undef X

#define X(name, level, formula, text) { #name, text, level },
static const struct {
	const char *name, *text;
	unsigned int level;
} metrics[TD_PARTS] = { TD_METRIC_LIST(X) };
#undef X

/* Each before the parts that it consists of */
static const struct {
	enum td_metric metric;
	const char *label;   /* for people */
	enum td_event event; /* that causes it: sampled to find the code it comes from */
} parts[TD_PARTS] = {
	{ ME_td_retiring, "Retiring", EV_instructions },
	{ ME_td_frontend_bound, "Frontend bound", EV_front_bubble },
	{ ME_td_fetch_latency, "Fetch latency", EV_fetch_latency_bound },
	{ ME_td_fetch_bandwidth, "Fetch bandwidth", EV_front_bubble },
	{ ME_td_bad_speculation, "Bad speculation", EV_inst_spec_recovery },
	{ ME_td_branch_mispredicts, "Branch mispredicts", EV_br_mis_pred },
	{ ME_td_machine_clears, "Machine clears", EV_total_flush },
	{ ME_td_backend_bound, "Backend bound", EV_exec_stall_cycle },
	{ ME_td_memory_bound, "Memory bound", EV_memstall_any_load },
	{ ME_td_l1_bound, "L1", EV_memstall_any_load },
	{ ME_td_l2_bound, "L2", EV_memstall_l1miss },
	{ ME_td_l3_bound, "L3", EV_memstall_l2miss },
	{ ME_td_mem_bound, "DRAM", EV_memstall_l3miss },
	{ ME_td_store_bound, "Stores", EV_memstall_store },
	{ ME_td_core_bound, "Core bound", EV_exec_stall_cycle },
};

static unsigned int level_of(unsigned int part)
{
	return metrics[parts[part].metric].level;
}

/* How many events a level needs, from the first on */
unsigned int td_events_of_level(unsigned int level)
{
	unsigned int n = 0;

	while (n < TD_EVENTS && event_levels[n] <= level)
		n++;
	return n;
}

/* Can the part be computed from so many events? Of level 3 all but DRAM need no memstall_l3miss. */
static bool has_part(unsigned int part, unsigned int n_events)
{
	const bool spare = level_of(part) == 3 && parts[part].metric != ME_td_mem_bound;

	return n_events + spare >= td_events_of_level(level_of(part));
}

/* ---- shares ---- */

static double running_share(const struct td_sample *sample)
{
	return sample->enabled ? (double)sample->running / sample->enabled : 0;
}

/* Functions in the formulas */
#define max(a, b)	fmax(a, b)
#define d_ratio(a, b)	((b) ? (a) / (b) : 0)

/* All metrics; the events and the metrics before it are variables of each formula. */
static void compute(const struct td_sample *sample, double value[TD_PARTS])
{
	const double slots = sample->slots;

#define X(name, level) const double name = sample->count[EV_##name];
	TD_EVENT_LIST(X)
#undef X
#define X(name, level, formula, text) \
	__attribute__((unused)) const double name = value[ME_##name] = formula;
	TD_METRIC_LIST(X)
#undef X
}

/*
 * Compute the share of each part, from 0 on; 1 is all slots or cycles. Those that need events that
 * were not counted are NAN, all if there is no result. Return: NULL, or why there is no result.
 */
static const char *compute_shares(const struct td_sample *sample, double share[TD_PARTS])
{
	static char reason[80];
	double value[TD_PARTS];

	for (unsigned int i = 0; i < TD_PARTS; i++)
		share[i] = NAN;
	/* Allow 1 %: on enabling, both times do not begin at exactly the same moment. */
	if (sample->enabled && running_share(sample) < 0.99) {
		snprintf(reason, sizeof(reason),
			 "other events had the counters for %.1f %% of the time",
			 100 * (1 - running_share(sample)));
		return reason;
	}
	if (!sample->count[EV_cycles])
		return "nothing ran";
	compute(sample, value);
	for (unsigned int i = 0; i < TD_PARTS; i++)
		if (has_part(i, sample->n_events))
			share[i] = value[parts[i].metric];
	return NULL;
}

/* Find the largest of the parts that @whole consists of (TD_PARTS: of level 1); TD_PARTS: none. */
static unsigned int largest_part(const double share[TD_PARTS], unsigned int whole)
{
	const unsigned int level = whole == TD_PARTS ? 1 : level_of(whole) + 1;
	unsigned int found = TD_PARTS;

	for (unsigned int i = whole == TD_PARTS ? 0 : whole + 1;
	     i < TD_PARTS && level_of(i) >= level; i++)
		if (level_of(i) == level && share[i] > 0 &&
		    (found == TD_PARTS || share[i] > share[found]))
			found = i;
	return found;
}

/*
 * Find what to sample in a second run: the largest part, of it the largest part, and so on.
 * The period is for 1000 samples a second, 100 to 5000 in all; perf's own choice, a rate, begins
 * with a very short period and is no share of the events.
 * Return: false if there is no event to sample.
 */
bool td_find_bottleneck(const struct td_report *report, struct td_profile *profile)
{
	const double samples = fmin(fmax(report->seconds * 1000, 100), 5000);
	const uint64_t *count = report->sample.count;
	unsigned int part = TD_PARTS, next;
	double share[TD_PARTS];

	compute_shares(&report->sample, share);
	while ((next = largest_part(share, part)) != TD_PARTS)
		part = next;
	if (part == TD_PARTS)
		return false;
	profile->label = parts[part].label;
	profile->event = parts[part].event;
	if (parts[part].metric == ME_td_memory_bound &&
	    count[EV_memstall_store] > count[EV_memstall_any_load])
		profile->event = EV_memstall_store;
	profile->period = count[profile->event] > samples ? count[profile->event] / samples : 1;
	return count[profile->event];
}

/* ---- for people ---- */

static const char *label_of(unsigned int part, const struct td_sample *sample)
{
	if (parts[part].metric == ME_td_l3_bound && sample->n_events <= EV_memstall_l3miss)
		return "L3 or DRAM";
	return parts[part].label;
}

static void print_bar(FILE *out, const struct td_style *style, double share, unsigned int cells)
{
	const unsigned int full = lround(fmin(share, 1) * cells);

	for (unsigned int i = 0; i < cells; i++)
		fputs(i < full ? (style->utf8 ? "█" : "#") : (style->utf8 ? "·" : "."), out);
}

/* A row is the label, the share, and on a terminal that has space a bar, else the meaning. */
enum { LABEL = 23, BEFORE_BAR = LABEL + 8 + 2, MAX_BAR = 64 };

static void print_row(FILE *out, const struct td_sample *sample, const struct td_style *style,
		      unsigned int part, double share)
{
	const int indent = 3 * level_of(part) - 3, cells = style->width - BEFORE_BAR - 1;

	fprintf(out, "%*s%-*s%6.1f %%  ", indent, "", LABEL - indent, label_of(part, sample),
		100 * share);
	if (cells > 0)
		print_bar(out, style, share, cells > MAX_BAR ? MAX_BAR : cells);
	else if (!style->width)
		fputs(metrics[parts[part].metric].text, out);
	fputc('\n', out);
}

/* Print a measurement or an interval. Return: whether there are shares. */
bool td_show_summary(FILE *out, const struct td_report *report, const struct td_style *style)
{
	const struct td_sample *sample = &report->sample;
	const double cycles = sample->count[EV_cycles];
	double share[TD_PARTS];
	const char *reason = compute_shares(sample, share);

	fprintf(out, "\nTop-down of %s", report->what);
	if (reason) {
		fprintf(out, ": no numbers, %s\n", reason);
		return false;
	}
	fprintf(out, ", %s%.*f s, IPC %.2f, %.2f GHz%s\n\n", report->summary ? "" : "at ",
		report->seconds < 10 ? 2 : 0, report->seconds,
		sample->count[EV_instructions] / cycles,
		sample->running ? cycles / sample->running : 0,
		report->user_only ? ", user mode only" : "");
	for (unsigned int i = 0; i < TD_PARTS; i++)
		if (!isnan(share[i]))
			print_row(out, sample, style, i, share[i]);
	/* What to look at first */
	fputs("\nLook at:", out);
	for (unsigned int i = TD_PARTS; (i = largest_part(share, i)) != TD_PARTS;)
		fprintf(out, "%s %s", level_of(i) > 1 ? " >" : "", label_of(i, sample));
	fputc('\n', out);
	if (report->user_only)
		fputs("Note: user mode only; to count the kernel, too, run as root.\n", out);
	if (sample->n_events == EV_memstall_l3miss)
		fprintf(out, "Note: no counter was left for %s: L3 and DRAM are shown as one.\n",
			td_events[EV_memstall_l3miss]);
	return true;
}

/* ---- for programs ---- */

/* The columns are the same at each level. Names are those of perf's metrics without "td_". */
void td_show_csv_head(FILE *out)
{
	fputs("seconds,summary,running", out);
	for (unsigned int i = 0; i < TD_PARTS; i++)
		fprintf(out, ",%s", metrics[parts[i].metric].name + 3);
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		fprintf(out, ",%s", td_events[i]);
	fputc('\n', out);
}

/* Columns without a value are empty. Return: whether there are shares. */
bool td_show_csv(FILE *out, const struct td_report *report)
{
	const struct td_sample *sample = &report->sample;
	double share[TD_PARTS];
	const char *reason = compute_shares(sample, share);

	fprintf(out, "%.6f,%d,%.4f", report->seconds, report->summary, running_share(sample));
	for (unsigned int i = 0; i < TD_PARTS; i++)
		if (isnan(share[i]))
			fputc(',', out);
		else
			fprintf(out, ",%.6f", share[i]);
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		if (reason || i >= sample->n_events)
			fputc(',', out);
		else
			fprintf(out, ",%llu", (unsigned long long)sample->count[i]);
	fputc('\n', out);
	return !reason;
}

/* ---- functions ---- */

/*
 * Print a line such as "52.56%<tab>246<tab>[.] heavy<tab>hotspot", if there is an @out.
 * Return: its samples, 0 if it is another line.
 */
static unsigned long long print_function(FILE *out, char *line)
{
	char *rest, *end, *samples, *name, *object;
	const double share = strtod(line, &end);
	unsigned long long n;

	if (end == line || *end != '%')
		return 0;
	/* Symbols may have control characters. */
	for (char *c = end; *c; c++)
		if (((unsigned char)*c < ' ' && !strchr("\t\n", *c)) || *c == 0x7f)
			*c = '?';
	strtok_r(end, "\t\n", &rest);
	samples = strtok_r(NULL, "\t\n", &rest);
	name = strtok_r(NULL, "\t\n", &rest);
	object = strtok_r(NULL, "\t\n", &rest);
	n = object ? strtoull(samples, NULL, 10) : 0;
	if (!n || !out)
		return n;
	name += strspn(name, " ");
	/* "[.]" is user mode, "[k]" the kernel, which @object says, too. */
	if (name[0] == '[' && name[1] && name[2] == ']' && name[3])
		name += 4;
	object += strspn(object, " ");
	fprintf(out, "%6.1f %% %8llu  %-32s  %.*s\n", share, n, name, (int)strcspn(object, " "),
		object);
	return n;
}

/* Functions that are printed */
#define FUNCTIONS	12

/* Print the first functions in perf report's output. Return: whether there are any. */
bool td_show_functions(FILE *out, FILE *perf_report, const struct td_profile *profile)
{
	unsigned long long n, samples = 0;
	char *line = NULL, *text = NULL;
	unsigned int functions = 0;
	size_t size = 0, length;
	FILE *list = open_memstream(&text, &length);

	while (list && getline(&line, &size, perf_report) > 0) {
		n = print_function(functions < FUNCTIONS ? list : NULL, line);
		samples += n;
		functions += !!n;
	}
	if (list)
		fclose(list);
	if (functions)
		fprintf(out, "\n%s: functions by %s, %llu samples of %llu\n\n%s", profile->label,
			td_events[profile->event], samples, profile->period, text);
	if (functions > FUNCTIONS)
		fprintf(out, "  and %u more\n", functions - FUNCTIONS);
	free(text);
	free(line);
	return functions;
}
