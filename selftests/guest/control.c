// SPDX-License-Identifier: GPL-2.0-only
/*
 * control - control of sampling events: throttling, PERF_EVENT_IOC_REFRESH, a new period, and
 * several events on one counter.
 */
#include "ring.h"

static uint64_t second;		/* cycles in one second, about */

/* Cycles, sampled @hz times a second; 0: counted */
static struct perf_event_attr cycles(unsigned int hz)
{
	struct perf_event_attr attr = event(CYCLES);

	attr.sample_period = hz ? second / hz : 0;
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

static void test_refresh(unsigned int limit, unsigned int rounds)
{
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
	note("refresh %u: right in %u of %u rounds", limit, right, rounds);
	check(right == rounds, "refresh_%u_stops_after_as_many_samples", limit);
}

/* ---- a new period ---- */

/* Are the samples of 1.5 s as due? Sampling by timer, one may stand for several periods. */
static bool samples_are_due(struct ring *ring, uint64_t period)
{
	const uint64_t before = perf_get(ring->fd).value;
	uint64_t due, samples;

	ring_drain(ring);
	run_load(1500, touch_load);
	due = (perf_get(ring->fd).value - before) / period;
	samples = ring_drain(ring).samples;
	note("period %lu: %lu samples, %lu due", period, samples, due);
	return due > 1 && samples + 1 >= (has_overflow_irq() ? due * 9 / 10 : due / 10) &&
	       samples <= due + 1;
}

/* With TLB misses where they can be counted: QEMU's overflows of cycles may be late. */
static void test_new_period(void)
{
	const uint64_t misses = per_second(event(DTLB_MISSES), touch_load);
	uint64_t period = (misses ?: second) / 100;
	struct ring ring = ring_sample(misses ? DTLB_MISSES : CYCLES, period, 0, -1);
	bool due;

	due = samples_are_due(&ring, period);
	period *= 10;
	ioctl(ring.fd, PERF_EVENT_IOC_PERIOD, &period);
	due &= samples_are_due(&ring, period);
	ring_close(&ring);
	check(due, "new_period_changes_sample_rate");
}

/* ---- several events on one counter ---- */

/* A late sample stands for several periods; there are never more samples than periods. */
static bool is_sampled_by_period(const struct ring_totals *s, uint64_t count, uint64_t period)
{
	const uint64_t due = count / period;

	return within(s->weight, count, 5) && s->samples <= due + 1 &&
	       s->samples >= due / (is_overflow_late(CYCLES) ? 5 : 2);
}

static void test_shared(void)
{
	static const unsigned int hz[] = { 200, 90, 0 };
	struct ring_totals seen;
	struct ring ring[3];
	struct reading r[3];
	bool right = true;

	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = cycles(hz[i]);

		ring[i] = ring_open(&attr, 0, -1, -1);
	}
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	run_load(1500, spin_load);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (int i = 0; i < 3; i++) {
		r[i] = ring[i].fd < 0 ? (struct reading){} : perf_get(ring[i].fd);
		note("event %d: %lu in %lu of %lu ns", i, r[i].value, r[i].running, r[i].enabled);
		if (!hz[i])
			continue;
		seen = ring_drain(&ring[i]);
		note("event %d: %lu samples stand for %lu", i, seen.samples, seen.weight);
		right &= is_sampled_by_period(&seen, r[i].value, second / hz[i]);
	}
	for (int i = 0; i < 3; i++)
		ring_close(&ring[i]);
	check(right, "two_periods_on_one_counter_are_kept");
	check(within(r[0].value, r[2].value, 5) && within(r[1].value, r[2].value, 5),
	      "sampling_and_counting_events_agree");
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
	test_refresh(1, 50);
	test_refresh(3, 10);
	test_new_period();
	test_shared();

	limits_restore();
	return end();
}
