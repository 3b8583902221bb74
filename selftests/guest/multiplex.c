// SPDX-License-Identifier: GPL-2.0-only
/*
 * multiplex - for make compare, on the model of XiangShan's counters: by how much multiplexed
 * counts are wrong, with twice as many events as counters, while a program has phases. In every
 * other phase the events happen four times as often.
 */
#include "../qemu/xiangshan-hpm/model.h"
#include "harness.h"

enum { COUNTERS = 8, EVENTS = 2 * COUNTERS, ROTATIONS = 800, ROTATION_NS = 1000000 };

static void set_workload(uint64_t workload)
{
	asm volatile("csrw %0, %1" ::"i"(XS_WORKLOAD), "r"(workload));
}

static void run_phases(unsigned int length)
{
	const uint64_t start = now_ns();

	for (unsigned int end = length; end <= ROTATIONS; end += length) {
		set_workload(end / length % 2 ? 0 : XS_PRESSURE(XS_FRONTEND, 2));
		while (now_ns() < start + (uint64_t)end * ROTATION_NS)
			work(1000);
	}
	set_workload(0);
}

/* Count @n events of the frontend, of which @different are; from @first on. Return: did all run? */
static bool count(unsigned int first, unsigned int n, unsigned int different, unsigned int length,
		  double *estimate)
{
	struct reading r;
	int fd[EVENTS];
	bool ok = true;

	for (unsigned int i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_RAW,
			.read_format = READ_TIMES,
			.disabled = 1,
			.config = XS_TAG(XS_FRONTEND) | XS_EVENT(1 + first + i % different, 0),
		};

		fd[i] = perf_try(&attr, 0, -1, -1);
	}
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	run_phases(length);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (unsigned int i = 0; i < n; i++) {
		r = perf_get(fd[i]);
		ok &= r.running > 0;
		estimate[i] = r.running ? (double)r.value * r.enabled / r.running : 0;
	}
	close_events(fd, n);
	return ok;
}

/* The mean error in percent of EVENTS events, of which so many are different */
static void measure(unsigned int different, unsigned int length)
{
	double right[EVENTS], estimate[EVENTS], sum = 0;
	bool ok = true;

	for (unsigned int first = 0; first < EVENTS; first += COUNTERS)
		ok &= count(first % different, COUNTERS, COUNTERS, length, right + first);
	ok &= count(0, EVENTS, different, length, estimate);
	for (unsigned int i = 0; i < EVENTS; i++) {
		const double error = right[i] ? 100 * (estimate[i] / right[i] - 1) : 100;

		sum += error < 0 ? -error : error;
		note("event %u: %.0f, alone %.0f", i % different, estimate[i], right[i]);
	}
	check(ok, "%u_events_count_in_phases_of_%u", different, length);
	note("row\t%d counters, %d events, %u different, phases of %u rotations: error, %%\t%.1f",
	     COUNTERS, EVENTS, different, length, sum / EVENTS);
}

int main(void)
{
	const char *interval = PMU_DEVICES "cpu/perf_event_mux_interval_ms";

	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	note_driver();
	pin(0);
	sleep(5); /* After a boot the kernel has work of its own. */
	write_number(interval, ROTATION_NS / 1000000);
	for (unsigned int length = 1; length <= 100; length *= 10) {
		measure(EVENTS, length);
		measure(COUNTERS, length);
	}
	return end();
}
