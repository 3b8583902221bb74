// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_rate - a sample for every single event, on all CPUs, and the machine lives: a
 * process that sleeps and wakes like any other misses no second. The kernel's own
 * complaints about stalls are looked for on the console.
 *
 * Not under the kernel's limits lifted: they are part of what keeps it alive.
 */
#include "ring.h"

enum { BEAT_MS = 100, NOBODY = 65534, MAX_CPUS = 64 };

static int type;

/* What the processes of a storm leave behind. */
struct trace {
	uint64_t turns, samples, throttled;
};

static struct trace *trace;

static struct perf_event_attr every_cycle(void)
{
	return (struct perf_event_attr){
		.type = type,
		.config = STANDARD(CODE_CYCLES),
		.sample_period = 1,
	};
}

static void drain(struct ring *ring, struct trace *to)
{
	const struct seen s = ring_drain(ring);

	to->samples += s.samples;
	to->throttled += s.throttled;
}

/* A process that works, and is sampled at every cycle. */
static void worker(long i, uid_t uid, bool kernel_only)
{
	struct perf_event_attr attr = every_cycle();
	struct ring ring;

	attr.exclude_user = kernel_only;
	pin(i);
	if (uid && setuid(uid))
		_exit(1);
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0)
		_exit(-ring.fd);
	for (;;) {
		work(10000);
		__atomic_fetch_add(&trace[i].turns, 1, __ATOMIC_RELAXED);
		drain(&ring, &trace[i]);
	}
}

/* The longest time between two beats, in ms. */
static uint64_t heartbeat(unsigned int seconds, struct ring *rings, long cpus)
{
	const uint64_t start = now_ns();
	uint64_t last = start, longest = 0;

	while (last < start + seconds * 1000000000ULL) {
		uint64_t now;

		usleep(BEAT_MS * 1000);
		now = now_ns();
		longest = now - last > longest ? now - last : longest;
		last = now;
		for (long i = 0; rings && i < cpus; i++)
			drain(&rings[i], &trace[i]);
	}
	return longest / 1000000;
}

static void kill_all(const pid_t *pids, long n)
{
	for (long i = 0; i < n; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

/* @often: an event that happens often enough that there must be samples of it. */
static void check_traces(const char *who, long cpus, bool often, uint64_t longest)
{
	struct trace least = { UINT64_MAX, UINT64_MAX, UINT64_MAX };

	for (long i = 0; i < cpus; i++) {
		printf("# %ld: %lu turns, %lu samples, throttled %lu times\n", i, trace[i].turns,
		       trace[i].samples, trace[i].throttled);
		if (trace[i].turns < least.turns)
			least.turns = trace[i].turns;
		if (trace[i].samples < least.samples)
			least.samples = trace[i].samples;
	}
	check(longest < 1000, "%s: a heartbeat misses no second (the longest took %lu ms)", who,
	      longest);
	check(least.turns > 10 && (!often || least.samples > 10), "%s: everybody gets on%s", who,
	      often ? ", and is sampled" : "");
}

/* On each CPU a process that is sampled. */
static void test_tasks(const char *who, uid_t uid, bool kernel_only, unsigned int seconds)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t pids[MAX_CPUS] = {};

	memset(trace, 0, MAX_CPUS * sizeof(*trace));
	for (long i = 0; i < cpus; i++) {
		pids[i] = fork();
		if (!pids[i])
			worker(i, uid, kernel_only);
	}
	check_traces(who, cpus, !kernel_only, heartbeat(seconds, NULL, 0));
	kill_all(pids, cpus);
}

static void plain_worker(long i)
{
	pin(i);
	for (;;) {
		work(10000);
		__atomic_fetch_add(&trace[i].turns, 1, __ATOMIC_RELAXED);
	}
}

/* The CPUs are, whoever runs there. */
static void test_cpus(const char *who, unsigned int seconds)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct ring rings[MAX_CPUS];
	pid_t pids[MAX_CPUS] = {};

	memset(trace, 0, MAX_CPUS * sizeof(*trace));
	for (long i = 0; i < cpus; i++) {
		struct perf_event_attr attr = every_cycle();

		pids[i] = fork();
		if (!pids[i])
			plain_worker(i);
		rings[i] = ring_open(&attr, -1, i, -1);
	}
	check_traces(who, cpus, true, heartbeat(seconds, rings, cpus));
	kill_all(pids, cpus);
	for (long i = 0; i < cpus; i++)
		ring_close(&rings[i]);
}

/* Whom the kernel would not let near it by itself. */
static void test_user(void)
{
	const int before = number_in("/proc/sys/kernel/perf_event_paranoid");

	number_to("/proc/sys/kernel/perf_event_paranoid", -1);
	test_tasks("tasks of a user", NOBODY, false, 10);
	number_to("/proc/sys/kernel/perf_event_paranoid", before);
}

int main(void)
{
	type = find_pmu() ? pmu.type : -1;
	trace = mmap(NULL, MAX_CPUS * sizeof(*trace), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ktap_plan(-1);
	test_tasks("tasks of root", 0, false, 10);
	test_user();
	/* Its overflows are often served when the kernel has been left. */
	if (isa_has("sscofpmf"))
		test_tasks("the kernel only", 0, true, 5);
	test_cpus("all CPUs", 5);
	return end();
}
