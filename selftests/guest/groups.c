// SPDX-License-Identifier: GPL-2.0-only
/* groups - which events can be in one group. */
#include "overcommit.h"
#include "outcome.h"

/* @attr is an event of the PMU under test if it has no type. */
static int open_member(struct perf_event_attr attr, pid_t pid, int cpu, int leader)
{
	attr.type = attr.type ? attr.type : (unsigned int)pmu.type;
	return perf_try(&attr, pid, cpu, leader);
}

static void test_groups(void)
{
	const struct perf_event_attr software = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int leader = open_member(EVENT(CYCLES), 0, -1, -1);
	int second = open_member(EVENT(CYCLES), 0, -1, leader);
	int clock = open_member(software, 0, -1, -1);
	int firmware = open_member(EVENT(FIRMWARE(5)), 0, -1, leader);

	note("hardware member %d, firmware member %d", second, firmware);
	check(second >= 0 && firmware >= 0, "hardware_and_firmware_events_share_group");
	check_open("member_of_member", EINVAL, open_member(EVENT(CYCLES), 0, -1, second));
	check_open("pinned_member", EINVAL,
		   open_member(EVENT(CYCLES, .pinned = 1), 0, -1, leader));
	check_open("exclusive_member", EINVAL,
		   open_member(EVENT(CYCLES, .exclusive = 1), 0, -1, leader));
	check_open("inherit_member_of_leader_without", EINVAL,
		   open_member(EVENT(CYCLES, .inherit = 1), 0, -1, leader));
	check_open("member_with_another_clock", EINVAL,
		   open_member(EVENT(CYCLES, .use_clockid = 1, .clockid = 4), 0, -1, leader));
	check_open("member_on_one_cpu", EINVAL, open_member(EVENT(CYCLES), 0, 0, leader));
	check_open("member_of_all_tasks", EINVAL, open_member(EVENT(CYCLES), -1, 0, leader));
	check_open("member_of_another_task", EINVAL, open_member(EVENT(CYCLES), 1, -1, leader));
	check_open("software_event_in_hardware_group", OPENS,
		   open_member(software, 0, -1, leader));
	check_open("hardware_event_in_software_group", OPENS,
		   open_member(EVENT(CYCLES), 0, -1, clock));
	close(firmware);
	close(clock);
	close(second);
	close(leader);
}

#define IN_BUILTIN	"event_in_builtin_group"
#define BUILTIN_IN	"builtin_event_in_group"

/* Events of the built-in driver and of this one cannot be in one group. */
static void test_mixed_groups(void)
{
	const struct perf_event_attr other = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	};
	struct perf_event_attr builtin = other;
	int leader;

	if (pmu.exclusive) {
		skip(IN_BUILTIN "_einval", "the built-in driver is not loaded");
		skip(BUILTIN_IN "_einval", "the built-in driver is not loaded");
		return;
	}
	leader = perf_try(&builtin, 0, -1, -1);
	note("cycles of the built-in driver: %d", leader);
	if (!check(leader >= 0, "builtin_cycles_open"))
		return;
	check_open(IN_BUILTIN, EINVAL, open_member(EVENT(CYCLES), 0, -1, leader));
	close(leader);
	leader = open_member(EVENT(CYCLES), 0, -1, -1);
	builtin = other;
	check_open(BUILTIN_IN, EINVAL, perf_try(&builtin, 0, -1, leader));
	close(leader);
}

/* A group that needs more counters than there are is refused; the events that fit count. */
static void test_large_group(const struct event_set *set)
{
	int counters = pmu_number(pmu.name, set->counters), fds[MAX_EVENTS], error;
	int n = open_events(set, true, fds, &error);
	struct reading r;

	note("%s group: %d events for %d counters, then %s", set->name, n, counters,
	     error ? strerror(error) : "no more events");
	if (!error && n <= counters)
		skip_of_set(set, "group_larger_than_counters_einval",
			    "the machine has not enough different events");
	else
		check(error == EINVAL && n > 1 && n <= counters,
		      "%s_group_larger_than_counters_einval", set->name);
	work(1000000);
	r = n ? perf_get(fds[0]) : (struct reading){};
	note("%s group: counted %lu in %lu of %lu ns", set->name, r.value, r.running, r.enabled);
	check(r.running && r.running == r.enabled, "%s_group_that_fits_always_runs", set->name);
	close_events(fds, n);
}

int main(void)
{
	begin();
	test_groups();
	test_mixed_groups();
	for (unsigned int i = 0; i < ARRAY_SIZE(event_sets); i++)
		test_large_group(&event_sets[i]);
	return end();
}
