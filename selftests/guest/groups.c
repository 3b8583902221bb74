// SPDX-License-Identifier: GPL-2.0-only
/*
 * groups - which events may be one group.
 */
#include "overcommit.h"
#include "outcome.h"

/* Opens an event of our own type if it has none. */
static int member(struct perf_event_attr attr, pid_t pid, int cpu, int leader)
{
	attr.type = attr.type ? attr.type : (unsigned int)pmu.type;
	return perf_try(&attr, pid, cpu, leader);
}

static void test_groups(void)
{
	const struct perf_event_attr software = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int leader = member(EVENT(CYCLES), 0, -1, -1);
	int second = member(EVENT(CYCLES), 0, -1, leader);
	int clock = member(software, 0, -1, -1);
	int firmware = member(EVENT(FIRMWARE(5)), 0, -1, leader);

	check(second >= 0 && firmware >= 0, "hardware and firmware events in one group (%d, %d)",
	      second, firmware);
	outcome("a member of a member", EINVAL, member(EVENT(CYCLES), 0, -1, second));
	outcome("a pinned member", EINVAL, member(EVENT(CYCLES, .pinned = 1), 0, -1, leader));
	outcome("an exclusive member", EINVAL,
		member(EVENT(CYCLES, .exclusive = 1), 0, -1, leader));
	outcome("a member that inherits unlike its leader", EINVAL,
		member(EVENT(CYCLES, .inherit = 1), 0, -1, leader));
	outcome("a member with another clock", EINVAL,
		member(EVENT(CYCLES, .use_clockid = 1, .clockid = 4), 0, -1, leader));
	outcome("a member on a CPU", EINVAL, member(EVENT(CYCLES), 0, 0, leader));
	outcome("a member of all tasks", EINVAL, member(EVENT(CYCLES), -1, 0, leader));
	outcome("a member of another task", EINVAL, member(EVENT(CYCLES), 1, -1, leader));
	outcome("a software event in our group", OPENS, member(software, 0, -1, leader));
	outcome("our event in a software group", OPENS,
		member(EVENT(CYCLES), 0, -1, clock));
	close(firmware);
	close(clock);
	close(second);
	close(leader);
}

/* Beside another driver: its events and ours do not go together. */
static void test_mixed_groups(void)
{
	const struct perf_event_attr other = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	};
	struct perf_event_attr theirs = other;
	int leader = perf_try(&theirs, 0, -1, -1);

	if (!check(leader >= 0, "the other driver's cycles open (%d)", leader))
		return;
	outcome("our event in its group", EINVAL, member(EVENT(CYCLES), 0, -1, leader));
	close(leader);
	leader = member(EVENT(CYCLES), 0, -1, -1);
	theirs = other;
	outcome("its event in our group", EINVAL, perf_try(&theirs, 0, -1, leader));
	close(leader);
}

/* A group that can never be on a hart all at once is refused; less of it counts. */
static void test_group_too_large(const struct crowd *crowd)
{
	int counters = pmu_number(pmu.name, crowd->counters), fds[CROWD_MAX], error;
	int n = crowd_open(crowd, true, fds, &error);
	struct reading r;
	char what[80];

	snprintf(what, sizeof(what), "a group of more %s events than counters", crowd->name);
	if (!error && n <= counters) {
		not_here(what, "too few different events on this machine");
	} else {
		check(error == EINVAL && n > 1 && n <= counters, "%s: EINVAL (%d fit %d: %s)",
		      what, n, counters, strerror(error));
	}
	work(1000000);
	r = n ? perf_get(fds[0]) : (struct reading){};
	check(r.running && r.running == r.enabled, "what did fit counts (%lu of %lu ns, %lu)",
	      r.running, r.enabled, r.value);
	crowd_close(fds, n);
}

int main(void)
{
	begin();
	test_groups();
	if (!pmu.sole)
		test_mixed_groups();
	for (unsigned int i = 0; i < ARRAY_SIZE(crowds); i++)
		test_group_too_large(&crowds[i]);
	return end();
}
