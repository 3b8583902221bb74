// SPDX-License-Identifier: GPL-2.0-only
/* test_overwritten: firmware takes counters that are in use, and not offered. */
#include "test.h"

static u64 strays; /* raw events for which firmware takes a counter that was not offered */

/* Firmware that takes counter 3 for raw event 7, and counter 4 for raw event 5, once each */
static struct sbiret call_strays(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	const unsigned int idx = arg[4] == 7 ? 3 : 4;

	if (fid != SPEC_FID_CONFIG_MATCHING || arg[3] != RAW || !(strays & BIT(arg[4])))
		return fakesbi_call(fid, arg);
	strays &= ~BIT(arg[4]);
	fakesbi.ctr[idx].code = (struct sbi_pmu_event_code){ .idx = RAW, .data = arg[4] };
	fakesbi.ctr[idx].configured = true;
	return (struct sbiret){ .value = idx };
}

/* Events 5 and 6 count on counters 3 and 4. Event 7 is added, or counter 5 probed for it. */
static void overwritten(const char *when, u64 bits, bool by_probe)
{
	const struct sbi_pmu_event_code code = { .idx = RAW, .data = 7 };
	const u64 five = mask_of(5);
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;
	struct sbi_pmu_support support = {};

	boot(4, 0, 64);
	require(tracked_open_idx(a, RAW, 5) && tracked_open_idx(b, RAW, 6) &&
			tracked_add_start(a) && tracked_add_start(b) && a->event.counter == 3 &&
			b->event.counter == 4,
		"overwritten.setup");
	cpu_run(1000);
	require(by_probe || tracked_open_idx(c, RAW, 7), "overwritten.setup");
	strays = bits;
	cpu.counters.backend.sbi.call = call_strays;
	if (by_probe)
		cpu_probe(&code, five, &support);
	else
		tracked_add(c);
	cpu_run(1000);
	cpu.counters.backend.sbi.call = fakesbi_call;
	cpu_run(1000);
	check(!strays && is_count_right(a) && is_count_right(b) && !cpu.lost,
	      "overwritten.counters_count_right_%s", when);
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("overwritten.setup");
}

/* To configure event 5 again after suspend makes firmware take the counter of event 6. */
static void overwritten_at_resume(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1;

	fakesbi_reset(4, 0, 64);
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS);
	cpu_boot(true);
	require(tracked_open_idx(a, RAW, 5) && tracked_open_idx(b, RAW, 6) &&
			tracked_add_start(a) && tracked_add_start(b) && a->event.counter == 3 &&
			b->event.counter == 4,
		"overwritten.at_resume");
	cpu_run(1000);
	strays = BIT(5);
	sbi_pmu_counters_suspend(&cpu.counters);
	fakesbi_suspend();
	fakesbi.ctr[4].value += 1000000; /* is lost, too */
	cpu.counters.backend.sbi.call = call_strays;
	sbi_pmu_counters_resume(&cpu.counters);
	cpu.counters.backend.sbi.call = fakesbi_call;
	cpu_run(1000);
	check(!strays && is_count_right(a) && is_count_right(b),
	      "overwritten.counters_count_right_after_suspend");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("overwritten.at_resume");
}

void test_overwritten(void)
{
	overwritten("after_an_add", BIT(7), false);
	overwritten("after_a_probe", BIT(7), true);
	/* To configure event 5 again makes firmware take the counter of event 6. */
	overwritten("after_each_other", BIT(7) | BIT(5), false);
	overwritten_at_resume();
}
