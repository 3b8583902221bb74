// SPDX-License-Identifier: GPL-2.0-only
/*
 * aliases - every event of a XiangShan core that has a name here, on QEMU's model
 * of its counters: it counts at its rate, on a counter of its unit that is set to
 * what the name says. And how many of them fit.
 */
#include <dirent.h>
#include <limits.h>

#include "hpm_model.h"

#define MAX_NAMES	512

/* Where config has the unit. */
#define XS_UNIT(unit)	((uint64_t)(unit) << 56)

/**
 * struct named - an event that sysfs has a name for
 * @config: as perf makes it from the name's terms
 * @unit: its unit
 */
struct named {
	char name[NAME_MAX + 1];
	uint64_t config;
	unsigned int unit;
};

static const struct xs_table *table;
static struct named names[MAX_NAMES];
static unsigned int n_names;

/* ---- what sysfs says ---- */

static bool line_of(const char *folder, const char *name, char *line, int size)
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

/* @value at the bits that format/@term has for it. */
static bool place(const char *term, uint64_t value, uint64_t *config)
{
	unsigned int low, high;
	char format[64];

	if (!line_of("format", term, format, sizeof(format)) ||
	    sscanf(format, "config:%u-%u", &low, &high) != 2 || value >> (high - low) > 1)
		return false;
	*config |= value << low;
	return true;
}

/* Return: 1: an event of a unit; 0: something else; -1: nonsense. */
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
		if (!place(term, strtoull(value, NULL, 0), &event->config))
			return -1;
		if (!strcmp(term, "unit"))
			event->unit = strtoul(value, NULL, 0);
	}
	return event->unit > XS_ANY && event->unit < XS_UNITS ? 1 : -1;
}

static int by_config(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return x->config < y->config ? -1 : x->config > y->config;
}

static void test_names(void)
{
	unsigned int nonsense = 0, per_unit[XS_UNITS] = {};
	char path[256], terms[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), PMU_DEVICES "%s/events", pmu.name);
	dir = opendir(path);
	while (dir && n_names < MAX_NAMES && (entry = readdir(dir))) {
		struct named *event = &names[n_names];
		int kind;

		if (entry->d_name[0] == '.' ||
		    !line_of("events", entry->d_name, terms, sizeof(terms)))
			continue;
		snprintf(event->name, sizeof(event->name), "%s", entry->d_name);
		kind = parse(terms, event);
		if (kind < 0)
			printf("# %s makes no sense\n", event->name);
		nonsense += kind < 0;
		n_names += kind > 0;
		per_unit[event->unit] += kind > 0;
	}
	if (dir)
		closedir(dir);
	qsort(names, n_names, sizeof(names[0]), by_config);
	/* Most of a table is sound; what is not has no name. */
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++)
		check(unit == XS_CACHE || per_unit[unit] > table->events[unit] / 2,
		      "%s: %u names of %u events", unit_names[unit], per_unit[unit],
		      table->events[unit] - 1);
	check(!nonsense, "each name's terms are in format/ and fit (%u names)", n_names);
}

/* ---- each of them ---- */

/* What its counter must be set to: the unit goes where the core does not look. */
static uint64_t selectors(const struct named *event)
{
	return (event->config & XS_SELECTORS) | XS_TAG(event->unit);
}

static unsigned int sum(const struct named *event)
{
	return xs_sum(table, event->unit, selectors(event));
}

static bool right(const struct named *named, double *worst)
{
	struct twin_seen seen = twin_measure(table, event(named->config), selectors(named),
					     sum(named));
	const bool there = seen.where && !(seen.where & ~xs_counters_of(named->unit));

	*worst = seen.off > *worst ? seen.off : *worst;
	if (!there || seen.off > TWIN_OFF)
		printf("# %s: %.3f %% off, on counters 0x%x\n", named->name, 100 * seen.off,
		       seen.where);
	return there && seen.off <= TWIN_OFF;
}

static void test_rates(unsigned int unit)
{
	unsigned int wrong = 0, n = 0;
	double worst = 0;

	for (unsigned int i = 0; i < n_names; i++) {
		if (names[i].unit != unit)
			continue;
		wrong += !right(&names[i], &worst);
		n++;
	}
	check(!wrong, "%s: %u names, %u wrong, %.3f %% off at most", unit_names[unit], n, wrong,
	      100 * worst);
}

/* ---- as many as there are counters ---- */

/* @n events of @unit join the group. Return: how many have. */
static unsigned int join(unsigned int unit, unsigned int n, int *leader, const struct named **in)
{
	unsigned int joined = 0;

	for (unsigned int i = 0; i < n_names && joined < n; i++) {
		struct perf_event_attr attr = event(names[i].config);
		int fd;

		if (names[i].unit != unit || !sum(&names[i]))
			continue;
		attr.read_format = PERF_FORMAT_GROUP;
		fd = perf_try(&attr, 0, -1, *leader);
		if (fd < 0) {
			check(fd == -EINVAL, "%s is one too many (%d)", names[i].name, fd);
			break;
		}
		*leader = *leader < 0 ? fd : *leader;
		in[joined++] = &names[i];
	}
	return joined;
}

/* Files of a group, which open one after the other. */
static void close_group(int leader, unsigned int n)
{
	for (unsigned int i = 0; leader >= 0 && i < n; i++)
		close(leader + i);
}

/* How many of the group's @n events are off, beside its first one. */
static unsigned int off_beside_first(int leader, unsigned int n, const struct named **in)
{
	unsigned int wrong = n;

	/* Again, for longer, if another load on the machine came between the reads. */
	for (int i = 0; wrong && i < 5; i++) {
		struct twin_group counted = twin_counted(leader, 4000000ULL << 2 * i);

		wrong = counted.n == n && counted.value[0] ? 0 : n;
		for (unsigned int k = 0; k < n; k++)
			wrong += !within(counted.value[k] * sum(in[0]),
					 counted.value[0] * sum(in[k]), 1);
	}
	return wrong;
}

/* A table may have no names that are sound for the cache. */
static unsigned int names_of(unsigned int unit)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < n_names; i++)
		n += names[i].unit == unit;
	return n;
}

static void test_whole(void)
{
	unsigned int n = 0, wanted = 0, wrong;
	const struct named *in[XS_COUNTERS];
	int leader = -1;

	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		const unsigned int most = __builtin_popcount(xs_counters_of(unit));

		if (!names_of(unit))
			continue;
		wanted += most;
		n += join(unit, most, &leader, &in[n]);
	}
	wrong = n ? off_beside_first(leader, n, in) : 1;
	check(n == wanted && !wrong, "a group of %u events for %u counters, %u wrong", n, wanted,
	      wrong);
	close_group(leader, n);
}

static void test_full(unsigned int unit)
{
	const unsigned int most = __builtin_popcount(xs_counters_of(unit));
	const struct named *in[XS_COUNTERS];
	int leader = -1;
	unsigned int n = join(unit, most + 1, &leader, in);

	if (!n)
		not_here(unit_names[unit], "the table has no names for it");
	else
		check(n == most, "%s: a group holds %u events (%u)", unit_names[unit], most, n);
	close_group(leader, n);
}

static void test_sampling(unsigned int unit)
{
	for (unsigned int i = 0; i < n_names; i++) {
		if (names[i].unit != unit || !sum(&names[i]))
			continue;
		twin_sample(names[i].name, event(names[i].config), sum(&names[i]));
		return;
	}
}

/* What is refused, and how. */
static void test_refusals(void)
{
	static const struct {
		const char *what;
		uint64_t config;
	} refused[] = {
		{ "an operator that is none",
		  XS_UNIT(2) | XS_EVENT(1, 0) | XS_EVENT(2, 1) | XS_OP(3, 0) },
		{ "a unit that is none", XS_UNIT(5) | XS_EVENT(1, 0) },
		{ "a second unit", XS_UNIT(1) | XS_TAG(XS_BACKEND) | XS_EVENT(1, 0) },
		{ "events of two units", XS_EVENT(0x126, 0) | XS_EVENT(0x227, 1) },
		{ "an index that the core does not see all of", XS_UNIT(1) | XS_EVENT(0x55, 0) },
		{ "what counts nothing", XS_UNIT(2) },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		int fd = open_event(refused[i].config, 0, -1, -1);

		check(fd == -EINVAL, "%s is invalid (%d)", refused[i].what, fd);
	}
}

/* The standard events that have a true value here are what the device tree makes them. */
static void test_standard(void)
{
	struct twin_seen cycles = twin_measure(table, event(CYCLES), 0, XS_PERIOD);
	struct twin_seen instructions = twin_measure(table, event(INSTRUCTIONS), 0, XS_PERIOD);

	check(cycles.off <= TWIN_OFF, "cycles are cycles (%.3f %% off)", 100 * cycles.off);
	check(instructions.off <= TWIN_OFF, "instructions are one in each (%.3f %% off)",
	      100 * instructions.off);
}

int main(void)
{
	begin();
	pin(0);
	table = twin_table();
	if (!check(table, "the model is there: %s", table ? table->name : "none"))
		return end();
	test_names();
	test_standard();
	test_whole();
	test_refusals();
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		test_rates(unit);
		test_full(unit);
		test_sampling(unit);
	}
	return end();
}
