// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_free_running: cycles and instructions where firmware hands out no counter for them, but
 * the CSRs run (OpenSBI 1.9 with Sscofpmf, without Smcntrpmf and lines in the device tree).
 */
#include "test.h"

#define CYCLE_AND_INSTRET	(BIT(0) | BIT(2))

static const char * const modes[] = { "shared", "exclusive", "snapshot" };

/* Counter 0 is cycle, 2 is instret, 3 to 6 are programmable. */
static void boot_withheld(enum mode mode)
{
	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD);
	fakesbi.can = can_hold_upto;
	cpu_boot_mode(mode);
}

static bool free_running_is(unsigned long counters)
{
	return cpu.inv.free_running.bits[0] == counters;
}

static void test_counts(enum mode mode)
{
	struct tracked *cycles = &cpu.tracked[0], *again = cycles + 1, *instret = cycles + 2;
	char test[64];
	u64 calls;

	boot_withheld(mode);
	check(free_running_is(CYCLE_AND_INSTRET), "free_running.found_in_%s_mode", modes[mode]);
	check(tracked_open_idx(cycles, SBI_PMU_HW_CPU_CYCLES, 0) &&
	      cycles->event.candidates.bits[0] == BIT(0) &&
	      tracked_open_idx(instret, SBI_PMU_HW_INSTRUCTIONS, 0) &&
	      instret->event.candidates.bits[0] == BIT(2),
	      "free_running.events_open_in_%s_mode", modes[mode]);
	tracked_open_idx(again, SBI_PMU_HW_CPU_CYCLES, 0);
	calls = cpu_calls();
	for (unsigned int round = 0; round < 10; round++) {
		require(tracked_add_start(cycles) && tracked_add_start(instret) &&
			tracked_add_start(again), "free_running.counts");
		cpu_run(1000);
		tracked_del(again);
		tracked_stop(cycles);
		cpu_run(77);
		require(tracked_start(cycles), "free_running.counts");
		cpu_run(10);
		tracked_del(cycles);
		tracked_del(instret);
		cpu_run(5000);
	}
	note("%llu calls", (unsigned long long)(cpu_calls() - calls));
	check(cpu_calls() == calls, "free_running.counts_without_a_call_in_%s_mode", modes[mode]);
	check(is_count_right(cycles) && is_count_right(again) && is_count_right(instret) &&
	      cycles->reported == 10100 * fakesbi_rate(&cycles->event.code),
	      "free_running.counts_are_correct_in_%s_mode", modes[mode]);
	sbi_pmu_counters_offline(&cpu.counters);
	check(cpu_calls() == calls || mode == SNAPSHOT,
	      "free_running.nothing_to_release_in_%s_mode", modes[mode]);
	snprintf(test, sizeof(test), "free_running.%s_mode", modes[mode]);
	check_released(test);
}

/* What happens while all counters are stopped is not counted on these either. */
static void test_stopped(void)
{
	struct tracked *cycles = &cpu.tracked[0], *raw = cycles + 1;

	boot_withheld(EXCLUSIVE);
	tracked_open_idx(cycles, SBI_PMU_HW_CPU_CYCLES, 0);
	tracked_open_idx(raw, RAW, 3);
	require(tracked_add_start(cycles) && tracked_add_start(raw), "free_running.stopped");
	for (unsigned int round = 0; round < 3; round++) {
		cpu_run(100);
		sbi_pmu_counters_stop_all(&cpu.counters);
		fakesbi_run(1000);
		sbi_pmu_counters_start(&cpu.counters);
	}
	cpu_run(1);
	check(is_count_right(raw) && is_count_right(cycles) &&
	      cycles->reported == 301 * fakesbi_rate(&cycles->event.code),
	      "free_running.does_not_count_while_others_are_stopped");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("free_running.stopped");
}

static int filtered(u32 flags, bool needs_irq)
{
	struct sbi_pmu_event_code code = { .idx = SBI_PMU_HW_CPU_CYCLES, .flags = flags };
	struct sbi_pmu_mask candidates;

	return sbi_pmu_support_filtered(&cpu.support, &code, needs_irq ? -EOPNOTSUPP : -EINVAL,
					&candidates);
}

static void test_filter(void)
{
	boot_withheld(EXCLUSIVE);
	check(filtered(SBI_PMU_CFG_FLAG_SET_UINH, false) == -EINVAL,
	      "free_running.filter_is_refused");
	check(filtered(SBI_PMU_CFG_FLAG_SET_SINH, true) == -EOPNOTSUPP,
	      "free_running.filter_and_irq_is_eopnotsupp");
	sbi_pmu_counters_offline(&cpu.counters);
}

static bool is_shown(struct tracked *t)
{
	cpu_run(10);
	tracked_collect(t);
	return sbi_pmu_user_page(&cpu.counters, &t->event, ~0U).csr == CSR_CYCLE;
}

/* A program may not see what others counted, unless every program may read the counter. */
static void test_user_read(void)
{
	struct tracked *own = &cpu.tracked[0];

	boot_withheld(EXCLUSIVE);
	tracked_open_idx(own, SBI_PMU_HW_CPU_CYCLES, 0);
	require(tracked_add_start(own), "free_running.user_read");
	check(is_shown(own), "free_running.privileged_event_is_readable");
	tracked_del(own);

	own->event.reset_on_start = true;
	require(tracked_add_start(own), "free_running.user_read");
	check(!is_shown(own), "free_running.shows_no_count_of_others");
	cpu.counters.world_readable = cpu.inv.fixed;
	check(is_shown(own), "free_running.world_readable_is_shown");
	check(is_count_right(own), "free_running.user_read_keeps_count");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("free_running.user_read");
}

/* Load the driver on a machine that differs in one respect. */
static bool is_free_running_with(unsigned long counters, void (*differ)(void), enum mode mode)
{
	bool found;

	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD);
	fakesbi.can = can_hold_upto;
	differ();
	cpu_boot_mode(mode);
	found = free_running_is(counters);
	sbi_pmu_counters_offline(&cpu.counters);
	return found && is_all_released();
}

static void mapped(void)
{
	fakesbi.can = NULL;
}

static bool maps_instructions(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return code->idx != SBI_PMU_HW_CPU_CYCLES && idx > 4;
}

static void only_instructions_mapped(void)
{
	fakesbi.can = maps_instructions;
}

static void handed_out(void)
{
	fakesbi.quirks = OPENSBI_NEW;
}

static void returned_unasked(void)
{
	fakesbi.quirks = QUIRK(FIXED_FALLBACK);
}

static void stopped(void)
{
	fakesbi.ctr[0].inhibited = fakesbi.ctr[2].inhibited = true;
}

static void stopped_for_good(void)
{
	stopped();
	fakesbi.start_fails = 1;
}

static void cycle_traps(void)
{
	fakesbi.ctr[0].dead = true;
}

static void test_found(void)
{
	for (enum mode mode = SHARED; mode <= EXCLUSIVE; mode++) {
		const char *name = modes[mode];

		check(is_free_running_with(0, mapped, mode),
		      "free_running.not_if_mapped_in_%s_mode", name);
		check(is_free_running_with(BIT(0), only_instructions_mapped, mode),
		      "free_running.only_what_is_not_mapped_in_%s_mode", name);
		check(is_free_running_with(CYCLE_AND_INSTRET, stopped, mode) &&
		      !fakesbi.ctr[0].inhibited && !fakesbi.ctr[2].inhibited,
		      "free_running.stopped_counter_is_started_in_%s_mode", name);
		check(is_free_running_with(0, stopped_for_good, mode),
		      "free_running.not_if_stopped_for_good_in_%s_mode", name);
		check(is_free_running_with(BIT(2), cycle_traps, mode),
		      "free_running.not_if_read_traps_in_%s_mode", name);
	}
	check(is_free_running_with(0, handed_out, EXCLUSIVE), "free_running.not_if_handed_out");
	fakesbi_reset(4, 2, 64);
	returned_unasked();
	fakesbi.can = can_hold_upto;
	cpu_boot(false);
	fakesbi.quirks = QUIRK(FIXED_FALLBACK);
	check(!sbi_pmu_probe_free_running(&cpu.counters.backend, &cpu.counters.plan, NULL).bits[0],
	      "free_running.not_if_returned_unasked_in_shared_mode");
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_free_running(void)
{
	for (enum mode mode = SHARED; mode <= SNAPSHOT; mode++)
		test_counts(mode);
	test_stopped();
	test_filter();
	test_user_read();
	test_found();
}
