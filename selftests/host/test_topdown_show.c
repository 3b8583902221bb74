// SPDX-License-Identifier: GPL-2.0-only
/* test_topdown_show: what sbi-topdown prints, in every width and for every reader. */
#include <ctype.h>

#include "../../tools/sbi-topdown/show.h"
#include "test.h"

static const struct td_report report = {
	.what = "all 4 CPUs", .seconds = 12.5,
	.sample = {
		.enabled = 4000000000, .running = 4000000000, .known = TD_LEVEL3,
		.count = { 8000000000, 9600000000, 9600000000, 12000000000, 900000000, 30000000,
			   10000000, 5000000000, 800000000, 3200000000, 2400000000, 1600000000,
			   400000000 },
	},
};

static char text[65536];

/* Run a renderer, and keep what it printed in text. */
#define PRINTED(call) do {				\
		FILE *out = fmemopen(text, sizeof(text), "w");	\
		call;					\
		fclose(out);				\
	} while (0)

/* ---- reading ---- */

/* Past an escape sequence at @s, if there is one. */
static const char *past_escape(const char *s)
{
	if (s[0] != '\033' || s[1] != '[')
		return s;
	for (s += 2; *s && !isalpha((unsigned char)*s); s++)
		;
	return s + !!*s;
}

struct seen {
	unsigned int lines;
	unsigned int widest;
	bool ascii;
	bool coloured;
};

/* What a terminal makes of it. */
static struct seen look(void)
{
	struct seen seen = { .lines = 1, .ascii = true };
	unsigned int width = 0;

	for (const char *s = text; *s;) {
		const char *next = past_escape(s);

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

static const unsigned int levels[] = { TD_LEVEL1, TD_LEVEL2, TD_LEVEL3_LESS, TD_LEVEL3 };

static bool fits(unsigned int known, const struct td_style *style)
{
	struct td_report less = report;
	struct seen seen;

	less.sample.known = known;
	PRINTED(td_show_screen(out, &less, style));
	seen = look();
	if (seen.widest > style->width || (style->rows >= 5 && seen.lines > style->rows) ||
	    seen.ascii == style->utf8 || seen.coloured != style->colour) {
		printf("# %u x %u, %u events: %u x %u\n%s\n", style->width, style->rows, known,
		       seen.widest, seen.lines, text);
		return false;
	}
	return true;
}

/* Nothing is wider or longer than the terminal. */
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
	check(!wrong, "topdown: %u screens of many sizes", n);
	wrong = 0;
	for (unsigned int width = 14; width < 40; width++) {
		const struct td_style style = { .width = width, .rows = 24 };

		wrong += !fits(TD_LEVEL3, &style);
	}
	check(!wrong, "topdown: narrow ones");
}

/* Of @width columns: 2 for a key, 21 for a label, 8 for a number, 2 between, 1 left. */
static unsigned int bar_of(unsigned int width)
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

	check(bar_of(40) == 6 && bar_of(80) == 46 && bar_of(200) == 64,
	      "topdown: bars take what a terminal has (%u, %u, %u)", bar_of(40), bar_of(80),
	      bar_of(200));
	/* Retiring is .2 of 40 cells: 8; latency .1125: 4.5, with eighths 4 and a half. */
	PRINTED(td_show_screen(out, &report, &ascii));
	check(has(" 20.0 %  ########................................") &&
	      has(" 11.2 %  #####..................................."), "topdown: bars of ASCII");
	/* .2 each to retire and for the frontend, .05 wasted, of 73 cells: 15, 14, 4, 40. */
	check(has("RRRRRRRRRRRRRRRFFFFFFFFFFFFFFSSSSBBBBBBBB") &&
	      has("SBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB\033"), "topdown: level 1 in a line");
	PRINTED(td_show_screen(out, &report, &utf8));
	check(has(" 20.0 %  ████████·") && has(" 11.2 %  ████▌·"),
	      "topdown: bars of blocks");
	check(has("█▓▓") && has("▓▒▒▒▒░"), "topdown: shades for colours");
	PRINTED(td_show_screen(out, &report, &colour));
	check(has("\033[32m████████\033[0m") && !has("▓"),
	      "topdown: bars in colour");
	over.sample.count[TD_MEMSTALL_STORE] = 80000000000;
	PRINTED(td_show_bars(out, &over, &ascii));
	check(has("1040.0 %  ########################################\n"),
	      "topdown: more than all fills a bar");
}

static void test_hint(void)
{
	const struct td_style style = { .width = 80, .rows = 24 };
	struct td_report other = report;

	PRINTED(td_show_screen(out, &report, &style));
	check(has("Look at: Backend bound > Memory bound > L3"), "topdown: where to look");
	other.sample.known = TD_LEVEL3_LESS;
	other.sample.count[TD_MEMSTALL_L3MISS] = 0;
	PRINTED(td_show_bars(out, &other, &style));
	check(has("Memory bound > L3 or DRAM\n") && has("  L3 or DRAM ") && !has("  DRAM") &&
	      has("Note: no counter was left for memstall_l3miss"),
	      "topdown: L3 and DRAM as one, and why");
	other = report;
	other.sample.known = TD_LEVEL1;
	other.sample.count[TD_INSTRUCTIONS] = 40000000000;
	PRINTED(td_show_screen(out, &other, &style));
	check(has("Most slots retire."), "topdown: nowhere to look");
}

/* ---- what is not there ---- */

static void test_nothing(void)
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
		none.sample.known = TD_LEVEL3;
	}
	check(!wrong, "topdown: no numbers, and why, for every reader");
}

/* ---- plain text ---- */

static void test_text(void)
{
	struct td_report user = report;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 4; i++) {
		struct seen seen;

		user.sample.known = levels[i];
		PRINTED(td_show_text(out, &user));
		seen = look();
		wrong += !seen.ascii || has("\033") || seen.widest > 90 || has("nan");
		wrong += !has("\n  20.0 %  Retiring ") || has("Fetch latency") != (i > 0);
		wrong += has("  DRAM ") != (i == 3) || has("L3 or DRAM") != (i == 2);
	}
	user.user_only = true;
	PRINTED(td_show_text(out, &user));
	check(!wrong && has("Top-down of all 4 CPUs, 12 s, IPC 1.20, 2.00 GHz, user mode only\n") &&
	      has("Note: user mode only"), "topdown: plain text");
}

static unsigned int words(const char *s)
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
		less.sample.known = levels[i];
		PRINTED(td_show_columns_head(out, less.sample.known));
		/* And what they are in. */
		wrong += words(text) != columns[i] + 1;
		PRINTED(td_show_columns(out, &less));
		wrong += words(text) != columns[i] || !has("   12.500   20.0 ");
	}
	check(!wrong, "topdown: a line an interval");
}

/* ---- CSV and JSON ---- */

static unsigned int commas(void)
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
	columns = commas();
	check(columns == 2 + TD_PARTS + TD_EVENTS && has("seconds,summary,running,retiring,") &&
	      has(",core_bound,cycles,instructions,") && has(",memstall_l3miss\n"),
	      "topdown: CSV has a head");
	for (unsigned int i = 0; i < 4; i++) {
		less.sample.known = levels[i];
		PRINTED(td_show_csv(out, &less));
		wrong += commas() != columns || look().lines != 2 || has("nan") ||
			 !has("12.500000,0,1.0000,0.200000,0.200000,");
	}
	check(!wrong && has(",8000000000,9600000000,") && has(",400000000\n"),
	      "topdown: and as many columns at every level");
}

static const char *json_value(const char *s);

/* "{", members and "}". Return: past it, NULL: it is none. */
static const char *json_object(const char *s)
{
	do {
		const char *name = ++s;

		if (*s != '"')
			return NULL;
		s = json_value(s);
		if (!s || s - name < 3 || *s != ':')
			return NULL;
		s = json_value(s + 1);
	} while (s && *s == ',');
	return s && *s == '}' ? s + 1 : NULL;
}

static const char *json_number(const char *s)
{
	const char *digits = s;

	s += strspn(s, "0123456789");
	/* No number begins with a 0 that it does not need. */
	if (s == digits || (*digits == '0' && s - digits > 1))
		return NULL;
	if (*s != '.')
		return s;
	digits = ++s;
	s += strspn(s, "0123456789");
	return s == digits ? NULL : s;
}

/* As much of JSON as there is in what we print. */
static const char *json_value(const char *s)
{
	static const char *const words[] = { "null", "true", "false" };

	if (*s == '{')
		return json_object(s);
	if (*s == '"') {
		s += 1 + strcspn(s + 1, "\"\\\n");
		return *s == '"' ? s + 1 : NULL;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return s + strlen(words[i]);
	return json_number(s);
}

static void test_json(void)
{
	struct td_report less = report;
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < 8; i++) {
		const char *end;

		less.sample.known = levels[i % 4];
		less.sample.running = i < 4 ? less.sample.enabled : 0;
		less.summary = i % 2;
		PRINTED(td_show_json(out, &less));
		end = json_value(text);
		wrong += !end || strcmp(end, "\n") || has("nan");
		wrong += !has(less.summary ? "\"summary\":true" : "\"summary\":false");
		wrong += has("\"mem_bound\":null") != (i != 3);
		wrong += has("\"reason\":null") != (i < 4);
	}
	PRINTED(td_show_json(out, &report));
	check(!wrong && has("\"retiring\":0.200000,") && has("\"cycles\":8000000000,") &&
	      has("\"seconds\":12.500000,"), "topdown: JSON, an object a line");
	check(!json_value("{\"a\":nan}") && !json_value("{\"a\":1,}") && !json_value("{\"a\" 1}"),
	      "topdown: what is no JSON is told from it");
}

void test_topdown_show(void)
{
	test_sizes();
	test_bars();
	test_hint();
	test_nothing();
	test_text();
	test_columns();
	test_csv();
	test_json();
}
