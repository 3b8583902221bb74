// SPDX-License-Identifier: GPL-2.0-only
/*
 * count - cycles, instructions and a firmware event, of tasks and by mode, across migrations.
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

/* ---- migrations ---- */

static void test_migration(void)
{
	const uint64_t configs[] = { CYCLES, INSTRUCTIONS, FW_ILLEGAL_INSN };
	enum { ROUNDS = 200 };
	unsigned int n = is_kvm_guest() ? 2 : 3;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t last[3] = {};
	int fds[3], stopped = 0;

	for (unsigned int i = 0; i < n; i++)
		fds[i] = open_event(configs[i], 0, -1, -1);
	for (int round = 0; round < ROUNDS; round++) {
		pin(round % cpus);
		work(10000);
		if (n == 3)
			execute_illegal(1);
		for (unsigned int i = 0; i < n; i++) {
			uint64_t now = perf_get(fds[i]).value;

			stopped += now <= last[i];
			last[i] = now;
		}
	}
	note("%ld CPUs: in %d rounds an event did not count %d times", cpus, ROUNDS, stopped);
	check(!stopped, "events_count_after_each_migration");
	note("counted %lu of %d", last[n - 1], ROUNDS);
	check(last[n - 1] >= ROUNDS, "migration_loses_no_events");
	close_events(fds, n);
}

/* ---- exclude_user and exclude_kernel count each mode alone, where counters can filter ---- */

enum { ALL, USER, KERNEL, MODES };
enum { MODE_ROUNDS = 8 };

static void user_loop(void)
{
	work(20 * 1000 * 1000);
}

static void kernel_loop(void)
{
	static char buf[1 << 16];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 200; i++)
		if (read(fd, buf, sizeof(buf)) < 0)
			perror("read");
	close(fd);
}

/* One event at a time, as QEMU has one counter; in short rounds, as a busy host disturbs. */
static void measure_modes(void (*loop)(void), double share[MODES])
{
	struct reading sum[MODES] = {};

	for (int i = 0; i < MODE_ROUNDS * MODES; i++) {
		int mode = i % MODES, fd;
		struct perf_event_attr attr = event(CYCLES);
		struct reading r;

		attr.exclude_user = mode == KERNEL;
		attr.exclude_kernel = mode == USER;
		attr.exclude_hv = mode != ALL;
		attr.disabled = 1;
		fd = perf_try(&attr, 0, -1, -1);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		loop();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		r = perf_get(fd);
		sum[mode].value += r.value;
		sum[mode].running += r.running;
		close(fd);
	}
	for (int mode = 0; mode < MODES; mode++)
		share[mode] = (double)sum[mode].value / sum[mode].running *
			      sum[ALL].running / sum[ALL].value;
}

static bool is_sum(const double share[MODES])
{
	return share[USER] + share[KERNEL] > 0.6 && share[USER] + share[KERNEL] < 1.5;
}

#define SUM_TEST	"user_and_kernel_sum_to_all"

static void test_modes(void)
{
	double user[MODES], kernel[MODES];

	if (!has_mode_filters()) {
		skip(SUM_TEST, "no counter of cycles can filter by mode");
		return;
	}
	pin(0);
	/* On a busy host QEMU also counts the time of other programs, more in some rounds. */
	do {
		measure_modes(user_loop, user);
		measure_modes(kernel_loop, kernel);
	} while (try_again("modes", is_sum(user) && is_sum(kernel)));
	note("user mode: %.2f of the user loop, %.2f of the kernel loop", user[USER], kernel[USER]);
	note("kernel mode: %.2f of the user loop, %.2f of the kernel loop", user[KERNEL],
	     kernel[KERNEL]);
	/* Compare the two loops only: a slow emulator spends more of any loop in timer ticks. */
	check(user[USER] > kernel[USER] + 0.2, "user_loop_has_more_user_mode");
	check(kernel[KERNEL] > user[KERNEL] + 0.2, "user_loop_has_less_kernel_mode");
	check(is_sum(user) && is_sum(kernel), SUM_TEST);
}

int main(void)
{
	begin();
	test_task();
	test_firmware();
	test_migration();
	test_modes();
	return end();
}
