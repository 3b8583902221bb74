// SPDX-License-Identifier: GPL-2.0-only
/* test_power: narrow counters that wrap, suspend and resume, CPU hotplug. */
#include "test.h"

/* The raw event with the highest rate that the driver allows for */
static struct sbi_pmu_event_code fastest(void)
{
	struct sbi_pmu_event_code code = { .idx = RAW };

	while (fakesbi_rate(&code) != SBI_PMU_EVENTS_PER_NS)
		code.data++;
	return code;
}

/* Poll a narrow counter every @interval ns. Return: its count is correct. */
static bool narrow_right(unsigned int width, u64 interval, unsigned int polls)
{
	struct tracked *a = &cpu.tracked[0];
	bool right;

	boot(2, 0, width);
	tracked_open(a, fastest());
	require(tracked_add_start(a), "power.narrow_counter");
	for (unsigned int i = 0; i < polls; i++) {
		fakesbi_run(interval);
		a->expected += interval * fakesbi_rate(&a->event.code);
		require(sbi_pmu_counters_poll_narrow(&cpu.counters), "power.narrow_counter_poll");
	}
	right = is_count_right(a) && a->expected > (polls - 1) * BIT_ULL(width - 1);
	sbi_pmu_counters_offline(&cpu.counters);
	return right;
}

static void test_poll_narrow(void)
{
	static const unsigned int widths[] = { 27, 32, 40, 48, 56 };
	struct tracked *a = &cpu.tracked[0];

	for (unsigned int i = 0; i < ARRAY_SIZE(widths); i++) {
		unsigned int w = widths[i];
		u64 wrap = BIT_ULL(w - 1) / SBI_PMU_EVENTS_PER_NS;

		check(narrow_right(w, wrap, 50), "power.polled_counter_of_%u_bits_wraps", w);
		check(!narrow_right(w, 2 * wrap, 50),
		      "power.counter_of_%u_bits_polled_late_loses_counts", w);
	}
	boot(2, 1, 63);
	tracked_open_idx(a, RAW, 1);
	check(tracked_add_start(a) && sbi_pmu_counters_poll_narrow(&cpu.counters),
	      "power.counter_of_63_bits_is_polled");
	sbi_pmu_counters_offline(&cpu.counters);
	boot(2, 1, 27);
	check(sbi_pmu_inventory_wrap_ns(&cpu.inv) == BIT_ULL(26) / SBI_PMU_EVENTS_PER_NS,
	      "power.poll_interval_follows_width");
	check(!sbi_pmu_counters_poll_narrow(&cpu.counters), "power.no_poll_without_events");
	tracked_open_idx(a, FW + 1, 0);
	check(tracked_add_start(a) && !sbi_pmu_counters_poll_narrow(&cpu.counters),
	      "power.firmware_counter_is_not_polled");
	tracked_del(a);
	tracked_open_idx(a, SBI_PMU_HW_CPU_CYCLES, 0);
	check(tracked_add_start(a) && a->event.counter == 0 &&
	      !sbi_pmu_counters_poll_narrow(&cpu.counters),
	      "power.counter_of_64_bits_is_not_polled");
	tracked_del(a);
	tracked_open(a, fastest());
	check(tracked_add_start(a) && sbi_pmu_counters_poll_narrow(&cpu.counters),
	      "power.counter_of_27_bits_is_polled");
	tracked_del(a);
	check(!sbi_pmu_counters_poll_narrow(&cpu.counters), "power.idle_counter_is_not_polled");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Two events share a narrow counter, and one of them starts later. */
static void test_poll_shared(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	boot(2, 0, 32);
	tracked_open(a, fastest());
	tracked_open(b, fastest());
	require(tracked_add_start(a) && tracked_add(b), "power.shared_narrow_counter");
	cpu_run(1000000000);
	check(tracked_start(b), "power.second_event_starts_on_shared_narrow_counter");
	cpu_run(1000000000);
	check(is_count_right(a) && is_count_right(b) && a->reported == 2 * b->reported,
	      "power.shared_narrow_counter_wraps");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* START that ignores the value, as if counters could not be written */
static struct sbiret call_keeps_value(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	unsigned long changed[SBI_PMU_ARGS];

	memcpy(changed, arg, sizeof(changed));
	if (fid == SPEC_FID_START)
		changed[2] = 0;
	return fakesbi_call(fid, changed);
}

/* Return: is the measured width of both counters @width, in both modes? */
static bool is_measured(unsigned int width)
{
	bool ok = true;

	for (unsigned int exclusive = 0; exclusive < 2; exclusive++) {
		fakesbi_reset(2, 0, width);
		fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
		fakesbi.read_ticks = 1;
		cpu_boot(exclusive);
		ok &= cpu.inv.info[3].width == width && cpu.inv.info[4].width == width;
		ok &= cpu.inv.info[0].width == 64 && !cpu.inv.narrow;
		ok &= !fakesbi.lcofi && is_all_released() && !fakesbi.broken;
		sbi_pmu_counters_offline(&cpu.counters);
	}
	return ok;
}

/* Firmware reports too many bits: the true width is measured at load. */
static void test_measured_width(void)
{
	struct tracked *a = &cpu.tracked[0];
	unsigned int wrong = 0;

	for (unsigned int width = SBI_PMU_MIN_WIDTH; width <= 64; width++)
		wrong += !is_measured(width);
	check(!wrong, "power.width_is_measured_from_27_to_64_bits");

	fakesbi_reset(2, 0, 32);
	fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
	cpu_boot(true);
	tracked_open(a, fastest());
	require(tracked_add_start(a), "power.measured_width");
	cpu_run(1000000000);
	check(is_count_right(a), "power.counter_of_measured_width_wraps");
	sbi_pmu_counters_offline(&cpu.counters);

	fakesbi_reset(2, 0, 24);
	fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
	cpu_boot(true);
	check(cpu.inv.narrow == 2 && sbi_pmu_mask_empty(&cpu.inv.programmable),
	      "power.measured_width_may_be_too_narrow");
	sbi_pmu_counters_offline(&cpu.counters);

	fakesbi_reset(2, 0, 48);
	cpu_boot(true);
	fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
	cpu.counters.backend.sbi.call = call_keeps_value;
	fakesbi_seed(7);
	for (unsigned int i = 0; i < 1000; i++) {
		cpu_measure();
		wrong += cpu.inv.info[3].width != 64;
	}
	check(!wrong, "power.width_of_counters_that_cannot_be_written_is_believed");
	/* A hart that is delayed for 2^20 events */
	cpu.counters.backend.sbi.call = fakesbi_call;
	fakesbi.call_ticks = 3000000;
	cpu_measure();
	check(cpu.inv.info[3].width == 64, "power.slow_measurement_is_not_believed");
	fakesbi.call_ticks = 0;
	cpu_measure();
	check(cpu.inv.info[3].width == 48, "power.width_is_measured_after_that");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("power.measured_width");
}

/* Counters that cannot be measured have a limit, the parameter width=. */
static void test_width_limit(void)
{
	struct tracked *a = &cpu.tracked[0];

	fakesbi_reset(2, 0, 32);
	cpu_boot(true);
	fakesbi.quirks = QUIRK(WIDTH_64_ALWAYS);
	memset(cpu.limits.width, 32, sizeof(cpu.limits.width));
	require(!sbi_pmu_probe_inventory(&cpu.counters.backend.sbi, &cpu.limits, &cpu.inv),
		"power.width_limit_inventory");
	check(cpu.inv.info[3].width == 32, "power.width_is_limited");
	tracked_open(a, fastest());
	require(tracked_add_start(a), "power.width_limit_event");
	cpu_run(1000000000);
	check(is_count_right(a), "power.counter_with_limited_width_wraps");
	sbi_pmu_counters_offline(&cpu.counters);
}

static void start_three(struct tracked *p)
{
	tracked_open_idx(&p[0], RAW, 1);
	tracked_open_idx(&p[1], RAW, 2);
	tracked_open_idx(&p[2], FW + 4, 0);
	for (unsigned int i = 0; i < 3; i++)
		require(tracked_add_start(&p[i]), "power.three_events");
}

static bool three_right(struct tracked *p)
{
	return is_count_right(&p[0]) && is_count_right(&p[1]) && is_count_right(&p[2]);
}

static void suspend_resume(void)
{
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	sbi_pmu_counters_resume(&cpu.counters);
}

/* @lost: name for what firmware loses in suspend, by @quirks */
static void test_suspend(const char *lost, u64 quirks)
{
	struct tracked *p = cpu.tracked;
	unsigned int lost_events;

	boot(4, 2, 64);
	fakesbi.quirks = quirks;
	start_three(p);
	tracked_open_idx(&p[3], RAW, 3);
	tracked_add(&p[3]);	/* not started */
	cpu_run(11);
	for (unsigned int i = 0; i < 3; i++) {
		suspend_resume();
		cpu_run(11);
	}
	lost_events = cpu.counters.lost_events;
	check(three_right(p) && !lost_events &&
	      p[0].reported == 44 * fakesbi_rate(&p[0].event.code),
	      "power.suspend_losing_%s_keeps_counts", lost);
	check(tracked_start(&p[3]), "power.stopped_event_starts_after_suspend_losing_%s", lost);
	cpu_run(5);
	check(is_count_right(&p[3]) && p[3].reported,
	      "power.stopped_event_counts_after_suspend_losing_%s", lost);
	sbi_pmu_counters_offline(&cpu.counters);
	check(is_all_released() && !fakesbi.broken, "power.suspend_losing_%s_releases_all", lost);
}

/**
 * resume_calls() - suspend and resume with two counting events, an idle counter, and a
 *		    sampling event
 * @quirks: what firmware loses
 * @codes: the first event on a programmable counter, or both on fixed ones
 * @near: are the counts of all events right?
 *
 * Time passes while the driver reads.
 *
 * Return: the SBI calls of resume.
 */
static u64 resume_calls(u64 quirks, bool sampler, u32 idx, bool *near)
{
	struct tracked *p = cpu.tracked;
	u64 calls, reads;

	boot(4, 2, 64);
	fakesbi.quirks = quirks;
	tracked_open_idx(&p[0], idx, idx == RAW ? 1 : 0);
	tracked_open_idx(&p[1], FW + 4, 0);
	tracked_open_idx(&p[2], idx, idx == RAW ? 2 : 0);
	tracked_open_idx(&p[3], RAW, 3);
	p[3].event.sampling = SBI_PMU_BY_INTERRUPT;
	p[3].event.period.left = 100000;
	for (unsigned int i = 0; i < (sampler ? 4 : 3); i++)
		require(tracked_add_start(&p[i]), "power.resume_events");
	cpu_enable();
	tracked_del(&p[2]);
	cpu_run(11);
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	calls = cpu_calls();
	reads = fakesbi.reads;
	fakesbi.read_ticks = 1;
	sbi_pmu_counters_resume(&cpu.counters);
	fakesbi.read_ticks = 0;
	reads = fakesbi.reads - reads;
	cpu_enable();
	calls = cpu_calls() - calls;
	cpu_run(11);
	*near = is_count_near(&p[0], reads) && is_count_near(&p[1], reads) &&
		p[0].reported >= 22 * fakesbi_rate(&p[0].event.code);
	if (sampler)
		*near &= is_count_near(&p[3], reads) &&
			 p[3].event.period.left + (s64)p[3].event.period.since_sample == 100000;
	sbi_pmu_counters_offline(&cpu.counters);
	*near &= is_all_released() && !fakesbi.broken;
	return calls;
}

/* A counter that is seen to count after suspend shows that firmware has lost no event. */
static void test_resume_calls(void)
{
	bool near;
	u64 calls;

	calls = resume_calls(0, false, RAW, &near);
	check(!calls, "power.resume_makes_no_call_if_firmware_keeps_events");
	check(near, "power.resume_without_call_keeps_counts");
	calls = resume_calls(QUIRK(SUSPEND_LOSES_VALUES), false, RAW, &near);
	check(!calls, "power.resume_makes_no_call_if_firmware_loses_values");
	check(near, "power.resume_without_call_keeps_counts_if_values_are_lost");
	calls = resume_calls(QUIRK(SUSPEND_LOSES_VALUES), true, RAW, &near);
	check(calls == 2, "power.resume_makes_two_calls_for_sampling_event");
	check(near, "power.resume_keeps_count_and_period_of_sampling_event");
	calls = resume_calls(0, false, SBI_PMU_HW_CPU_CYCLES, &near);
	check(!calls && near, "power.resume_makes_no_call_for_fixed_counter");
	/* Release, configure and start; a firmware counter is also read. One is idle: release. */
	calls = resume_calls(QUIRK(SUSPEND_LOSES_EVENTS), false, RAW, &near);
	note("%llu calls", (unsigned long long)calls);
	check(calls == 3 + 4 + 1, "power.resume_configures_counters_if_firmware_loses_events");
	check(near, "power.resume_with_calls_keeps_counts");
	calls = resume_calls(QUIRK(SUSPEND_LOSES_EVENTS), true, SBI_PMU_HW_CPU_CYCLES, &near);
	note("%llu calls", (unsigned long long)calls);
	/* The sampling one is then restarted, so that it overflows in time. */
	check(calls == 3 + 4 + 5,
	      "power.fixed_counter_does_not_show_that_programmable_ones_count");
}

/* Without the driver's suspend and resume the loss is visible, so test_suspend() can fail. */
static void test_suspend_not_notified(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS);
	start_three(p);
	cpu_run(11);
	fakesbi_suspend();
	cpu_run(11);
	check(!is_count_right(&p[0]), "power.suspend_without_notification_loses_counts");
	sbi_pmu_counters_offline(&cpu.counters);
}

static void test_resume_refused(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES);
	start_three(p);
	cpu_run(11);
	fakesbi.refuse = 1;
	suspend_resume();
	check(is_all_released() && p[0].event.counter == SBI_PMU_NO_COUNTER,
	      "power.refused_resume_releases_counters");
	fakesbi.refuse = 0;
	cpu_run(11);
	check(three_right(p) && !cpu.counters.lost_events && !cpu.lost,
	      "power.events_go_on_after_refused_resume");
	fakesbi.refuse = 1;
	suspend_resume();
	cpu_enable();
	fakesbi.refuse = 0;
	check(cpu.counters.lost_events == 3 && cpu.lost == 3 && is_all_released() &&
	      p[0].event.counter == SBI_PMU_NO_COUNTER && hlist_unhashed(&p[0].event.node),
	      "power.events_are_disabled_after_lasting_refusal");
	cpu_run(11);
	check(three_right(p) && p[0].reported, "power.refused_resume_keeps_counts");
	check(tracked_add_start(&p[0]) && p[0].event.counter == 3,
	      "power.event_is_added_after_refused_resume");
	cpu_run(11);
	check(is_count_right(&p[0]) && p[0].reported == 33 * fakesbi_rate(&p[0].event.code),
	      "power.event_counts_after_refused_resume");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("power.refused_resume");
}

/* A counter that cannot be read after resume: its event is stopped, then disabled. */
static void test_resume_unreadable(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	start_three(p);
	cpu_run(11);
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi.ctr[3].dead = true;
	sbi_pmu_counters_resume(&cpu.counters);
	check(!p[0].event.active && p[1].event.active && p[2].event.active,
	      "power.resume_stops_only_event_of_unreadable_counter");
	cpu_enable();
	check(cpu.counters.lost_events == 1 && cpu.lost == 1 &&
	      p[0].event.counter == SBI_PMU_NO_COUNTER,
	      "power.event_of_unreadable_counter_is_disabled");
	cpu_run(11);
	check(three_right(p), "power.resume_with_unreadable_counter_keeps_counts");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Idle counters are released, not restored. */
static void test_resume_idle(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	start_three(p);
	tracked_del(&p[1]);
	suspend_resume();
	check(!fakesbi.ctr[4].configured && fakesbi.ctr[3].running &&
	      !sbi_pmu_mask_test(&cpu.counters.plan.configured, 4),
	      "power.suspend_releases_idle_counter");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("power.suspend_with_idle_counter");
}

/* In exclusive mode online releases what earlier software left configured. */
static void test_leftovers(void)
{
	static struct spec_snapshot page;
	const unsigned long config[SBI_PMU_ARGS] = { 3, 3, SPEC_CFG_AUTO_START, RAW, 5 };
	struct tracked *a = &cpu.tracked[0];

	for (unsigned int exclusive = 0; exclusive < 2; exclusive++) {
		fakesbi_reset(4, 2, 64);
		fakesbi_memory(0, &page, sizeof(page));
		fakesbi.shmem = &page;
		fakesbi.ctr[7].configured = true;
		fakesbi_call(SBI_EXT_PMU_COUNTER_CFG_MATCH, config);
		cpu_boot(exclusive);
		check(is_all_released() == exclusive && fakesbi.ctr[3].running == !exclusive &&
		      (fakesbi.shmem ? 0 : 1) == exclusive,
		      exclusive ? "power.exclusive_mode_releases_foreign_counters" :
				  "power.shared_mode_leaves_foreign_counters");
		check(tracked_open_idx(a, RAW, 9) && tracked_add_start(a) &&
		      a->event.counter == 4 - exclusive,
		      exclusive ? "power.exclusive_mode_uses_released_counter" :
				  "power.shared_mode_uses_free_counter");
		sbi_pmu_counters_offline(&cpu.counters);
		check(fakesbi.ctr[3].running == !exclusive && !fakesbi.broken,
		      exclusive ? "power.exclusive_mode_offline_releases_all" :
				  "power.shared_mode_offline_leaves_foreign_counters");
	}
}

/* Offline deletes all events; they are added again after online. */
static void test_hotplug(void)
{
	struct tracked *p = cpu.tracked;

	boot(4, 2, 64);
	start_three(p);
	cpu_run(5);
	sbi_pmu_counters_offline(&cpu.counters);
	check(tracked_sync() == 3 && is_all_released(), "power.offline_deletes_events");
	fakesbi_restart();
	cpu_run(5);
	check(is_count_right(&p[0]) && is_count_right(&p[2]) && p[0].reported,
	      "power.offline_keeps_counts");
	sbi_pmu_counters_online(&cpu.counters);
	for (unsigned int i = 0; i < 3; i++)
		require(tracked_add_start(&p[i]), "power.events_after_online");
	cpu_run(5);
	check(is_count_right(&p[0]) && is_count_right(&p[2]) &&
	      p[0].reported == 10 * fakesbi_rate(&p[0].event.code),
	      "power.counting_continues_after_online");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("power.hotplug");
}

void test_power(void)
{
	test_poll_narrow();
	test_poll_shared();
	test_measured_width();
	test_width_limit();
	test_suspend("nothing", 0);
	test_suspend("events", QUIRK(SUSPEND_LOSES_EVENTS));
	test_suspend("values", QUIRK(SUSPEND_LOSES_VALUES));
	test_suspend("all", QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES));
	test_suspend_not_notified();
	test_resume_calls();
	test_resume_refused();
	test_resume_unreadable();
	test_resume_idle();
	test_leftovers();
	test_hotplug();
}
