// SPDX-License-Identifier: GPL-2.0-only
/*
 * aliases - every named event of a XiangShan core, on QEMU's model of its counters: it counts at
 * its rate, on a counter of its unit whose selectors are set as the name's terms say. Groups fill
 * all counters and no more.
 */
#include <dirent.h>
#include <limits.h>

#include "hpm_model.h"

#define MAX_NAMES	512

/* The unit's field in config */
#define XS_UNIT(unit)	((uint64_t)(unit) << 56)

/**
 * struct named - an event with a name in sysfs
 * @name: of the file
 * @config: as perf makes it from the terms in the file
 * @unit: of the core
 */
struct named {
	char name[NAME_MAX + 1];
	uint64_t config;
	unsigned int unit;
};

static const struct xs_table *table;
static struct named names[MAX_NAMES];
static unsigned int n_names;

/* ---- names in sysfs ---- */

static bool read_line(const char *folder, const char *name, char *line, int size)
{
	char path[512];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), PMU_DEVICES "%s/%s/%s", pmu.name, folder, name);
	f = fopen(path, "r");
	ok = f && fgets(line, size, f);
	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* Add @value to @config, at the bits that format/@term has. Return: false if it does not fit. */
static bool add_term(const char *term, uint64_t value, uint64_t *config)
{
	unsigned int low, high;
	char format[64];

	if (!read_line("format", term, format, sizeof(format)) ||
	    sscanf(format, "config:%u-%u", &low, &high) != 2 || value >> (high - low) > 1)
		return false;
	*config |= value << low;
	return true;
}

/* Return: 1 for an event of a unit, 0 for another event, -1 on error. */
static int parse(char *terms, struct named *event)
{
	char *term, *rest;

	event->config = 0;
	event->unit = XS_ANY;
	if (!strstr(terms, "unit="))
		return 0;
	for (term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
		char *value = strchr(term, '=');

		if (!value)
			return -1;
		*value++ = '\0';
		if (!add_term(term, strtoull(value, NULL, 0), &event->config))
			return -1;
		if (!strcmp(term, "unit"))
			event->unit = strtoul(value, NULL, 0);
	}
	return event->unit > XS_ANY && event->unit < XS_UNITS ? 1 : -1;
}

static int compare_configs(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->config < y->config ? -1 : x->config > y->config;
}

static void test_names(void)
{
	unsigned int invalid = 0, per_unit[XS_UNITS] = {};
	char path[256], terms[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), PMU_DEVICES "%s/events", pmu.name);
	dir = opendir(path);
	while (dir && n_names < MAX_NAMES && (entry = readdir(dir))) {
		struct named *event = &names[n_names];
		int kind;

		if (entry->d_name[0] == '.' ||
		    !read_line("events", entry->d_name, terms, sizeof(terms)))
			continue;
		snprintf(event->name, sizeof(event->name), "%s", entry->d_name);
		kind = parse(terms, event);
		if (kind < 0)
			note("%s has invalid terms", event->name);
		invalid += kind < 0;
		n_names += kind > 0;
		per_unit[event->unit] += kind > 0;
	}
	if (dir)
		closedir(dir);
	qsort(names, n_names, sizeof(names[0]), compare_configs);
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		note("%s: %u names of %u events", unit_names[unit], per_unit[unit],
		     table->events[unit] - 1);
		/* Events that are wrong in the RTL have no name; the cache may have no others. */
		if (unit != XS_CACHE)
			check(per_unit[unit] > table->events[unit] / 2,
			      "%s_most_events_have_names", unit_names[unit]);
	}
	note("%u names", n_names);
	check(!invalid, "terms_of_all_names_fit_format");
}

/* ---- rates ---- */

/* Return: mhpmevent for this event; its tag bits have the unit, and the core ignores them. */
static uint64_t selectors(const struct named *event)
{
	return (event->config & XS_SELECTORS) | XS_TAG(event->unit);
}

static unsigned int sum(const struct named *event)
{
	return xs_sum(table, event->unit, selectors(event));
}

static bool is_rate_right(const struct named *named, double *worst)
{
	struct hpm_result result = hpm_measure(table, event(named->config), selectors(named),
					       sum(named));
	const bool placed = result.counters && !(result.counters & ~xs_counters_of(named->unit));

	*worst = result.error > *worst ? result.error : *worst;
	if (!placed || result.error > HPM_TOLERANCE)
		note("%s: error %.3f %%, on counters 0x%x", named->name, 100 * result.error,
		     result.counters);
	return placed && result.error <= HPM_TOLERANCE;
}

static void test_rates(unsigned int unit)
{
	unsigned int wrong = 0, n = 0;
	double worst = 0;

	for (unsigned int i = 0; i < n_names; i++) {
		if (names[i].unit != unit)
			continue;
		wrong += !is_rate_right(&names[i], &worst);
		n++;
	}
	note("%s: %u names, %u wrong, error %.3f %% at most", unit_names[unit], n, wrong,
	     100 * worst);
	check(!wrong, "%s_names_count_at_their_rates", unit_names[unit]);
}

/* ---- groups that fill all counters ---- */

/*
 * Add up to @n events of @unit to the group, until one is refused, whose error goes to @error
 * (0 if none). Return: how many were added.
 */
static unsigned int add_to_group(unsigned int unit, unsigned int n, int *leader,
				 const struct named **members, int *error)
{
	unsigned int added = 0;

	*error = 0;
	for (unsigned int i = 0; i < n_names && added < n; i++) {
		struct perf_event_attr attr = event(names[i].config);
		int fd;

		if (names[i].unit != unit || !sum(&names[i]))
			continue;
		attr.read_format = PERF_FORMAT_GROUP;
		fd = perf_try(&attr, 0, -1, *leader);
		if (fd < 0) {
			note("%s: event %u of the %s unit: %d", names[i].name, added + 1,
			     unit_names[unit], fd);
			*error = fd;
			break;
		}
		*leader = *leader < 0 ? fd : *leader;
		members[added++] = &names[i];
	}
	return added;
}

/* The files of a group were opened one after the other, so their numbers are consecutive. */
static void close_group(int leader, unsigned int n)
{
	for (unsigned int i = 0; leader >= 0 && i < n; i++)
		close(leader + i);
}

/* Return: how many of the group's @n events have a wrong rate, relative to the first one. */
static unsigned int count_wrong_members(int leader, unsigned int n, const struct named **members)
{
	unsigned int wrong = n;

	/* Other work on the host can delay a read: repeat with more work. */
	for (int i = 0; wrong && i < 5; i++) {
		struct hpm_group counted = hpm_count_work(leader, 4000000ULL << 2 * i);

		wrong = counted.n == n && counted.value[0] ? 0 : n;
		for (unsigned int k = 0; k < n; k++)
			wrong += !within(counted.value[k] * sum(members[0]),
					 counted.value[0] * sum(members[k]), 1);
	}
	return wrong;
}

static unsigned int count_names(unsigned int unit)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < n_names; i++)
		n += names[i].unit == unit;
	return n;
}

static void test_whole_group(void)
{
	unsigned int n = 0, wanted = 0, wrong;
	const struct named *members[XS_COUNTERS];
	int leader = -1, error;

	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		const unsigned int counters = __builtin_popcount(xs_counters_of(unit));

		if (!count_names(unit))
			continue;
		wanted += counters;
		n += add_to_group(unit, counters, &leader, &members[n], &error);
	}
	wrong = n ? count_wrong_members(leader, n, members) : 1;
	note("a group of %u events for %u counters, %u wrong", n, wanted, wrong);
	check(n == wanted && !wrong, "group_fills_counters_of_all_units");
	close_group(leader, n);
}

static void test_unit_group(unsigned int unit)
{
	const unsigned int counters = __builtin_popcount(xs_counters_of(unit));
	const struct named *members[XS_COUNTERS];
	int leader = -1, error;
	unsigned int n = add_to_group(unit, counters + 1, &leader, members, &error);

	note("%s: a group of %u events for %u counters, then error %d", unit_names[unit], n,
	     counters, error);
	check(n == counters, "%s_group_fills_counters", unit_names[unit]);
	if (error || n != counters)
		check(error == -EINVAL, "%s_group_larger_than_counters_einval", unit_names[unit]);
	else
		hpm_skip(unit, "group_larger_than_counters_einval",
			 "the table has no more names than counters");
	close_group(leader, n);
}

static void test_sampling(unsigned int unit)
{
	for (unsigned int i = 0; i < n_names; i++) {
		if (names[i].unit != unit || !sum(&names[i]))
			continue;
		note("%s: sampling %s", unit_names[unit], names[i].name);
		hpm_test_sampling(unit, event(names[i].config), sum(&names[i]));
		return;
	}
}

static void test_unit(unsigned int unit)
{
	const char *why = "the table has no names for this unit";

	if (count_names(unit)) {
		test_rates(unit);
		test_unit_group(unit);
		test_sampling(unit);
		return;
	}
	hpm_skip(unit, "names_count_at_their_rates", why);
	hpm_skip(unit, "group_fills_counters", why);
	hpm_skip(unit, "group_larger_than_counters_einval", why);
	for (int i = 0; i < HPM_SAMPLING_TESTS; i++)
		hpm_skip(unit, hpm_sampling_tests[i], why);
}

static void test_refusals(void)
{
	static const struct {
		const char *name;
		uint64_t config;
	} refused[] = {
		{ "unknown_operator", XS_UNIT(2) | XS_EVENT(1, 0) | XS_EVENT(2, 1) | XS_OP(3, 0) },
		{ "unknown_unit", XS_UNIT(5) | XS_EVENT(1, 0) },
		{ "two_units", XS_UNIT(1) | XS_TAG(XS_BACKEND) | XS_EVENT(1, 0) },
		{ "events_of_two_units", XS_EVENT(0x126, 0) | XS_EVENT(0x227, 1) },
		{ "index_too_wide_for_selector", XS_UNIT(1) | XS_EVENT(0x55, 0) },
		{ "unit_without_event", XS_UNIT(2) },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		int fd = open_event(refused[i].config, 0, -1, -1);

		note("%s: %d", refused[i].name, fd);
		check(fd == -EINVAL, "%s_einval", refused[i].name);
	}
}

static const struct named *find_name(const char *name)
{
	for (unsigned int i = 0; name && i < n_names; i++)
		if (!strcmp(names[i].name, name))
			return &names[i];
	return NULL;
}

/*
 * By firmware's device tree, or by the driver's table if counters are delegated, a standard event
 * is the first of these that the table has.
 */
static void test_events_by_name(void)
{
	static const struct {
		const char *result;
		uint64_t config;
		const char *name[2];
	} known[] = {
		{ "branches", STANDARD(5), { "bpinstr", "branch_jump" } },
		{ "cache_references", STANDARD(3), { "l2_access" } },
		{ "l1_dcache_loads", STANDARD(0x10000), { "l1d_load" } },
		{ "itlb_load_misses", STANDARD(0x10021), { "itlb_miss" } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++) {
		const struct named *named = find_name(known[i].name[0]) ?:
							find_name(known[i].name[1]);
		struct hpm_result result;
		char test[64];

		snprintf(test, sizeof(test), "%s_count_as_their_name", known[i].result);
		if (!named) {
			skip(test, "the table has no such event");
			continue;
		}
		result = hpm_measure(table, event(known[i].config), selectors(named), sum(named));
		note("%s: error %.3f %% of %s", known[i].result, 100 * result.error, named->name);
		check(result.error <= HPM_TOLERANCE, "%s", test);
	}
}

/* Of the standard events, these two are events whose rate is known. */
static void test_standard_events(void)
{
	struct hpm_result cycles = hpm_measure(table, event(CYCLES), 0, XS_PERIOD);
	struct hpm_result instructions = hpm_measure(table, event(INSTRUCTIONS), 0, XS_PERIOD);

	note("error of cycles %.3f %%, of instructions %.3f %%", 100 * cycles.error,
	     100 * instructions.error);
	check(cycles.error <= HPM_TOLERANCE, "cycles_are_one_per_cycle");
	check(instructions.error <= HPM_TOLERANCE, "instructions_are_one_per_cycle");
	/* On a programmable counter, as cycle does not interrupt */
	hpm_test_sampling(XS_ANY, event(CYCLES), XS_PERIOD);
}

int main(void)
{
	begin();
	pin(0);
	table = hpm_find_table();
	note("table of the model: %s", table ? table->name : "none");
	if (!check(table, "model_present"))
		return end();
	test_names();
	test_standard_events();
	test_events_by_name();
	test_whole_group();
	test_refusals();
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++)
		test_unit(unit);
	return end();
}
