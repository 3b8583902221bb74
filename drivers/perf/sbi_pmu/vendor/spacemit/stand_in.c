// SPDX-License-Identifier: GPL-2.0-only
#include "stand_in.h"

/*
 * X60 (K1, M1): cycle and instret do not interrupt and cannot filter (no Smcntrpmf); three events
 * count cycles, each in one mode. None counts U- and S-mode, so nothing stands in for cycles
 * without a filter; m_mode_cycle (0x20) is left out: OpenSBI always filters M-mode.
 *
 * Sources: the ids are from the vendor's kernel (linux-k1x, mapfile.csv of perf), the numbers from
 * miniperf (libprof/events/spacemit/x60.json); the vendor's "Perf Usage Note" (Bianbu
 * documentation, development/perf) recommends them for sampling. Not tried on such a core.
 */
static const struct sbi_pmu_stand_ins x60 = {
	.core = "X60",
	.mvendorid = 0x710,
	.marchid = 0x8000000058000001,
	.row = {
		{ SBI_PMU_HW_CPU_CYCLES, SBI_PMU_CFG_FLAG_SET_SINH, 0x22, "u_mode_cycle" },
		{ SBI_PMU_HW_CPU_CYCLES, SBI_PMU_CFG_FLAG_SET_UINH, 0x21, "s_mode_cycle" },
		{},
	},
};

/* The stand-ins of a core, NULL if it has none. */
const struct sbi_pmu_stand_ins *sbi_pmu_stand_ins_find(u64 mvendorid, u64 marchid)
{
	return mvendorid == x60.mvendorid && marchid == x60.marchid ? &x60 : NULL;
}

/**
 * sbi_pmu_stand_in_substitute() - replace an event by one that counts the same
 * @data: the core's stand-ins
 * @code: the event; its flags stay
 * Return: is there one?
 */
bool sbi_pmu_stand_in_substitute(const void *data, struct sbi_pmu_event_code *code)
{
	const u32 modes = SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH;
	const struct sbi_pmu_stand_ins *stand_ins = data;

	for (const struct sbi_pmu_stand_in *row = stand_ins->row; row->event; row++) {
		if (row->event != code->idx || row->filter != (code->flags & modes))
			continue;
		code->idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_RAW);
		code->data = row->raw;
		return true;
	}
	return false;
}
