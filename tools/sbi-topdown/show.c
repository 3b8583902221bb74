// SPDX-License-Identifier: GPL-2.0-only
/*
 * show - bars for a terminal, text for a pipe, CSV and JSON for programs.
 */
#include <math.h>

#include "show.h"

#define RESET	"\033[0m"
#define BOLD	"\033[1m"
#define DIM	"\033[2m"

/* What the four parts of level 1 look like, and with them their own parts. */
struct look {
	const char *colour;
	const char *shade;
	const char *letter;
};

static const struct look looks[] = {
	{ "\033[32m", "█", "R" },	/* retiring: green */
	{ "\033[33m", "▓", "F" },	/* frontend: yellow */
	{ "\033[31m", "▒", "S" },	/* bad speculation: red */
	{ "\033[94m", "░", "B" },	/* backend: bright blue */
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
	if (part == TD_L3_BOUND && report->sample.known <= TD_MEMSTALL_L3MISS)
		return "L3 or DRAM";
	return td_parts[part].label;
}

static const char *sgr(const struct td_style *style, const char *code)
{
	return style->colour ? code : "";
}

/* Why there are no shares, and that there are none. */
static void say_verdict(FILE *out, enum td_verdict verdict, const struct td_sample *sample)
{
	if (verdict == TD_NOTHING)
		fprintf(out, "nothing ran");
	else
		fprintf(out, "other events had the counters for %.1f %% of the time",
			100 * (1 - td_running(sample)));
}

static double per(double a, uint64_t b)
{
	return b ? a / b : 0;
}

/* "12 s, IPC 1.23, 2.10 GHz" */
static int title(char *line, size_t size, const struct td_report *report)
{
	const uint64_t *count = report->sample.count;

	return snprintf(line, size, "%s, %.*f s, IPC %.2f, %.2f GHz%s", report->what,
			report->seconds < 10 ? 2 : 0, report->seconds,
			per(count[TD_INSTRUCTIONS], count[TD_CYCLES]),
			per(count[TD_CYCLES], report->sample.running),
			report->user_only ? ", user mode only" : "");
}

/* ---- terminal ---- */

static void repeat(FILE *out, const char *text, unsigned int n)
{
	while (n--)
		fputs(text, out);
}

/* The end of a share on a bar of @cells: more than all is all. */
static unsigned int end_of(double share, unsigned int cells)
{
	return lround(fmin(share, 1) * cells);
}

/* Level 1 in one line. */
static void stack(FILE *out, const struct td_style *style, const double *share,
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
		end = end_of(sum, cells);
		fputs(sgr(style, look->colour), out);
		repeat(out, !style->utf8 ? look->letter : style->colour ? "█" : look->shade,
		       end - at);
		fputs(sgr(style, RESET), out);
		at = end;
	}
}

static void bar(FILE *out, const struct td_style *style, unsigned int part, double share,
		unsigned int cells)
{
	static const char *const eighths[] = {
		"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"
	};
	const unsigned int end = end_of(share, cells * (style->utf8 ? 8 : 1));
	const unsigned int whole = style->utf8 ? end / 8 : end;
	const unsigned int begun = style->utf8 && end % 8;

	fputs(sgr(style, look_of(part)->colour), out);
	repeat(out, style->utf8 ? "█" : "#", whole);
	if (begun)
		fputs(eighths[end % 8], out);
	fputs(sgr(style, RESET), out);
	fputs(sgr(style, DIM), out);
	repeat(out, style->utf8 ? "·" : ".", cells - whole - begun);
	fputs(sgr(style, RESET), out);
}

/* Columns of a row's parts. What is left of a wide one explains it. */
#define LABEL	21
#define BEFORE	(2 + LABEL + 8 + 2)
#define BAR_MOST	64
#define MEANING	60

static void row(FILE *out, const struct td_style *style, const struct td_report *report,
		unsigned int part, double share)
{
	const unsigned int level = td_parts[part].level;
	const bool wide = style->width >= BEFORE + BAR_MOST / 2 + MEANING;
	unsigned int cells;

	if (style->width < BEFORE + 4) {
		fprintf(out, "%-6s %6.1f", td_parts[part].column, 100 * share);
		return;
	}
	cells = style->width - BEFORE - (wide ? MEANING : 1);
	if (cells > BAR_MOST)
		cells = BAR_MOST;
	fprintf(out, "%s%s%s ", sgr(style, look_of(part)->colour),
		level > 1 ? " " : style->utf8 ? style->colour ? "█" : look_of(part)->shade :
		look_of(part)->letter, sgr(style, RESET));
	fprintf(out, "%s%*s%-*s%6.1f %%%s  ", sgr(style, level == 1 ? BOLD : ""), 2 * level - 2, "",
		LABEL - 2 * level + 2, label_of(part, report), 100 * share, sgr(style, RESET));
	bar(out, style, part, share, cells);
	if (wide)
		fprintf(out, "  %s%s%s", sgr(style, DIM), td_parts[part].meaning,
			sgr(style, RESET));
}

/* The largest of the parts that @whole has, or of all; TD_PARTS if it has none. */
static unsigned int largest(const double *share, unsigned int whole)
{
	const unsigned int level = whole == TD_PARTS ? 1 : td_parts[whole].level + 1;
	unsigned int found = TD_PARTS;

	for (unsigned int i = whole == TD_PARTS ? 0 : whole + 1;
	     i < TD_PARTS && td_parts[i].level >= level; i++) {
		if (td_parts[i].level == level && share[i] > 0 &&
		    (found == TD_PARTS || share[i] > share[found]))
			found = i;
	}
	return found;
}

/* Where to look first. */
static void hint(FILE *out, const struct td_style *style, const struct td_report *report,
		 const double *share)
{
	unsigned int part = largest(share, TD_PARTS), left = style->width;

	if (part == TD_RETIRING) {
		fprintf(out, "%.*s", left, "Most slots retire.");
		return;
	}
	left -= fprintf(out, "%.*s", left, "Look at:");
	for (; part != TD_PARTS; part = largest(share, part)) {
		const char *label = label_of(part, report);
		char text[64];

		if (snprintf(text, sizeof(text), " %s", label) + 2U > left)
			break;
		left -= fprintf(out, "%s%s", td_parts[part].level > 1 ? " >" : "", text);
	}
}

static unsigned int rows_of(const double *share, unsigned int level)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < TD_PARTS; i++)
		n += td_parts[i].level <= level && !isnan(share[i]);
	return n;
}

/**
 * struct layout - how much of it fits on a screen
 * @level: down to this
 * @full: the stack and the hint, too
 * @airy: and lines between
 */
struct layout {
	unsigned int level;
	bool full;
	bool airy;
};

/* Four lines of parts and a title are the least that there is. */
static struct layout layout_of(const struct td_style *style, const double *share,
			       unsigned int level)
{
	struct layout layout = { .level = level };

	while (layout.level > 1 && rows_of(share, layout.level) + 3 > style->rows)
		layout.level--;
	layout.full = rows_of(share, layout.level) + 3 <= style->rows;
	layout.airy = rows_of(share, layout.level) + 6 <= style->rows;
	return layout;
}

/* Lines of a screen end so that nothing of the last one stays. */
static void end_line(FILE *out, unsigned int n)
{
	while (n--)
		fputs("\033[K\r\n", out);
}

/**
 * td_show_screen - fill a terminal, of which no other line is used
 * @out: where to; it is one write if that is a buffer
 * @report: the last interval
 * @style: of the terminal
 */
void td_show_screen(FILE *out, const struct td_report *report, const struct td_style *style)
{
	double share[TD_PARTS];
	const enum td_verdict verdict = td_shares(&report->sample, share);
	struct layout layout;
	char line[256];

	title(line, sizeof(line), report);
	fprintf(out, "\033[H%s%.*s%s", sgr(style, BOLD), (int)style->width, line,
		sgr(style, RESET));
	if (verdict != TD_RIGHT) {
		end_line(out, 1);
		say_verdict(out, verdict, &report->sample);
		fputs("\033[K\033[J", out);
		return;
	}
	layout = layout_of(style, share, td_level(report->sample.known));
	if (layout.full) {
		end_line(out, 1 + layout.airy);
		stack(out, style, share, style->width - 1);
		end_line(out, layout.airy);
	}
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (td_parts[i].level > layout.level || isnan(share[i]))
			continue;
		end_line(out, 1);
		row(out, style, report, i, share[i]);
	}
	if (layout.full) {
		end_line(out, 1 + layout.airy);
		hint(out, style, report, share);
	}
	fputs("\033[K\033[J", out);
}

/* What a reader of shares must know of them. */
static void notes(FILE *out, const struct td_report *report)
{
	if (report->user_only)
		fputs("Note: user mode only, as only root may look into the kernel.\n", out);
	if (report->sample.known == TD_LEVEL3_LESS)
		fputs("Note: no counter was left for memstall_l3miss: L3 and DRAM are one.\n", out);
}

/* The summary's first lines. Return: whether there is more to say. */
static bool begin(FILE *out, const struct td_report *report, double share[TD_PARTS])
{
	const enum td_verdict verdict = td_shares(&report->sample, share);
	char line[256];

	if (verdict == TD_RIGHT) {
		title(line, sizeof(line), report);
		fprintf(out, "\nTop-down of %s\n\n", line);
		return true;
	}
	fprintf(out, "\nTop-down of %s: no numbers, ", report->what);
	say_verdict(out, verdict, &report->sample);
	fputs(verdict == TD_DISPLACED ? "; end other uses of perf, or try a lower level.\n" : ".\n",
	      out);
	return false;
}

/* The summary, for a terminal. */
void td_show_bars(FILE *out, const struct td_report *report, const struct td_style *style)
{
	double share[TD_PARTS];

	if (!begin(out, report, share))
		return;
	stack(out, style, share, style->width - 1);
	fputs("\n\n", out);
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		if (isnan(share[i]))
			continue;
		row(out, style, report, i, share[i]);
		fputc('\n', out);
	}
	fputc('\n', out);
	hint(out, style, report, share);
	fputc('\n', out);
	notes(out, report);
}

/* ---- plain text ---- */

/* The summary, for a file. */
void td_show_text(FILE *out, const struct td_report *report)
{
	double share[TD_PARTS];

	if (!begin(out, report, share))
		return;
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		const int indent = 2 * td_parts[i].level - 2;

		if (!isnan(share[i]))
			fprintf(out, "%6.1f %%  %*s%-*s  %s\n", 100 * share[i], indent, "",
				LABEL - indent, label_of(i, report), td_parts[i].meaning);
	}
	fputc('\n', out);
	notes(out, report);
}

static bool has_column(unsigned int part, unsigned int known)
{
	return td_parts[part].level <= td_level(known) &&
	       (part != TD_MEM_BOUND || known > TD_MEMSTALL_L3MISS);
}

/* A line each interval. */
void td_show_columns_head(FILE *out, unsigned int known)
{
	fprintf(out, "%9s", "seconds");
	for (unsigned int i = 0; i < TD_PARTS; i++)
		if (has_column(i, known))
			fprintf(out, " %6s", i == TD_L3_BOUND && known <= TD_MEMSTALL_L3MISS ?
				"L3+" : td_parts[i].column);
	fputs("  %\n", out);
}

void td_show_columns(FILE *out, const struct td_report *report)
{
	double share[TD_PARTS];
	const enum td_verdict verdict = td_shares(&report->sample, share);

	fprintf(out, "%9.3f", report->seconds);
	if (verdict != TD_RIGHT) {
		fputs("  no numbers, ", out);
		say_verdict(out, verdict, &report->sample);
	}
	for (unsigned int i = 0; verdict == TD_RIGHT && i < TD_PARTS; i++)
		if (has_column(i, report->sample.known))
			fprintf(out, " %6.1f", 100 * share[i]);
	fputc('\n', out);
}

/* ---- for programs ---- */

/* All columns at every level; what is not known is empty. */
void td_show_csv_head(FILE *out)
{
	fputs("seconds,summary,running", out);
	for (unsigned int i = 0; i < TD_PARTS; i++)
		fprintf(out, ",%s", td_parts[i].name);
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		fprintf(out, ",%s", td_events[i]);
	fputc('\n', out);
}

void td_show_csv(FILE *out, const struct td_report *report)
{
	const struct td_sample *sample = &report->sample;
	double share[TD_PARTS];
	const enum td_verdict verdict = td_shares(sample, share);

	fprintf(out, "%.6f,%d,%.4f", report->seconds, report->summary, td_running(sample));
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		fputc(',', out);
		if (!isnan(share[i]))
			fprintf(out, "%.6f", share[i]);
	}
	for (unsigned int i = 0; i < TD_EVENTS; i++) {
		fputc(',', out);
		if (verdict != TD_DISPLACED && i < sample->known)
			fprintf(out, "%llu", (unsigned long long)sample->count[i]);
	}
	fputc('\n', out);
}

static void json_shares(FILE *out, const double *share)
{
	for (unsigned int i = 0; i < TD_PARTS; i++) {
		fprintf(out, "%s\"%s\":", i ? "," : "", td_parts[i].name);
		if (isnan(share[i]))
			fputs("null", out);
		else
			fprintf(out, "%.6f", share[i]);
	}
}

static void json_counts(FILE *out, const struct td_sample *sample, enum td_verdict verdict)
{
	for (unsigned int i = 0; i < TD_EVENTS; i++) {
		fprintf(out, "%s\"%s\":", i ? "," : "", td_events[i]);
		if (verdict == TD_DISPLACED || i >= sample->known)
			fputs("null", out);
		else
			fprintf(out, "%llu", (unsigned long long)sample->count[i]);
	}
}

/* An object on a line. */
void td_show_json(FILE *out, const struct td_report *report)
{
	double share[TD_PARTS];
	const enum td_verdict verdict = td_shares(&report->sample, share);

	fprintf(out, "{\"seconds\":%.6f,\"summary\":%s,\"user_only\":%s,", report->seconds,
		report->summary ? "true" : "false", report->user_only ? "true" : "false");
	fprintf(out, "\"running\":%.4f,\"reason\":", td_running(&report->sample));
	if (verdict == TD_RIGHT) {
		fputs("null", out);
	} else {
		fputc('"', out);
		say_verdict(out, verdict, &report->sample);
		fputc('"', out);
	}
	fputs(",\"shares\":{", out);
	json_shares(out, share);
	fputs("},\"counts\":{", out);
	json_counts(out, &report->sample, verdict);
	fputs("}}\n", out);
}
