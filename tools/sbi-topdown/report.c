// SPDX-License-Identifier: GPL-2.0-only
/*
 * report - from counts to shares by the formulas of metrics.tsv, and their output: bars for a
 * terminal, text for a pipe or a file, CSV for programs. Most events of levels 2 and 3 count
 * cycles, not slots: such a part may be larger than the part it belongs to.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topdown.h"

/* Functions in the formulas */
#define max(a, b)	fmax(a, b)
#define min(a, b)	fmin(a, b)
#define d_ratio(a, b)	((b) ? (a) / (b) : 0)

/* The events, and the metrics before it, are variables of each formula. */
#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))
#define EVENT(name, level)	{ #name, level },
#define COUNT(name, level)	const double name = *count++;
#define METRIC(name, level, formula, text, label, a, b)	{ #name, text, label, level, { a, b } },
#define VALUE(name, level, formula, text, label, a, b)	\
	__attribute__((unused)) const double name = *value++ = formula;
#define MODEL(m, spare, cores) \
static const struct td_event events_##m[] = { TD_EVENTS_##m(EVENT) }; \
static const struct td_metric metrics_##m[] = { TD_METRICS_##m(METRIC) }; \
static void compute_##m(const uint64_t *count, double slots, double *value) \
{ \
	TD_EVENTS_##m(COUNT) \
	TD_METRICS_##m(VALUE) \
} \
static_assert(LENGTH(events_##m) < TD_EVENTS && LENGTH(metrics_##m) < TD_PARTS, "model " #m);
TD_MODELS(MODEL)

#define ENTRY(m, spare, cores)	\
	{ events_##m, metrics_##m, LENGTH(events_##m), LENGTH(metrics_##m), spare, cores, \
	  compute_##m },
static const struct td_model models[] = { TD_MODELS(ENTRY) };

/* The analysis of a core with this event table; that of all others is the last */
const struct td_model *td_model_of(const char *table)
{
	const struct td_model *model = models;
	char word[260];

	snprintf(word, sizeof(word), " %s ", table);
	while (strcmp(model->cores, " * ") && !strstr(model->cores, word))
		model++;
	return model;
}

/* How many events a level needs, from the first on */
unsigned int td_events_of_level(const struct td_model *model, unsigned int level)
{
	unsigned int n = 0;

	while (n < model->n_events && model->events[n].level <= level)
		n++;
	return n;
}

/* Can the part be computed from the events that were counted? */
static bool has_part(const struct td_sample *sample, unsigned int part)
{
	const struct td_metric *metric = &sample->model->metrics[part];
	const bool spare = metric->level == 3 && metric->event[0] != sample->model->spare;

	return sample->n_events + spare >= td_events_of_level(sample->model, metric->level);
}

/* ---- shares ---- */

static double running_share(const struct td_sample *sample)
{
	return sample->enabled ? (double)sample->running / sample->enabled : 0;
}

/*
 * Compute the share of each part, from 0 on; 1 is all slots or cycles. A share is NAN if its events
 * were not counted; without a result all are NAN. Return: NULL, or why there is no result.
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
	if (!sample->count[EV_CYCLES])
		return "nothing ran";
	sample->model->compute(sample->count, sample->slots, value);
	for (unsigned int i = 0; i < sample->model->n_metrics; i++)
		if (has_part(sample, i))
			share[i] = value[i];
	return NULL;
}

/* Find the largest of the parts that @whole consists of (TD_PARTS: of level 1); TD_PARTS: none. */
static unsigned int largest_part(const struct td_model *model, const double share[TD_PARTS],
				 unsigned int whole)
{
	const struct td_metric *metric = model->metrics;
	const unsigned int level = whole == TD_PARTS ? 1 : metric[whole].level + 1;
	unsigned int found = TD_PARTS;

	for (unsigned int i = whole == TD_PARTS ? 0 : whole + 1;
	     i < model->n_metrics && metric[i].level >= level; i++)
		if (metric[i].level == level && share[i] > 0 &&
		    (found == TD_PARTS || share[i] > share[found]))
			found = i;
	return found;
}

/*
 * Find what to sample in a second run: the largest part, its largest sub-part, and so on. A
 * thousand times a second, with a fixed period: periods differ with perf -F.
 * Return: whether there is an event.
 */
bool td_find_bottleneck(const struct td_report *report, struct td_profile *profile)
{
	const double samples = fmin(fmax(report->seconds * 1000, 100), 5000);
	const uint64_t *count = report->sample.count;
	const struct td_metric *metric = report->sample.model->metrics;
	unsigned int part = TD_PARTS, next;
	double share[TD_PARTS];

	compute_shares(&report->sample, share);
	while ((next = largest_part(report->sample.model, share, part)) != TD_PARTS)
		part = next;
	if (part == TD_PARTS)
		return false;
	metric += part;
	profile->label = metric->label;
	profile->event = metric->event[count[metric->event[1]] > count[metric->event[0]]];
	profile->period = count[profile->event] > samples ? count[profile->event] / samples : 1;
	return count[profile->event];
}

/* ---- for people ---- */

static const char *label_of(unsigned int part, const struct td_sample *sample)
{
	const struct td_model *model = sample->model;

	/* Without the event of the next part, this one has both. */
	if (sample->n_events == model->spare && part + 1 < model->n_metrics &&
	    model->metrics[part + 1].event[0] == model->spare)
		return "L3 or DRAM";
	return model->metrics[part].label;
}

static void print_bar(FILE *out, const struct td_style *style, double share, unsigned int cells)
{
	const unsigned int full = lround(fmin(share, 1) * cells);

	for (unsigned int i = 0; i < cells; i++)
		fputs(i < full ? (style->utf8 ? "█" : "#") : (style->utf8 ? "·" : "."), out);
}

/* A row: label and share, then a bar on a wide terminal, the meaning if this is no terminal */
enum { LABEL = 23, BEFORE_BAR = LABEL + 8 + 2, MAX_BAR = 64 };

static void print_row(FILE *out, const struct td_sample *sample, const struct td_style *style,
		      unsigned int part, double share)
{
	const struct td_metric *metric = &sample->model->metrics[part];
	const int indent = 3 * metric->level - 3, cells = style->width - BEFORE_BAR - 1;

	fprintf(out, "%*s%-*s%6.1f %%  ", indent, "", LABEL - indent, label_of(part, sample),
		100 * share);
	if (cells > 0)
		print_bar(out, style, share, cells > MAX_BAR ? MAX_BAR : cells);
	else if (!style->width)
		fputs(metric->text, out);
	fputc('\n', out);
}

/* Print a measurement or an interval. Return: whether there are shares. */
bool td_show_summary(FILE *out, const struct td_report *report, const struct td_style *style)
{
	const struct td_sample *sample = &report->sample;
	const struct td_model *model = sample->model;
	const double cycles = sample->count[EV_CYCLES];
	double share[TD_PARTS];
	const char *reason = compute_shares(sample, share);

	fprintf(out, "\nTop-down of %s", report->what);
	if (reason) {
		fprintf(out, ": no numbers, %s\n", reason);
		return false;
	}
	fprintf(out, ", %s%.*f s, IPC %.2f, %.2f GHz, table %s%s\n\n", report->summary ? "" : "at ",
		report->seconds < 10 ? 2 : 0, report->seconds, sample->count[EV_RETIRED] / cycles,
		sample->running ? cycles / sample->running : 0, report->table,
		report->user_only ? ", user mode only" : "");
	for (unsigned int i = 0; i < model->n_metrics; i++)
		if (!isnan(share[i]))
			print_row(out, sample, style, i, share[i]);
	/* What to look at first */
	fputs("\nLook at:", out);
	for (unsigned int i = TD_PARTS; (i = largest_part(model, share, i)) != TD_PARTS;)
		fprintf(out, "%s %s", model->metrics[i].level > 1 ? " >" : "", label_of(i, sample));
	fputc('\n', out);
	if (report->user_only)
		fputs("Note: user mode only; to count the kernel, too, run as root.\n", out);
	if (sample->n_events == model->spare)
		fprintf(out, "Note: no counter was left for %s: L3 and DRAM are shown as one.\n",
			model->events[model->spare].name);
	return true;
}

/* ---- for programs ---- */

/* The columns are the same at each level. Names are those of perf's metrics without "td_". */
void td_show_csv_head(FILE *out, const struct td_model *model)
{
	fputs("seconds,summary,running", out);
	for (unsigned int i = 0; i < model->n_metrics; i++)
		fprintf(out, ",%s", model->metrics[i].name + 3);
	for (unsigned int i = 0; i < model->n_events; i++)
		fprintf(out, ",%s", model->events[i].name);
	fputc('\n', out);
}

/* Columns without a value are empty. Return: whether there are shares. */
bool td_show_csv(FILE *out, const struct td_report *report)
{
	const struct td_sample *sample = &report->sample;
	double share[TD_PARTS];
	const char *reason = compute_shares(sample, share);

	fprintf(out, "%.6f,%d,%.4f", report->seconds, report->summary, running_share(sample));
	for (unsigned int i = 0; i < sample->model->n_metrics; i++)
		if (isnan(share[i]))
			fputc(',', out);
		else
			fprintf(out, ",%.6f", share[i]);
	for (unsigned int i = 0; i < sample->model->n_events; i++)
		if (reason || i >= sample->n_events)
			fputc(',', out);
		else
			fprintf(out, ",%llu", (unsigned long long)sample->count[i]);
	fputc('\n', out);
	return !reason;
}
