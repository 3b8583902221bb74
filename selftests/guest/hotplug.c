// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotplug - a CPU goes and comes back, with events open on it and others
 * being opened all the while.
 */
#include <fcntl.h>

#include "ring.h"

enum { CPU = 1, ROUNDS = 6 };

static bool online(int on)
{
	char path[64];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", CPU);
	fd = open(path, O_WRONLY);
	ok = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;
	close(fd);
	return ok;
}

/* Opens groups on the CPU as fast as it can, whether it is there or not. */
static pid_t start_opener(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		int leader = open_event(CYCLES, -1, CPU, -1);
		int member = leader < 0 ? -1 : open_event(INSTRUCTIONS, -1, CPU, leader);

		close(member);
		close(leader);
	}
}

static uint64_t count_on_cpu(int fd)
{
	uint64_t before = perf_get(fd).value;

	pin(CPU);
	work(5000000);
	before = perf_get(fd).value - before;
	pin(0);
	return before;
}

static struct ring open_sampler(void)
{
	struct perf_event_attr attr = event(CYCLES);

	attr.sample_period = 5000000;
	return ring_open(&attr, 0, -1, -1);
}

static uint64_t sampled_on_cpu(struct ring *ring)
{
	ring_drain(ring);
	pin(CPU);
	busy(100, spin_load);
	pin(0);
	return ring_drain(ring).samples;
}

static bool can_fork(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

int main(void)
{
	bool forks = true, counts = true, task_counts = true, samples = true;
	struct perf_event_attr attr;
	struct ring ring;
	int task, inherited;
	pid_t opener;

	begin();
	pin(0);
	task = open_event(INSTRUCTIONS, 0, -1, -1);
	attr = event(INSTRUCTIONS);
	attr.inherit = 1;
	inherited = perf_try(&attr, 0, CPU, -1);
	check(task >= 0 && inherited >= 0, "events of this task open (%d, %d)", task, inherited);
	ring = open_sampler();
	check(ring.fd >= 0, "one that samples, too (%d)", ring.fd);
	opener = start_opener();

	for (int i = 0; i < ROUNDS; i++) {
		int wide = open_event(INSTRUCTIONS, -1, CPU, -1);

		if (!online(0)) {
			perror("# offline");
			counts = false;
		}
		forks &= can_fork();
		close(wide);
		if (!online(1)) {
			perror("# online");
			counts = false;
		}
		wide = open_event(INSTRUCTIONS, -1, CPU, -1);
		counts &= wide >= 0 && count_on_cpu(wide) > 0;
		close(wide);
		task_counts &= count_on_cpu(task) > 0;
		samples &= sampled_on_cpu(&ring) > 0;
	}
	stop_child(opener);
	check(forks, "with an inherited event on the CPU gone, fork works");
	check(counts, "%d times gone and back, a new event on the CPU counts", ROUNDS);
	check(task_counts, "and so does the task's event that was open all the time");
	check(samples, "and the one that samples gives samples");
	check(count_on_cpu(inherited) > 0, "and the inherited one on that CPU");
	return end();
}
