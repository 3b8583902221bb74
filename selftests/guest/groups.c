// SPDX-License-Identifier: GPL-2.0-only
/*
 * groups - which events can be in one group, and more events than counters: perf core multiplexes
 * them, and pinned events keep their counters.
 */
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

static void test_close_order(void)
{
	int leader = open_event(CYCLES, 0, -1, -1);
	int member = open_event(INSTRUCTIONS, 0, -1, leader);

	close(leader);
	check(count_work(member, 1000000) > 0, "members_count_after_leader_is_closed");
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

/* ---- more events than counters ---- */

/*
 * Events are opened and stopped one after the other, up to some 100 us apart on a busy host:
 * after this time (ns) that is less than 5 % of their times.
 */
#define LONG_ENOUGH	(100 * 1000 * 1000UL)

/* perf core rotates events every 4 ms: work until each one has run, but not endlessly. */
static void work_until_all_ran(int *fds, unsigned int n)
{
	bool all = false;

	for (int round = 0; round < 2000 && !all; round++) {
		work(1000000);
		all = true;
		for (unsigned int i = 0; i < n; i++) {
			const struct reading r = perf_get(fds[i]);

			all &= r.running && r.enabled > LONG_ENOUGH;
		}
	}
}

static void test_multiplex(const struct event_set *set)
{
	int counters = pmu_number(set->counters), fds[MAX_EVENTS], error, pinned;
	struct perf_event_attr attr = event(DTLB_MISSES);
	uint64_t longest = 0, sum = 0;
	int idle = 0, partly = 0, wrong = 0;
	struct reading r;
	unsigned int n;

	n = open_events(set, false, fds, &error);
	if ((int)n <= counters) {
		skip_of_set(set, "events_all_run_in_part",
			    "the machine has no more different events than counters");
		close_events(fds, n);
		return;
	}
	/* The set does not have it with another filter, which could not count beside it. */
	attr.pinned = 1;
	pinned = perf_try(&attr, 0, -1, -1);
	if (pinned < 0) { /* cycle and instret are the only hardware counters */
		attr = event(CYCLES);
		attr.pinned = 1;
		pinned = perf_try(&attr, 0, -1, -1);
	}
	work_until_all_ran(fds, n);
	/* Stop all events of this process, so that their times can be added up. */
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (unsigned int i = 0; i < n; i++) {
		r = perf_get(fds[i]);
		sum += r.running;
		longest = r.enabled > longest ? r.enabled : longest;
		idle += !r.running;
		partly += r.running < r.enabled;
		wrong += r.running > r.enabled || (!r.running && r.value);
	}
	note("%u %s events on %d counters: %d ran in part, %d not at all", n, set->name, counters,
	     partly, idle);
	check(!error && !idle && partly, "%s_events_all_run_in_part", set->name);
	note("running %lu ns in all, enabled %lu ns at most, %d events wrong", sum, longest, wrong);
	check(!wrong && sum <= counters * longest * 1.05, "%s_running_times_within_enabled",
	      set->name);
	r = perf_get(pinned);
	note("pinned event: %lu in %lu of %lu ns", r.value, r.running, r.enabled);
	check(r.value && r.running == r.enabled, "%s_pinned_event_always_runs", set->name);
	close(pinned);
	close_events(fds, n);
}

int main(void)
{
	begin();
	test_groups();
	test_close_order();
	for (unsigned int i = 0; i < ARRAY_SIZE(event_sets); i++) {
		test_large_group(&event_sets[i]);
		test_multiplex(&event_sets[i]);
	}
	return end();
}
