// SPDX-License-Identifier: GPL-2.0-only
/* show - print bars to a terminal, text to a pipe or a file, CSV and JSON for programs. */
#include <math.h>

#include "show.h"

#define RESET	"\033[0m"
#define BOLD	"\033[1m"
#define DIM	"\033[2m"

/* How a part of level 1 and the parts below it look: in colour, in Unicode, in ASCII. */
struct look {
	const char *colour;
	const char *shade;
	const char *letter;
};

static const struct look looks[] = {
	{ "\033[32m", "█", "R" }, /* retiring: green */
	{ "\033[33m", "▓", "F" }, /* frontend: yellow */
	{ "\033[31m", "▒", "S" }, /* bad speculation: red */
	{ "\033[94m", "░", "B" }, /* backend: bright blue */
};

static const struct look *look_of(unsigned int part)
{
	unsigned int n = 0;

	for (unsigned int i = 1; i <= part; i++)
		n += td_parts[i].level == 1;
	return &looks[n];
}

static const char *label_of(unsigned int part, const struct td_report *report)
{
	if (part == TD_L3_BOUND && report->sample.n_events <= TD_MEMSTALL_L3MISS)
		return "L3 or DRAM";
	return td_parts[part].label;
}

/* Return: an escape sequence for a terminal with colours, else nothing. */
static const char *sgr(const struct td_style *style, const char *code)
{
	return style->colour ? code : "";
}

/* Print why there are no shares. */
static void print_reason(FILE *out, enum td_validity validity, const struct td_sample *sample)
{
	if (validity == TD_NO_CYCLES)
		fprintf(out, "nothing ran");
	else
		fprintf(out, "other events had the counters for %.1f %% of the time",
			100 * (1 - td_running_share(sample)));
}

/* Divide; 0 if @b is 0. */
static double quotient(double a, uint64_t b)
{
	return b ? a / b : 0;
}

/* Write a title such as "all 4 CPUs, 12 s, IPC 1.23, 2.10 GHz". */
static int format_title(char *line, size_t size, const struct td_report *report)
{
	const uint64_t *count = report->sample.count;

	return snprintf(line, size, "%s, %.*f s, IPC %.2f, %.2f GHz%s", report->what,
			report->seconds < 10 ? 2 : 0, report->seconds,
			quotient(count[TD_INSTRUCTIONS], count[TD_CYCLES]),
			quotient(count[TD_CYCLES], report->sample.running),
			report->user_only ? ", user mode only" : "");
}

/* ---- terminal ---- */

static void repeat(FILE *out, const char *text, unsigned int n)
{
	while (n--)
		fputs(text, out);
}

/* Where a share ends on a bar of @cells: at its end if the share is above 1. */
static unsigned int bar_end(double share, unsigned int cells)
{
	return lround(fmin(share, 1) * cells);
}

/* Print the parts of level 1 as one bar. */
static void print_stack(FILE *out, const struct td_style *style, const double *share,
			unsigned int cells)
{
	unsigned int at = 0;
	double sum = 0;

	for (unsigned int i = 0; i < TD_PARTS; i++) {
		const struct look *look = look_of(i);
		unsigned int end;

		if (td_parts[i].level != 1)
			continue;
		sum += share[i];
		end = bar_end(sum, cells);
		fputs(sgr(style, look->colour), out);
		repeat(out,
		       !style->utf8  ? look->letter :
		       style->colour ? "█" :
				       look->shade,
		       end - at);
		fputs(sgr(style, RESET), out);
		at = end;
	}
}

static void print_bar(FILE *out, const struct td_style *style, unsigned int part, double share,
		      unsigned int cells)
{
	static const char * const eighths[] = {
		"", "▏", "▎", "▍", "▌", "▋", "▊", "▉",
	};
	const unsigned int end = bar_end(share, cells * (style->utf8 ? 8 : 1));
	const unsigned int whole = style->utf8 ? end / 8 : end;
	const unsigned int partial = style->utf8 && end % 8;

	fputs(sgr(style, look_of(part)->colour), out);
	repeat(out, style->utf8 ? "█" : "#", whole);
	if (partial)
		fputs(eighths[end % 8], out);
	fputs(sgr(style, RESET), out);
	fputs(sgr(style, DIM), out);
	repeat(out, style->utf8 ? "·" : ".", cells - whole - partial);
	fputs(sgr(style, RESET), out);
}

/*
 * Columns of a row: a key, the label, the share, then the bar. On a wide terminal the
 * meaning of the part follows.
 */
#define LABEL		21
#define BEFORE_BAR	(2 + LABEL + 8 + 2)
#define MAX_BAR		64
#define MEANING		60

static void print_row(FILE *out, const struct td_style *style, const struct td_report *report,
		      unsigned int part, double share)
{
	const unsigned int level = td_parts[part].level;
	const bool wide = style->width >= BEFORE_BAR + MAX_BAR / 2 + MEANING;
	unsigned int cells;

	if (style->width < BEFORE_BAR + 4) {
		fprintf(out, "%-6s %6.1f", td_parts[part].column, 100 * share);
		return;
	}
	cells = style->width - BEFORE_BAR - (wide ? MEANING : 1);
	if (cells > MAX_BAR)
		cells = MAX_BAR;
	fprintf(out, "%s%s%s ", sgr(style, look_of(part)->colour),
		level > 1   ? " " :
		style->utf8 ? style->colour ? "█" : look_of(part)->shade :
			      look_of(part)->letter,
		sgr(style, RESET));
	fprintf(out, "%s%*s%-*s%6.1f %%%s  ", sgr(style, level == 1 ? BOLD : ""), 2 * level - 2, "",
		LABEL - 2 * level + 2, label_of(part, report), 100 * share, sgr(style, RESET));
	print_bar(out, style, part, share, cells);
	if (wide)
		fprintf(out, "  %s%s%s", sgr(style, DIM), td_parts[part].meaning,
			sgr(style, RESET));
}

/* Print the largest part of level 1, its largest part and so on: what to look at first. */
static void print_hint(FILE *out, const struct td_style *style, const struct td_report *report,
		       const double *share)
{
	unsigned int part = td_largest_part(share, TD_PARTS), left = style->width;

	if (part == TD_RETIRING) {
		fprintf(out, "%.*s", left, "Most slots retire.");
		return;
	}
	left -= fprintf(out, "%.*s", left, "Look at:");
	for (; part != TD_PARTS; part = td_largest_part(share, part)) {
		const char *label = label_of(part, report);
		char text[64];

		if (snprintf(text, sizeof(text), " %s", label) + 2U > left)
			break;
		left -= fprintf(out, "%s%s", td_parts[part].level > 1 ? " >" : "", text);
	}
}

static unsigned int count_rows(const double *share, unsigned int level)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < TD_PARTS; i++)
		n += td_parts[i].level <= level && !isnan(share[i]);
	return n;
}

/**
 * struct layout - what fits on a screen
 * @level: show parts up to this level
 * @full: also show the stack and the hint
 * @spaced: with empty lines between
 */
struct layout {
	unsigned int level;
	bool full;
	bool spaced;
};

/* Choose what fits. The minimum is a title and the four parts of level 1. */
static struct layout choose_layout(const struct td_style *style, const double *share,
				   unsigned int level)
{
	struct layout layout = { .level = level };

	while (layout.level > 1 && count_rows(share, layout.level) + 3 > style->rows)
		layout.level--;
	layout.full = count_rows(share, layout.level) + 3 <= style->rows;
	layout.spaced = count_rows(share, layout.level) + 6 <= style->rows;
	return layout;
}

/* End @n lines, and clear what the previous screen has to the right of them. */
static void end_lines(FILE *out, unsigned int n)
{
	while (n--)
		fputs("\033[K\r\n", out);
}

/**
 * td_show_screen() - draw a full screen on a terminal
 * @out: where to; a buffer, so that the screen can be written at once
 * @report: the last interval
 * @style: of the terminal
 */
void td_show_screen(FILE *out, const struct td_report *report, const struct td_style *style)
{
	double share[TD_PARTS];
	const enum td_validity validity = td_compute_shares(&report->sample, share);
	struct layout layout;
	char line[256];

	format_title(line, sizeof(line), report);
	fprintf(out, "\033[H%s%.*s%s", sgr(style, BOLD), (int)style->width, line,
		sgr(style, RESET));
	if (validity != TD_VALID) {
		end_lines(out, 1);
		print_reason(out, validity, &report->sample);
		fputs("\033[K\033[J", out);
		return;
	}
	layout = choose_layout(style, share, td_level(report->sample.n_events));
	if (layout.full) {
		end_lines(out, 1 + layout.spaced);
		print_stack(out, style, share, style->width - 1);
		end_lines(out, layout.spaced);
	}
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (td_parts[i].level > layout.level || isnan(share[i]))
			continue;
		end_lines(out, 1);
		print_row(out, style, report, i, share[i]);
	}
	if (layout.full) {
		end_lines(out, 1 + layout.spaced);
		print_hint(out, style, report, share);
	}
	fputs("\033[K\033[J", out);
}

/* Print what restricts the meaning of the shares. */
static void print_notes(FILE *out, const struct td_report *report)
{
	if (report->user_only)
		fputs("Note: user mode only; to count the kernel, too, run as root.\n", out);
	if (report->sample.n_events == TD_LEVEL3_NO_L3MISS)
		fprintf(out, "Note: no counter was left for %s: L3 and DRAM are shown as one.\n",
			td_events[TD_MEMSTALL_L3MISS]);
}

/* Print the first lines of the summary. Return: false if there are no shares to print. */
static bool print_head(FILE *out, const struct td_report *report, double share[TD_PARTS])
{
	const enum td_validity validity = td_compute_shares(&report->sample, share);
	char line[256];

	if (validity == TD_VALID) {
		format_title(line, sizeof(line), report);
		fprintf(out, "\nTop-down of %s\n\n", line);
		return true;
	}
	fprintf(out, "\nTop-down of %s: no numbers, ", report->what);
	print_reason(out, validity, &report->sample);
	fputs(validity == TD_MULTIPLEXED ? "; stop other uses of perf, or use a lower level.\n" :
					   ".\n",
	      out);
	return false;
}

/**
 * td_show_bars() - print the summary with bars, to a terminal
 * @out: where to
 * @report: the whole measurement
 * @style: of the terminal
 */
void td_show_bars(FILE *out, const struct td_report *report, const struct td_style *style)
{
	double share[TD_PARTS];

	if (!print_head(out, report, share))
		return;
	print_stack(out, style, share, style->width - 1);
	fputs("\n\n", out);
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (isnan(share[i]))
			continue;
		print_row(out, style, report, i, share[i]);
		fputc('\n', out);
	}
	fputc('\n', out);
	print_hint(out, style, report, share);
	fputc('\n', out);
	print_notes(out, report);
}

/* ---- functions ---- */

/* Columns: the share, the function, then a bar or the number of samples; the program. */
#define FUNCTION	32
#define BEFORE_COST	(2 + FUNCTION + 8 + 2)

static void print_function(FILE *out, const struct td_profile *profile,
			   const struct td_function *function, const struct td_style *style)
{
	if (!style || style->width < BEFORE_COST + 10) {
		fprintf(out, "%6.1f %% %8llu  %-*s  %s\n", 100 * function->share, function->samples,
			FUNCTION, function->name, function->object);
		return;
	}
	fprintf(out, "  %-*.*s%6.1f %%  ", FUNCTION, FUNCTION, function->name,
		100 * function->share);
	print_bar(out, style, profile->part, function->share,
		  style->width > BEFORE_COST + MAX_BAR ? MAX_BAR : style->width - BEFORE_COST - 1);
	fputc('\n', out);
}

/**
 * td_show_functions() - print the functions that a part comes from
 * @out: where to
 * @profile: at least one function
 * @style: of the terminal, NULL: plain text
 */
void td_show_functions(FILE *out, const struct td_profile *profile, const struct td_style *style)
{
	const unsigned int n = profile->n_functions < TD_FUNCTIONS ? profile->n_functions :
								     TD_FUNCTIONS;

	fprintf(out, "\n%s: functions by %s, %llu samples of %llu\n\n",
		td_parts[profile->part].label, td_events[profile->event], profile->samples,
		profile->period);
	for (unsigned int i = 0; i < n; i++)
		print_function(out, profile, &profile->function[i], style);
	if (profile->n_functions > n)
		fprintf(out, "  and %u more\n", profile->n_functions - n);
	fprintf(out, "\nWith callers: perf report -i %s\n", profile->file);
}

/* ---- plain text ---- */

/**
 * td_show_text() - print the summary as plain text, to a pipe or a file
 * @out: where to
 * @report: the whole measurement
 */
void td_show_text(FILE *out, const struct td_report *report)
{
	double share[TD_PARTS];

	if (!print_head(out, report, share))
		return;
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		const int indent = 2 * td_parts[i].level - 2;

		if (!isnan(share[i]))
			fprintf(out, "%6.1f %%  %*s%-*s  %s\n", 100 * share[i], indent, "",
				LABEL - indent, label_of(i, report), td_parts[i].meaning);
	}
	fputc('\n', out);
	print_notes(out, report);
}

static bool has_column(unsigned int part, unsigned int n_events)
{
	return td_parts[part].level <= td_level(n_events) &&
	       (part != TD_MEM_BOUND || n_events > TD_MEMSTALL_L3MISS);
}

/**
 * td_show_columns_head() - print the line above those of td_show_columns()
 * @out: where to
 * @n_events: events that are counted
 */
void td_show_columns_head(FILE *out, unsigned int n_events)
{
	fprintf(out, "%9s", "seconds");
	for (unsigned int i = 0; i < TD_PARTS; i++)
		if (has_column(i, n_events))
			fprintf(out, " %6s",
				i == TD_L3_BOUND && n_events <= TD_MEMSTALL_L3MISS ?
					"L3+" :
					td_parts[i].column);
	fputs("  %\n", out);
}

/**
 * td_show_columns() - print an interval as one line
 * @out: where to
 * @report: the interval
 */
void td_show_columns(FILE *out, const struct td_report *report)
{
	double share[TD_PARTS];
	const enum td_validity validity = td_compute_shares(&report->sample, share);

	fprintf(out, "%9.3f", report->seconds);
	if (validity != TD_VALID) {
		fputs("  no numbers, ", out);
		print_reason(out, validity, &report->sample);
	}
	for (unsigned int i = 0; validity == TD_VALID && i < TD_PARTS; i++)
		if (has_column(i, report->sample.n_events))
			fprintf(out, " %6.1f", 100 * share[i]);
	fputc('\n', out);
}

/* ---- for programs ---- */

/**
 * td_show_csv_head() - print the column names of CSV, the same at every level
 * @out: where to
 */
void td_show_csv_head(FILE *out)
{
	fputs("seconds,summary,running", out);
	for (unsigned int i = 0; i < TD_PARTS; i++)
		fprintf(out, ",%s", td_parts[i].name);
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		fprintf(out, ",%s", td_events[i]);
	fputc('\n', out);
}

/**
 * td_show_csv() - print a line of CSV; columns without a value are empty
 * @out: where to
 * @report: an interval or the whole measurement
 */
void td_show_csv(FILE *out, const struct td_report *report)
{
	const struct td_sample *sample = &report->sample;
	double share[TD_PARTS];
	const enum td_validity validity = td_compute_shares(sample, share);

	fprintf(out, "%.6f,%d,%.4f", report->seconds, report->summary, td_running_share(sample));
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		fputc(',', out);
		if (!isnan(share[i]))
			fprintf(out, "%.6f", share[i]);
	}
	for (unsigned int i = 0; i < TD_EVENTS; i++) {
		fputc(',', out);
		if (validity != TD_MULTIPLEXED && i < sample->n_events)
			fprintf(out, "%llu", (unsigned long long)sample->count[i]);
	}
	fputc('\n', out);
}

static void print_json_shares(FILE *out, const double *share)
{
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		fprintf(out, "%s\"%s\":", i ? "," : "", td_parts[i].name);
		if (isnan(share[i]))
			fputs("null", out);
		else
			fprintf(out, "%.6f", share[i]);
	}
}

static void print_json_counts(FILE *out, const struct td_sample *sample, enum td_validity validity)
{
	for (unsigned int i = 0; i < TD_EVENTS; i++) {
		fprintf(out, "%s\"%s\":", i ? "," : "", td_events[i]);
		if (validity == TD_MULTIPLEXED || i >= sample->n_events)
			fputs("null", out);
		else
			fprintf(out, "%llu", (unsigned long long)sample->count[i]);
	}
}

/**
 * td_show_json() - print a JSON object on one line
 * @out: where to
 * @report: an interval or the whole measurement
 */
void td_show_json(FILE *out, const struct td_report *report)
{
	double share[TD_PARTS];
	const enum td_validity validity = td_compute_shares(&report->sample, share);

	fprintf(out, "{\"seconds\":%.6f,\"summary\":%s,\"user_only\":%s,", report->seconds,
		report->summary ? "true" : "false", report->user_only ? "true" : "false");
	fprintf(out, "\"slots\":%u,\"running\":%.4f,\"reason\":", report->sample.slots,
		td_running_share(&report->sample));
	if (validity == TD_VALID) {
		fputs("null", out);
	} else {
		fputc('"', out);
		print_reason(out, validity, &report->sample);
		fputc('"', out);
	}
	fputs(",\"shares\":{", out);
	print_json_shares(out, share);
	fputs("},\"counts\":{", out);
	print_json_counts(out, &report->sample, validity);
	fputs("}}\n", out);
}
