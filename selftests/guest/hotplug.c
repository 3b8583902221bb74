// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotplug - take a CPU offline and online again with events open on it, while a process opens
 * more of them all the time.
 */
#include "ring.h"

enum { CPU = 1, ROUNDS = 6 };

static bool set_online(int online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", CPU);
	return write_number(path, online);
}

/* In a child: open groups on the CPU in a loop, whether it is online or not. */
static void open_groups(long cpu)
{
	for (;;) {
		int leader = open_event(CYCLES, -1, cpu, -1);
		int member = leader < 0 ? -1 : open_event(INSTRUCTIONS, -1, cpu, leader);

		close(member);
		close(leader);
	}
}

static uint64_t count_on_cpu(int fd)
{
	const uint64_t before = perf_get(fd).value;
	uint64_t after;

	pin(CPU);
	work(5000000);
	after = perf_get(fd).value;
	pin(0);
	return after - before;
}

static uint64_t sample_on_cpu(struct ring *ring)
{
	ring_drain(ring);
	pin(CPU);
	run_load(100, spin_load);
	pin(0);
	return ring_drain(ring).samples;
}

static bool nothing(void)
{
	return true;
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
	ring = ring_sample(CYCLES, 5000000, 0, -1);
	note("task event fd %d, inherited event fd %d, sampling event fd %d", task, inherited,
	     ring.fd);
	check(task >= 0 && inherited >= 0, "task_events_open");
	check(ring.fd >= 0, "sampling_event_opens");
	opener = start_child(open_groups, CPU);

	for (int i = 0; i < ROUNDS; i++) {
		int wide = open_event(INSTRUCTIONS, -1, CPU, -1);

		counts &= set_online(0);
		forks &= run_in_child(nothing);
		close(wide);
		counts &= set_online(1);
		wide = open_event(INSTRUCTIONS, -1, CPU, -1);
		counts &= wide >= 0 && count_on_cpu(wide) > 0;
		close(wide);
		task_counts &= count_on_cpu(task) > 0;
		samples &= sample_on_cpu(&ring) > 0;
	}
	stop_child(opener);
	note("CPU %d was offline %d times", CPU, ROUNDS);
	check(forks, "fork_works_with_inherited_event_on_offline_cpu");
	check(counts, "new_event_counts_after_each_online");
	check(task_counts, "old_task_event_counts_after_each_online");
	check(samples, "old_event_samples_after_each_online");
	check(count_on_cpu(inherited) > 0, "inherited_event_counts_after_last_online");
	return end();
}
