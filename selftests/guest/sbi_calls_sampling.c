// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi_calls_sampling - what samples cost: SBI calls for an overflow and for a context switch,
 * by the kernel's tracepoint and by the driver's own count in debugfs. If the kernel's built-in
 * driver is present, the same is measured for it.
 */
#include "pingpong.h"
#include "ring.h"
#include "tracepoint.h"

enum { WARM_UP = 50, ROUNDS = 1000, MAX_EVENTS = 2 };

/**
 * struct driver - a PMU driver
 * @irq: its name in /proc/interrupts
 * @type: PMU type of its events
 * @config: its cycles and instructions
 */
struct driver {
	const char *irq;
	uint32_t type;
	uint64_t config[MAX_EVENTS];
};

static struct driver module = {
	.irq = "sbi_pmu",
	.config = { CYCLES, INSTRUCTIONS },
};

static const struct driver builtin = {
	.irq = "riscv-pmu",
	.type = PERF_TYPE_HARDWARE,
	.config = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS },
};

/* The driver to measure. */
static const struct driver *driver = &module;

/* Return: the start and stop calls of this CPU, by debugfs. */
static uint64_t start_stop_calls(void)
{
	return find_number(DEBUGFS "sbi_calls", "0 ", "0 %*u %*u %*u %ld") +
	       find_number(DEBUGFS "sbi_calls", "0 ", "0 %*u %*u %*u %*u %ld");
}

/* Return: the overflows handled on this CPU: interrupts, and overflows found without one. */
static uint64_t handled_overflows(void)
{
	const uint64_t interrupts = interrupts_of(driver->irq);

	return driver == &builtin ? interrupts :
				    interrupts + find_number(DEBUGFS "overflow", "0 ", "0 %ld");
}

static int open_sampler(unsigned int i, uint64_t period, pid_t pid, int cpu, struct ring *ring)
{
	struct perf_event_attr attr = {
		.type = driver->type,
		.config = driver->config[i],
		.sample_period = period,
	};

	*ring = ring_open(&attr, pid, cpu, -1);
	return ring->fd;
}

/* Return: how often the event occurs in a second. */
static uint64_t rate_of(unsigned int i)
{
	return per_second((struct perf_event_attr){
		.type = driver->type, .config = driver->config[i] }, spin_load);
}

/* ---- overflows: with events of a CPU, which stay on their counters at a context switch ---- */

/**
 * struct cost - what overflows cost
 * @overflows: overflows handled
 * @samples: samples taken
 * @calls: SBI PMU calls, by the tracepoint
 * @start_stop: start and stop calls, by the module's own count
 */
struct cost {
	uint64_t overflows, samples;
	uint64_t calls;
	uint64_t start_stop;
};

/* Sample for three seconds with @n events of a CPU. Return: whether they opened. */
static bool measure_overflows(unsigned int n, struct cost *cost)
{
	struct ring ring[MAX_EVENTS];
	struct tracepoint_counts before;
	bool open = true;

	for (unsigned int i = 0; i < n; i++)
		open &= open_sampler(i, rate_of(i) / 200, -1, TRACED_CPU, &ring[i]) >= 0;
	open &= tracepoints_open();
	if (!open)
		return false;
	run_load(200, spin_load);
	for (unsigned int i = 0; i < n; i++)
		ring_drain(&ring[i]);
	before = tracepoint_counts_now();
	cost->start_stop = start_stop_calls();
	cost->overflows = handled_overflows();
	run_load(3000, spin_load);
	cost->overflows = handled_overflows() - cost->overflows;
	cost->start_stop = start_stop_calls() - cost->start_stop;
	cost->calls = tracepoint_counts_since(before).calls;
	cost->samples = 0;
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

/*
 * Calls for @n events: one stops all; with snapshot one starts all, else one starts each.
 * Delegated counters need none.
 */
static unsigned int max_calls(unsigned int n)
{
	if (is_delegated())
		return 0;
	return 1 + (uses_snapshot() ? 1 : n);
}

/*
 * An overflow costs one call that stops all counters with events; then one call starts those
 * that go on, and one each starts those that overflowed. QEMU's two fixed counters share a
 * timer, so it sometimes reports an overflow of a counter that has none; that one is started
 * again and gives no sample.
 */
static void test_overflow(unsigned int n)
{
	/* perf core stops and starts events that it throttles, which takes calls as well. */
	const unsigned int share = is_slow_kernel() ? 5 : 20;
	struct cost c;

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

/*
 * The limit for the module is no more than what the built-in driver takes. The built-in driver
 * may stop sampling for good: if it handles an overflow after the event was
 * removed, the counter's overflow bit stays set, and a counter with that bit does not interrupt.
 */
static void test_builtin_overflow(unsigned int n)
{
	struct cost c = {};

	for (int i = 0; i < 3 && c.overflows <= 20; i++)
		if (!measure_overflows(n, &c))
			break;
	note("built-in driver, %u events: %lu overflows, %.3f calls per overflow, limit %u", n,
	     c.overflows, per(c.calls, c.overflows), 1 + n);
	if (c.overflows <= 20) {
		char name[64];

		snprintf(name, sizeof(name),
			 "builtin_overflow_of_%u_events_is_not_below_call_limit", n);
		skip(name, "the built-in driver has lost its overflow interrupt");
		return;
	}
	check(c.calls * 100 >= c.overflows * (1 + n) * 95,
	      "builtin_overflow_of_%u_events_is_not_below_call_limit", n);
}

/* ---- context switches: two tasks, each with its own events ---- */

/* No overflow during the test. */
#define LONG_PERIOD	1000000000000000ULL

static bool open_all(unsigned int n, uint64_t period)
{
	struct ring ring;
	bool open = true;

	for (unsigned int i = 0; i < n; i++)
		open &= open_sampler(i, period, 0, -1, &ring) >= 0;
	return open;
}

/* The events are closed when the process exits. */
static bool pong(unsigned int n, int in, int out)
{
	return open_all(n, LONG_PERIOD) && pong_rounds(WARM_UP + ROUNDS, in, out);
}

/* Write what was counted to @to. Return: whether all rounds were completed. */
static bool ping(unsigned int n, int in, int out, int to)
{
	struct tracepoint_counts before, counts;
	bool ok;

	if (!open_all(n, LONG_PERIOD) || !ping_rounds(WARM_UP, in, out))
		return false;
	before = tracepoint_counts_now();
	ok = ping_rounds(ROUNDS, in, out);
	counts = tracepoint_counts_since(before);
	return ok && write(to, &counts, sizeof(counts)) == sizeof(counts);
}

/* Return: whether both tasks completed all rounds. */
static bool measure_switches(unsigned int n, struct tracepoint_counts *counts)
{
	int there[2], back[2], result[2];
	bool open = !pipe(there) && !pipe(back) && !pipe(result) && tracepoints_open();
	pid_t first, second;

	first = fork();
	if (!first)
		_exit(!ping(n, back[0], there[1], result[1]));
	second = fork();
	if (!second)
		_exit(!pong(n, there[0], back[1]));
	close(result[1]);
	close(there[1]);
	close(back[1]);
	open &= read(result[0], counts, sizeof(*counts)) == sizeof(*counts);
	close(there[0]);
	close(back[0]);
	close(result[0]);
	waitpid(first, NULL, 0);
	waitpid(second, NULL, 0);
	tracepoints_close();
	return open && counts->switches >= 2 * ROUNDS;
}

/* Events of one task stop and those of the other start at a switch. */
static void test_switch(unsigned int n)
{
	struct tracepoint_counts counts = {};

	check(measure_switches(n, &counts), "tasks_with_%u_sampling_events_switch", n);
	note("%u sampling events: %lu calls in %lu switches, %.3f per switch, limit %u", n,
	     counts.calls, counts.switches, per(counts.calls, counts.switches), max_calls(n));
	check(is_delegated() ? !counts.calls : counts.calls &&
	      counts.calls <= max_calls(n) * counts.switches + counts.switches / 20,
	      "switch_with_%u_sampling_events_is_within_call_limit", n);
}

static void test_builtin_switch(unsigned int n)
{
	struct tracepoint_counts counts = {};
	const bool ok = measure_switches(n, &counts);

	note("built-in driver, %u sampling events: %.3f calls per switch, limit %u", n,
	     per(counts.calls, counts.switches), n + 1);
	check(ok && counts.calls > (n + 1) * counts.switches,
	      "builtin_switch_with_%u_sampling_events_exceeds_call_limit", n);
}

/* With the timer no counter is ever stopped. */
static void test_timer(void)
{
	struct ring ring;
	uint64_t calls, samples;

	skip("overflow_of_1_events_is_within_call_limit", "samples are taken by timer");
	skip("switch_with_1_sampling_events_is_within_call_limit", "samples are taken by timer");
	check(open_sampler(0, rate_of(0) / 200, -1, TRACED_CPU, &ring) >= 0, "timer_event_opens");
	run_load(200, spin_load);
	ring_drain(&ring);
	calls = start_stop_calls();
	run_load(2000, spin_load);
	calls = start_stop_calls() - calls;
	samples = ring_drain(&ring).samples;
	ring_close(&ring);
	note("%lu samples, %lu calls", samples, calls);
	check(samples > 20 && !calls, "timer_samples_take_no_sbi_calls");
}

/* Return: whether the built-in driver gets overflow interrupts. It does not in QEMU 11. */
static bool has_builtin_overflow_irq(void)
{
	struct ring ring;
	uint64_t before;

	driver = &builtin;
	before = handled_overflows();
	if (open_sampler(0, 1000000, 0, -1, &ring) < 0)
		return false;
	run_load(200, spin_load);
	ring_close(&ring);
	return handled_overflows() > before;
}

static void test_builtin(void)
{
	const char *reason = pmu.exclusive ? "the built-in driver is not present" :
			     !has_builtin_overflow_irq() ?
			     "the built-in driver gets no overflow interrupts" : NULL;

	if (reason) {
		skip("builtin_overflow_of_1_events_is_not_below_call_limit", reason);
		skip("builtin_switch_with_1_sampling_events_exceeds_call_limit", reason);
		return;
	}
	test_builtin_overflow(1);
	test_builtin_overflow(2);
	test_builtin_switch(1);
	test_builtin_switch(2);
}

int main(void)
{
	begin();
	module.type = pmu.type;
	pin(TRACED_CPU);
	limits_raise();
	if (has_overflow_irq(pmu.name)) {
		test_overflow(1);
		test_overflow(2);
		test_switch(1);
		test_switch(2);
	} else {
		test_timer();
	}
	test_builtin();
	limits_restore();
	return end();
}
