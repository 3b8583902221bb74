// SPDX-License-Identifier: GPL-2.0-only
/*
 * modes - user and kernel mode are counted apart where the machine can.
 */
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
 * The part of cycles that is in each mode while @loop runs. One event at a time,
 * because QEMU gives an event to one counter; in many short rounds, because the
 * machine is not alone.
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

/* The version of the QEMU that this runs on, as its default CPUs tell it; 0 on others. */
static unsigned long qemu_version(void)
{
	unsigned long arch = strtoul(cpuinfo("marchid"), NULL, 0);

	return arch == strtoul(cpuinfo("mimpid"), NULL, 0) ? arch : 0;
}

static void test_modes(void)
{
	const char *what = "cycles by mode";
	double user[MODES], kernel[MODES];

	if (!isa_has("sscofpmf")) {
		not_here(what, "no counter can filter (Sscofpmf)");
		return;
	}
	if (qemu_version() && qemu_version() < 0xa0000) {
		not_here(what, "this QEMU counts cycles in all modes, whatever it is told");
		return;
	}
	pin(0);
	measure_modes(user_loop, user);
	measure_modes(kernel_loop, kernel);
	/* How much of each depends on how slow the emulator is: ticks take their time. */
	check(user[USER] > kernel[USER] + 0.2,
	      "a loop has more of user mode than one of system calls (%.2f, %.2f)",
	      user[USER], kernel[USER]);
	check(kernel[KERNEL] > user[KERNEL] + 0.2, "and less of kernel mode (%.2f, %.2f)",
	      user[KERNEL], kernel[KERNEL]);
	check(user[USER] + user[KERNEL] > 0.6 && user[USER] + user[KERNEL] < 1.5 &&
	      kernel[USER] + kernel[KERNEL] > 0.6 && kernel[USER] + kernel[KERNEL] < 1.5,
	      "user and kernel are all");
}

int main(void)
{
	begin();
	test_modes();
	return end();
}
