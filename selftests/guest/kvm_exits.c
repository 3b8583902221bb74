// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm_exits - what a context switch and an overflow cost a KVM guest: how often it leaves for
 * its host, as the host counts it, and for what.
 *
 * Two tasks send a byte to and fro, both with the same events open, as in switches.c.
 * exits [MODE]  how counters are read: by snapshot, one by one, or by the kernel's
 *               built-in driver; each has its own promise. Default: what our module does
 */
#include <fcntl.h>

#include "pingpong.h"
#include "ring.h"
#include "tracepoint.h"

enum { WARM_UP = 50, ROUNDS = 1000, MAX_EVENTS = 8 };

/* Cycles, instructions, and misses of the dTLB (load, store) and the iTLB; firmware's. */
static const struct { bool cache, firmware; uint64_t config; } events[MAX_EVENTS] = {
	{ .config = PERF_COUNT_HW_CPU_CYCLES }, { .config = PERF_COUNT_HW_INSTRUCTIONS },
	{ .cache = true, .config = 0x10003 }, { .cache = true, .config = 0x10103 },
	{ .cache = true, .config = 0x10004 }, { .firmware = true, .config = 0 },
	{ .firmware = true, .config = 4 }, { .firmware = true, .config = 5 },
};

struct exits {
	uint64_t all;		/* times that the guest was left */
	uint64_t reads;		/* those of them for CSRs */
	struct tally seen;	/* by our own kernel: calls, and switches, others' too */
	uint64_t ns;		/* and how long it took */
};

/* Ask the host. Return: whether it has answered. */
static bool ask(struct exits *exits)
{
	static FILE *from;
	static int to = -1;
	char line[128];

	if (to < 0) {
		to = open("/dev/vport0p2", O_RDWR);
		from = to < 0 ? NULL : fdopen(to, "r");
	}
	return from && write(to, "?\n", 2) == 2 && fgets(line, sizeof(line), from) &&
	       sscanf(line, "%lu %lu", &exits->all, &exits->reads) == 2;
}

static bool start(struct exits *from)
{
	const bool answered = ask(from);

	from->seen = seen_since((struct tally){});
	from->ns = now_ns();
	return answered;
}

/* What was spent since start() at @from. Asking is not in it. */
static bool stop(const struct exits *from, struct exits *spent)
{
	bool answered;

	spent->ns = now_ns() - from->ns;
	spent->seen = seen_since(from->seen);
	answered = ask(spent);
	spent->all -= from->all;
	spent->reads -= from->reads;
	return answered;
}

/* By attributes that the built-in driver has as well. */
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
			printf("# event %u does not open: %s\n", i, strerror(-fd[i]));
			return false;
		}
	}
	return true;
}

/* Return: whether all was there. @fd are the first task's events, for its caller to see. */
static bool measure(unsigned int n, struct exits *spent, int *fd)
{
	int there[2], back[2], other[MAX_EVENTS];
	struct exits before;
	bool whole;
	pid_t pid;

	if (pipe(there) || pipe(back) || !witness_open())
		return false;
	pid = fork();
	if (!pid) {
		close(back[0]);
		close(there[1]);
		_exit(!(open_all(n, other) && pong_rounds(WARM_UP + ROUNDS, there[0], back[1])));
	}
	close(back[1]);
	whole = open_all(n, fd) && ping_rounds(WARM_UP, back[0], there[1]) && start(&before) &&
		ping_rounds(ROUNDS, back[0], there[1]) && stop(&before, spent);
	witness_close();
	close(there[1]);
	close(back[0]);
	waitpid(pid, NULL, 0);
	close(there[0]);
	return whole;
}

static double each(uint64_t exits)
{
	return (double)exits / (2 * ROUNDS);
}

/*
 * The kernels on both floors tick each 4 ms, and other tasks have their turns: three exits
 * for each tick, and one switch in ten more, are theirs.
 */
static double others(const struct exits *spent)
{
	return 0.2 + 3 * each(spent->ns / 4000000);
}

static void test_switch(const char *mode, unsigned int n)
{
	struct exits spent = {};
	const struct tally *seen = &spent.seen;
	int fd[MAX_EVENTS];
	bool counted = true;

	if (!check(measure(n, &spent, fd), "two tasks with %u events each switch", n))
		return;
	for (unsigned int i = 0; i < n; i++) {
		struct reading r = perf_get(fd[i]);

		counted &= r.enabled && r.enabled == r.running && (i > 1 || r.value);
		close(fd[i]);
	}
	printf("# %-8s %u events: %5.2f exits a switch, %5.2f calls, %5.2f reads, %.0f us\n",
	       mode, n, each(spent.all), each(seen->calls), each(spent.reads),
	       each(spent.ns) / 1000);
	if (!strcmp(mode, "snapshot")) {
		/* A switch is there before it is over: one more call than twice as many. */
		check(counted && seen->calls <= 2 * seen->switches + 1 && each(spent.reads) < 0.01,
		      "by snapshot: two calls, no read (%lu in %lu)", seen->calls, seen->switches);
		check(each(spent.all) <= 2 + others(&spent),
		      "and the guest leaves for little else (%.2f)", each(spent.all) - 2);
	} else if (!strcmp(mode, "reads")) {
		const unsigned int hardware = n < 5 ? n : 5;

		check(counted && each(seen->calls) <= 2.2 * (n - hardware) &&
		      each(spent.reads) <= 2.2 * hardware && each(spent.reads) > hardware,
		      "one by one: two reads for each, no calls but for firmware's");
	} else {
		check(each(spent.all) > 3, "the built-in driver takes more than three exits");
	}
}

/* A second of samples of cycles, each by an overflow. Return: their number, 0 if it fails. */
static uint64_t measure_overflows(struct exits *spent)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
	};
	struct ring ring = ring_open(&attr, 0, -1, -1);
	struct exits before = {};
	uint64_t samples;
	bool whole;

	if (ring.fd < 0 || !witness_open())
		return 0;
	busy(100, spin_load);
	ring_drain(&ring);
	whole = start(&before);
	busy(1000, spin_load);
	whole &= stop(&before, spent);
	samples = ring_drain(&ring).samples;
	witness_close();
	ring_close(&ring);
	return whole ? samples : 0;
}

static void test_overflow(const char *mode)
{
	struct exits spent = {};
	const struct tally *seen = &spent.seen;
	double samples, calls, reads;

	limits_lift();
	samples = measure_overflows(&spent);
	limits_restore();
	/* Others have their turns, which are switches, and every 10 ms there is a look. */
	calls = seen->calls - 3.0 * seen->switches;
	reads = spent.reads - 4.0 * seen->switches - spent.ns / 10000000;
	/* The built-in driver may have fallen silent. */
	if (!check(samples > 10 || !strcmp(mode, "builtin"),
		   "cycles are sampled (%.0f times in a second)", samples))
		return;
	printf("# %-8s %4.0f overflows: %lu exits, %lu calls, %lu reads; %lu switches\n", mode,
	       samples, spent.all, seen->calls, spent.reads, seen->switches);
	if (!strcmp(mode, "snapshot"))
		check(calls <= 2 * samples + 2 && reads <= 0.01 * samples,
		      "by snapshot: two calls, no read");
	else if (!strcmp(mode, "reads"))
		check(calls <= 2 * samples + 2 && reads <= 2.01 * samples,
		      "one by one: two calls, two reads");
	else
		check(spent.all > 2 * samples, "the built-in driver takes more than two exits");
}

int main(int argc, char **argv)
{
	static const unsigned int wanted[] = { 1, 2, 5, MAX_EVENTS };
	const char *mode = argc > 1 ? argv[1] : find_pmu() && by_snapshot() ? "snapshot" : "reads";
	struct exits now;

	ktap_plan(-1);
	pin(0);
	if (check(ask(&now), "the host says how often the guest has left it"))
		for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
			test_switch(mode, wanted[i]);
	test_overflow(mode);
	return end();
}
