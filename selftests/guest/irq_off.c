// SPDX-License-Identifier: GPL-2.0-only
/*
 * irq_off - an ordinary user cannot make the driver switch off the overflow interrupt, which other
 * users' samples come by: not by events that leave just before their counters overflow, nor by
 * opening and closing them.
 */
#include "ring.h"

/* An event that counts for some instructions only at a time has a sample in twenty times or so. */
enum { PERIOD = 500, EVENTS = 2, CPU = 0 };

static int open_leaver(unsigned int i, int group)
{
	struct perf_event_attr attr = event(i ? CYCLES : INSTRUCTIONS);

	/* The second counter overflows when the interrupt of the first has been served. */
	attr.sample_period = PERIOD + i * PERIOD / 5;
	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.disabled = group < 0;
	return perf_try(&attr, 0, -1, group);
}

/* An ordinary user's task: with a group of @events, or with new events all the time if that is 0 */
static void attack(long events)
{
	int fd[EVENTS] = { -1 };

	if (setgid(65534) || setuid(65534))
		_exit(1);
	for (unsigned int i = 0; i < events; i++)
		fd[i] = open_leaver(i, fd[0]);
	for (;;) {
		if (!events)
			fd[0] = open_leaver(0, -1);
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		if (events)
			ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		else
			close(fd[0]);
		/* The counters are armed and go on. */
		work(PERIOD * 7 / 10);
	}
}

/* Return: does root get all samples of the CPU, by interrupt? */
static bool is_sampled(void)
{
	struct perf_event_attr attr = event(CYCLES);
	uint64_t due, interrupts = interrupts_of("sbi_pmu");
	struct sampled s;

	attr.sample_period = per_second(attr, spin_load) / 500 ?: 1;
	s = sample_load(attr, -1, CPU, 1000, spin_load, NULL);
	interrupts = interrupts_of("sbi_pmu") - interrupts;
	due = s.count.value / attr.sample_period;
	note("root: %lu samples of %lu, %lu interrupts", s.totals.samples, due, interrupts);
	return within(s.totals.samples, due, 10) && within(interrupts, due, 10);
}

static void test_attack(const char *name, long events)
{
	const uint64_t before = interrupts_of("sbi_pmu");
	const pid_t child = start_child(attack, events);
	long off;

	sleep(2);
	stop_child(child);
	off = find_number(DEBUGFS "overflow", "0 ", "0 %*d %*d %ld");
	note("%lu interrupts; irq_off %ld", interrupts_of("sbi_pmu") - before, off);
	check(!off && !is_logged("stuck overflow interrupt"), "%s_leaves_interrupt_on", name);
	check(is_sampled(), "%s_leaves_samples_of_others", name);
}

int main(void)
{
	begin();
	if (!has_overflow_irq()) {
		skip("leaving_event_leaves_interrupt_on", "samples are taken by timer");
		return end();
	}
	pin(CPU);
	limits_raise();
	write_text("/proc/sys/kernel/perf_event_paranoid", "2");
	check(is_sampled(), "samples_come_by_interrupt");
	test_attack("closed_event", 0);
	test_attack("leaving_event", 1);
	test_attack("leaving_group", EVENTS);
	write_text("/proc/sys/kernel/perf_event_paranoid", "-1");
	limits_restore();
	return end();
}
