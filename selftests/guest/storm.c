// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm - a sample for every single event, on all CPUs, and the machine lives: a
 * process that sleeps and wakes like any other misses no second. The kernel's own
 * complaints about stalls are looked for on the console.
 *
 * Not under the kernel's limits lifted: they are part of what keeps it alive.
 */
#include "ring.h"

enum { SECONDS = 10, BEAT_MS = 100, NOBODY = 65534 };

static int type;

/* All of them end with this. */
static void forever(void)
{
	for (;;)
		work(100000);
}

/* A process that is sampled at every cycle, and so are its children: one for each CPU. */
static pid_t start_storm(uid_t uid, long cpus, int *opened)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = STANDARD(CODE_CYCLES),
		.sample_period = 1,
		.sample_type = SAMPLE_BASE,
		.inherit = 1,
	};
	int report[2];
	pid_t pid;

	if (pipe(report))
		return -1;
	pid = fork();
	if (!pid) {
		int fd;

		setpgid(0, 0);
		if (uid && setuid(uid))
			_exit(1);
		fd = perf_try(&attr, 0, -1, -1);
		if (write(report[1], &fd, sizeof(fd)) != sizeof(fd) || fd < 0)
			_exit(1);
		for (long i = 1; i < cpus; i++)
			if (!fork())
				forever();
		forever();
	}
	setpgid(pid, pid);
	close(report[1]);
	if (read(report[0], opened, sizeof(*opened)) != sizeof(*opened))
		*opened = -EIO;
	close(report[0]);
	return pid;
}

/* The longest time between two beats, in ms. */
static uint64_t heartbeat(unsigned int *beats)
{
	const uint64_t start = now_ns();
	uint64_t last = start, longest = 0;

	*beats = 0;
	while (last < start + SECONDS * 1000000000ULL) {
		uint64_t now;

		usleep(BEAT_MS * 1000);
		now = now_ns();
		longest = now - last > longest ? now - last : longest;
		last = now;
		(*beats)++;
	}
	return longest / 1000000;
}

static void test_storm(const char *who, uid_t uid)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int beats;
	uint64_t longest;
	int opened;
	pid_t pid = start_storm(uid, cpus, &opened);

	if (!check(opened >= 0, "%s samples every cycle of %ld processes (%d)", who, cpus, opened))
		return;
	longest = heartbeat(&beats);
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(longest < 1000, "a heartbeat misses no second (%u beats, the longest took %lu ms)",
	      beats, longest);
}

int main(void)
{
	type = find_pmu() ? pmu.type : -1;
	ktap_plan(4);
	test_storm("root", 0);
	test_storm("a user", NOBODY);
	return ktap_exit();
}
