// SPDX-License-Identifier: GPL-2.0-only
/*
 * count - cycles and instructions, per task and per CPU.
 *
 * QEMU's counters follow the host's clock, so no absolute count is expected: only relations and
 * ratios within a run.
 */
#include "illegal.h"

/* The smallest of five counts, because other work on the machine only adds to a count. */
static uint64_t count_least(int fd, uint64_t iterations)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t n = count_work(fd, iterations);

		least = n < least ? n : least;
	}
	return least;
}

static void test_more_work(int fd, const char *name)
{
	const uint64_t iterations = 2 * 1000 * 1000;
	uint64_t little, much;

	little = count_least(fd, iterations);
	much = count_least(fd, 10 * iterations);
	note("%s: %lu, %lu in ten times the work", name, little, much);
	check(little > 0, "%s_count", name);
	check(much > little, "%s_increase_with_work", name);
	/* Reads must not be added up, as by some versions of KVM. */
	if (getenv("LAB_ICOUNT"))
		check(within(much, 10 * little, 20), "%s_are_proportional_to_work", name);
}

static void test_task(void)
{
	int cycles = open_event(CYCLES, 0, -1, -1);
	int instructions = open_event(INSTRUCTIONS, 0, -1, -1);
	struct reading r;

	note("cycles %d, instructions %d", cycles, instructions);
	if (!check(cycles >= 0 && instructions >= 0, "task_events_open"))
		exit(end());
	test_more_work(cycles, "cycles");
	test_more_work(instructions, "instructions");
	r = perf_get(cycles);
	note("cycles ran %lu of %lu ns", r.running, r.enabled);
	check(r.enabled > 0 && r.enabled == r.running, "cycles_run_while_enabled");
	close(cycles);
	close(instructions);
}

static void test_stop_and_reset(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	uint64_t stopped;
	struct reading r;
	int fd;

	attr.disabled = 1;
	fd = perf_try(&attr, 0, -1, -1);
	work(1000000);
	r = perf_get(fd);
	check(fd >= 0 && !r.value && !r.enabled, "event_opened_disabled_does_not_count");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(count_work(fd, 1000000) > 0, "enabled_event_counts");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	stopped = perf_get(fd).value;
	check(stopped && !count_work(fd, 1000000), "disabled_event_keeps_its_count");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	check(!perf_get(fd).value, "reset_event_is_zero");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(count_work(fd, 1000000) > 0, "event_enabled_after_reset_counts");
	close(fd);
}

static void test_cpu(void)
{
	const uint64_t iterations = 10 * 1000 * 1000;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool all = true;

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = open_event(INSTRUCTIONS, -1, cpu, -1);
		uint64_t n;

		pin(cpu);
		n = fd < 0 ? 0 : count_work(fd, iterations);
		if (!n) {
			note("CPU %d: fd %d counted %lu", cpu, fd, n);
			all = false;
		}
		close(fd);
	}
	note("%ld CPUs", cpus);
	check(all, "instructions_count_on_each_cpu");
}

/* Equal events of a group share one counter: all run, however many they are. */
static void test_equal_events(void)
{
	enum { N = 40 };
	int fd[N];
	uint64_t first, last;
	bool all = true;

	fd[0] = open_event(INSTRUCTIONS, 0, -1, -1);
	for (int i = 1; i < N; i++)
		fd[i] = open_event(INSTRUCTIONS, 0, -1, fd[0]);
	work(1000000);
	for (int i = 0; i < N; i++) {
		struct reading r = fd[i] < 0 ? (struct reading){} : perf_get(fd[i]);

		if (fd[i] < 0 || !r.value || r.enabled != r.running) {
			note("event %d: fd %d, %lu in %lu of %lu ns", i, fd[i], r.value, r.running,
			     r.enabled);
			all = false;
		}
	}
	first = fd[0] < 0 ? 0 : perf_get(fd[0]).value;
	last = fd[N - 1] < 0 ? 0 : perf_get(fd[N - 1]).value;
	note("%d equal events: first %lu, last %lu", N, first, last);
	check(all, "group_of_equal_events_shares_counter");
	for (int i = N - 1; i >= 0; i--)
		close(fd[i]);
}

/* KVM offers this event to a guest, but counts none of the guest's illegal instructions. */
static void test_firmware_in_guest(int fd, int other)
{
	note("counts %lu and %lu, second event %d", perf_get(fd).value, perf_get(other).value,
	     other);
	check(other >= 0 && perf_get(fd).value == 0 && perf_get(other).value == 0,
	      "fw_illegal_insn_is_zero_in_guest");
	skip("fw_illegal_insn_counts_each", "a KVM guest's illegal instructions are not counted");
	skip("second_fw_illegal_insn_agrees", "a KVM guest's illegal instructions are not counted");
}

static void test_firmware(void)
{
	const unsigned int n = 200;
	int fd = open_event(FW_ILLEGAL_INSN, 0, -1, -1), other;
	uint64_t before, counted;

	note("fw_illegal_insn: %d", fd);
	if (!check(fd >= 0, "fw_illegal_insn_opens"))
		return;
	other = open_event(FW_ILLEGAL_INSN, 0, -1, -1);
	if (is_kvm_guest()) {
		test_firmware_in_guest(fd, other);
		close(fd);
		close(other);
		return;
	}
	before = perf_get(fd).value;
	execute_illegal(n);
	counted = perf_get(fd).value - before;
	note("%u illegal instructions: counted %lu, second event %lu", n, counted,
	     perf_get(other).value);
	/* This task executes no others; the kernel may execute a few. */
	check(counted >= n && counted < 2 * n, "fw_illegal_insn_counts_each");
	check(perf_get(other).value >= n, "second_fw_illegal_insn_agrees");
	close(fd);
	close(other);
}

int main(void)
{
	begin();
	test_task();
	test_stop_and_reset();
	test_cpu();
	test_equal_events();
	test_firmware();
	return end();
}
