// SPDX-License-Identifier: GPL-2.0-only
#include "allocate.h"
#include "fixed.h"

static const struct {
	u16 csr;
	u32 idx;
} fixed[SBI_PMU_KEPT] = {
	{ CSR_CYCLE, SBI_PMU_HW_CPU_CYCLES },
	{ CSR_INSTRET, SBI_PMU_HW_INSTRUCTIONS },
};

/* Prepare the events of a CPU that has no counters in use. Context: interrupts disabled. */
void sbi_pmu_fixed_init(const struct sbi_pmu_counters *c, struct sbi_pmu_event *kept)
{
	const struct sbi_pmu_inventory *inv = c->backend.inv;
	unsigned int i, k;

	for (k = 0; k < SBI_PMU_KEPT; k++) {
		const struct sbi_pmu_event_code code = { .idx = fixed[k].idx };
		u64 which = 0;

		for_each_counter(i, inv->fixed)
			if (inv->info[i].csr == fixed[k].csr)
				which |= BIT_ULL(i);
		sbi_pmu_event_init(&kept[k], &code, which);
	}
}

/**
 * sbi_pmu_fixed_keep() - use the fixed counters, as firmware stops no counter that is in use
 * @c: this CPU's
 * @kept: its events for that
 *
 * Nor does it stop a counter that it never hands out. What it refuses now is tried again later
 * (see allocate.c). Context: interrupts disabled.
 */
void sbi_pmu_fixed_keep(struct sbi_pmu_counters *c, struct sbi_pmu_event *kept)
{
	for (unsigned int k = 0; k < SBI_PMU_KEPT; k++) {
		if (kept[k].active)
			continue;
		sbi_pmu_event_del(c, &kept[k]);
		if (!sbi_pmu_event_add(c, &kept[k]) && sbi_pmu_event_start(c, &kept[k]))
			sbi_pmu_event_del(c, &kept[k]);
	}
}

/* Return: did an event have a counter? Context: interrupts disabled. */
bool sbi_pmu_fixed_drop(struct sbi_pmu_counters *c, struct sbi_pmu_event *kept)
{
	bool dropped = false;

	for (unsigned int k = 0; k < SBI_PMU_KEPT; k++) {
		dropped |= kept[k].counter != SBI_PMU_NO_COUNTER;
		sbi_pmu_event_del(c, &kept[k]);
	}
	return dropped;
}
