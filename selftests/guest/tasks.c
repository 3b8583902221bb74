// SPDX-License-Identifier: GPL-2.0-only
/* tasks - a task's event counts this task: across migrations and switches, until it exits. */
#include "overcommit.h"
#include "illegal.h"

/* Two tasks share a CPU: a task's event has this task's part of the CPU's time and count. */
static void test_own_time(void)
{
	pid_t other = start_spinner(0);
	struct reading task, cpu;
	double rates;
	int mine, all;

	pin(0);
	all = open_event(CYCLES, -1, 0, -1);
	mine = open_event(CYCLES, 0, -1, -1);
	do {
		work(1000000);
		cpu = perf_get(all);
	} while (cpu.enabled < 1000 * 1000 * 1000UL && all >= 0);
	task = perf_get(mine);
	stop_child(other);
	note("task: %lu in %lu ns; CPU: %lu in %lu ns", task.value, task.enabled, cpu.value,
	     cpu.enabled);
	check(task.enabled < cpu.enabled * 0.8 && task.value < cpu.value * 0.8,
	      "task_event_counts_own_time_only");
	/* The rate is the same for both; a factor of 1.5 allows for the context switches. */
	rates = (double)task.value / task.enabled * cpu.enabled / cpu.value;
	note("task's rate / CPU's rate: %.2f", rates);
	check(rates > 0.67 && rates < 1.5, "task_cycle_rate_is_cpu_cycle_rate");
	close(mine);
	close(all);
}

static void test_migration(void)
{
	const uint64_t configs[] = { CYCLES, INSTRUCTIONS, illegal_event() };
	enum { N = ARRAY_SIZE(configs), ROUNDS = 200 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int fds[N], stopped = 0;
	uint64_t last[N] = {};

	for (unsigned int i = 0; i < N; i++)
		fds[i] = open_event(configs[i], 0, -1, -1);
	for (int round = 0; round < ROUNDS; round++) {
		pin(round % cpus);
		work(10000);
		execute_illegal(1);
		for (unsigned int i = 0; i < N; i++) {
			uint64_t now = perf_get(fds[i]).value;

			stopped += now <= last[i];
			last[i] = now;
		}
	}
	note("%ld CPUs: %d of %d times an event did not count", cpus, stopped, ROUNDS * N);
	check(!stopped, "events_count_after_each_migration");
	note("counted %lu of %d", last[N - 1], ROUNDS);
	check(last[N - 1] >= ROUNDS, "migration_loses_no_events");
	close_events(fds, N);
}

/* How many events can count together: the largest group of each set. */
static unsigned int count_together(void)
{
	unsigned int all = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(event_sets); i++) {
		int fds[MAX_EVENTS], error;
		unsigned int n = open_events(&event_sets[i], true, fds, &error);
		struct reading r;

		work(100000);
		r = n ? perf_get(fds[0]) : (struct reading){};
		if (r.running && r.running == r.enabled)
			all += n;
		close_events(fds, n);
	}
	return all;
}

static void test_killed(void)
{
	enum { ROUNDS = 50 };
	unsigned int before = count_together(), after;
	int ready[2], fds[MAX_EVENTS], error;

	if (pipe(ready))
		return;
	for (int round = 0; round < ROUNDS; round++) {
		pid_t child = fork();
		char c;

		if (!child) {
			for (unsigned int i = 0; i < ARRAY_SIZE(event_sets); i++)
				open_events(&event_sets[i], i, fds, &error);
			open_event(CYCLES, -1, 0, -1);
			if (write(ready[1], "", 1) == 1)
				pause();
			_exit(1);
		}
		if (read(ready[0], &c, 1) != 1)
			perror("read");
		stop_child(child);
	}
	close_events(ready, 2);
	after = count_together();
	note("%u events count together, %u after killing %d processes", before, after, ROUNDS);
	check(before && after == before, "killed_processes_release_their_counters");
}

int main(void)
{
	begin();
	test_own_time();
	test_migration();
	test_killed();
	return end();
}
