// SPDX-License-Identifier: GPL-2.0-only
/*
 * period [builtin] - sample cycles with a period of 1,000,000 and compare the number of samples
 * with the number of periods counted. With "builtin", for the kernel's built-in driver: only
 * print the numbers.
 */
#include "ring.h"

enum { PERIOD = 1000000, MS = 2000, TRIES = 3 };

static const struct perf_event_attr cycles = {
	.type = PERF_TYPE_HARDWARE,
	.config = PERF_COUNT_HW_CPU_CYCLES,
	.read_format = READ_TIMES,
};

/* Samples taken, and periods counted. */
struct result {
	uint64_t samples, due;
};

static struct result take_samples(void)
{
	struct perf_event_attr attr = cycles;
	struct ring ring;
	struct result result = {};

	attr.sample_period = PERIOD;
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0) {
		note("cycles do not open: %s", strerror(-ring.fd));
		return result;
	}
	run_load(MS, spin_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	result.due = perf_get(ring.fd).value / PERIOD;
	result.samples = ring_drain(&ring).samples;
	ring_close(&ring);
	note("%lu samples in %lu periods", result.samples, result.due);
	return result;
}

int main(int argc, char **argv)
{
	const bool builtin = argc > 1 && !strcmp(argv[1], "builtin");
	struct result result = {};
	uint64_t unsampled;

	if (builtin) {
		/* Without begin(): with the built-in driver the module's PMU is not there. */
		ktap_suite = program_invocation_short_name;
		ktap_plan(-1);
	} else {
		begin();
	}
	limits_raise();
	/* The emulator may not run for longer than a period on a busy host. */
	for (unsigned int i = 0; i < TRIES && !within(result.samples, result.due, 10); i++)
		result = take_samples();
	limits_restore();
	unsampled = per_second(cycles, spin_load) / PERIOD * MS / 1000;
	note("%lu samples in %lu periods; about %lu periods without sampling", result.samples,
	     result.due, unsampled);
	if (builtin) {
		check(result.due, "builtin_cycles_count_while_sampled");
		return end();
	}
	check(within(result.samples, result.due, 10), "samples_match_periods");
	/*
	 * With snapshot, cycles are not counted while KVM has the counters stopped: a fifth of
	 * the time on the lab's machines.
	 */
	check(unsampled > 100 && result.due * 2 > unsampled, "cycles_count_while_sampled");
	return end();
}
