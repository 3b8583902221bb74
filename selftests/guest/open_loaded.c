// SPDX-License-Identifier: GPL-2.0-only
/*
 * open_loaded - whether real firmware takes an event does not depend on how many count; those
 * go on counting. In shared mode an event is refused with EBUSY while the built-in driver has all
 * counters that might count it.
 */
#include "overcommit.h"

enum { QUESTIONS = 50, FILLING = 40 };

/* Raw events that QEMU does not have. A board may have some. */
static uint64_t unknown_event(unsigned int n)
{
	return 0xdead0000 + n;
}

/* Return: what opening raw event @n in this task returns: 0 or an errno. */
static int ask(unsigned int n)
{
	int fd = open_event(unknown_event(n), 0, -1, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/*
 * Misses of the data TLB by loads and stores, and of the instruction TLB, with each filter, on
 * CPU 0: they are multiplexed, and with the built-in driver, or where there are few programmable
 * counters, all of these are in use.
 */
static unsigned int fill(int fds[FILLING], bool own)
{
	static const uint64_t owns[] = { DTLB_MISSES, STANDARD(0x1001b), STANDARD(0x10021) };
	static const uint64_t builtins[] = { 0x10003, 0x10103, 0x10004 };
	unsigned int n = 0;

	for (int i = 0; i < 3 * 8; i++) {
		struct perf_event_attr attr = {
			.type = own ? (unsigned int)pmu.type : PERF_TYPE_HW_CACHE,
			.config = own ? owns[i % 3] : builtins[i % 3],
		};

		add_filter(&attr, i / 3);
		fds[n] = perf_try(&attr, -1, 0, -1);
		n += fds[n] >= 0;
	}
	return n;
}

/* ---- exclusive mode ---- */

/* Cycles and instructions in a group; instructions on a programmable counter where that can be */
static bool open_pair(int fds[2])
{
	struct perf_event_attr cycles = event(CYCLES), instructions = event(INSTRUCTIONS);

	cycles.pinned = 1;
	instructions.exclude_guest = isa_has("h") && has_mode_filters();
	fds[0] = perf_try(&cycles, -1, 0, -1);
	fds[1] = perf_try(&instructions, -1, 0, fds[0]);
	return fds[0] >= 0 && fds[1] >= 0;
}

static void test_loaded(void)
{
	int idle = ask(0), fds[FILLING], pair[2];
	unsigned int n, same = 0;
	struct reading r;

	note("raw events, idle: %s", idle ? strerror(idle) : "open");
	check(open_pair(pair), "pinned_group_opens");
	n = fill(fds, true);
	note("%u events and 2 on %d counters", n, pmu_number("caps/hardware_counters"));
	/* Not the one that has been opened idle, as it is remembered. */
	for (unsigned int i = 1; i <= QUESTIONS; i++)
		same += ask(i) == idle;
	note("%u of %d as when idle", same, QUESTIONS);
	check(same == QUESTIONS, "raw_events_open_as_when_idle");
	r = perf_get(pair[0]);
	note("pinned group: %lu of %lu ns", r.running, r.enabled);
	check(r.running && r.running == r.enabled, "pinned_group_keeps_its_counters");
	close_events(fds, n);
	close_events(pair, 2);
}

/* ---- shared mode ---- */

static void test_shared(void)
{
	unsigned int n, busy = 0;
	int fds[FILLING];

	n = fill(fds, false);
	note("%u events of the built-in driver on %d counters", n,
	     pmu_number("caps/hardware_counters"));
	for (unsigned int i = 0; i < QUESTIONS; i++)
		busy += ask(1000 + i) == EBUSY;
	note("%u of %d raw events: %s", busy, QUESTIONS, strerror(EBUSY));
	check(busy == QUESTIONS, "raw_events_are_ebusy_beside_busy_driver");
	close_events(fds, n);
	check(is_possible_not_in_lab(ask(1000)),
	      "same_raw_events_open_or_enoent_beside_idle_driver");
}

int main(void)
{
	begin();
	pin(0);
	if (pmu.exclusive)
		test_loaded();
	else
		test_shared();
	return end();
}
