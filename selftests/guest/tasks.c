// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks - a task's event counts this task: across exec, fork, threads, migration to other CPUs,
 * context switches and exit.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "overcommit.h"
#include "illegal.h"

static void test_enable_on_exec(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	char *const argv[] = { "tasks", "work", NULL };
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
	note("before exec %lu, after %lu", before.value, after.value);
	check(fd >= 0 && !before.value && !before.enabled && after.value > 0,
	      "enable_on_exec_counts_from_exec_on");
	close(fd);
	close(go[0]);
	close(go[1]);
}

/* The caller's work, and how many instructions that was. */
static uint64_t counted_work(void)
{
	int fd = open_event(INSTRUCTIONS, 0, -1, -1);
	uint64_t n;

	work(50 * 1000 * 1000);
	n = perf_get(fd).value;
	close(fd);
	return n;
}

static void *thread_work(void *n)
{
	*(uint64_t *)n = counted_work();
	return NULL;
}

/* Let a new thread or child process work, and wait for it: what that counted of itself. */
static uint64_t delegate_work(bool thread)
{
	uint64_t *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t other;
	uint64_t n;
	pid_t child;

	if (shared == MAP_FAILED)
		return 0;
	if (thread) {
		if (!pthread_create(&other, NULL, thread_work, shared))
			pthread_join(other, NULL);
	} else {
		child = fork();
		if (!child) {
			*shared = counted_work();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	n = *shared;
	munmap(shared, sizeof(*shared));
	return n;
}

struct inherit_case {
	const char *name;
	bool inherit, threads_only, thread, counts;
};

/*
 * Only the other thread or process works, this one waits. An event that counts both has the
 * other's count on top of what an event without inherit has. How much this one counts does not
 * matter: on a busy host a fork takes as many of QEMU's instructions as the work.
 */
static bool counts_as_expected(const struct inherit_case *c)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	int plain = open_event(INSTRUCTIONS, 0, -1, -1), fd;
	uint64_t own, all, other;

	attr.inherit = c->inherit;
	attr.inherit_thread = c->threads_only;
	fd = perf_try(&attr, 0, -1, -1);
	other = delegate_work(c->thread);
	all = perf_get(fd).value;
	own = perf_get(plain).value;
	note("%s: counted %lu, without inherit %lu, the other %lu", c->name, all, own, other);
	close(fd);
	close(plain);
	return own > 0 && other > 0 && (all > own + other / 2) == c->counts;
}

static void test_inherit(void)
{
	static const struct inherit_case cases[] = {
		{ "no_inherit_excludes_child_process", false, false, false, false },
		{ "no_inherit_excludes_thread", false, false, true, false },
		{ "inherit_includes_child_process", true, false, false, true },
		{ "inherit_includes_thread", true, false, true, true },
		{ "inherit_thread_excludes_child_process", true, true, false, false },
		{ "inherit_thread_includes_thread", true, true, true, true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++)
		check(counts_as_expected(&cases[i]), "%s", cases[i].name);
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
	note("another process: %lu", n);
	check(n > 0, "event_counts_another_process");
	stop_child(child);
	last = perf_get(fd).value;
	work(1000000);
	check(last >= n && perf_get(fd).value == last, "count_stays_after_process_exits");
	close(fd);
}

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

static void open_many_and_wait(int ready)
{
	int fds[MAX_EVENTS], error;

	for (unsigned int i = 0; i < ARRAY_SIZE(event_sets); i++)
		open_events(&event_sets[i], i, fds, &error);
	open_event(CYCLES, -1, 0, -1);
	if (write(ready, "", 1) == 1)
		pause();
	_exit(1);
}

static void test_killed(void)
{
	enum { ROUNDS = 50 };
	unsigned int before = count_together(), after;
	int ready[2];

	if (pipe(ready))
		return;
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();
		char c;

		if (!child)
			open_many_and_wait(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			perror("read");
		stop_child(child);
	}
	close(ready[0]);
	close(ready[1]);
	after = count_together();
	note("%u events count together, %u after killing %d processes", before, after, ROUNDS);
	check(before && after == before, "killed_processes_release_their_counters");
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
