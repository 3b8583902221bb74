// SPDX-License-Identifier: GPL-2.0-only
/*
 * costs - instructions to open, close and read an event, beside those of a software event, and
 * instructions of an overflow
 *
 * Only where instructions are the clock: a time is then a number of instructions, those of firmware
 * included. A software event (PERF_COUNT_SW_DUMMY) costs what perf core does for any event. It also
 * runs on the kernel's built-in driver, for the table in Documentation/testing/switch-cost.rst.
 */
#include <limits.h>

#include "ring.h"

/* The best of so many, as a clock tick may come between. */
enum { TRIES = 20, GROUP = 5 };

/* Different events, as equal ones share a counter. */
static const struct perf_event_attr hardware[GROUP] = {
	HARDWARE(CPU_CYCLES),
	HARDWARE(INSTRUCTIONS),
	HARDWARE(CPU_CYCLES, .exclude_user = 1),
	HARDWARE(INSTRUCTIONS, .exclude_user = 1),
	HARDWARE(CPU_CYCLES, .exclude_kernel = 1),
};

static const struct perf_event_attr software[GROUP] = {
	[0 ... GROUP - 1] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY },
};

/* Instructions for each of these, the least that was seen. */
struct costs {
	unsigned long first, open, member, close, last, read, group;
};

static unsigned long shift;

static void take_least(unsigned long *least, uint64_t start)
{
	const unsigned long taken = (now_ns() - start) >> shift;

	if (taken < *least)
		*least = taken;
}

static int open_timed(struct perf_event_attr attr, int group, unsigned long *least)
{
	uint64_t start;
	int fd;

	attr.read_format = PERF_FORMAT_GROUP;
	start = now_ns();
	fd = perf_try(&attr, 0, -1, group);
	take_least(least, start);
	return fd;
}

static void close_timed(int fd, unsigned long *least)
{
	const uint64_t start = now_ns();

	close(fd);
	take_least(least, start);
}

static void read_timed(int fd, unsigned long *least)
{
	uint64_t values[1 + GROUP], start = now_ns();

	if (read(fd, values, sizeof(values)) < 0)
		perror("# read");
	take_least(least, start);
}

/* Open a group and others, read and close them. Return: did all open? */
static bool measure_once(const struct perf_event_attr *attr, struct costs *costs)
{
	int fd[GROUP], other;
	bool open;

	fd[0] = open_timed(attr[0], -1, &costs->first);
	other = open_timed(attr[1], -1, &costs->open);
	open = fd[0] >= 0 && other >= 0;
	read_timed(fd[0], &costs->read);
	close_timed(other, &costs->close);
	for (unsigned int i = 1; i < GROUP; i++) {
		unsigned long unused = ULONG_MAX;

		fd[i] = open_timed(attr[i], fd[0], i == GROUP - 1 ? &costs->member : &unused);
		open &= fd[i] >= 0;
	}
	read_timed(fd[0], &costs->group);
	for (unsigned int i = GROUP - 1; i; i--)
		close(fd[i]);
	close_timed(fd[0], &costs->last);
	return open;
}

static struct costs measure(const char *name, const struct perf_event_attr *attr)
{
	struct costs costs;
	bool open = true;

	memset(&costs, 0xff, sizeof(costs));
	for (int i = 0; i < TRIES; i++)
		open &= measure_once(attr, &costs);
	check(open, "%s_events_open", name);
	note("%s: instructions to open the first event %lu, another %lu, the fifth of a group %lu",
	     name, costs.first, costs.open, costs.member);
	note("%s: to close an event %lu, the last one %lu; to read one %lu, a group of five %lu",
	     name, costs.close, costs.last, costs.read, costs.group);
	return costs;
}

/* ---- overflows ---- */

/* In ns, each of which is a cycle. A block is so short that the least is without a clock tick. */
enum { PERIOD = 100000, BLOCK = 10, BLOCKS = 50 };

/* work() for a block. Return: the time that it took. */
static uint64_t work_block(void)
{
	const uint64_t start = now_ns();

	for (unsigned int i = 0; i < BLOCK; i++)
		work((PERIOD / 2) >> shift);
	return now_ns() - start;
}

/* Return: instructions that each sample of cycles takes, the least; 0 without samples. */
static unsigned long measure_overflow(void)
{
	struct perf_event_attr attr = hardware[0];
	uint64_t plain = UINT64_MAX, ns, samples, least = UINT64_MAX;
	struct ring ring;

	for (unsigned int i = 0; i < BLOCKS; i++) {
		ns = work_block();
		if (ns < plain)
			plain = ns;
	}
	attr.sample_period = PERIOD;
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0)
		return 0;
	for (unsigned int i = 0; i < BLOCKS; i++) {
		ring_drain(&ring);
		ns = work_block();
		samples = ring_drain(&ring).samples;
		if (samples >= BLOCK / 2 && ns > plain && (ns - plain) / samples < least)
			least = (ns - plain) / samples;
	}
	ring_close(&ring);
	return least == UINT64_MAX ? 0 : least >> shift;
}

static void test_overflow(void)
{
	const unsigned long cost = measure_overflow();

	note("instructions of a sample: %lu", cost);
	check(cost, "cycles_are_sampled");
}

int main(void)
{
	const char *icount = getenv("LAB_ICOUNT");
	struct costs own, core;
	bool module;

	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	if (!icount) {
		skip("hardware_events_open", "instructions are not the clock");
		return end();
	}
	shift = atoi(icount);
	pin(0);
	module = find_pmu();
	note("driver: %s", module ? pmu.name : "built-in");
	core = measure("software", software);
	own = measure("hardware", hardware);
	/* A read of the counter is some hundred instructions, the system call thousands. */
	check(own.read <= core.read + core.read / 4,
	      "reading_costs_at_most_a_quarter_more_than_a_software_event");
	if (module && !has_overflow_irq(pmu.name))
		skip("cycles_are_sampled", "samples are not taken by interrupt");
	else
		test_overflow();
	return end();
}
