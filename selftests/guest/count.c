// SPDX-License-Identifier: GPL-2.0-only
/*
 * count - cycles, instructions and a firmware event of a task. Modes and migrations are tested on
 * the host; what samples see of modes by the program sample.
 *
 * QEMU's counters follow the host's clock, so no absolute count is expected: only relations and
 * ratios within a run.
 */
#include <ucontext.h>

#include "harness.h"

/*
 * Illegal instructions: firmware handles each before the kernel and counts it, so a program knows
 * the exact count. Not in a KVM guest: firmware does not count them there, and on a Linux 6.12 host
 * the first one ends the guest.
 */
#define FW_ILLEGAL_INSN	FIRMWARE(4)

static void skip_instruction(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	uc->uc_mcontext.__gregs[REG_PC] += 4;
}

/* Execute @n illegal instructions, each a write to the read-only CSR cycle. */
static void execute_illegal(unsigned int n)
{
	struct sigaction sa = { .sa_sigaction = skip_instruction, .sa_flags = SA_SIGINFO };

	sigaction(SIGILL, &sa, NULL);
	while (n--)
		asm volatile(".word 0xc0001073");
	signal(SIGILL, SIG_DFL);
}

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
}

/* Events that have counted and may again: a guest may have more counters than its host. */
static void use_counters(void)
{
	static const unsigned int tlb_misses[] = { 0x10019, 0x1001b, 0x10021 };

	for (unsigned int i = 0; i < ARRAY_SIZE(tlb_misses); i++) {
		const int fd = open_event(STANDARD(tlb_misses[i]), 0, -1, -1);

		work(1000);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
}

static void test_task(void)
{
	int cycles, instructions;
	struct reading r;

	use_counters();
	cycles = open_event(CYCLES, 0, -1, -1);
	instructions = open_event(INSTRUCTIONS, 0, -1, -1);
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

static void test_firmware(void)
{
	const unsigned int n = 200;
	const int fd = open_event(FW_ILLEGAL_INSN, 0, -1, -1);
	uint64_t counted;

	note("fw_illegal_insn: %d", fd);
	if (!check(fd >= 0, "fw_illegal_insn_opens"))
		return;
	if (is_kvm_guest()) {
		skip("fw_illegal_insn_counts_each", "KVM counts none of a guest's");
	} else {
		counted = perf_get(fd).value;
		execute_illegal(n);
		counted = perf_get(fd).value - counted;
		note("%u illegal instructions: counted %lu", n, counted);
		/* This task executes no others; the kernel may execute a few. */
		check(counted >= n && counted < 2 * n, "fw_illegal_insn_counts_each");
	}
	close(fd);
}

int main(void)
{
	begin();
	test_task();
	test_firmware();
	return end();
}
