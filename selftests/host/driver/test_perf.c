// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_perf: what perf core does with events: frequency, hotplug. Switches, samples, ioctls and
 * throttling are those of test_random.
 */
#include "test.h"

static const struct machine lcofi = { .quirks = OPENSBI_NEW };

static void test_frequency(void)
{
	struct perf_event *e;

	boot(&lcofi);
	e = open_attr(ATTR(5, .sample_freq = 4000, .freq = 1));
	for (unsigned int n = 0; n < 250; n++) {
		perf_run(TICK_NSEC);
		perf_tick();
	}
	note("%llu samples in a second", perf_model(e)->samples);
	check(perf_model(e)->samples > 3500 && perf_model(e)->samples < 5000,
	      "perf.frequency_is_reached");
	check(is_right(e) && is_sampled(e, 0), "perf.frequency_counts_are_right");
	unloaded("perf.frequency");
}

static void test_hotplug(void)
{
	const struct perf_event_attr *const attr = GENERAL(0), *narrow;
	struct perf_event *e, *s;
	int error;

	boot(&(struct machine){ .cpus = 2, .width = 27 });
	narrow = ATTR(5);
	e = perf_open(attr, NULL, 1, NULL, &error);
	perf_open(narrow, NULL, 1, NULL, &error);
	perf_run(10000);
	perf_hotplug(1, false);
	perf_run(10000);
	check(is_right(e) && e->state == PERF_EVENT_STATE_OFF, "perf.offline_cpu_keeps_its_counts");
	check(!strcmp(perf_sysfs("cpus"), "0"), "perf.offline_cpu_is_not_listed");
	check(!perf_open(attr, NULL, 1, NULL, &error) && error == -ENODEV,
	      "perf.offline_cpu_has_no_events");
	perf_hotplug(1, true);
	perf_run(10000);
	check(is_right(e), "perf.cpu_comes_back");
	s = perf_open(ATTR(6), NULL, 1, e, &error);
	check(!s && error == -ENODEV, "perf.nothing_joins_an_event_of_an_unplugged_cpu");
	e = perf_open(narrow, NULL, 1, NULL, &error);
	perf_run(100000000);
	check(is_right(e), "perf.narrow_counter_wraps_after_its_cpu_came_back");
	unloaded("perf.hotplug");
}

void test_perf(void)
{
	test_frequency();
	test_hotplug();
}
