// SPDX-License-Identifier: GPL-2.0-only
/*
 * aliases - every named event of a XiangShan core, on QEMU's model of its counters: it counts at
 * its rate, on a counter of its unit whose selectors are set as the name's terms say. Groups fill
 * all counters and no more.
 */
#include <dirent.h>

#include "hpm_model.h"

/* The unit's field in config */
#define XS_UNIT(unit)	((uint64_t)(unit) << 56)

/* An event with a name in sysfs, its config as perf makes it from the terms there, and its unit */
static struct named {
	char name[64];
	uint64_t config;
	unsigned int unit;
} names[512];

static unsigned int n_names, names_of[XS_UNITS];

/* ---- names in sysfs ---- */

/* Add @value to @config, at the bits that format/@term has. Return: false if it does not fit. */
static bool add_term(const char *term, uint64_t value, uint64_t *config)
{
	unsigned int low, high;
	char file[64], format[64];

	snprintf(file, sizeof(file), "format/%s", term);
	if (!pmu_text(file, format, sizeof(format)) ||
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
	unsigned int invalid = 0;
	char path[256], file[80], terms[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), PMU_DEVICES "%s/events", pmu.name);
	dir = opendir(path);
	while (dir && n_names < ARRAY_SIZE(names) && (entry = readdir(dir))) {
		struct named *event = &names[n_names];
		int kind;

		snprintf(event->name, sizeof(event->name), "%.63s", entry->d_name);
		snprintf(file, sizeof(file), "events/%s", event->name);
		if (*event->name == '.' || !pmu_text(file, terms, sizeof(terms)))
			continue;
		kind = parse(terms, event);
		if (kind < 0)
			note("%s has invalid terms", event->name);
		invalid += kind < 0;
		n_names += kind > 0;
		names_of[event->unit] += kind > 0;
	}
	if (dir)
		closedir(dir);
	qsort(names, n_names, sizeof(names[0]), compare_configs);
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		note("%s: %u names of %u events", unit_names[unit], names_of[unit],
		     table->events[unit] - 1);
		/* Events that are wrong in the RTL have no name; the cache may have no others. */
		if (unit != XS_CACHE)
			check(names_of[unit] > table->events[unit] / 2,
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

static void test_rates(unsigned int unit)
{
	struct hpm_survey s = { .unit = unit };

	for (unsigned int i = 0; i < n_names; i++)
		if (names[i].unit == unit)
			hpm_survey_add(&s, event(names[i].config), selectors(&names[i]));
	hpm_survey_check(&s, "names");
}

/* ---- groups that fill all counters ---- */

struct group {
	unsigned int n;
	int fd[XS_COUNTERS], error;
	unsigned int sum[XS_COUNTERS];
};

/* Add @n events of @unit, as far as there are names, until one is refused. */
static void add_to_group(struct group *g, unsigned int unit, unsigned int n)
{
	const unsigned int end = g->n + n;

	for (unsigned int i = 0; i < n_names && g->n < end; i++) {
		struct perf_event_attr attr = event(names[i].config);
		int fd;

		if (names[i].unit != unit || !sum(&names[i]))
			continue;
		attr.read_format = PERF_FORMAT_GROUP;
		fd = perf_try(&attr, 0, -1, g->n ? g->fd[0] : -1);
		if (fd < 0) {
			note("%s: event %u of the group: %d", names[i].name, g->n + 1, fd);
			g->error = fd;
			return;
		}
		g->fd[g->n] = fd;
		g->sum[g->n++] = sum(&names[i]);
	}
}

static void close_group(const struct group *g)
{
	for (unsigned int i = 0; i < g->n; i++)
		close(g->fd[i]);
}

static void test_whole_group(void)
{
	unsigned int wanted = 0;
	struct group g = {};

	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		if (!names_of[unit])
			continue;
		wanted += hpm_counters_of(unit);
		add_to_group(&g, unit, hpm_counters_of(unit));
	}
	note("a group of %u events for %u counters", g.n, wanted);
	check(g.n && g.n == wanted && hpm_is_group_right(g.fd[0], g.n, g.sum),
	      "group_fills_counters_of_all_units");
	close_group(&g);
}

static void test_unit_group(unsigned int unit)
{
	const unsigned int counters = hpm_counters_of(unit);
	struct group g = {};

	add_to_group(&g, unit, counters + 1);
	note("%s: a group of %u events for %u counters, then error %d", unit_names[unit], g.n,
	     counters, g.error);
	check(g.n == counters, "%s_group_fills_counters", unit_names[unit]);
	if (g.error || g.n != counters)
		check(g.error == -EINVAL, "%s_group_larger_than_counters_einval",
		      unit_names[unit]);
	else
		hpm_skip(unit, "group_larger_than_counters_einval",
			 "the table has no more names than counters");
	close_group(&g);
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
		uint32_t counters;
		double error;
		char test[64];

		snprintf(test, sizeof(test), "%s_count_as_their_name", known[i].result);
		if (!named) {
			skip(test, "the table has no such event");
			continue;
		}
		error = hpm_measure(event(known[i].config), selectors(named), sum(named),
				    &counters);
		note("%s: error %.3f %% of %s", known[i].result, 100 * error, named->name);
		check(error <= HPM_TOLERANCE, "%s", test);
	}
}

/* Of the standard events, these two are events whose rate is known. */
static void test_standard_events(void)
{
	uint32_t counters;

	check(hpm_measure(event(CYCLES), 0, XS_PERIOD, &counters) <= HPM_TOLERANCE,
	      "cycles_are_one_per_cycle");
	check(hpm_measure(event(INSTRUCTIONS), 0, XS_PERIOD, &counters) <= HPM_TOLERANCE,
	      "instructions_are_one_per_cycle");
	/* On a programmable counter, as cycle does not interrupt */
	hpm_test_sampling(XS_ANY, event(CYCLES), XS_PERIOD);
}

int main(void)
{
	hpm_begin();
	test_names();
	test_standard_events();
	test_events_by_name();
	test_whole_group();
	test_refusals();
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		if (!names_of[unit]) {
			hpm_skip(unit, "names_count_at_their_rates",
				 "the table has no names for this unit");
			continue;
		}
		test_rates(unit);
		test_unit_group(unit);
		test_sampling(unit);
	}
	return end();
}
