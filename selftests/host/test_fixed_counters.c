// SPDX-License-Identifier: GPL-2.0-only
/* test_fixed_counters: cycle and instret run while all programs may read them. */
#include "../../drivers/perf/sbi_pmu/fixed.h"
#include "test.h"

static struct sbi_pmu_event kept[SBI_PMU_KEPT];

/* Return: how many of cycle and instret count. */
static unsigned int running(void)
{
	u64 before[2], after[2];

	cpu_enable();
	require(!fakesbi_read_csr(CSR_CYCLE, &before[0]) &&
			!fakesbi_read_csr(CSR_INSTRET, &before[1]),
		"fixed_counters.read");
	fakesbi_run(100);
	require(!fakesbi_read_csr(CSR_CYCLE, &after[0]) &&
			!fakesbi_read_csr(CSR_INSTRET, &after[1]),
		"fixed_counters.read");
	return (after[0] != before[0]) + (after[1] != before[1]);
}

static u64 keep_calls(void)
{
	const u64 before = cpu_calls();

	sbi_pmu_fixed_keep(&cpu.counters, kept);
	return cpu_calls() - before;
}

void test_fixed_counters(void)
{
	boot(2, 0, 64);
	sbi_pmu_fixed_init(&cpu.counters, kept);
	sbi_pmu_fixed_keep(&cpu.counters, kept);
	check(running() == 2, "fixed_counters.cycle_and_instret_run");
	check(!keep_calls(), "fixed_counters.kept_counters_need_no_call");

	/* Firmware loses both in a sleep state, and refuses to configure them again. */
	fakesbi.refuse = 1;
	sbi_pmu_counters_resume(&cpu.counters);
	cpu_enable();
	check(keep_calls() && !kept[0].active && !kept[1].active,
	      "fixed_counters.refused_counters_are_lost");
	fakesbi.refuse = 0;
	/* What was refused again and again is tried at each 64th add at last. */
	for (unsigned int i = 0; i < 64 && running() != 2; i++)
		sbi_pmu_fixed_keep(&cpu.counters, kept);
	check(running() == 2, "fixed_counters.refused_counters_are_tried_again");
	check(!keep_calls(), "fixed_counters.counters_kept_again_need_no_call");

	check(sbi_pmu_fixed_drop(&cpu.counters, kept), "fixed_counters.counters_are_dropped");
	check(!sbi_pmu_fixed_drop(&cpu.counters, kept), "fixed_counters.counters_are_dropped_once");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("fixed_counters.drop");
}
