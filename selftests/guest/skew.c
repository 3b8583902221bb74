// SPDX-License-Identifier: GPL-2.0-only
/*
 * skew - taking samples does not make the events of a group differ, however long it takes.
 *
 * A group of five samples cycles with a copy of the stack, which takes long, and counts cycles
 * beside it, on another counter where there is one. Both must have counted the same. So must
 * instructions, once on a counter that could interrupt and once on another.
 */
#include "ring.h"

/* Samples copy that much of the stack. */
enum { STACK_BYTES = 16384 };

/* In steps short enough that the ring buffer, which has 512 KiB, does not fill. */
static struct ring_totals run_group(struct ring *ring)
{
	volatile char stack[4 * STACK_BYTES];
	struct ring_totals totals = {};

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = 1;
	for (int i = 0; i < 200; i++) {
		struct record r;

		ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
		run_load(10, spin_load);
		ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		while (ring_next(ring, &r))
			totals_add(&totals, &r);
	}
	return totals;
}

/*
 * On a busy host QEMU may not run between the calls that start one counter and the other. A
 * driver that lets one of them count while samples are taken always does.
 */
enum { TRIES = 3 };

enum { SAMPLED, CYCLES_BESIDE, INSTRUCTIONS_ARMED, INSTRUCTIONS_BESIDE, MISSES, EVENTS };

/* No overflow during the test. */
#define LONG_PERIOD	1000000000000000ULL

static struct perf_event_attr counting(uint64_t code)
{
	/* Perf core wants the clock of the sampler's records in the whole group. */
	return (struct perf_event_attr){
		.type = pmu.type, .config = STANDARD(code), .read_format = READ_TIMES,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};
}

static struct perf_event_attr sampler(void)
{
	struct perf_event_attr attr = counting(CODE_CYCLES);

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
		attr = counting(i == CYCLES_BESIDE ? CODE_CYCLES :
				i == MISSES ? CODE_DTLB_MISSES : CODE_INSTRUCTIONS);
		if (i == INSTRUCTIONS_ARMED)
			attr.sample_period = LONG_PERIOD;
		fd[i] = perf_try(&attr, 0, -1, fd[SAMPLED]);
		if (fd[i] < 0)
			ring.fd = fd[i];
	}
	return ring;
}

/* Do two counts differ by no more than a thousandth? */
static bool agree(uint64_t a, uint64_t b)
{
	return a && llabs((long long)(a - b)) * 1000 <= (long long)a;
}

/* Run the group, and read what its events counted. */
static struct ring_totals measure(struct ring *ring, const int *fd, uint64_t *count)
{
	struct ring_totals totals;

	ioctl(ring->fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	totals = run_group(ring);
	for (int i = 0; i < EVENTS; i++)
		count[i] = perf_get(fd[i]).value;
	return totals;
}

static double percent(uint64_t a, uint64_t b)
{
	return 100. * ((double)a / b - 1);
}

int main(void)
{
	bool exact;
	struct ring_totals totals;
	uint64_t count[EVENTS];
	struct ring ring;
	int fd[EVENTS];

	begin();
	/* SBI calls start one counter after the other. */
	exact = getenv("LAB_ICOUNT") && is_delegated();
	limits_raise();
	ring = open_group(fd);
	if (check(ring.fd >= 0, "group_that_samples_and_counts_cycles_opens")) {
		for (int i = 0; i < TRIES; i++) {
			totals = measure(&ring, fd, count);
			if (within(count[SAMPLED], count[CYCLES_BESIDE], 1))
				break;
		}
		note("%lu samples, %lu lost; %lu misses", totals.samples, totals.lost,
		     count[MISSES]);
		note("cycles sampled %lu, counted %+.4f %%", count[SAMPLED],
		     percent(count[CYCLES_BESIDE], count[SAMPLED]));
		note("instructions %lu, beside %+.4f %%", count[INSTRUCTIONS_ARMED],
		     percent(count[INSTRUCTIONS_BESIDE], count[INSTRUCTIONS_ARMED]));
		check(totals.samples > 200, "group_is_sampled");
		check(within(count[SAMPLED], count[CYCLES_BESIDE], 1),
		      "sampled_and_counted_cycles_agree");
		if (exact)
			check(agree(count[SAMPLED], count[CYCLES_BESIDE]) &&
			      agree(count[INSTRUCTIONS_ARMED], count[INSTRUCTIONS_BESIDE]),
			      "counts_agree_within_a_thousandth");
		else
			skip("counts_agree_within_a_thousandth",
			     "counters are started one by one, or instructions are not the clock");
	}
	limits_restore();
	return end();
}
