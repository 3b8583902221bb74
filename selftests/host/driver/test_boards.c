// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_boards: firmware has the rows of a board's device tree, and applies them as OpenSBI does.
 * Which events open, on which counters, with which filters; what makes samples; what the log says.
 */
#include "test.h"

#define THEAD_SCOUNTEROF	0x5c5

/* A row of a device tree */
struct row {
	bool raw;		/* for raw events, of which mask is compared; else for one event */
	u64 first_event, last_event, mask;
	u32 counters;
	const char *list;	/* of these counters */
};

/* A board of boards.tsv, which says what the fields are; a @mask of 0 ends @rows */
static const struct board {
	const char *name;
	unsigned long vendor, arch, mimpid, version;
	unsigned long other; /* arch of CPU 1, 0: there is none */
	unsigned int counters, width;
	const char *isa, *core, *opens, *refuses, *samples, *names, *replaces, *log;
	struct row rows[48];
} boards[] = {
#include "boards.inc"
}, *board;

static const struct core_ids *other_ids;

static const struct row *row_of(const struct fakesbi_code *code)
{
	const bool raw = code->idx == RAW;
	const u64 event = raw ? code->data : code->idx;

	for (const struct row *r = board->rows; r->mask; r++)
		if (r->raw == raw && (event & r->mask) >= r->first_event &&
		    (event & r->mask) <= r->last_event)
			return r;
	return NULL;
}

/* Can a counter of the board that is not fixed hold this event? */
static bool has_row(const struct fakesbi_code *code, unsigned int idx)
{
	const struct row *r = row_of(code);

	return code->idx >= FW || (r && r->counters >> idx & 1);
}

/* On C906 selectors 8 to 10 and 16 to 28 count nothing (openc906 b0c06eb, aq_hpcp_top.v). */
static bool counts_nothing(const struct fakesbi_code *code)
{
	return code->idx == RAW && code->data < 32 && 0x1fff0700 >> code->data & 1;
}

/* SpacemiT K3: cycles and instructions only count on counters that count nothing else. */
static bool is_on_its_own(const struct fakesbi_code *code, unsigned int idx)
{
	const bool own = code->idx == RAW && (code->data == 0x1e || code->data == 0x1f);

	return own ? idx == code->data - 0x1e + 17 : idx < 17 || idx > 18;
}

static void set_up(void)
{
	const struct core_ids own = { board->vendor, board->arch, board->mimpid };
	const struct core_ids *ids = other_ids ?: &own;

	host.vendor = ids->vendor;
	host.arch = ids->arch;
	host.mimpid = ids->mimpid;
	host.compatible = other_ids ? "riscv" : board->core;
	for (unsigned int hart = 0; hart < host.cpus; hart++) {
		fakesbi_harts[hart].can = has_row;
		fakesbi_harts[hart].counts = board->other ? is_on_its_own : NULL;
	}
	fakesbi.silent = strcmp(board->core, "thead,c906") ? NULL : counts_nothing;
	if (strcmp(board->samples, "thead"))
		return;
	fakesbi.sscofpmf = true;
	fakesbi.overflow_csr = THEAD_SCOUNTEROF;
	fakesbi.one_filter = SPEC_CFG_UINH | SPEC_CFG_SINH;
}

/* Does debugfs have it with the counters of its row? Of a raw event not all were asked. */
static bool is_on_its_counters(u32 idx, u64 data)
{
	const struct fakesbi_code code = { .idx = idx, .data = data };
	const struct row *r = row_of(&code);
	const char *fixed = idx == SPEC_GENERAL_CYCLES ? "0" : "2";
	const bool opens = r || idx <= SPEC_GENERAL_INSTRUCTIONS;
	char line[64];
	bool ok;

	snprintf(line, sizeof(line), "\n%#x %#llx %s%s", idx, data,
		 r ? r->list : opens ? fixed : "", opens ? "\n" : "");
	if (idx == RAW)
		*strrchr(line, ' ') = 0;
	ok = !strstr(host_debugfs("events"), line) != opens;
	if (!ok)
		note("%s: %s as in%s", board->name, opens ? "not" : "refused, but", line);
	return ok;
}

static bool are_on_their_counters(void)
{
	bool ok = true;

	for (u32 idx = SPEC_GENERAL_CYCLES; idx <= SPEC_GENERAL_REF_CYCLES; idx++)
		ok &= is_on_its_counters(idx, 0);
	for (u32 idx = 0x10000; idx < 0x10000 + SPEC_CACHE_IDS * 8; idx++)
		ok &= is_on_its_counters(idx, 0);
	return ok;
}

/* Do all of these open, or none? A raw event that opens is on the counters of its row. */
static bool each_opens(const char *events, bool opens)
{
	bool ok = true;
	int length;
	char word[32];

	for (; sscanf(events, " %31s%n", word, &length) == 1; events += length) {
		const bool raw = *word == 'r';
		char *mode;
		const u64 event = strtoull(word + raw, &mode, 16);
		const int error = open_errno(ATTR(raw ? event : STANDARD_EVENT(event),
						  .exclude_kernel = !strcmp(mode, ":u"),
						  .exclude_user = !strcmp(mode, ":k")));

		if (!error != opens)
			note("%s: %s gives %d", board->name, word, error);
		ok &= !error == opens;
		if (opens && raw)
			ok &= is_on_its_counters(RAW, event);
	}
	return ok;
}

/* The first event that opens */
static bool are_sampled(void)
{
	const bool raw = *board->opens == 'r';
	const u64 event = strtoull(board->opens + raw, NULL, 16);
	struct perf_event *e = open_sampler(raw ? event : STANDARD_EVENT(event), 1000000);
	struct perf_event *cycles = open_own(STANDARD_EVENT(1));

	perf_run(10 * NSEC_PER_MSEC);
	return is_sampled(e, 2000000) && is_right(e) && is_right(cycles);
}

/* Does the first command that the log tells root count something? */
static bool command_works(void)
{
	const char *command = strstr(host.log, "try, as root: perf stat -e ");
	unsigned long long event, space;
	char path[64] = "events/";
	struct perf_event *e;

	if (!command || sscanf(command, "%*[^/]/%40[^/]/ sleep 1;", path + strlen(path)) != 1 ||
	    sscanf(perf_sysfs(path), "event=%llx,firmware=%llx", &event, &space) != 2)
		return false;
	host.perfmon = true;
	e = open_raw(space << 62 | event);
	host.perfmon = false;
	perf_run(1000);
	return e && (perf_read(e) || space == 2);
}

/* Does each event of the core that has a name count something? */
static bool each_name_counts(void)
{
	char path[64];

	for (struct attribute **attr = perf_core.pmu->attr_update[0]->attrs; *attr; attr++) {
		struct perf_event *e;

		snprintf(path, sizeof(path), "events/%s", (*attr)->name);
		e = open_raw(strtoull(strchr(perf_sysfs(path), '=') + 1, NULL, 16));
		perf_run(1000);
		if (!perf_read(e))
			return note("%s: %s counts nothing", board->name, (*attr)->name), false;
		perf_close(e);
	}
	return true;
}

/* Load on a board, perhaps beside @other's PMU; with other ids, if there are any. */
static int boot_this(const char *param, const char *other)
{
	const bool old = board->version < OPENSBI(1, 9);
	/* These have rows of four counters, and a counter that is missing, in place of the board's. */
	const u64 others = QUIRK(FIRST_ROW_ONLY) | QUIRK(GAP_TRAPS);
	/* T-Head's counters interrupt, and do not filter. */
	const u64 thead = strcmp(board->samples, "thead") ? 0 : QUIRK(NO_FILTER);
	const u64 quirks = thead |
			   (old ? OPENSBI_OLD & ~others : OPENSBI_NEW | QUIRK(FIXED_WITHHELD));

	return boot(&(struct machine){ .hpm = 29 - __builtin_clz(board->counters),
				       .width = board->width, .quirks = quirks,
				       .impl_version = board->version, .isa = board->isa,
				       .cpus = board->other ? 2 : 1,
				       .other_arch = other_ids ? 0 : board->other,
				       .params = { param }, .other = other, .prepare = set_up });
}

int boot_board(const char *name, const struct core_ids *ids, const char *param)
{
	int ret;

	for (board = boards; strcmp(board->name, name); board++)
		;
	other_ids = ids;
	ret = boot_this(param, NULL);
	other_ids = NULL;
	return ret;
}

static void test_board(void)
{
	const char *name = board->name;
	char test[32];

	boot_this(NULL, "cpu");
	check(command_works(), "boards.%s_shared_has_a_first_command", name);
	boot_this("firmware_map=1", NULL);
	check(are_on_their_counters(), "boards.%s_events_are_on_their_counters", name);
	check(each_opens(board->opens, true), "boards.%s_opens", name);
	check(each_opens(board->refuses, false), "boards.%s_refuses", name);
	if (!check(!strcmp(perf_sysfs("caps/overflow"), board->samples) && host_logged(board->log),
		   "boards.%s_log_says_what_samples", name))
		note("%s", host.log);
	check(are_sampled(), "boards.%s_samples", name);
	boot_this(NULL, NULL);
	check(command_works(), "boards.%s_has_a_first_command", name);
	snprintf(test, sizeof(test), "firmware takes %s\n", board->names);
	if (!check(host_logged(test), "boards.%s_names", name))
		note("%s", host.log);
	check(each_name_counts(), "boards.%s_names_count", name);
	if (!check(!strcmp(perf_sysfs("caps/replaced_events"), board->replaces),
		   "boards.%s_replaces", name))
		note("%s", perf_sysfs("caps/replaced_events"));
}

void test_boards(void)
{
	for (board = boards; board < boards + ARRAY_SIZE(boards); board++)
		test_board();
}
