// SPDX-License-Identifier: GPL-2.0-only
/*
 * SpacemiT: cycles by mode are counted by events of the core, since cycle cannot filter; and codes
 * as the vendor writes them.
 */
#include "vendors.h"

#define SPACEMIT	0x710 /* mvendorid (JEDEC) */

/* "Perf Usage Note" (Bianbu documentation, development/perf): r0400000000000008 is event 8. */
#define RAW_TYPE	GENMASK_ULL(63, 56)
#define RAW_TYPE_RAW	4 /* as PERF_TYPE_RAW */

struct core {
	const char *name;
	u64 marchid;
	u8 unfiltered_first, unfiltered_last; /* events that ignore filters */
	/* events that count what no counter can count by its own name */
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
 * miniperf (libprof/events/spacemit/x60.json); the vendor's "Perf Usage Note" recommends them for
 * sampling. Not tried on such a core.
 *
 * Its vendor's OpenSBI (BPI-SINOVOIP/pi-opensbi, branch v1.3-k1, lib/sbi/sbi_pmu.c) drops the
 * filters of L2 cache events without an error, M-mode's as well, as they are invalid there. They are
 * listed here since a try (probe.c) need not find that: it takes less time than they take to happen.
 */
static const struct core x60 = {
	.name = "X60",
	.marchid = 0x8000000058000001,
	.unfiltered_first = 0xb8,
	.unfiltered_last = 0xbd,
	.row = {
		{ SBI_PMU_HW_CPU_CYCLES, SBI_PMU_CFG_FLAG_SET_SINH, 0x22, "u_mode_cycle" },
		{ SBI_PMU_HW_CPU_CYCLES, SBI_PMU_CFG_FLAG_SET_UINH, 0x21, "s_mode_cycle" },
		{},
	},
};

static int encode(const void *data, u64 config, struct sbi_pmu_code *code)
{
	if (FIELD_GET(RAW_TYPE, config) == RAW_TYPE_RAW)
		code->data = config & ~RAW_TYPE;
	return 0;
}

/* By the byte that selects an event: other bits must not get around this. */
static bool ignores_filters(const void *data, const struct sbi_pmu_code *code)
{
	const struct core *core = data;
	const u8 selector = code->data;

	return core && sbi_pmu_code_is_raw(code) && selector >= core->unfiltered_first &&
	       selector <= core->unfiltered_last;
}

/* Replace an event by one that counts the same; its flags stay. Return: is there one? */
static bool substitute(const void *data, struct sbi_pmu_code *code)
{
	const u32 modes = SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH;
	const struct core *core = data;

	if (!core)
		return false;
	for (const struct stand_in *row = core->row; row->event; row++) {
		if (row->event != code->idx || row->filter != (code->flags & modes))
			continue;
		code->idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_RAW);
		code->data = row->raw;
		return true;
	}
	return false;
}

/* @data: the core, NULL if nothing is known of it. Only read: all who get it take it as const. */
static int spacemit_match(const struct sbi_pmu_firmware_id *id, void **data)
{
	if (id->mvendorid != SPACEMIT)
		return -ENODEV;
	*data = id->marchid == x60.marchid ? (void *)&x60 : NULL;
	return 0;
}

static bool is_used(struct sbi_pmu *pmu, const struct stand_in *row)
{
	struct sbi_pmu_code code = { .idx = row->event, .flags = row->filter };
	u64 candidates;

	return !sbi_pmu_find_filtered(pmu, &code, SBI_PMU_OPENER_NONE, -ENOENT, &candidates) &&
	       code.idx != row->event;
}

static void spacemit_log(struct sbi_pmu *pmu, void *data)
{
	const struct core *core = data;

	if (!core)
		return;
	for (const struct stand_in *row = core->row; row->event; row++)
		if (is_used(pmu, row))
			pr_info("SpacemiT %s: cycles:%s are counted by %s (event=%#llx), as found in documents; not tried on such a core\n",
				core->name, row->filter == SBI_PMU_CFG_FLAG_SET_SINH ? "u" : "k",
				row->name, row->raw);
}

const struct sbi_pmu_vendor sbi_pmu_spacemit = {
	.match = spacemit_match,
	.encode = encode,
	.ignores_filters = ignores_filters,
	.substitute = substitute,
	.log = spacemit_log,
};
