// SPDX-License-Identifier: GPL-2.0-only
/*
 * skew - taking samples does not make the events of a group differ, however long it takes.
 *
 * A group of four samples cycles with a copy of the stack, which takes long, and counts cycles
 * beside it, on another counter where there is one; and instructions, once on a counter that could
 * interrupt and once on another. Where counters are delegated all start and stop together: if
 * instructions are the clock, all four have counted the same. Else only cycles are compared.
 */
#include "ring.h"

/* Samples copy that much of the stack. */
enum { STACK_BYTES = 16384 };

/* In steps short enough that the ring buffer, which has 512 KiB, does not fill. */
static struct ring_totals run_group(struct ring *ring)
{
	volatile char stack[4 * STACK_BYTES];
	struct ring_totals all = {};

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = 1;
	for (int i = 0; i < 200; i++) {
		struct ring_totals totals;

		ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0);
		run_load(10, spin_load);
		ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0);
		totals = ring_drain(ring);
		all.samples += totals.samples;
		all.lost += totals.lost;
	}
	return all;
}

enum { SAMPLED, CYCLES_BESIDE, INSTRUCTIONS_ARMED, INSTRUCTIONS_BESIDE, EVENTS };

/* No overflow during the test. */
#define LONG_PERIOD	1000000000000000ULL

static struct perf_event_attr counting(uint64_t config)
{
	struct perf_event_attr attr = event(config);

	/* Perf core wants the clock of the sampler's records in the whole group. */
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return attr;
}

static struct perf_event_attr sampler(void)
{
	struct perf_event_attr attr = counting(CYCLES);

	attr.sample_period = per_second(attr, spin_load) / 2000;
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = STACK_BYTES;
	attr.disabled = 1;
	return attr;
}

/* Return: the group's leader, without a file descriptor if one of them does not open. */
static struct ring open_group(int *fd)
{
	struct perf_event_attr attr = sampler();
	struct ring ring = ring_open(&attr, 0, -1, -1);

	fd[SAMPLED] = ring.fd;
	for (int i = SAMPLED + 1; i < EVENTS && ring.fd >= 0; i++) {
		attr = counting(i == CYCLES_BESIDE ? CYCLES : INSTRUCTIONS);
		if (i == INSTRUCTIONS_ARMED)
			attr.sample_period = LONG_PERIOD;
		fd[i] = perf_try(&attr, 0, -1, fd[SAMPLED]);
		if (fd[i] < 0)
			ring.fd = fd[i];
	}
	return ring;
}

static double percent(uint64_t a, uint64_t b)
{
	return 100. * ((double)a / b - 1);
}

/* Run the group, and read what its events counted. */
static struct ring_totals measure(struct ring *ring, const int *fd, uint64_t *count)
{
	struct ring_totals totals;

	ioctl(ring->fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	totals = run_group(ring);
	for (int i = 0; i < EVENTS; i++)
		count[i] = perf_get(fd[i]).value;
	note("%lu samples, %lu lost", totals.samples, totals.lost);
	note("cycles %lu, beside %+.4f %%; instructions %+.4f %%, beside %+.4f %%", count[SAMPLED],
	     percent(count[CYCLES_BESIDE], count[SAMPLED]),
	     percent(count[INSTRUCTIONS_ARMED], count[SAMPLED]),
	     percent(count[INSTRUCTIONS_BESIDE], count[SAMPLED]));
	return totals;
}

/* Does no count differ from that of the sampled cycles by more than 1 / 100000 of it? */
static bool agree(const uint64_t *count)
{
	const uint64_t limit = count[SAMPLED] / 100000;

	for (int i = SAMPLED + 1; i < EVENTS; i++)
		if (count[i] + limit < count[SAMPLED] || count[i] > count[SAMPLED] + limit)
			return false;
	return limit;
}

int main(void)
{
	struct ring_totals totals;
	uint64_t count[EVENTS];
	struct ring ring;
	int fd[EVENTS];

	begin();
	limits_raise();
	ring = open_group(fd);
	if (check(ring.fd >= 0, "group_that_samples_and_counts_cycles_opens")) {
		/* On a busy host QEMU may not run between the calls that start two counters. */
		do
			totals = measure(&ring, fd, count);
		while (try_again("group", within(count[SAMPLED], count[CYCLES_BESIDE], 1)));
		check(totals.samples > 200, "group_is_sampled");
		check(within(count[SAMPLED], count[CYCLES_BESIDE], 1),
		      "sampled_and_counted_cycles_agree");
		if (getenv("LAB_ICOUNT") && is_delegated())
			check(agree(count), "counts_of_group_that_starts_at_once_are_the_same");
		else
			skip("counts_of_group_that_starts_at_once_are_the_same",
			     "counters are started one by one, or instructions are not the clock");
	}
	limits_restore();
	return end();
}
