// SPDX-License-Identifier: GPL-2.0-only
/*
 * count - cycles and instructions, per task and per CPU.
 *
 * QEMU's counters follow its host's clock, so no count is asserted as such:
 * only relations, and ratios within a run.
 */
#include "illegal.h"

/* The least of five, because other work on the machine only adds to a count. */
static uint64_t counted_least(int fd, uint64_t turns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t n = counted(fd, turns);

		least = n < least ? n : least;
	}
	return least;
}

static void test_task(void)
{
	const uint64_t turns = 2 * 1000 * 1000;
	int cycles = open_event(CYCLES, 0, -1, -1);
	int instructions = open_event(INSTRUCTIONS, 0, -1, -1);
	uint64_t little, much;
	struct reading r;

	if (!check(cycles >= 0 && instructions >= 0, "opens for this task (%d, %d)",
		   cycles, instructions))
		exit(end());

	little = counted_least(cycles, turns);
	much = counted_least(cycles, 10 * turns);
	check(little > 0, "cycles count (%lu)", little);
	check(much > little, "more work, more cycles (%lu > %lu)", much, little);

	little = counted_least(instructions, turns);
	much = counted_least(instructions, 10 * turns);
	check(little > 0, "instructions count (%lu)", little);
	check(much > little, "more work, more instructions (%lu > %lu)", much, little);

	r = perf_get(cycles);
	check(r.enabled > 0 && r.enabled == r.running, "counted all the time (%lu of %lu ns)",
	      r.running, r.enabled);
	close(cycles);
	close(instructions);
}

static void test_cpu(void)
{
	const uint64_t turns = 10 * 1000 * 1000;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool all = true;

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = open_event(INSTRUCTIONS, -1, cpu, -1);
		uint64_t n;

		pin(cpu);
		n = fd < 0 ? 0 : counted(fd, turns);
		if (!n) {
			printf("# CPU %d: fd %d counted %lu\n", cpu, fd, n);
			all = false;
		}
		close(fd);
	}
	check(all, "counts on each of %ld CPUs", cpus);
	check(open_event(CYCLES, -1, 4095, -1) < 0, "a CPU that is not there is refused");
}

/* Many events on one counter agree: they see the same reads or nearly so. */
static void test_shared(void)
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
			printf("# event %d: fd %d, %lu, %lu of %lu\n", i, fd[i], r.value,
			       r.running, r.enabled);
			all = false;
		}
	}
	first = fd[0] < 0 ? 0 : perf_get(fd[0]).value;
	last = fd[N - 1] < 0 ? 0 : perf_get(fd[N - 1]).value;
	check(all, "a group of %d equal events counts on one counter (%lu, %lu)", N, first, last);
	for (int i = N - 1; i >= 0; i--)
		close(fd[i]);
}

/* Firmware sees every illegal instruction first, and counts it. */
static void test_firmware(void)
{
	const unsigned int n = 200;
	int fd = open_event(FW_ILLEGAL_INSN, 0, -1, -1), other;
	uint64_t before, counted;

	if (!check(fd >= 0, "a firmware event opens (%d)", fd))
		return;
	other = open_event(FW_ILLEGAL_INSN, 0, -1, -1);
	if (in_kvm()) {
		check(other >= 0 && perf_get(fd).value == 0 && perf_get(other).value == 0,
		      "and so does another; in a guest they count nothing that is ours");
		close(fd);
		close(other);
		return;
	}
	before = perf_get(fd).value;
	illegal(n);
	counted = perf_get(fd).value - before;
	/* Nothing else in this task is illegal; the kernel may probe a little. */
	check(counted >= n && counted < 2 * n,
	      "fw_illegal_insn counts %u illegal instructions (%lu)", n, counted);
	check(perf_get(other).value >= n, "a second event of the code agrees (%lu)",
	      perf_get(other).value);
	close(fd);
	close(other);
}

int main(void)
{
	begin();
	test_task();
	test_cpu();
	test_shared();
	test_firmware();
	return end();
}
