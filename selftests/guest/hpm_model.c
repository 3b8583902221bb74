// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpm_model - events of a XiangShan core on QEMU's model of its counters (model.h): every named
 * event. Each counts at its rate, on a counter of its unit whose selectors are set as its terms
 * say. Sums of raw events, groups, and what standard events are, are tested on the host
 * (test_event.c).
 */
#include <glob.h>
#include <math.h>

#include "../qemu/xiangshan-hpm/model.h"
#include "../../include/sbi_pmu/region.h"
#include "harness.h"

static const char *const unit_names[XS_UNITS] = { "any", "frontend", "backend", "memory", "cache" };

/* Rates differ by at least 1.5 %: within a third of that, a rate belongs to one event only. */
#define TOLERANCE	0.005

/* The model's table */
static const struct xs_table *table;

/* ---- mhpmevent, which the model lets user mode read ---- */

/* A CSR's number is part of the instruction. */
#define CSR(n)									\
	case n:									\
		asm volatile("csrr %0, %1" : "=r"(value) : "i"(XS_MIRROR + (n)));	\
		break
#define CSRS(n)	CSR(n); CSR((n) + 1); CSR((n) + 2); CSR((n) + 3)

/* Return: mhpmevent of counter @n on this CPU; for 0 the number of the table. */
static uint64_t read_mirror(unsigned int n)
{
	uint64_t value = 0;

	switch (n) {
	CSRS(0);
	CSRS(4);
	CSRS(8);
	CSRS(12);
	CSRS(16);
	CSRS(20);
	CSRS(24);
	CSRS(28);
	}
	return value;
}

static void find_table(void)
{
	const uint64_t number = read_mirror(0);

	table = number && number <= XS_TABLES ? &xs_tables[number - 1] : NULL;
	note("table of the model: %s", table ? table->name : "none");
	if (!check(table, "model_present"))
		exit(end());
}

/* Return: mask of this CPU's counters whose selectors are exactly @event. */
static uint32_t counters_with(uint64_t event)
{
	uint32_t counters = 0;

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		if ((read_mirror(i) & XS_SELECTORS) == event)
			counters |= 1U << i;
	return counters;
}

/* ---- groups ---- */

/* An open group */
struct group {
	unsigned int n;
	int fd[2];
};

/* Values of a group, as read() returns them. */
struct counts {
	uint64_t n;
	uint64_t value[2];
};

/* Return: whether it opened. */
static bool group_add(struct group *g, struct perf_event_attr attr)
{
	int fd;

	attr.read_format = PERF_FORMAT_GROUP;
	fd = perf_try(&attr, 0, -1, g->n ? g->fd[0] : -1);
	if (fd < 0) {
		note("%#llx as event %u of a group: %s", attr.config, g->n + 1, strerror(-fd));
		return false;
	}
	g->fd[g->n++] = fd;
	return true;
}

static void group_close(const struct group *g)
{
	for (unsigned int i = g->n; i; i--)
		close(g->fd[i - 1]);
}

/* Return: what a group counts meanwhile. */
static struct counts group_count(const struct group *g, uint64_t iterations)
{
	struct counts before = {}, after = {};
	bool all = read(g->fd[0], &before, sizeof(before)) > 0;

	work(iterations);
	if (read(g->fd[0], &after, sizeof(after)) < 0 || !all)
		perror("read");
	for (unsigned int i = 0; i < ARRAY_SIZE(after.value); i++)
		after.value[i] -= before.value[i];
	return after;
}

/* ---- rates ---- */

/*
 * Measure an event that adds @expected in XS_PERIOD cycles, beside a sum of the memory unit that
 * adds 1 in every cycle; again with more work if wrong, as the host can delay one of the two reads.
 * Return: the relative error of its rate, 1 if it did not open; in @counters those with @selectors.
 */
static double measure(struct perf_event_attr attr, uint64_t selectors, unsigned int expected,
		      uint32_t *counters)
{
	struct perf_event_attr cycles = attr;
	struct counts counted = {};
	struct group g = {};
	double error = 1;
	bool open;

	cycles.config = XS_TAG(XS_MEMORY) | XS_EVENT(table->walker, 0) |
			XS_EVENT(table->walker + 1, 1);
	open = group_add(&g, cycles) && group_add(&g, attr);
	for (int i = 0; open && error > TOLERANCE && i < 6; i++) {
		double right;

		counted = group_count(&g, 500000ULL << 2 * i);
		right = (double)counted.value[0] * expected / XS_PERIOD;
		error = counted.value[0] ? fabs(counted.value[1] - right) / (right ?: 1) : 1;
	}
	*counters = counters_with(selectors);
	if (error > TOLERANCE)
		note("%#llx: %lu in %lu cycles, must be %u in %d", attr.config, counted.value[1],
		     counted.value[0], expected, XS_PERIOD);
	group_close(&g);
	return error;
}

/* What was found of many events of a unit */
struct survey {
	unsigned int unit, n, wrong;
	double worst;
};

/* The event must count at the rate of @selectors, on counters of its unit. */
static void survey_add(struct survey *s, uint64_t config, uint64_t selectors)
{
	uint32_t counters;
	const double error = measure(event(config), selectors, xs_sum(table, s->unit, selectors),
				     &counters);
	const bool right = error <= TOLERANCE && counters && !(counters & ~xs_counters_of(s->unit));

	s->n++;
	s->wrong += !right;
	s->worst = error > s->worst ? error : s->worst;
	if (!right)
		note("%#lx: error %.3f %%, on counters %#x", config, 100 * error, counters);
}

/* ---- names in sysfs ---- */

/* An event with a name in sysfs, its config as perf makes it from the terms there, and its unit */
static struct named {
	char name[64];
	uint64_t config;
	unsigned int unit;
} names[512];

static unsigned int n_names;

/* Set @event to that of a file of events/. Return: 1, 0 if it has no unit, -1 on error. */
static int parse(const char *path, struct named *event)
{
	const char *name = basename(path), *unit;
	struct perf_event_attr attr = {};
	struct region r = {};
	char terms[256];

	unit = read_text(path, terms, sizeof(terms)) ? strstr(terms, "unit=") : NULL;
	/* region.h has names of 63 characters at most. */
	if (!unit || snprintf(r.name[0], sizeof(r.name[0]), "%s/%s/", pmu.name, name) >=
		     (int)sizeof(r.name[0]))
		return 0;
	snprintf(event->name, sizeof(event->name), "%.63s", name);
	event->unit = strtoul(unit + strlen("unit="), NULL, 0);
	if (region_parse(&r, &attr) || event->unit <= XS_ANY || event->unit >= XS_UNITS)
		return -1;
	event->config = attr.config;
	return 1;
}

static void test_names(void)
{
	unsigned int invalid = 0;
	char path[256], text[64];
	glob_t files = {};

	snprintf(path, sizeof(path), PMU_DEVICES "%s/events/*", pmu.name);
	glob(path, 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc && n_names < ARRAY_SIZE(names); i++) {
		struct named *event = &names[n_names];
		const int kind = parse(files.gl_pathv[i], event);

		if (kind < 0)
			note("%s has invalid terms", event->name);
		invalid += kind < 0;
		if (kind <= 0)
			continue;
		n_names++;
	}
	note("%u names", n_names);
	check(!invalid && !n_names == !pmu_text("caps/event_table", text, sizeof(text)),
	      "terms_of_all_names_fit_format");
}

/* Return: mhpmevent for this event; its tag bits have the unit, and the core ignores them. */
static uint64_t selectors_of(const struct named *event)
{
	return (event->config & XS_SELECTORS) | XS_TAG(event->unit);
}

static void test_names_of(unsigned int unit)
{
	struct survey s = { .unit = unit };

	for (unsigned int i = 0; i < n_names; i++)
		if (names[i].unit == unit)
			survey_add(&s, names[i].config, selectors_of(&names[i]));
	if (!s.n)
		return;
	note("%s: %u names, %u wrong, error %.3f %% at most", unit_names[unit], s.n, s.wrong,
	     100 * s.worst);
	check(!s.wrong, "%s_names_count_at_their_rates", unit_names[unit]);
}

/* ---- cycles and instructions ---- */

static void test_fixed(void)
{
	uint32_t counters;

	check(measure(event(CYCLES), 0, XS_PERIOD, &counters) <= TOLERANCE,
	      "cycles_are_one_per_cycle");
	check(measure(event(INSTRUCTIONS), 0, XS_PERIOD, &counters) <= TOLERANCE,
	      "instructions_are_one_per_cycle");
}

int main(void)
{
	begin();
	pin(0);
	find_table();
	test_names();
	test_fixed();
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++)
		test_names_of(unit);
	return end();
}
