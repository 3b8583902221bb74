// SPDX-License-Identifier: GPL-2.0-only
/*
 * suspend - suspend and resume the machine with events open
 *
 * Use the kernel's test mode for hibernation (pm_test), which does everything except to power
 * off: CPUs go offline, and the kernel notifies drivers that the last one may lose its state. It
 * does not; a firmware that loses events is tested on the host (test_backends.c).
 */
#include "ring.h"

static bool is_counting(int fd)
{
	struct reading before = perf_get(fd), after;

	work(5000000);
	after = perf_get(fd);
	note("%lu, then %lu; %lu of %lu ns", before.value, after.value, after.running,
	     after.enabled);
	return after.value > before.value && after.running == after.enabled;
}

static bool is_sampling(struct ring *ring)
{
	ring_drain(ring);
	run_load(100, spin_load);
	return ring_drain(ring).samples;
}

int main(void)
{
	struct ring ring;
	int wide, task;
	bool suspended;

	begin();
	pin(0);
	wide = open_event(CYCLES, -1, 0, -1);
	task = open_event(CYCLES, 0, -1, -1);
	note("event of CPU 0: fd %d, event of this task: fd %d", wide, task);
	check(wide >= 0 && task >= 0, "cpu_event_and_task_event_open");
	check(is_counting(wide) && is_counting(task), "events_count_before_suspend");
	ring = ring_sample(CYCLES, 5000000, 0, -1);
	note("sampling event fd %d", ring.fd);
	check(ring.fd >= 0 && is_sampling(&ring), "sampling_event_samples_before_suspend");
	suspended = write_text("/sys/power/pm_test", "core") &&
		    write_text("/sys/power/state", "disk");
	write_text("/sys/power/pm_test", "none");
	check(suspended, "machine_suspends_and_resumes");
	check(is_counting(wide), "cpu_event_counts_after_resume");
	check(is_counting(task), "task_event_counts_after_resume");
	check(is_sampling(&ring), "sampling_event_samples_after_resume");
	return end();
}
