// SPDX-License-Identifier: GPL-2.0-only
/*
 * open_loaded - what opens on real firmware. In shared mode an event is refused with EBUSY while
 * the built-in driver has all counters that might count it. Groups, and what an open costs others,
 * are tested on the host.
 */
#include "harness.h"

enum { QUESTIONS = 50, EVENTS = 24 };

/* Three events that QEMU has, of the built-in driver */
static const uint64_t builtin[] = { 0x10003, 0x10103, 0x10004 };

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

static void test_shared(void)
{
	unsigned int n = 0, busy = 0;
	int fds[EVENTS];

	/* More misses of the TLBs, with each filter, on CPU 0 than there are counters */
	for (unsigned int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HW_CACHE,
			.config = builtin[i % 3],
			.exclude_user = i / 3 & 1,
			.exclude_kernel = i / 6 & 1,
			.exclude_hv = i / 12 & 1,
		};

		fds[n] = perf_try(&attr, -1, 0, -1);
		n += fds[n] >= 0;
	}
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
	if (!pmu.exclusive)
		test_shared();
	return end();
}
