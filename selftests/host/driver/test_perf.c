// SPDX-License-Identifier: GPL-2.0-only
/* test_perf: what perf core does with events: tasks, samples, ioctls, hotplug. */
#include "test.h"

static const struct machine lcofi = { .quirks = OPENSBI_NEW };

static void test_switch(void)
{
	struct perf_event *a[3], *b[3], *cpu;
	unsigned long before;
	bool right = true;

	boot(&lcofi);
	cpu = open_raw(9);
	for (unsigned int i = 0; i < 3; i++)
		a[i] = open_own(1 + i);
	perf_switch(&perf_core.task[1]);
	for (unsigned int i = 0; i < 3; i++)
		b[i] = open_own(1 + i);
	before = all_calls();
	for (unsigned int n = 0; n < 200; n++) {
		perf_switch(&perf_core.task[n % 3]);
		perf_run(n * 10);
	}
	check(all_calls() == before, "perf.switch_makes_no_call");
	for (unsigned int i = 0; i < 3; i++)
		right = right && is_right(a[i]) && is_right(b[i]) && perf_read(b[i]);
	check(right && is_right(cpu), "perf.tasks_count_their_own");
	unloaded("perf.switch");
}

static void test_sample(const char *name, const struct machine *machine)
{
	struct perf_event *e, *beside, *user;
	const u64 late = machine->params[0] && !strcmp(machine->params[0], "overflow=timer") ? 1000000 : 0;

	boot(machine);
	host.regs.user = true;
	e = open_sampler(5, 10007);
	beside = open_raw(6);
	user = open_task(ATTR(7, .sample_period = 30011, .exclude_kernel = 1));
	for (unsigned int n = 0; n < 300; n++) {
		perf_run(3000);
		host.regs.user = n % 3;
		if (n % 7 == 0)
			perf_switch(&perf_core.task[n % 2]);
	}
	host.regs.user = true;
	perf_switch(&perf_core.task[0]);
	perf_run(20000000);
	check(is_right(e) && is_right(beside) && is_right(user), "%s_counts_are_right", name);
	check(is_sampled(e, late) && is_sampled(user, late) && !perf_model(beside)->samples,
	      "%s_samples_stand_for_all", name);
	unloaded(name);
}

static void test_throttle(unsigned int kernel)
{
	struct perf_event *e, *beside;
	u64 samples;
	int error;

	boot(&(struct machine){ .kernel = kernel });
	perf_core.max_samples_per_tick = 5;
	e = open_sampler(5, 5000);
	beside = perf_open(ATTR(6), NULL, 0, e, &error);
	for (unsigned int n = 0; n < 50; n++) {
		perf_run(TICK_NSEC);
		perf_tick();
	}
	check(is_right(e) && is_right(beside), "perf.throttled_counts_are_right_by_%u", kernel);
	samples = perf_model(e)->samples;
	perf_core.max_samples_per_tick = 0;
	perf_tick();
	perf_run(TICK_NSEC);
	check(perf_model(e)->samples > samples + 100 && is_sampled(e, 0),
	      "perf.tick_unthrottles_by_%u", kernel);
	unloaded(kernel == 612 ? "perf.throttle_6_12" : "perf.throttle_7_2");
}

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

static void test_ioctls(void)
{
	struct perf_event *e;
	u64 samples;

	boot(&lcofi);
	e = open_attr(ATTR(5, .sample_period = 1000000, .disabled = 1));
	perf_run(100000);
	check(!perf_read(e), "perf.disabled_event_counts_nothing");
	perf_refresh(e, 3);
	perf_run(10000000);
	check(perf_model(e)->samples == 3 && e->state == PERF_EVENT_STATE_OFF && is_right(e),
	      "perf.refresh_ends_after_its_samples");
	perf_enable(e);
	perf_run(1000000);
	samples = perf_model(e)->samples;
	perf_set_period(e, 50000);
	perf_run(1000000);
	check(perf_model(e)->samples > samples + 30, "perf.new_period_is_used_at_once");
	perf_disable(e);
	perf_run(1000000);
	check(is_right(e), "perf.disable_stops_the_count");
	unloaded("perf.ioctl");
}

static void test_hotplug(void)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE };
	const struct perf_event_attr narrow = { .type = PERF_TYPE_RAW, .config = 5 };
	struct perf_event *e, *s;
	int error;

	boot(&(struct machine){ .cpus = 2, .width = 27 });
	e = perf_open(&attr, NULL, 1, NULL, &error);
	perf_open(&narrow, NULL, 1, NULL, &error);
	perf_run(10000);
	perf_hotplug(1, false);
	perf_run(10000);
	check(is_right(e) && e->state == PERF_EVENT_STATE_OFF, "perf.offline_cpu_keeps_its_counts");
	check(!strcmp(perf_sysfs("cpus"), "0"), "perf.offline_cpu_is_not_listed");
	check(!perf_open(&attr, NULL, 1, NULL, &error) && error == -ENODEV,
	      "perf.offline_cpu_has_no_events");
	perf_hotplug(1, true);
	perf_run(10000);
	check(is_right(e), "perf.cpu_comes_back");
	s = perf_open(&(struct perf_event_attr){ .type = TYPE, .config = 6 }, NULL, 1, e, &error);
	check(!s && error == -ENODEV, "perf.nothing_joins_an_event_of_an_unplugged_cpu");
	e = perf_open(&narrow, NULL, 1, NULL, &error);
	perf_run(100000000);
	check(is_right(e), "perf.narrow_counter_wraps_after_its_cpu_came_back");
	unloaded("perf.hotplug");
}

void test_perf(void)
{
	test_switch();
	test_sample("perf.interrupt", &lcofi);
	test_sample("perf.timer", &(struct machine){ .params = { "overflow=timer" } });
	test_sample("perf.narrow", &(struct machine){ .width = 27 });
	test_sample("perf.snapshot", &(struct machine){ .params = { "backend=snapshot" } });
	test_sample("perf.delegated",
		    &(struct machine){ .delegated = true, .params = { "backend=csr" } });
	test_throttle(612);
	test_throttle(702);
	test_frequency();
	test_ioctls();
	test_hotplug();
}
