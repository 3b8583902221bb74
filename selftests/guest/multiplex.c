// SPDX-License-Identifier: GPL-2.0-only
/*
 * multiplex - more events than counters: they take turns, and those that must not
 * wait do not.
 */
#include "overcommit.h"
#include "illegal.h"

/*
 * Events are not opened and stopped at the same moment, and on a busy host a moment may
 * be some 100 us: after so many ns that is less than 5 % of their times.
 */
#define LONG_ENOUGH	(100 * 1000 * 1000UL)

static void take_turns(int *fds, unsigned int n)
{
	bool all = false;

	/* Each 4 ms another event has its turn; wait for the last, but not for ever. */
	for (int round = 0; round < 2000 && !all; round++) {
		work(1000000);
		all = true;
		for (unsigned int i = 0; i < n; i++) {
			const struct reading r = perf_get(fds[i]);

			all &= r.running && r.enabled > LONG_ENOUGH;
		}
	}
}

static void test_multiplex(const struct crowd *crowd)
{
	int counters = pmu_number(pmu.name, crowd->counters), fds[CROWD_MAX], error, pinned;
	/* KVM has one counter for cycles, whatever the filter, and the crowd wants it, too. */
	struct perf_event_attr attr = event(in_kvm() ? STANDARD(0x10019) : CYCLES);
	uint64_t longest = 0, sum = 0;
	int idle = 0, partly = 0, wrong = 0;
	struct reading r;
	unsigned int n;

	n = crowd_open(crowd, false, fds, &error);
	if ((int)n <= counters) {
		not_here("turns on counters", "no more different events than counters");
		crowd_close(fds, n);
		return;
	}
	attr.pinned = 1;
	pinned = perf_try(&attr, 0, -1, -1);
	take_turns(fds, n);
	/* All that this process opened stand still, so that their times can be added up. */
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (unsigned int i = 0; i < n; i++) {
		r = perf_get(fds[i]);
		sum += r.running;
		longest = r.enabled > longest ? r.enabled : longest;
		idle += !r.running;
		partly += r.running < r.enabled;
		wrong += r.running > r.enabled || (!r.running && r.value);
	}
	check(!error && !idle && partly, "%u %s events take turns on %d counters (%d partly)",
	      n, crowd->name, counters, partly);
	check(!wrong && sum <= counters * longest * 1.05,
	      "none runs longer than it is enabled, nor all longer than there are counters");
	r = perf_get(pinned);
	/* QEMU has an event on one counter, which is the crowd's if that is there first. */
	check((r.value || slow_kernel()) && r.running && r.running == r.enabled,
	      "a pinned event beside them runs all the time (%lu in %lu of %lu ns)", r.value,
	      r.running, r.enabled);
	close(pinned);
	crowd_close(fds, n);
}

/*
 * What took turns, scaled by its times, is what there was: firmware counts
 * exactly. The machine may be busy in some turns and not in others, hence 1.5.
 */
static void test_scaling(const struct crowd *crowd)
{
	int fds[CROWD_MAX], error;
	unsigned int n = crowd_open(crowd, false, fds, &error), done = 0;
	struct reading r;
	double scaled;

	do {
		illegal(100);
		done += 100;
		r = perf_get(fds[4]);
	} while (r.enabled < 3000 * 1000 * 1000UL && n > 4);
	scaled = (double)r.value * r.enabled / r.running;
	check(r.running < r.enabled && scaled > done / 1.5 && scaled < done * 1.5,
	      "%lu counted in %lu of %lu ns stand for %.0f: there were %u", r.value, r.running,
	      r.enabled, scaled, done);
	crowd_close(fds, n);
}

/* Pinned events that find no counter say so, by end of file. */
static void test_pinned_crowd(const struct crowd *crowd)
{
	int counters = pmu_number(pmu.name, crowd->counters), counting = 0, failed = 0;
	int fds[CROWD_MAX];
	unsigned int n = crowd->size;

	for (unsigned int i = 0; i < n; i++) {
		struct perf_event_attr attr = event(FIRMWARE(i));

		attr.pinned = 1;
		fds[i] = perf_try(&attr, 0, -1, -1);
	}
	for (unsigned int i = 0; i < n; i++) {
		struct reading r;
		ssize_t got = read(fds[i], &r, sizeof(r));

		counting += got == sizeof(r) && r.running == r.enabled;
		failed += got == 0;
		if (got == sizeof(r) && r.running != r.enabled)
			printf("# event %u: %lu of %lu ns\n", i, r.running, r.enabled);
	}
	check(counting == counters && failed == (int)n - counters,
	      "of %u pinned events %d count on %d counters, %d say that they cannot", n,
	      counting, counters, failed);
	crowd_close(fds, n);
}

/* An exclusive group and any other event never run at once. */
static void test_exclusive(void)
{
	struct perf_event_attr attr = event(CYCLES);
	int alone, member, other = open_event(INSTRUCTIONS, 0, -1, -1);
	struct reading a, b;

	attr.exclusive = 1;
	alone = perf_try(&attr, 0, -1, -1);
	member = open_event(FW_ILLEGAL_INSN, 0, -1, alone);
	take_turns((int[]){ member, other }, 2);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	a = perf_get(member);
	b = perf_get(other);
	check(a.running && b.running && a.running + b.running <= b.enabled * 1.05,
	      "an exclusive group and an event take turns (%lu and %lu of %lu ns)", a.running,
	      b.running, b.enabled);
	close(member);
	close(alone);
	close(other);
}

int main(void)
{
	const struct crowd *firmware = &crowds[FIRMWARE_CROWD];

	begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(crowds); i++)
		test_multiplex(&crowds[i]);
	if (pmu_number(pmu.name, firmware->counters) < (int)firmware->size) {
		test_scaling(firmware);
		test_pinned_crowd(firmware);
	} else {
		not_here("turns whose count is known", "a counter for each firmware event");
	}
	test_exclusive();
	return end();
}
