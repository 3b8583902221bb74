// SPDX-License-Identifier: GPL-2.0-only
/* modes - exclude_user and exclude_kernel count each mode alone, where counters can filter. */
#include <fcntl.h>

#include "harness.h"

enum { ALL, USER, KERNEL, MODES };
enum { ROUNDS = 8 };

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

/*
 * Measure the share of cycles in each mode while @loop runs. One event at a time, because QEMU
 * gives an event to one counter only; in many short rounds, because other work on the host
 * disturbs a long one.
 */
static void measure_modes(void (*loop)(void), double share[MODES])
{
	struct reading sum[MODES] = {};

	for (int i = 0; i < ROUNDS * MODES; i++) {
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

/* QEMU's default CPUs have its version in marchid and mimpid. Return: 0 on other CPUs. */
static unsigned long qemu_version(void)
{
	unsigned long arch = strtoul(cpuinfo("marchid"), NULL, 0);

	return arch == strtoul(cpuinfo("mimpid"), NULL, 0) ? arch : 0;
}

#define USER_TEST	"user_loop_has_more_user_mode"
#define KERNEL_TEST	"user_loop_has_less_kernel_mode"
#define SUM_TEST	"user_and_kernel_sum_to_all"

static void skip_modes(const char *why)
{
	skip(USER_TEST, why);
	skip(KERNEL_TEST, why);
	skip(SUM_TEST, why);
}

static void test_modes(void)
{
	double user[MODES], kernel[MODES];

	if (!has_mode_filters()) {
		skip_modes("no counter of cycles can filter by mode");
		return;
	}
	if (qemu_version() && qemu_version() < 0xa0000) {
		skip_modes("QEMU before 10.0 does not filter cycles by mode");
		return;
	}
	pin(0);
	measure_modes(user_loop, user);
	measure_modes(kernel_loop, kernel);
	note("user mode: %.2f of the user loop, %.2f of the kernel loop", user[USER], kernel[USER]);
	note("kernel mode: %.2f of the user loop, %.2f of the kernel loop", user[KERNEL],
	     kernel[KERNEL]);
	/* Compare the two loops only: a slow emulator spends more of any loop in timer ticks. */
	check(user[USER] > kernel[USER] + 0.2, USER_TEST);
	check(kernel[KERNEL] > user[KERNEL] + 0.2, KERNEL_TEST);
	check(user[USER] + user[KERNEL] > 0.6 && user[USER] + user[KERNEL] < 1.5 &&
	      kernel[USER] + kernel[KERNEL] > 0.6 && kernel[USER] + kernel[KERNEL] < 1.5,
	      SUM_TEST);
}

int main(void)
{
	begin();
	test_modes();
	return end();
}
