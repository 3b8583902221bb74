// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_rate - request a sample for every single event on all CPUs: the machine must stay usable.
 * A process that sleeps, wakes and reads the samples in a loop is never late by a second. The lab
 * searches the console for the kernel's warnings about stalls.
 *
 * The sample limits of the kernel are not raised, as they are part of the protection.
 */
#include "ring.h"

enum { SLEEP_MS = 100, MAX_CPUS = 64 };

/* Written by the worker of each CPU. */
struct progress {
	uint64_t iterations, samples, throttled;
};

static struct progress *progress;
static long cpus;

static void drain(struct ring *ring, struct progress *to)
{
	const struct ring_totals s = ring_drain(ring);

	to->samples += s.samples;
	to->throttled += s.throttled;
}

/* Run on CPU @i, with @attr with a sample for every event of this process. */
static void run_worker(long i, struct perf_event_attr *attr)
{
	struct ring ring = { .fd = -1 };

	pin(i);
	if (attr)
		ring = ring_open(attr, 0, -1, -1);
	while (!attr || ring.fd >= 0) {
		work(10000);
		__atomic_fetch_add(&progress[i].iterations, 1, __ATOMIC_RELAXED);
		if (attr)
			drain(&ring, &progress[i]);
	}
	_exit(1);
}

/* Sleep and wake for @seconds. Return: the longest time between two wake-ups in ms. */
static uint64_t longest_sleep(unsigned int seconds, struct ring *rings)
{
	const uint64_t start = now_ns();
	uint64_t last = start, longest = 0;

	while (last < start + seconds * 1000000000ULL) {
		uint64_t now;

		usleep(SLEEP_MS * 1000);
		now = now_ns();
		longest = now - last > longest ? now - last : longest;
		last = now;
		for (long i = 0; rings && i < cpus; i++)
			drain(&rings[i], &progress[i]);
	}
	return longest / 1000000;
}

/* Sample one task on each CPU, or with @wide each CPU with all its tasks. */
static void test_load(const char *load, bool kernel_only, bool wide, unsigned int seconds)
{
	struct perf_event_attr attr = event(CYCLES);
	struct ring rings[MAX_CPUS];
	pid_t pids[MAX_CPUS] = {};
	uint64_t longest;
	bool all = true;

	attr.sample_period = 1;
	attr.exclude_user = kernel_only;
	memset(progress, 0, MAX_CPUS * sizeof(*progress));
	for (long i = 0; i < cpus; i++) {
		pids[i] = fork();
		if (!pids[i])
			run_worker(i, wide ? NULL : &attr);
		if (wide)
			rings[i] = ring_open(&attr, -1, i, -1);
	}
	longest = longest_sleep(seconds, wide ? rings : NULL);
	for (long i = 0; i < cpus; i++) {
		const struct progress *p = &progress[i];

		note("CPU %ld: %lu iterations, %lu samples, throttled %lu times", i, p->iterations,
		     p->samples, p->throttled);
		/* In user mode the event is so frequent that every CPU must have samples. */
		all &= p->iterations > 10 && (kernel_only || p->samples > 10);
		stop_child(pids[i]);
		if (wide)
			ring_close(&rings[i]);
	}
	note("the longest sleep of %d ms took %lu ms", SLEEP_MS, longest);
	check(longest < 1000, "%s_let_sleeper_wake_within_a_second", load);
	check(all, "%s_make_progress%s", load, kernel_only ? "" : "_and_are_sampled");
}

int main(void)
{
	begin();
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	progress = mmap(NULL, MAX_CPUS * sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_load("tasks", false, false, 10);
	/* These overflow interrupts are often taken after the return to user mode. */
	if (has_mode_filters())
		test_load("tasks_with_kernel_only_events", true, false, 5);
	else
		skip("tasks_with_kernel_only_events_make_progress",
		     "no Sscofpmf: counters cannot exclude user mode");
	test_load("tasks_on_sampled_cpus", false, true, 5);
	return end();
}
