// SPDX-License-Identifier: GPL-2.0-only
/* groups - which events can be in one group, and how a group counts when members stop and start. */
#include "illegal.h"
#include "overcommit.h"

static void test_groups(void)
{
	struct perf_event_attr software = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int fd[6];

	fd[0] = open_event(CYCLES, 0, -1, -1);
	fd[1] = open_event(CYCLES, 0, -1, fd[0]);
	fd[2] = open_event(FIRMWARE(5), 0, -1, fd[0]);
	fd[3] = perf_try(&software, 0, -1, fd[0]);
	fd[4] = perf_try(&software, 0, -1, -1);
	fd[5] = open_event(CYCLES, 0, -1, fd[4]);
	check(fd[1] >= 0 && fd[2] >= 0, "hardware_and_firmware_events_share_group");
	check(fd[3] >= 0, "software_event_in_hardware_group_opens");
	check(fd[5] >= 0, "hardware_event_in_software_group_opens");
	close_events(fd, 6);
}

/* ---- members that stop and start ---- */

/* How many events of a pair count while this task works. */
static int how_many_count(const int pair[2])
{
	uint64_t before[2] = { perf_get(pair[0]).value, perf_get(pair[1]).value };

	work(1000000);
	return (perf_get(pair[0]).value > before[0]) + (perf_get(pair[1]).value > before[1]);
}

static void test_ioctl(void)
{
	static const struct {
		const char *name;
		int of;		/* 0: the leader, 1: the member */
		unsigned long request, flag;
		int counting;
	} rows[] = {
		{ "group_counts", 0, PERF_EVENT_IOC_ENABLE, 0, 2 },
		{ "leader_counts_with_member_disabled", 1, PERF_EVENT_IOC_DISABLE, 0, 1 },
		{ "group_counts_with_member_enabled_again", 1, PERF_EVENT_IOC_ENABLE, 0, 2 },
		{ "no_member_counts_with_leader_disabled", 0, PERF_EVENT_IOC_DISABLE, 0, 0 },
		{ "group_counts_with_leader_enabled_again", 0, PERF_EVENT_IOC_ENABLE, 0, 2 },
		{ "flag_group_disables_all_members", 0, PERF_EVENT_IOC_DISABLE,
		  PERF_IOC_FLAG_GROUP, 0 },
		{ "flag_group_enables_all_members", 0, PERF_EVENT_IOC_ENABLE,
		  PERF_IOC_FLAG_GROUP, 2 },
	};
	int pair[2];

	pair[0] = open_event(CYCLES, 0, -1, -1);
	pair[1] = open_event(INSTRUCTIONS, 0, -1, pair[0]);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const int error = ioctl(pair[rows[i].of], rows[i].request, rows[i].flag);

		check(!error && how_many_count(pair) == rows[i].counting, "%s", rows[i].name);
	}
	close_events(pair, 2);
}

static void test_close_order(void)
{
	int leader = open_event(CYCLES, 0, -1, -1);
	int member = open_event(INSTRUCTIONS, 0, -1, leader);
	int last = open_event(illegal_event(), 0, -1, leader);
	uint64_t before;

	close(leader);
	before = perf_get(last).value;
	execute_illegal(100);
	check(count_work(member, 1000000) > 0 && perf_get(last).value >= before + 100,
	      "members_count_after_leader_is_closed");
	close(last);
	check(count_work(member, 1000000) > 0, "last_member_counts_alone");
	close(member);
}

/* ---- groups and counters ---- */

/* A group that needs more counters than there are is refused; the events that fit count. */
static void test_large_group(const struct event_set *set)
{
	int counters = pmu_number(set->counters), fds[MAX_EVENTS], error;
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
	test_ioctl();
	test_close_order();
	for (unsigned int i = 0; i < ARRAY_SIZE(event_sets); i++)
		test_large_group(&event_sets[i]);
	return end();
}
