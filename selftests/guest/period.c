// SPDX-License-Identifier: GPL-2.0-only
/*
 * period - samples of cycles with a period of 1,000,000, of those that are due.
 * million [builtin]  of the kernel's built-in driver, whose number is only told
 */
#include "ring.h"

enum { PERIOD = 1000000, MS = 2000, TRIES = 3 };

static const struct perf_event_attr cycles = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.read_format = READ_TIMES,
};

struct result {
	uint64_t samples, due;
};

static struct result sampled(void)
{
	struct perf_event_attr attr = cycles;
	struct ring ring;
	struct result result = {};

	attr.sample_period = PERIOD;
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0) {
		printf("# cycles do not open: %s\n", strerror(-ring.fd));
		return result;
	}
	busy(MS, spin_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	result.due = perf_get(ring.fd).value / PERIOD;
	result.samples = ring_drain(&ring).samples;
	ring_close(&ring);
	printf("# %lu samples of %lu that were due\n", result.samples, result.due);
	return result;
}

int main(int argc, char **argv)
{
	const bool builtin = argc > 1 && !strcmp(argv[1], "builtin");
	struct result result = {};
	uint64_t there;

	if (builtin)
		ktap_plan(-1);
	else
		begin();
	limits_lift();
	/* The host may be away for longer than a period. */
	for (unsigned int i = 0; i < TRIES && !within(result.samples, result.due, 10); i++)
		result = sampled();
	limits_restore();
	there = per_second(cycles, spin_load) / PERIOD * MS / 1000;
	if (builtin)
		check(result.due, "the built-in driver: %lu samples of %lu, of about %lu there are",
		      result.samples, result.due, there);
	else
		check(within(result.samples, result.due, 10),
		      "each 1,000,000 cycles a sample: %lu of %lu", result.samples, result.due);
	/* By snapshot nothing counts while KVM stops a counter: a fifth of the time, here. */
	if (!builtin)
		check(there > 100 && result.due * 2 > there,
		      "and they are counted while it samples (%lu; about %lu if it did not)",
		      result.due, there);
	return end();
}
