// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi_calls_sampling - what samples cost: SBI calls for an overflow, by the kernel's tracepoint
 * and by the driver's own count in debugfs.
 */
#include "ring.h"
#include "tracepoint.h"

enum { MAX_EVENTS = 2 };

/* What was seen: overflows are interrupts, and those found without one; start_stop: by debugfs */
struct cost {
	uint64_t overflows, samples, calls, start_stop;
};

enum { SECONDS = 3 };

/* What has happened so far, but for the samples */
static struct cost cost_now(void)
{
	return (struct cost){
		.overflows = interrupts_of("sbi_pmu") +
			     find_number(DEBUGFS "overflow", "0 ", "0 %ld"),
		.calls = tracepoint_counts_now().calls,
		.start_stop = find_number(DEBUGFS "sbi_calls", "0 ", "0 %*u %*u %*u %ld") +
			      find_number(DEBUGFS "sbi_calls", "0 ", "0 %*u %*u %*u %*u %ld"),
	};
}

/* Sample @n events of a CPU 200 times a second, for some seconds. Return: whether they opened. */
static bool measure_overflows(unsigned int n, struct cost *cost)
{
	struct ring ring[MAX_EVENTS];
	struct cost before, after;
	bool open = true;

	for (unsigned int i = 0; i < n; i++) {
		const uint64_t config = i ? INSTRUCTIONS : CYCLES;

		ring[i] = ring_sample(config, per_second(event(config), spin_load) / 200, -1,
				      TRACED_CPU);
		open &= ring[i].fd >= 0;
	}
	if (!open || !tracepoints_open())
		return false;
	run_load(200, spin_load);
	for (unsigned int i = 0; i < n; i++)
		ring_drain(&ring[i]);
	before = cost_now();
	run_load(SECONDS * 1000, spin_load);
	after = cost_now();
	*cost = (struct cost){
		.overflows = after.overflows - before.overflows,
		.calls = after.calls - before.calls,
		.start_stop = after.start_stop - before.start_stop,
	};
	for (unsigned int i = 0; i < n; i++) {
		cost->samples += ring_drain(&ring[i]).samples;
		ring_close(&ring[i]);
	}
	tracepoints_close();
	return true;
}

static double per(uint64_t calls, uint64_t times)
{
	return (double)calls / (times ?: 1);
}

/* For @n events: a stop, and a start each; with snapshot one start; delegated: none */
static unsigned int max_calls(unsigned int n)
{
	if (is_delegated())
		return 0;
	return 1 + (uses_backend("snapshot") ? 1 : n);
}

/*
 * One call stops the counters that overflowed, and one each starts them, whatever counts beside.
 * QEMU's two fixed counters share a timer: one that has not overflowed may be started again, too.
 */
static void test_overflow(unsigned int n)
{
	/* perf core stops and starts events that it throttles, which takes calls as well. */
	const unsigned int share = is_slow_kernel() ? 5 : 20;
	struct cost c = {};

	if (!check(measure_overflows(n, &c), "opening_%u_sampling_events_of_cpu_succeeds", n))
		return;
	note("%u events: %lu overflows, %lu samples", n, c.overflows, c.samples);
	check(c.samples > 20 && c.overflows + c.overflows / 20 + 2 >= c.samples / n,
	      "overflows_of_%u_events_give_samples", n);
	note("%u events: %lu start and stop calls, %.3f per overflow, limit %u; %lu calls traced",
	     n, c.start_stop, per(c.start_stop, c.overflows), max_calls(n), c.calls);
	check(is_delegated() ? !c.start_stop :
	      c.start_stop >= c.samples &&
	      c.start_stop <= max_calls(n) * c.overflows + c.overflows / share + 2,
	      "overflow_of_%u_events_is_within_call_limit", n);
	check(is_delegated() ? !c.calls : within(c.calls, c.start_stop, 3),
	      "debugfs_has_all_traced_calls_of_%u_events", n);
}

int main(void)
{
	begin();
	if (!has_overflow_irq()) {
		skip("overflow_of_1_events_is_within_call_limit", "samples are taken by timer");
		return end();
	}
	pin(TRACED_CPU);
	limits_raise();
	test_overflow(1);
	test_overflow(2);
	limits_restore();
	return end();
}
