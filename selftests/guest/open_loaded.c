// SPDX-License-Identifier: GPL-2.0-only
/*
 * open_loaded - which events, and groups as long as they fit, open on real firmware. Events that
 * count do not change that, and count on. In shared mode an event is
 * refused with EBUSY while the built-in driver has all counters that might count it.
 */
#include "harness.h"

enum { QUESTIONS = 50, EVENTS = 40 };

/* Four events that QEMU has; the built-in driver's, as perf core names them, are three of these. */
static const uint64_t own[] = { DTLB_MISSES, STANDARD(0x1001b), STANDARD(0x10021), INSTRUCTIONS };
static const uint64_t builtin[] = { 0x10003, 0x10103, 0x10004 };

/* Add one of eight combinations of exclude_*. */
static void add_filter(struct perf_event_attr *attr, unsigned int modes)
{
	attr->exclude_user = modes & 1;
	attr->exclude_kernel = modes >> 1 & 1;
	attr->exclude_hv = modes >> 2 & 1;
}

/* Return: 0 if the event opens in this task, else the errno. */
static int open_errno(uint64_t config)
{
	const int fd = open_event(config, 0, -1, -1);

	close(fd);
	return fd < 0 ? -fd : 0;
}

/* Can an event that QEMU does not have give this? On a board, and unchecked with csr, it opens. */
static bool is_possible(int result)
{
	return result == ENOENT || (!result && (!getenv("lab_case") || is_delegated()));
}

/* Codes that QEMU's firmware does not have: the first and the last of each kind */
static void test_unknown(void)
{
	static const uint64_t codes[] = {
		0, 0xdeadbeef, (1ULL << 48) - 1, 1ULL << 48, (1ULL << 56) - 1,
		FIRMWARE(256), FIRMWARE(65534), CONFIG(3, 0), ~0ULL,
	};
	bool all = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(codes); i++) {
		const int error = open_errno(codes[i]);

		note("%#lx: %s", codes[i], error ? strerror(error) : "opened");
		all &= is_possible(error);
	}
	check(all, "unknown_events_open_or_enoent");
	check(!open_errno(FIRMWARE(0)) && !open_errno(FIRMWARE(21)), "firmware_events_open");
}

/* A group that needs more counters than there are is refused; the events that fit count. */
static void test_large_group(const char *kind)
{
	const bool firmware = *kind == 'f';
	int fds[EVENTS], counters, error = 0;
	unsigned int n = 0;
	struct reading r;
	char text[64];

	snprintf(text, sizeof(text), "caps/%s_counters", kind);
	counters = pmu_number(text);
	for (unsigned int i = 0; i < 32 && (!error || error == ENOENT); i++) {
		struct perf_event_attr attr = event(firmware ? FIRMWARE(i) : own[i % 4]);

		if (!firmware)
			add_filter(&attr, i / 4);
		fds[n] = perf_try(&attr, 0, -1, n ? fds[0] : -1);
		error = fds[n] < 0 ? -fds[n] : 0;
		n += !error;
	}
	note("%s group: %u events for %d counters, then %s", kind, n, counters, strerror(error));
	snprintf(text, sizeof(text), "%s_group_larger_than_counters_einval", kind);
	if (error == ENOENT && (int)n <= counters)
		skip(text, "the machine has not enough different events");
	else
		check(error == EINVAL && n > 1 && (int)n <= counters, "%s", text);
	work(1000000);
	r = perf_get(fds[0]);
	note("%s group: counted %lu in %lu of %lu ns", kind, r.value, r.running, r.enabled);
	check(r.running && r.running == r.enabled, "%s_group_that_fits_always_runs", kind);
	close_events(fds, n);
}

/* More misses of the TLBs, with each filter, on CPU 0 than there are counters */
static unsigned int fill(int fds[EVENTS], bool ours)
{
	unsigned int n = 0;

	for (int i = 0; i < 3 * 8; i++) {
		struct perf_event_attr attr = {
			.type = ours ? (unsigned int)pmu.type : PERF_TYPE_HW_CACHE,
			.config = ours ? own[i % 3] : builtin[i % 3],
			.read_format = READ_TIMES,
		};

		add_filter(&attr, i / 3);
		fds[n] = perf_try(&attr, -1, 0, -1);
		n += fds[n] >= 0;
	}
	return n;
}

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

/* Work until each has run, or for some seconds. Return: has each? */
static bool all_run(const int *fds, unsigned int n)
{
	unsigned int running = 0;

	for (int round = 0; round < 2000 && running < n; round++) {
		work(1000000);
		running = 0;
		for (unsigned int i = 0; i < n; i++)
			running += perf_get(fds[i]).running > 0;
	}
	note("%u of %u events have run", running, n);
	return running == n;
}

static void test_loaded(void)
{
	const int idle = open_errno(0xdead0000);
	unsigned int n, same = 0;
	int fds[EVENTS], pair[2];
	struct reading r;

	note("raw events, idle: %s", idle ? strerror(idle) : "open");
	check(open_pair(pair), "pinned_group_opens");
	n = fill(fds, true);
	note("%u events and 2 on %d counters", n, pmu_number("caps/hardware_counters"));
	/* Without event 0, which was opened while idle: the driver remembers its result. */
	for (unsigned int i = 1; i <= QUESTIONS; i++)
		same += open_errno(0xdead0000 + i) == idle;
	note("%u of %d as when idle", same, QUESTIONS);
	check(same == QUESTIONS, "raw_events_open_as_when_idle");
	check(all_run(fds, n), "multiplexed_events_all_run");
	r = perf_get(pair[0]);
	note("pinned group: %lu of %lu ns", r.running, r.enabled);
	check(r.running && r.running == r.enabled, "pinned_group_keeps_its_counters");
	close_events(fds, n);
	close_events(pair, 2);
}

static void test_shared(void)
{
	unsigned int n, busy = 0;
	int fds[EVENTS];

	n = fill(fds, false);
	note("%u events of the built-in driver on %d counters", n,
	     pmu_number("caps/hardware_counters"));
	for (unsigned int i = 0; i < QUESTIONS; i++)
		busy += open_errno(0xdead1000 + i) == EBUSY;
	note("%u of %d raw events: %s", busy, QUESTIONS, strerror(EBUSY));
	check(busy == QUESTIONS, "raw_events_are_ebusy_beside_busy_driver");
	close_events(fds, n);
	check(is_possible(open_errno(0xdead1000)),
	      "same_raw_events_open_or_enoent_beside_idle_driver");
}

int main(void)
{
	begin();
	pin(0);
	test_unknown();
	test_large_group("hardware");
	test_large_group("firmware");
	if (pmu.exclusive)
		test_loaded();
	else
		test_shared();
	return end();
}
