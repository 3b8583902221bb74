// SPDX-License-Identifier: GPL-2.0-only
/*
 * give_back - shared mode, two programmable counters: the built-in driver counts with those that a
 * program with two of our events does not use. All run on one CPU.
 */
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
static int fd[EVENTS];

static void be_busy(long unused)
{
	(void)unused;
	for (;;)
		touch_pages();
}

/* Let the program run for some time. Does it count all the time that it runs? */
static bool program_counts(void)
{
	static struct reading before[EVENTS];
	struct reading r[EVENTS];
	bool all = true;

	kill(program, SIGCONT);
	usleep(100000);
	for (int i = 0; i < EVENTS; i++) {
		r[i] = perf_get(fd[i]);
		note("event %d: %lu, before %lu, in %lu of %lu ns, before %lu of %lu", i,
		     r[i].value, before[i].value, r[i].running, r[i].enabled,
		     before[i].running, before[i].enabled);
		all &= r[i].enabled > before[i].enabled &&
		       r[i].running - before[i].running == r[i].enabled - before[i].enabled;
	}
	/* QEMU has few misses of instructions. */
	all &= r[0].value > before[0].value;
	memcpy(before, r, sizeof(r));
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
	if (!check(builtin_counts(), "builtin_driver_counts_alone"))
		return end();
	program = start_child(be_busy, 0);
	fd[0] = open_event(DTLB_MISSES, program, -1, -1);
	fd[1] = open_event(STANDARD(0x10021), program, -1, -1);
	check(program_counts(), "program_counts_on_all_counters");
	check(!count_builtin().running, "busy_program_keeps_its_counters");
	check(program_counts(), "busy_program_counts_all_the_time");
	kill(program, SIGSTOP);
	sleep(1);
	check(builtin_counts(), "builtin_driver_counts_while_program_sleeps");
	check(program_counts(), "program_that_wakes_counts_again");
	stop_child(program);
	return end();
}
