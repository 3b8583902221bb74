// SPDX-License-Identifier: GPL-2.0-only
/*
 * clocks [cycle] - loops of clock_gettime(), and of rdcycle, one on each CPU, until SIGTERM; fails
 * if one was killed. Every 20 ms it opens an event of cycles, and it prints the longest time in
 * which that failed.
 */
#include "harness.h"

static volatile sig_atomic_t ended;
static bool reads_cycle;

static void on_term(int sig)
{
	ended = sig;
}

static void ask_for_time(long cpu)
{
	pin(cpu);
	for (unsigned int i = 0;; i++) {
		now_ns();
		if (reads_cycle)
			asm volatile("rdcycle zero");
		if (i % 100 == 0)
			usleep(1000);
	}
}

static uint64_t longest_without_pmu(void)
{
	struct perf_event_attr attr = HARDWARE(CPU_CYCLES);
	struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(dummy), .config = PERF_COUNT_SW_DUMMY,
	};
	uint64_t since = now_ns(), longest = 0;

	/*
	 * Without any task's event perf core switches its code in context switches off. When that
	 * is switched on, another CPU of QEMU 7.2 may miss it (see qemu-lab.rst): perf core warns.
	 */
	perf_try(&dummy, 0, -1, -1);
	for (; !ended; usleep(20000)) {
		const int fd = perf_try(&attr, 0, -1, -1);
		const uint64_t now = now_ns();

		if (fd == -ENOENT) {
			longest = now - since > longest ? now - since : longest;
			continue;
		}
		close(fd);
		since = now;
	}
	return longest;
}

int main(int argc, char **argv)
{
	const int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int killed = 0;
	pid_t pid[64];

	reads_cycle = argc > 1 && !strcmp(argv[1], "cycle");
	signal(SIGTERM, on_term);
	for (int i = 0; i < cpus; i++)
		pid[i] = start_child(ask_for_time, i);
	printf("no event could be opened for %lu ms at most\n", longest_without_pmu() / 1000000);
	for (int i = 0; i < cpus; i++) {
		killed += waitpid(pid[i], NULL, WNOHANG) == pid[i];
		stop_child(pid[i]);
	}
	return killed;
}
