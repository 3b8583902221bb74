// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks - an event follows its task: through exec, fork, threads, from CPU to
 * CPU, beside other tasks, and into the grave.
 */
#include <pthread.h>

#include "overcommit.h"
#include "illegal.h"

static void test_enable_on_exec(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	char *const argv[] = { "contract", "work", NULL };
	struct reading before, after;
	int go[2], fd;
	pid_t child;
	char c = 0;

	if (pipe(go))
		return;
	child = fork();
	if (!child) {
		if (read(go[0], &c, 1) == 1)
			execv("/proc/self/exe", argv);
		_exit(1);
	}
	attr.disabled = 1;
	attr.enable_on_exec = 1;
	fd = perf_try(&attr, child, -1, -1);
	before = perf_get(fd);
	if (write(go[1], &c, 1) != 1)
		perror("write");
	waitpid(child, NULL, 0);
	after = perf_get(fd);
	check(fd >= 0 && !before.value && !before.enabled && after.value > 0,
	      "enable_on_exec: nothing before it, %lu after", after.value);
	close(fd);
	close(go[0]);
	close(go[1]);
}

static void *thread_work(void *turns)
{
	work((uintptr_t)turns);
	return NULL;
}

/* Others work for this task: a process or a thread that it makes. */
static void delegate(bool thread, uint64_t turns)
{
	pthread_t other;
	pid_t child;

	if (thread) {
		if (!pthread_create(&other, NULL, thread_work, (void *)turns))
			pthread_join(other, NULL);
		return;
	}
	child = fork();
	if (!child) {
		work(turns);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void test_inherit(void)
{
	static const struct {
		const char *what;
		bool inherit, threads_only, thread, counts;
	} rows[] = {
		{ "without inherit, no child process", false, false, false, false },
		{ "without inherit, no thread", false, false, true, false },
		{ "inherit: a child process too", true, false, false, true },
		{ "inherit: a thread too", true, false, true, true },
		{ "inherit_thread: no child process", true, true, false, false },
		{ "inherit_thread: a thread", true, true, true, true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = event(INSTRUCTIONS);
		int alone = open_event(INSTRUCTIONS, 0, -1, -1), fd;
		uint64_t own, all;

		attr.inherit = rows[i].inherit;
		attr.inherit_thread = rows[i].threads_only;
		fd = perf_try(&attr, 0, -1, -1);
		delegate(rows[i].thread, 50 * 1000 * 1000);
		all = perf_get(fd).value;
		own = perf_get(alone).value;
		/* The other one works, this one waits. */
		check(own > 0 && (all > 2 * own) == rows[i].counts, "%s (%lu, alone %lu)",
		      rows[i].what, all, own);
		close(fd);
		close(alone);
	}
}

static void test_other_process(void)
{
	pid_t child = start_spinner(0);
	int fd = open_event(INSTRUCTIONS, child, -1, -1);
	uint64_t n = 0, last;

	for (int i = 0; i < 1000 && !n; i++) {
		usleep(10000);
		n = perf_get(fd).value;
	}
	check(n > 0, "another process is counted (%lu)", n);
	stop_child(child);
	last = perf_get(fd).value;
	work(1000000);
	check(last >= n && perf_get(fd).value == last, "when it has gone its count stays");
	close(fd);
}

/* Two tasks share a CPU: the event of one has its share of the CPU's, by time and count. */
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
	check(task.enabled < cpu.enabled * 0.8 && task.value < cpu.value * 0.8,
	      "a task's event counts its own time only (%lu of %lu ns, %lu of %lu)",
	      task.enabled, cpu.enabled, task.value, cpu.value);
	/* Cycles pass alike for both; half as much room again for what the switches take. */
	rates = (double)task.value / task.enabled * cpu.enabled / cpu.value;
	check(rates > 0.67 && rates < 1.5, "and as fast as the CPU's (ratio %.2f)", rates);
	close(mine);
	close(all);
}

static void test_migration(void)
{
	const uint64_t configs[] = { CYCLES, INSTRUCTIONS, illegal_event() };
	enum { N = ARRAY_SIZE(configs), ROUNDS = 200 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int fds[N], stuck = 0;
	uint64_t last[N] = {};

	for (unsigned int i = 0; i < N; i++)
		fds[i] = open_event(configs[i], 0, -1, -1);
	for (int round = 0; round < ROUNDS; round++) {
		pin(round % cpus);
		work(10000);
		illegal(1);
		for (unsigned int i = 0; i < N; i++) {
			uint64_t now = perf_get(fds[i]).value;

			stuck += now <= last[i];
			last[i] = now;
		}
	}
	check(!stuck, "on %ld CPUs in turn each event counts on (%d of %d times not)", cpus,
	      stuck, ROUNDS * N);
	check(last[N - 1] >= ROUNDS, "and loses nothing (%lu of %d)", last[N - 1], ROUNDS);
	crowd_close(fds, N);
}

/* The most events that count together, and whether they do. */
static unsigned int full_groups(void)
{
	unsigned int all = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(crowds); i++) {
		int fds[CROWD_MAX], error;
		unsigned int n = crowd_open(&crowds[i], true, fds, &error);
		struct reading r;

		work(100000);
		r = n ? perf_get(fds[0]) : (struct reading){};
		if (r.running && r.running == r.enabled)
			all += n;
		crowd_close(fds, n);
	}
	return all;
}

static void hold_many(int ready)
{
	int fds[CROWD_MAX], error;

	for (unsigned int i = 0; i < ARRAY_SIZE(crowds); i++)
		crowd_open(&crowds[i], i, fds, &error);
	open_event(CYCLES, -1, 0, -1);
	if (write(ready, "", 1) == 1)
		pause();
	_exit(1);
}

static void test_killed(void)
{
	enum { ROUNDS = 50 };
	unsigned int before = full_groups(), after;
	int ready[2];

	if (pipe(ready))
		return;
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();
		char c;

		if (!child)
			hold_many(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			perror("read");
		stop_child(child);
	}
	close(ready[0]);
	close(ready[1]);
	after = full_groups();
	check(before && after == before,
	      "%d processes killed with their events, as many count as before (%u, %u)", ROUNDS,
	      before, after);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "work")) {
		work(1000000);
		return 0;
	}
	begin();
	test_enable_on_exec();
	test_inherit();
	test_other_process();
	test_own_time();
	test_migration();
	test_killed();
	return end();
}
