// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm_exits [MODE] - how many exits to the host a context switch and an overflow cost a KVM guest
 *
 * The host counts the exits, and how many of them were reads of counter CSRs. For context
 * switches, two tasks with the same events open send a byte to each other, as in
 * sbi_calls_switch.c.
 *
 * MODE  how counters are read, which decides how many exits are allowed: "snapshot" (SBI
 *       snapshot shared memory), "reads" (one by one), or "builtin" (the kernel's built-in
 *       driver). Default: the mode that the module uses.
 */
#include "exits.h"
#include "pingpong.h"
#include "ring.h"
#include "tracepoint.h"

enum { WARM_UP = 50, ROUNDS = 1000, MAX_EVENTS = 8 };

/* Cycles, instructions, dTLB load and store misses, iTLB load misses; three firmware events. */
static const struct { bool cache, firmware; uint64_t config; } events[MAX_EVENTS] = {
	{ .config = PERF_COUNT_HW_CPU_CYCLES }, { .config = PERF_COUNT_HW_INSTRUCTIONS },
	{ .cache = true, .config = 0x10003 }, { .cache = true, .config = 0x10103 },
	{ .cache = true, .config = 0x10004 }, { .firmware = true, .config = 0 },
	{ .firmware = true, .config = 4 }, { .firmware = true, .config = 5 },
};

/**
 * struct cost - what a load cost
 * @exits: of the guest, counted by the host
 * @guest: SBI calls and context switches, also those of other tasks, counted by the guest
 * @ns: time
 */
struct cost {
	struct exits exits;
	struct tracepoint_counts guest;
	uint64_t ns;
};

/*
 * Measure what @run costs, without what the measuring itself costs. The tracepoints must be
 * open. Return: whether @run succeeded and the host answered.
 */
static bool measure(bool (*run)(const void *arg), const void *arg, struct cost *cost)
{
	struct cost before = {};
	bool ok;

	ok = exits_now(&before.exits);
	before.guest = tracepoint_counts_now();
	before.ns = now_ns();
	ok = ok && run(arg);
	cost->ns = now_ns() - before.ns;
	cost->guest = tracepoint_counts_since(before.guest);
	ok = ok && exits_now(&cost->exits);
	cost->exits.all -= before.exits.all;
	cost->exits.csr_reads -= before.exits.csr_reads;
	return ok;
}

/* ---- context switches ---- */

/* Use only event types that the built-in driver supports as well. */
static int open_one(unsigned int i)
{
	struct perf_event_attr attr = {
		.type = events[i].firmware ? PERF_TYPE_RAW :
			events[i].cache ? PERF_TYPE_HW_CACHE : PERF_TYPE_HARDWARE,
		.config = events[i].firmware ? FIRMWARE(events[i].config) : events[i].config,
		.read_format = READ_TIMES,
	};

	return perf_try(&attr, 0, -1, -1);
}

static bool open_all(unsigned int n, int *fd)
{
	for (unsigned int i = 0; i < n; i++) {
		fd[i] = open_one(i);
		if (fd[i] < 0) {
			note("event %u does not open: %s", i, strerror(-fd[i]));
			return false;
		}
	}
	return true;
}

struct pipes {
	int in, out;
};

static bool run_switches(const void *arg)
{
	const struct pipes *pipes = arg;

	return ping_rounds(ROUNDS, pipes->in, pipes->out);
}

/* Return: whether all of it worked. The first task's events stay open in @fd. */
static bool measure_switches(unsigned int n, struct cost *cost, int *fd)
{
	int there[2], back[2], other[MAX_EVENTS];
	struct pipes ends;
	bool ok;
	pid_t pid;

	if (pipe(there) || pipe(back) || !tracepoints_open())
		return false;
	pid = fork();
	if (!pid) {
		close(back[0]);
		close(there[1]);
		_exit(!(open_all(n, other) && pong_rounds(WARM_UP + ROUNDS, there[0], back[1])));
	}
	close(back[1]);
	ends = (struct pipes){ back[0], there[1] };
	ok = open_all(n, fd) && ping_rounds(WARM_UP, ends.in, ends.out) &&
	     measure(run_switches, &ends, cost);
	tracepoints_close();
	close(there[1]);
	close(back[0]);
	waitpid(pid, NULL, 0);
	close(there[0]);
	return ok;
}

static double per_switch(uint64_t count)
{
	return (double)count / (2 * ROUNDS);
}

/*
 * Exits per switch that are not caused by counters. The kernels of host and guest tick every
 * 4 ms, at three exits per tick, and one switch in ten belongs to other tasks.
 */
static double other_exits(const struct cost *cost)
{
	return 0.2 + 3 * per_switch(cost->ns / 4000000);
}

static void check_switch_cost(const char *mode, unsigned int n, bool counted,
			      const struct cost *cost)
{
	const struct tracepoint_counts *guest = &cost->guest;

	/* param_snapshot reads this line. */
	note("%-8s %u events: %5.2f exits a switch, %5.2f calls, %5.2f reads, %.0f us", mode, n,
	     per_switch(cost->exits.all), per_switch(guest->calls),
	     per_switch(cost->exits.csr_reads), per_switch(cost->ns) / 1000);
	if (!strcmp(mode, "snapshot")) {
		note("%lu calls in %lu switches", guest->calls, guest->switches);
		/* A switch is counted before it is complete: allow one call more. */
		check(counted && guest->calls <= 2 * guest->switches + 1 &&
		      per_switch(cost->exits.csr_reads) < 0.01,
		      "snapshot_switch_with_%u_events_makes_two_calls_and_no_reads", n);
		note("%.2f exits more than 2 per switch", per_switch(cost->exits.all) - 2);
		check(per_switch(cost->exits.all) <= 2 + other_exits(cost),
		      "snapshot_switch_with_%u_events_takes_few_other_exits", n);
	} else if (!strcmp(mode, "reads")) {
		const unsigned int hardware = n < 5 ? n : 5;

		check(counted && per_switch(guest->calls) <= 2.2 * (n - hardware) &&
		      per_switch(cost->exits.csr_reads) <= 2.2 * hardware &&
		      per_switch(cost->exits.csr_reads) > hardware,
		      "reads_switch_with_%u_events_makes_two_reads_per_event", n);
	} else {
		check(per_switch(cost->exits.all) > 3,
		      "builtin_switch_with_%u_events_takes_over_three_exits", n);
	}
}

static void test_switch(const char *mode, unsigned int n)
{
	struct cost cost = {};
	int fd[MAX_EVENTS];
	bool counted = true;

	if (!check(measure_switches(n, &cost, fd), "tasks_with_%u_events_switch", n))
		return;
	for (unsigned int i = 0; i < n; i++) {
		struct reading r = perf_get(fd[i]);

		counted &= r.enabled && r.enabled == r.running && (i > 1 || r.value);
		close(fd[i]);
	}
	check_switch_cost(mode, n, counted, &cost);
}

/* ---- overflows ---- */

static bool run_second(const void *arg)
{
	(void)arg;
	run_load(1000, spin_load);
	return true;
}

/* Sample cycles for a second. Return: the number of samples, 0 on failure. */
static uint64_t measure_overflows(struct cost *cost)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
	};
	struct ring ring = ring_open(&attr, 0, -1, -1);
	uint64_t samples;
	bool ok;

	if (ring.fd < 0 || !tracepoints_open())
		return 0;
	run_load(100, spin_load);
	ring_drain(&ring);
	ok = measure(run_second, NULL, cost);
	samples = ring_drain(&ring).samples;
	tracepoints_close();
	ring_close(&ring);
	return ok ? samples : 0;
}

static void test_overflow(const char *mode)
{
	struct cost cost = {};
	const struct tracepoint_counts *guest = &cost.guest;
	double samples, calls, reads;

	limits_raise();
	samples = measure_overflows(&cost);
	limits_restore();
	/* Subtract context switches to other tasks, and the driver's check every 10 ms. */
	calls = guest->calls - 3.0 * guest->switches;
	reads = cost.exits.csr_reads - 4.0 * guest->switches - cost.ns / 10000000;
	note("%-8s %4.0f overflows: %lu exits, %lu calls, %lu reads; %lu switches", mode,
	     samples, cost.exits.all, guest->calls, cost.exits.csr_reads, guest->switches);
	/* The built-in driver may have lost its overflow interrupt for good. */
	if (!check(samples > 10 || !strcmp(mode, "builtin"), "cycles_are_sampled"))
		return;
	if (!strcmp(mode, "snapshot"))
		check(calls <= 2 * samples + 2 && reads <= 0.01 * samples,
		      "snapshot_overflow_makes_two_calls_and_no_reads");
	else if (!strcmp(mode, "reads"))
		check(calls <= 2 * samples + 2 && reads <= 2.01 * samples,
		      "reads_overflow_makes_two_calls_and_two_reads");
	else
		check(cost.exits.all > 2 * samples, "builtin_overflow_takes_over_two_exits");
}

int main(int argc, char **argv)
{
	static const unsigned int wanted[] = { 1, 2, 5, MAX_EVENTS };
	const char *mode = argc > 1 ? argv[1] :
			   find_pmu() && uses_snapshot() ? "snapshot" : "reads";
	struct exits now;

	/* Without begin(): with the built-in driver the module's PMU is not there. */
	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	pin(0);
	if (check(exits_now(&now), "host_reports_exits"))
		for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
			test_switch(mode, wanted[i]);
	test_overflow(mode);
	return end();
}
