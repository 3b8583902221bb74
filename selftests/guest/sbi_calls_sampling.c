// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi_calls_sampling - what samples cost: SBI calls for an overflow and for a context switch,
 * by the kernel's tracepoint and by the driver's own account. Where the kernel's
 * built-in driver is there, what it takes for the same is measured beside it.
 */
#include "pingpong.h"
#include "ring.h"
#include "tracepoint.h"

enum { WARM_UP = 50, ROUNDS = 1000, MAX_EVENTS = 2 };

/* A driver, its cycles and instructions, and its name among the interrupts. */
struct driver {
	const char *name, *irq;
	uint32_t type;
	uint64_t config[MAX_EVENTS];
};

static struct driver ours = {
	.name = "ours",
	.irq = "sbi_pmu",
	.config = { CYCLES, INSTRUCTIONS },
};

static const struct driver builtin = {
	.name = "built-in",
	.irq = "riscv-pmu",
	.type = PERF_TYPE_HARDWARE,
	.config = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS },
};

/* The one that is being measured. */
static const struct driver *driver = &ours;

/* start and stop calls that this CPU has made, as debugfs has them. */
static uint64_t start_stop(void)
{
	FILE *f = fopen("/sys/kernel/debug/sbi_pmu/sbi_calls", "r");
	char line[512];
	uint64_t n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		uint64_t start, stop;
		int cpu;

		if (sscanf(line, "%d %*u %*u %*u %lu %lu", &cpu, &start, &stop) == 3 &&
		    cpu == WITNESS_CPU)
			n = start + stop;
	}
	if (f)
		fclose(f);
	return n;
}

/* The number that @format finds in the first line of a file that has @word. */
static uint64_t found(const char *path, const char *word, const char *format)
{
	FILE *f = fopen(path, "r");
	char line[512];
	uint64_t n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, word) && sscanf(line, format, &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* Overflows that this CPU has served: by interrupt, and those whose interrupt was lost. */
static uint64_t overflows(void)
{
	const uint64_t interrupts = found("/proc/interrupts", driver->irq, "%*[^:]: %lu");

	if (driver == &builtin)
		return interrupts;
	return interrupts + found("/sys/kernel/debug/sbi_pmu/overflow", "0 ", "0 %lu");
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

/* What was asked for a second; codes go at the same pace in QEMU. */
static uint64_t second_of(unsigned int i)
{
	return per_second((struct perf_event_attr){
		.type = driver->type, .config = driver->config[i] }, spin_load);
}

/* ---- overflows: a CPU's events, which stay while tasks come and go ---- */

struct cost {
	uint64_t served, samples;	/* overflows, and what came of them */
	uint64_t calls;			/* to firmware, by the tracepoint */
	uint64_t own;			/* by our driver's own account */
};

/* Three seconds with @n sampling events of a CPU. Return: whether they opened. */
static bool measure_overflows(unsigned int n, struct cost *cost)
{
	struct ring ring[MAX_EVENTS];
	struct tally before;
	bool open = true;

	for (unsigned int i = 0; i < n; i++)
		open &= open_sampler(i, second_of(i) / 200, -1, WITNESS_CPU, &ring[i]) >= 0;
	open &= witness_open();
	if (!open)
		return false;
	busy(200, spin_load);
	for (unsigned int i = 0; i < n; i++)
		ring_drain(&ring[i]);
	before = seen_since((struct tally){});
	cost->own = start_stop();
	cost->served = overflows();
	busy(3000, spin_load);
	cost->served = overflows() - cost->served;
	cost->own = start_stop() - cost->own;
	cost->calls = seen_since(before).calls;
	cost->samples = 0;
	for (unsigned int i = 0; i < n; i++) {
		cost->samples += ring_drain(&ring[i]).samples;
		ring_close(&ring[i]);
	}
	witness_close();
	return true;
}

static double per(uint64_t calls, uint64_t times)
{
	return (double)calls / (times ?: 1);
}

/* One call stops all; by snapshot one starts all as well. */
static unsigned int starts(unsigned int n)
{
	return 1 + (by_snapshot() ? 1 : n);
}

/*
 * An overflow costs one call that stops what has overflowed, and one that starts
 * each of these. QEMU sometimes says that a counter has overflowed which has not
 * (its two share a timer); it is started again and gives no sample.
 */
static void test_overflow(unsigned int n)
{
	/* perf core stops and starts what it throttles, which costs calls of its own. */
	const unsigned int share = slow_kernel() ? 5 : 20;
	struct cost c;

	if (!check(measure_overflows(n, &c), "%u sampling events of a CPU open", n))
		return;
	check(c.samples > 20 && c.served + c.served / 20 + 2 >= c.samples / n,
	      "%lu overflows gave %lu samples", c.served, c.samples);
	check(c.own >= c.samples && c.own <= starts(n) * c.served + c.served / share + 2,
	      "%u events: SBI calls for each, %u at most (%lu, %.3f)", n, starts(n), c.own,
	      per(c.own, c.served));
	check(within(c.calls, c.own, 3), "and the tracepoint saw no others (%lu)", c.calls);
}

/*
 * What we promise is no more than what the built-in driver takes. That may be silent
 * for good: an overflow that is served when its event has gone leaves its counter
 * with the sign of it, and one that has it does not interrupt.
 */
static void test_builtin_overflow(unsigned int n)
{
	struct cost c = {};

	for (int i = 0; i < 3 && c.served <= 20; i++)
		if (!measure_overflows(n, &c))
			break;
	if (c.served <= 20) {
		printf("# the built-in driver is silent with %u events (%lu overflows)\n", n,
		       c.served);
		return;
	}
	check(c.calls * 100 >= c.served * (1 + n) * 95,
	      "the built-in driver takes %.3f SBI calls an overflow with %u events; %u is what we may",
	      per(c.calls, c.served), n, 1 + n);
}

/* ---- switches: two tasks, each with its events ---- */

/* No overflow falls in. */
#define LONG_PERIOD	1000000000000000ULL

static bool open_all(unsigned int n, uint64_t period)
{
	struct ring ring;
	bool open = true;

	for (unsigned int i = 0; i < n; i++)
		open &= open_sampler(i, period, 0, -1, &ring) >= 0;
	return open;
}

/* What is opened is closed when the process ends. */
static bool pong(unsigned int n, int in, int out)
{
	return open_all(n, LONG_PERIOD) && pong_rounds(WARM_UP + ROUNDS, in, out);
}

/* Return: whether both were there to the end. What was seen goes through @to. */
static bool ping(unsigned int n, int in, int out, int to)
{
	struct tally before, seen;
	bool whole;

	if (!open_all(n, LONG_PERIOD) || !ping_rounds(WARM_UP, in, out))
		return false;
	before = seen_since((struct tally){});
	whole = ping_rounds(ROUNDS, in, out);
	seen = seen_since(before);
	return whole && write(to, &seen, sizeof(seen)) == sizeof(seen);
}

/* Return: whether both tasks were there to the end. */
static bool measure_switches(unsigned int n, struct tally *seen)
{
	int there[2], back[2], result[2];
	bool open = !pipe(there) && !pipe(back) && !pipe(result) && witness_open();
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
	open &= read(result[0], seen, sizeof(*seen)) == sizeof(*seen);
	close(there[0]);
	close(back[0]);
	close(result[0]);
	waitpid(first, NULL, 0);
	waitpid(second, NULL, 0);
	witness_close();
	return open && seen->switches >= 2 * ROUNDS;
}

/* One task's out and the other's in is one switch. */
static void test_switch(unsigned int n)
{
	struct tally seen = {};

	check(measure_switches(n, &seen),
	      "two tasks with %u sampling events each switch (%lu times)", n, seen.switches);
	check(seen.calls && seen.calls <= starts(n) * seen.switches + seen.switches / 20,
	      "at most %u SBI calls a switch (%lu, %.3f)", starts(n), seen.calls,
	      per(seen.calls, seen.switches));
}

static void test_builtin_switch(unsigned int n)
{
	struct tally seen = {};

	check(measure_switches(n, &seen) && seen.calls > (n + 1) * seen.switches,
	      "the built-in driver takes %.3f SBI calls a switch with %u of them; %u is what we may",
	      per(seen.calls, seen.switches), n, n + 1);
}

/* By timer, nothing is ever stopped. */
static void test_timer(void)
{
	struct ring ring;
	uint64_t calls, samples;

	check(open_sampler(0, second_of(0) / 200, -1, WITNESS_CPU, &ring) >= 0,
	      "a sampling event of a CPU opens");
	busy(200, spin_load);
	ring_drain(&ring);
	calls = start_stop();
	busy(2000, spin_load);
	calls = start_stop() - calls;
	samples = ring_drain(&ring).samples;
	ring_close(&ring);
	check(samples > 20 && !calls, "by timer: no SBI calls for %lu samples (%lu)", samples,
	      calls);
}

/* Does an overflow of the built-in driver's counters interrupt? QEMU 11's do not. */
static bool delivers(void)
{
	struct ring ring;
	uint64_t before;

	driver = &builtin;
	before = overflows();
	if (open_sampler(0, 1000000, 0, -1, &ring) < 0)
		return false;
	busy(200, spin_load);
	ring_close(&ring);
	return overflows() > before;
}

int main(void)
{
	ours.type = find_pmu() ? pmu.type : -1;
	ktap_plan(-1);
	pin(WITNESS_CPU);
	limits_lift();
	if (pmu_interrupts(pmu.name)) {
		test_overflow(1);
		test_overflow(2);
		test_switch(1);
		test_switch(2);
	} else {
		test_timer();
	}
	if (strcmp(pmu.name, "cpu") && delivers()) {
		test_builtin_overflow(1);
		test_builtin_overflow(2);
		test_builtin_switch(1);
		test_builtin_switch(2);
	}
	limits_restore();
	return end();
}
