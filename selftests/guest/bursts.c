// SPDX-License-Identifier: GPL-2.0-only
/*
 * bursts - for 'make compare': what is sampled of a program that works in bursts, as by perf record
 *
 * The result are lines "# burst", NUMBER, CYCLES, CYCLES OF SAMPLES, with tabs between.
 */
#include "ring.h"

enum { BURSTS = 48, PERIOD = 100000 };

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.read_format = READ_TIMES,
	};
	struct ring ring;
	int counting;

	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	note_driver();
	pin(0);
	counting = perf_try(&attr, 0, -1, -1);
	attr.sample_period = PERIOD;
	ring = ring_open(&attr, 0, -1, -1);
	/* Without an overflow interrupt the built-in driver refuses. */
	check(counting >= 0 && (ring.fd >= 0 || (ring.fd == -EOPNOTSUPP && !find_pmu())),
	      "events_open");
	for (unsigned int i = 0; i < BURSTS; i++) {
		const uint64_t before = perf_get(counting).value;
		uint64_t count;

		work(500000 * (1 + i % 4)); /* 1 to 4 ms if an instruction takes 1 ns */
		count = perf_get(counting).value - before;
		usleep(4000);
		note("burst\t%u\t%lu\t%lu", i, count, ring.fd < 0 ? 0 : ring_drain(&ring).weight);
	}
	ring_close(&ring);
	return end();
}
