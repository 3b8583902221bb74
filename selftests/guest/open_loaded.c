// SPDX-License-Identifier: GPL-2.0-only
/*
 * open_loaded - what opens on real firmware: which events, and groups as long as they fit; more
 * events than counters take turns. In shared mode an event is refused with EBUSY while the built-in
 * driver has all counters that might count it. What an open costs others is tested on the host.
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

/* May what QEMU does not have give this? On a board it opens, and with csr, unchecked. */
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

static void test_multiplexed(void)
{
	int fds[EVENTS];
	const unsigned int n = fill(fds, true);

	note("%u events on %d counters", n, pmu_number("caps/hardware_counters"));
	check(all_run(fds, n), "multiplexed_events_all_run");
	close_events(fds, n);
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
		test_multiplexed();
	else
		test_shared();
	return end();
}
