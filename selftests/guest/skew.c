// SPDX-License-Identifier: GPL-2.0-only
/*
 * skew - taking samples does not make the events of a group differ, however long it takes.
 *
 * A group samples cycles with a copy of the stack, which takes long, and counts cycles beside
 * it, on another counter where there is one. Both must have counted the same.
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

int main(void)
{
	struct perf_event_attr attr = { .read_format = READ_TIMES };
	struct perf_event_attr member;
	struct ring_totals totals;
	struct reading sampled, counted;
	struct ring ring;
	int fd;

	begin();
	limits_raise();
	attr.type = pmu.type;
	attr.config = STANDARD(CODE_CYCLES);
	member = attr;
	member.use_clockid = 1;
	member.clockid = CLOCK_MONOTONIC;
	attr.sample_period = per_second(attr, spin_load) / 2000;
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = STACK_BYTES;
	attr.disabled = 1;
	ring = ring_open(&attr, 0, -1, -1);
	fd = ring.fd < 0 ? -1 : perf_try(&member, 0, -1, ring.fd);
	if (check(fd >= 0, "group_that_samples_and_counts_cycles_opens")) {
		for (int i = 0; i < TRIES; i++) {
			ioctl(ring.fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
			totals = run_group(&ring);
			sampled = perf_get(ring.fd);
			counted = perf_get(fd);
			if (within(sampled.value, counted.value, 1))
				break;
		}
		note("%lu samples, %lu lost; sampled %lu, counted %lu: %+.3f %%", totals.samples,
		     totals.lost, sampled.value, counted.value,
		     100. * ((double)sampled.value / counted.value - 1));
		check(totals.samples > 200, "group_is_sampled");
		check(within(sampled.value, counted.value, 1), "sampled_and_counted_cycles_agree");
	}
	limits_restore();
	return end();
}
