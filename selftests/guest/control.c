// SPDX-License-Identifier: GPL-2.0-only
/*
 * control - how perf core stops and starts sampling events: throttling, and PERF_EVENT_IOC_REFRESH.
 */
#include "ring.h"

static uint64_t second;		/* cycles in one second, about */

/* Cycles, sampled @hz times a second */
static struct perf_event_attr cycles(unsigned int hz)
{
	struct perf_event_attr attr = event(CYCLES);

	attr.sample_period = second / hz;
	attr.disabled = 1;
	return attr;
}

/* ---- throttling ---- */

/*
 * The period would give 10000 samples per second, and 250 are allowed: perf core stops the event
 * after its samples of a tick, and starts it in the next tick.
 */
static void test_throttle(void)
{
	const bool limited = set_max_rate("250");
	const uint64_t start = now_ns();
	const struct ring_totals s =
		sample_load(cycles(10000), 0, -1, 2000, spin_load, NULL).totals;
	const uint64_t ns = now_ns() - start, allowed = ns * 250 / 1000000000 * 12 / 10;

	set_max_rate("100000");
	note("250 samples per second: %lu samples in %lu ms, %lu allowed", s.samples, ns / 1000000,
	     allowed);
	check(limited && s.samples && s.samples <= allowed, "throttling_limits_samples");
	note("throttled %lu times, unthrottled %lu times", s.throttled, s.unthrottled);
	check(s.throttled && (s.throttled == s.unthrottled || s.throttled == s.unthrottled + 1),
	      "event_is_unthrottled_each_time");
	note("last sample %ld ms before the end", (long)(start + ns - s.last) / 1000000);
	check(s.last > start + ns / 10 * 9, "throttled_event_samples_until_end");
}

/* ---- PERF_EVENT_IOC_REFRESH ---- */

static void test_refresh(void)
{
	const unsigned int limit = 3, rounds = 20;
	struct perf_event_attr attr = cycles(2000);
	struct ring ring = ring_open(&attr, 0, -1, -1);
	unsigned int right = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		uint64_t n = 0, end = now_ns() + 2000000000ULL;

		ioctl(ring.fd, PERF_EVENT_IOC_REFRESH, limit);
		while (n < limit && now_ns() < end) {
			run_load(1, spin_load);
			n += ring_drain(&ring).samples;
		}
		/* Wait as long as one more sample would take. */
		run_load(10, spin_load);
		n += ring_drain(&ring).samples;
		right += n == limit;
		if (n != limit)
			note("round %u: %lu samples", i, n);
	}
	ring_close(&ring);
	note("right in %u of %u rounds", right, rounds);
	check(right == rounds, "refresh_3_stops_after_as_many_samples");
}

int main(void)
{
	begin();
	limits_raise();
	second = per_second(event(CYCLES), spin_load);
	note("%lu cycles per second", second);
	if (!check(second, "cycles_count")) {
		limits_restore();
		return end();
	}

	test_throttle();
	test_refresh();
	limits_restore();
	return end();
}
