// SPDX-License-Identifier: GPL-2.0-only
/* SpacemiT: cycles by mode are counted by events of the core, since cycle cannot filter. */
#include "vendors.h"

/* Events of a core that count what no counter can count by its own name */
struct stand_ins {
	const char *core;
	u64 mvendorid;
	u64 marchid;
	struct stand_in {
		u32 event;        /* event_idx of what is asked for; 0 ends the list */
		u32 filter;       /* with these of the inhibit flags of U- and S-mode */
		u64 raw;          /* data of the raw event that counts the same */
		const char *name; /* the vendor's name of that event */
	} row[];
};

/*
 * X60 (K1, M1): cycle and instret do not interrupt and cannot filter (no Smcntrpmf); three events
 * count cycles, each in one mode. None counts U- and S-mode, so nothing stands in for cycles
 * without a filter; m_mode_cycle (0x20) is left out: OpenSBI always filters M-mode.
 *
 * Sources: the ids are from the vendor's kernel (linux-k1x, mapfile.csv of perf), the numbers from
 * miniperf (libprof/events/spacemit/x60.json); the vendor's "Perf Usage Note" (Bianbu
 * documentation, development/perf) recommends them for sampling. Not tried on such a core.
 */
static const struct stand_ins x60 = {
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
static const struct stand_ins *find_stand_ins(u64 mvendorid, u64 marchid)
{
	return mvendorid == x60.mvendorid && marchid == x60.marchid ? &x60 : NULL;
}

/* Replace an event by one that counts the same; its flags stay. Return: is there one? */
static bool substitute(const void *data, struct sbi_pmu_code *code)
{
	const u32 modes = SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH;
	const struct stand_ins *stand_ins = data;

	for (const struct stand_in *row = stand_ins->row; row->event; row++) {
		if (row->event != code->idx || row->filter != (code->flags & modes))
			continue;
		code->idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_RAW);
		code->data = row->raw;
		return true;
	}
	return false;
}

static int spacemit_match(const struct sbi_pmu_firmware_id *id, void **data)
{
	const struct stand_ins *stand_ins = find_stand_ins(id->mvendorid, id->marchid);

	if (!stand_ins)
		return -ENODEV;
	/* Only read: all who get it take it as const. */
	*data = (void *)stand_ins;
	return 0;
}

static bool is_used(struct sbi_pmu *pmu, const struct stand_in *row)
{
	struct sbi_pmu_code code = { .idx = row->event, .flags = row->filter };
	u64 candidates;

	return !sbi_pmu_find_filtered(pmu, &code, -ENOENT, &candidates) && code.idx != row->event;
}

static void spacemit_log(struct sbi_pmu *pmu, void *data)
{
	const struct stand_ins *stand_ins = data;

	for (const struct stand_in *row = stand_ins->row; row->event; row++)
		if (is_used(pmu, row))
			pr_info("SpacemiT %s: cycles:%s are counted by %s (event=%#llx), as found in documents; not tried on such a core\n",
				stand_ins->core,
				row->filter == SBI_PMU_CFG_FLAG_SET_SINH ? "u" : "k", row->name,
				row->raw);
}

const struct sbi_pmu_vendor sbi_pmu_spacemit = {
	.match = spacemit_match,
	.substitute = substitute,
	.log = spacemit_log,
};
