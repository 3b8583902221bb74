// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpm_model - QEMU's model of XiangShan's counters counts as it says, by raw events with
 * the unit's tag, which the firmware's device tree takes to that unit's counters.
 */
#include <fcntl.h>

#include "hpm_model.h"

static const struct xs_table *table;

/* Is @selectors of @unit counted at its rate, there and nowhere else? */
static bool right(unsigned int unit, uint64_t selectors, double *worst)
{
	const uint64_t config = XS_TAG(unit) | selectors;
	struct twin_seen seen = twin_measure(table, event(config), config,
					     xs_sum(table, unit, config));
	const bool there = seen.where && !(seen.where & ~xs_counters_of(unit));

	*worst = seen.off > *worst ? seen.off : *worst;
	if (!there)
		printf("# 0x%lx is on counters 0x%x\n", config, seen.where);
	return seen.off <= TWIN_OFF && there;
}

/* Has the driver a table of events for this core? Then it checks what is asked for. */
static bool driver_knows(void)
{
	char path[128];

	snprintf(path, sizeof(path), PMU_DEVICES "%s/format/unit", pmu.name);
	return !access(path, R_OK);
}

/* Each event, and what is past the end of the table but not of its selector. */
static void test_events(unsigned int unit)
{
	unsigned int wrong = 0, n = 0, past = 0;
	double worst = 0;

	for (unsigned int i = 1; i < 256 && past < 3; i++) {
		/* Which the driver may refuse if it knows the core. */
		if (i >= table->events[unit] && driver_knows())
			break;
		past += !xs_index(table, unit, i);
		wrong += !right(unit, XS_EVENT(i, 0), &worst);
		n++;
	}
	check(!wrong && n >= table->events[unit] - 1U,
	      "%s: %u events, %u wrong, %.3f %% off at most", unit_names[unit], n, wrong,
	      100 * worst);
}

/* Some of the many ways to join two, three and four events. */
static void test_operators(unsigned int unit)
{
	static const unsigned int ops[] = { XS_OR, XS_AND, XS_XOR, XS_ADD };
	unsigned int wrong = 0, n, seed = unit;
	double worst = 0;

	for (n = 0; n < 64; n++) {
		uint64_t selectors = XS_OP(ops[n % 4], 0) | XS_OP(ops[n / 4 % 4], 1) |
				     XS_OP(ops[n / 16], 2);

		for (unsigned int e = 0; e < 4; e++)
			selectors |= XS_EVENT(1 + rand_r(&seed) % (table->events[unit] - 1), e);
		wrong += !right(unit, selectors, &worst);
	}
	check(!wrong, "%s: operators: %u events, %u wrong, %.3f %% off at most", unit_names[unit],
	      n, wrong, 100 * worst);
}

/* The sum of four large ones does not fit the adder. */
static void test_wrap(void)
{
	const unsigned int last = table->events[XS_MEMORY] - 3;
	const uint64_t all = XS_OP(XS_ADD, 0) | XS_OP(XS_ADD, 1) | XS_OP(XS_ADD, 2);
	uint64_t event = all;
	double worst = 0;

	for (unsigned int n = 0; n < 4; n++)
		event |= XS_EVENT(last, n);
	check(xs_sum(table, XS_MEMORY, event) != 4 * xs_sum(table, XS_MEMORY, last) &&
	      right(XS_MEMORY, event, &worst), "a sum past 6 bits wraps");
}

/* What is no operator is not taken. */
static void test_illegal(void)
{
	const uint64_t config = XS_TAG(XS_BACKEND) | XS_EVENT(7, 0) | XS_EVENT(9, 1) |
				XS_OP(3, 0) | XS_OP(XS_ADD, 1);
	uint64_t old[XS_COUNTERS], got = 0;
	unsigned int changed = 0;
	bool as_rtl = true;
	int fd;

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		old[i] = twin_mirror(i);
	fd = open_event(config, 0, -1, -1);
	if (driver_knows()) {
		check(fd == -EINVAL, "an operator that is none is refused (%d)", fd);
		return;
	}
	work(1000);
	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++) {
		if (twin_mirror(i) == old[i])
			continue;
		got = twin_mirror(i) & XS_SELECTORS;
		changed++;
		/* Firmware may have cleared it in between. */
		as_rtl &= got == (xs_written(old[i], config) & XS_SELECTORS) ||
			  got == xs_written(0, config);
	}
	check(fd >= 0 && changed == 1 && as_rtl && got != config,
	      "an operator that is none leaves the old one (%d: %u counters, 0x%lx)", fd, changed,
	      got);
	close(fd);
}

/* The same event again, in a spelling of its own for each @i. */
static uint64_t spelled(unsigned int unit, unsigned int i)
{
	static const unsigned int ops[] = { XS_OR, XS_XOR, XS_ADD };

	return XS_TAG(unit) | XS_EVENT(5, 0) | XS_OP(ops[i % 3], 0) | XS_OP(ops[i / 3], 1);
}

/* One event on all counters of its unit. */
static void test_several(unsigned int unit)
{
	const unsigned int counters = __builtin_popcount(xs_counters_of(unit));
	struct twin_group counted = {};
	uint32_t where = 0;
	bool agree = false;
	int fd[8];

	for (unsigned int i = 0; i < counters; i++) {
		struct perf_event_attr attr = event(spelled(unit, i));

		attr.read_format = PERF_FORMAT_GROUP;
		fd[i] = perf_try(&attr, 0, -1, i ? fd[0] : -1);
	}
	/* Again, for longer, if another load on the machine came between the reads. */
	for (int n = 0; !agree && n < 5; n++) {
		counted = twin_counted(fd[0], 4000000ULL << 2 * n);
		agree = counted.value[0];
		for (unsigned int i = 1; i < counters; i++)
			agree &= within(counted.value[i], counted.value[0], 1);
	}
	for (unsigned int i = 0; i < counters; i++) {
		where |= twin_programmed(spelled(unit, i));
		close(fd[i]);
	}
	check(counted.n == counters && agree && where == xs_counters_of(unit),
	      "%s: one event on its %lu counters (0x%x), all agree (%lu ... %lu)",
	      unit_names[unit], counted.n, where, counted.value[0],
	      counted.value[counters - 1]);
}

/* Half in the kernel, half not. */
static void mixed_work(void)
{
	for (int i = 0; i < 20; i++) {
		char buffer[4096];
		int fd = open("/dev/zero", O_RDONLY);

		for (int n = 0; n < 100; n++)
			if (read(fd, buffer, sizeof(buffer)) < 0)
				perror("read");
		close(fd);
		work(1000000);
	}
}

/* An event as a group of three: all of it, the user's part and the kernel's. */
static void open_parts(uint64_t config, int fd[3])
{
	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = event(config);

		attr.read_format = PERF_FORMAT_GROUP;
		attr.exclude_kernel = i == 1;
		attr.exclude_user = i == 2;
		fd[i] = perf_try(&attr, 0, -1, i ? fd[0] : -1);
	}
}

static void test_filters(unsigned int unit)
{
	uint64_t all = 0, user = 0, kernel = 0;
	bool whole = false;
	int fd[3];

	open_parts(XS_TAG(unit) | XS_EVENT(3, 0), fd);
	/* Again if another load on the machine came between the reads. */
	for (int i = 0; !whole && i < 5; i++) {
		struct twin_group before = twin_read(fd[0]), after;

		mixed_work();
		after = twin_read(fd[0]);
		all = after.value[0] - before.value[0];
		user = after.value[1] - before.value[1];
		kernel = after.value[2] - before.value[2];
		whole = within(user + kernel, all, 2);
	}
	check(whole && user > all / 20 && kernel > all / 20,
	      "%s: user and kernel make the whole (%lu + %lu, %lu)", unit_names[unit], user,
	      kernel, all);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

/* Beside the built-in driver: its raw events, on whose counters the same tree puts them. */
static void test_other_driver(unsigned int unit)
{
	unsigned int wrong = 0;
	uint32_t where = 0;
	double worst = 0;

	for (unsigned int i = 1; i <= 8; i++) {
		const uint64_t config = XS_TAG(unit) | XS_EVENT(3 * i, 0);
		struct perf_event_attr attr = event(config);
		struct twin_seen seen;

		attr.type = PERF_TYPE_RAW;
		seen = twin_measure(table, attr, config, xs_sum(table, unit, config));
		worst = seen.off > worst ? seen.off : worst;
		wrong += seen.off > TWIN_OFF || !seen.where;
		where |= seen.where;
	}
	check(!wrong && !(where & ~xs_counters_of(unit)),
	      "%s: the built-in driver's raw events: %u wrong, %.3f %% off at most, on 0x%x",
	      unit_names[unit], wrong, 100 * worst, where);
}

int main(void)
{
	begin();
	pin(0);
	table = twin_table();
	if (!check(table, "the model is there: %s", table ? table->name : "none"))
		return end();
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		test_events(unit);
		test_operators(unit);
		test_several(unit);
		test_filters(unit);
		twin_sample(unit_names[unit], event(XS_TAG(unit) | XS_EVENT(6, 0)),
			    xs_sum(table, unit, XS_EVENT(6, 0)));
		if (!pmu.sole)
			test_other_driver(unit);
	}
	test_wrap();
	test_illegal();
	return end();
}
