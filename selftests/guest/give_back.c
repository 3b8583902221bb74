// SPDX-License-Identifier: GPL-2.0-only
/*
 * give_back - shared mode, two programmable counters: the built-in driver counts with those that a
 * program with two of our events does not use. All run on one CPU.
 */
#include <poll.h>
#include <sys/mman.h>

#include "harness.h"

enum { EVENTS = 2 };

/* Miss in the TLBs. */
static void touch_pages(void)
{
	const size_t page = 4096, size = 4096 * page;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < size && p != MAP_FAILED; i += page)
		p[i] = p[(i + size / 2) % size] + 1;
	munmap(p, size);
}

/* ---- the program ---- */

static pid_t program;
static int commands[2], replies[2];

/* Commands: r: work, and report counts; b: be busy until the next one; c: close an event */
static void obey(long unused)
{
	int fd[EVENTS] = { open_event(DTLB_MISSES, 0, -1, -1),
			   open_event(STANDARD(0x10021), 0, -1, -1) };
	struct pollfd next = { .fd = commands[0], .events = POLLIN };
	struct reading r[EVENTS];
	char command;

	(void)unused;
	while (read(commands[0], &command, 1) == 1) {
		if (command == 'c')
			close(fd[1]);
		while (command == 'b' && !poll(&next, 1, 0))
			work(100000);
		if (command != 'r')
			continue;
		touch_pages();
		for (int i = 0; i < EVENTS; i++)
			r[i] = perf_get(fd[i]);
		if (write(replies[1], r, sizeof(r)) != sizeof(r))
			return;
	}
}

static void command(const char *text)
{
	if (write(commands[1], text, strlen(text)) != (ssize_t)strlen(text))
		perror("write");
}

/* Does the program count all the time while it works, which it does now? */
static bool program_counts(void)
{
	static struct reading before[EVENTS];
	struct reading r[EVENTS] = {};
	bool all = true;

	command("r");
	if (read(replies[0], r, sizeof(r)) != sizeof(r))
		perror("read");
	for (int i = 0; i < EVENTS; i++) {
		r[i].enabled -= before[i].enabled;
		r[i].running -= before[i].running;
		note("event %d: %lu, before %lu, in %lu of %lu ns", i, r[i].value, before[i].value,
		     r[i].running, r[i].enabled);
		all &= r[i].enabled && r[i].running == r[i].enabled;
		before[i].enabled += r[i].enabled;
		before[i].running += r[i].running;
	}
	/* QEMU has few misses of instructions. */
	all &= r[0].value > before[0].value;
	for (int i = 0; i < EVENTS; i++)
		before[i].value = r[i].value;
	return all;
}

/* ---- the built-in driver ---- */

/* What its event counts, for which it needs a programmable counter */
static struct reading count_builtin(void)
{
	struct perf_event_attr attr = MISSES(DTLB, WRITE);
	struct reading r = {};
	int fd;

	attr.config |= (uint64_t)PERF_TYPE_RAW << PERF_PMU_TYPE_SHIFT;
	attr.read_format = READ_TIMES;
	fd = perf_try(&attr, 0, -1, -1);
	if (fd >= 0) {
		touch_pages();
		r = perf_get(fd);
	}
	note("built-in driver: fd %d, %lu in %lu of %lu ns", fd, r.value, r.running, r.enabled);
	close(fd);
	return r;
}

static bool builtin_counts(void)
{
	const struct reading r = count_builtin();

	return r.value && r.running == r.enabled;
}

int main(void)
{
	begin();
	pin(0);
	if (!check(builtin_counts(), "builtin_driver_counts_alone") || pipe(commands) ||
	    pipe(replies))
		return end();
	program = start_child(obey, 0);
	check(program_counts(), "program_counts_on_all_counters");
	command("b");
	check(!count_builtin().running, "busy_program_keeps_its_counters");
	check(program_counts(), "busy_program_counts_all_the_time");
	sleep(1);
	check(builtin_counts(), "builtin_driver_counts_while_program_sleeps");
	check(program_counts(), "program_that_wakes_counts_again");
	command("cb");
	sleep(1);
	check(builtin_counts(), "builtin_driver_counts_after_event_is_closed");
	stop_child(program);
	return end();
}
