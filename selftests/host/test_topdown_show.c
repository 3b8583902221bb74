// SPDX-License-Identifier: GPL-2.0-only
/* test_topdown_show: what sbi-topdown prints, in each format and on each size of terminal. */
#include <ctype.h>

#include "../../tools/sbi-topdown/show.h"
#include "test.h"

static const struct td_report report = {
	.what = "all 4 CPUs", .seconds = 12.5,
	.sample = {
		.enabled = 4000000000, .running = 4000000000, .n_events = TD_LEVEL3, .slots = 6,
		.count = { 8000000000, 9600000000, 9600000000, 12000000000, 900000000, 30000000,
			   10000000, 5000000000, 800000000, 3200000000, 2400000000, 1600000000,
			   400000000 },
	},
};

static char text[65536];

/* Call a function that prints to "out", and keep its output in text. */
#define PRINTED(call) do {				\
		FILE *out = fmemopen(text, sizeof(text), "w");	\
		call;					\
		fclose(out);				\
	} while (0)

/* ---- parsing the output ---- */

/* Return: the end of the escape sequence at @s, or @s if there is none. */
static const char *skip_escape(const char *s)
{
	if (s[0] != '\033' || s[1] != '[')
		return s;
	for (s += 2; *s && !isalpha((unsigned char)*s); s++)
		;
	return s + !!*s;
}

/* Size and kind of the output. */
struct seen {
	unsigned int lines;
	unsigned int widest;
	bool ascii;
	bool coloured;
};

/* Measure the output as a terminal shows it. */
static struct seen measure(void)
{
	struct seen seen = { .lines = 1, .ascii = true };
	unsigned int width = 0;

	for (const char *s = text; *s;) {
		const char *next = skip_escape(s);

		if (next != s) {
			seen.coloured |= next[-1] == 'm';
			s = next;
			continue;
		}
		seen.ascii &= !(*s & 0x80);
		seen.lines += *s == '\n';
		if (*s == '\n' || *s == '\r')
			width = 0;
		else
			width += (*s & 0xc0) != 0x80;
		seen.widest = width > seen.widest ? width : seen.widest;
		s++;
	}
	return seen;
}

static bool has(const char *what)
{
	return strstr(text, what);
}

/* ---- a terminal ---- */

static const unsigned int levels[] = { TD_LEVEL1, TD_LEVEL2, TD_LEVEL3_NO_L3MISS, TD_LEVEL3 };

static bool fits(unsigned int n_events, const struct td_style *style)
{
	struct td_report less = report;
	struct seen seen;

	less.sample.n_events = n_events;
	PRINTED(td_show_screen(out, &less, style));
	seen = measure();
	if (seen.widest > style->width || (style->rows >= 5 && seen.lines > style->rows) ||
	    seen.ascii == style->utf8 || seen.coloured != style->colour) {
		note("terminal %u x %u, %u events: output %u x %u\n%s", style->width, style->rows,
		     n_events, seen.widest, seen.lines, text);
		return false;
	}
	return true;
}

/* The output is never wider or longer than the terminal. */
static void test_sizes(void)
{
	unsigned int wrong = 0, n = 0;

	for (unsigned int width = 40; width <= 220; width += width < 140 ? 1 : 9) {
		for (unsigned int i = 0; i < 4 * 24; i++, n++) {
			const struct td_style style = {
				.width = width, .rows = 5 + i / 4, .utf8 = n % 2,
				.colour = n / 2 % 2,
			};

			wrong += !fits(levels[i % 4], &style);
		}
	}
	note("%u screens", n);
	check(!wrong, "topdown_show.screen_fits_terminal");
	wrong = 0;
	for (unsigned int width = 14; width < 40; width++) {
		const struct td_style style = { .width = width, .rows = 24 };

		wrong += !fits(TD_LEVEL3, &style);
	}
	check(!wrong, "topdown_show.screen_fits_narrow_terminal");
}

/* Length of a bar: of @width columns, key, label, share and spaces take 34. */
static unsigned int bar_length(unsigned int width)
{
	const struct td_style style = { .width = width, .rows = 24 };
	unsigned int n = 0;
	const char *s;

	PRINTED(td_show_screen(out, &report, &style));
	s = strstr(text, "Retiring");
	for (s = s ? strstr(s, "%") : ""; *s && *s != '\r'; s++)
		n += *s == '#' || *s == '.';
	return n;
}

static void test_bars(void)
{
	const struct td_style ascii = { .width = 74, .rows = 24 };
	const struct td_style utf8 = { .width = 74, .rows = 24, .utf8 = true };
	const struct td_style colour = { .width = 74, .rows = 24, .utf8 = true, .colour = true };
	struct td_report over = report;

	note("bars of %u, %u, %u columns", bar_length(40), bar_length(80), bar_length(200));
	check(bar_length(40) == 6 && bar_length(80) == 46 && bar_length(200) == 64,
	      "topdown_show.bars_fill_terminal_width");
	/* 40 cells: Retiring .2 is 8 cells, Fetch latency .1125 is 4.5, rounded in ASCII. */
	PRINTED(td_show_screen(out, &report, &ascii));
	check(has(" 20.0 %  ########................................") &&
	      has(" 11.2 %  #####..................................."),
	      "topdown_show.bars_in_ascii");
	/* 73 cells: retiring .2, frontend .2, bad speculation .05, backend .55. */
	check(has("RRRRRRRRRRRRRRRFFFFFFFFFFFFFFSSSSBBBBBBBB") &&
	      has("SBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB\033"),
	      "topdown_show.level1_stack_in_ascii");
	PRINTED(td_show_screen(out, &report, &utf8));
	check(has(" 20.0 %  ████████·") && has(" 11.2 %  ████▌·"),
	      "topdown_show.bars_in_unicode");
	check(has("█▓▓") && has("▓▒▒▒▒░"), "topdown_show.shades_without_colour");
	PRINTED(td_show_screen(out, &report, &colour));
	check(has("\033[32m████████\033[0m") && !has("▓"),
	      "topdown_show.bars_in_colour");
	over.sample.count[TD_MEMSTALL_STORE] = 80000000000;
	PRINTED(td_show_bars(out, &over, &ascii));
	check(has("1040.0 %  ########################################\n"),
	      "topdown_show.share_above_1_fills_bar");
}

static void test_hint(void)
{
	const struct td_style style = { .width = 80, .rows = 24 };
	struct td_report other = report;

	PRINTED(td_show_screen(out, &report, &style));
	check(has("Look at: Backend bound > Memory bound > L3"),
	      "topdown_show.hint_names_largest_parts");
	other.sample.n_events = TD_LEVEL3_NO_L3MISS;
	other.sample.count[TD_MEMSTALL_L3MISS] = 0;
	PRINTED(td_show_bars(out, &other, &style));
	check(has("Memory bound > L3 or DRAM\n") && has("  L3 or DRAM ") && !has("  DRAM") &&
	      has("Note: no counter was left for memstall_l3miss"),
	      "topdown_show.note_if_l3_includes_dram");
	other = report;
	other.sample.n_events = TD_LEVEL1;
	other.sample.count[TD_INSTRUCTIONS] = 40000000000;
	PRINTED(td_show_screen(out, &other, &style));
	check(has("Most slots retire."), "topdown_show.hint_if_most_slots_retire");
}

/* ---- no shares ---- */

static void test_no_shares(void)
{
	static const struct td_style style = { .width = 80, .rows = 24 };
	struct td_report none = report;
	unsigned int wrong = 0;

	none.sample.running /= 4;
	none.summary = true;
	for (unsigned int i = 0; i < 2; i++) {
		const char *why = i ? "nothing ran" :
			"other events had the counters for 75.0 % of the time";

		PRINTED(td_show_screen(out, &none, &style));
		wrong += !has(why) || has("Retiring");
		PRINTED(td_show_bars(out, &none, &style));
		wrong += !has("no numbers, ") || !has(why) || has("Retiring");
		PRINTED(td_show_text(out, &none));
		wrong += !has("no numbers, ") || !has(why) || has("Retiring");
		PRINTED(td_show_columns(out, &none));
		wrong += !has("no numbers, ") || !has(why);
		PRINTED(td_show_json(out, &none));
		wrong += !has(why) || !has("\"retiring\":null") ||
			 !has(i ? "\"cycles\":0," : "\"cycles\":null");
		PRINTED(td_show_csv(out, &none));
		wrong += i ? !has("12.500000,1,0.0000,,,,,,,,,,,,,,,,0,0,") :
			strcmp(text, "12.500000,1,0.2500,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
		memset(&none.sample, 0, sizeof(none.sample));
		none.sample.n_events = TD_LEVEL3;
	}
	check(!wrong, "topdown_show.reason_instead_of_shares_in_each_format");
}

/* ---- plain text ---- */

static void test_text(void)
{
	struct td_report user = report;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 4; i++) {
		struct seen seen;

		user.sample.n_events = levels[i];
		PRINTED(td_show_text(out, &user));
		seen = measure();
		wrong += !seen.ascii || has("\033") || seen.widest > 90 || has("nan");
		wrong += !has("\n  20.0 %  Retiring ") || has("Fetch latency") != (i > 0);
		wrong += has("  DRAM ") != (i == 3) || has("L3 or DRAM") != (i == 2);
	}
	user.user_only = true;
	PRINTED(td_show_text(out, &user));
	check(!wrong && has("Top-down of all 4 CPUs, 12 s, IPC 1.20, 2.00 GHz, user mode only\n") &&
	      has("Note: user mode only"), "topdown_show.plain_text");
}

static unsigned int count_words(const char *s)
{
	unsigned int n = 0;

	for (; *s; s++)
		n += !isspace((unsigned char)*s) && (!s[1] || isspace((unsigned char)s[1]));
	return n;
}

static void test_columns(void)
{
	static const unsigned int columns[] = { 5, 11, 15, 16 };
	struct td_report less = report;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 4; i++) {
		less.sample.n_events = levels[i];
		PRINTED(td_show_columns_head(out, less.sample.n_events));
		/* The head ends with the unit "%", which has no value below it. */
		wrong += count_words(text) != columns[i] + 1;
		PRINTED(td_show_columns(out, &less));
		wrong += count_words(text) != columns[i] || !has("   12.500   20.0 ");
	}
	check(!wrong, "topdown_show.columns_of_each_level");
}

/* ---- CSV and JSON ---- */

static unsigned int count_commas(void)
{
	unsigned int n = 0;

	for (const char *s = text; *s; s++)
		n += *s == ',';
	return n;
}

static void test_csv(void)
{
	struct td_report less = report;
	unsigned int wrong = 0, columns;

	PRINTED(td_show_csv_head(out));
	columns = count_commas();
	check(columns == 2 + TD_PARTS + TD_EVENTS && has("seconds,summary,running,retiring,") &&
	      has(",core_bound,cycles,instructions,") && has(",memstall_l3miss\n"),
	      "topdown_show.csv_head");
	for (unsigned int i = 0; i < 4; i++) {
		less.sample.n_events = levels[i];
		PRINTED(td_show_csv(out, &less));
		wrong += count_commas() != columns || measure().lines != 2 || has("nan") ||
			 !has("12.500000,0,1.0000,0.200000,0.200000,");
	}
	check(!wrong && has(",8000000000,9600000000,") && has(",400000000\n"),
	      "topdown_show.csv_columns_same_at_each_level");
}

static const char *parse_value(const char *s);

/* Parse an object. Return: its end, or NULL if it is not valid. */
static const char *parse_object(const char *s)
{
	do {
		const char *name = ++s;

		if (*s != '"')
			return NULL;
		s = parse_value(s);
		if (!s || s - name < 3 || *s != ':')
			return NULL;
		s = parse_value(s + 1);
	} while (s && *s == ',');
	return s && *s == '}' ? s + 1 : NULL;
}

static const char *parse_number(const char *s)
{
	const char *digits = s;

	s += strspn(s, "0123456789");
	/* JSON does not allow leading zeros. */
	if (s == digits || (*digits == '0' && s - digits > 1))
		return NULL;
	if (*s != '.')
		return s;
	digits = ++s;
	s += strspn(s, "0123456789");
	return s == digits ? NULL : s;
}

/* Parse the part of JSON that sbi-topdown prints. Return: the end, or NULL if not valid. */
static const char *parse_value(const char *s)
{
	static const char *const words[] = { "null", "true", "false" };

	if (*s == '{')
		return parse_object(s);
	if (*s == '"') {
		s += 1 + strcspn(s + 1, "\"\\\n");
		return *s == '"' ? s + 1 : NULL;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return s + strlen(words[i]);
	return parse_number(s);
}

static void test_json(void)
{
	struct td_report less = report;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 8; i++) {
		const char *end;

		less.sample.n_events = levels[i % 4];
		less.sample.running = i < 4 ? less.sample.enabled : 0;
		less.summary = i % 2;
		PRINTED(td_show_json(out, &less));
		end = parse_value(text);
		wrong += !end || strcmp(end, "\n") || has("nan");
		wrong += !has(less.summary ? "\"summary\":true" : "\"summary\":false");
		wrong += has("\"mem_bound\":null") != (i != 3);
		wrong += has("\"reason\":null") != (i < 4);
	}
	PRINTED(td_show_json(out, &report));
	check(!wrong && has("\"retiring\":0.200000,") && has("\"cycles\":8000000000,") &&
	      has("\"seconds\":12.500000,") && has("\"slots\":6,"),
	      "topdown_show.json_object_per_line");
	check(!parse_value("{\"a\":nan}") && !parse_value("{\"a\":1,}") &&
	      !parse_value("{\"a\" 1}"),
	      "topdown_show.json_parser_refuses_wrong_json");
}

void test_topdown_show(void)
{
	test_sizes();
	test_bars();
	test_hint();
	test_no_shares();
	test_text();
	test_columns();
	test_csv();
	test_json();
}
