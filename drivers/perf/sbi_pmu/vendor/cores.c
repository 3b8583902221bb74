// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cores of which there is a table: which one a core has, how its events are encoded, and which of
 * them is right for a standard event that firmware maps wrongly, or not at all. The tables are TSV
 * files, which read.awk describes. What is not in them: how XiangShan's are chosen, and its
 * selectors (xiangshan.c); SpacemiT's way to write raw events.
 */
#include <linux/of.h>
#include <linux/slab.h>

#include "cores.h"

#define SPACEMIT	0x710 /* mvendorid (JEDEC) */

/* "Perf Usage Note" (Bianbu documentation, development/perf): r0400000000000008 is event 8. */
#define SPACEMIT_TYPE		GENMASK_ULL(63, 56)
#define SPACEMIT_TYPE_RAW	4 /* as PERF_TYPE_RAW */

struct core_id {
	const char *pattern; /* mvendorid, marchid and mimpid */
	u16 core;
};

#include "cores.inc"

const struct sbi_pmu_core sbi_pmu_unknown_core;

/* ---- ids ---- */

/* In a pattern, [1-9a] is one of these characters, and * at its end is any text. */
static bool is_like(const char *text, const char *pattern)
{
	for (; *pattern && *pattern != '*'; text++, pattern++) {
		bool found = *pattern == *text;

		if (*pattern == '[')
			while (*++pattern != ']') {
				const char first = *pattern;

				if (pattern[1] == '-')
					pattern += 2;
				found |= *text >= first && *text <= *pattern;
			}
		if (!found)
			return false;
	}
	return *pattern || !*text;
}

/* If several have these ids: the one in the device tree, else the first, whose events all have. */
static const struct sbi_pmu_core *find_core(const struct sbi_pmu_firmware_id *id)
{
	const struct sbi_pmu_core *core, *found = NULL;
	struct device_node *node = NULL;
	bool several = false;
	char text[64];

	snprintf(text, sizeof(text), "0x%lx 0x%lx 0x%lx", id->mvendorid, id->marchid, id->mimpid);
	for (const struct core_id *i = ids; i < ids + ARRAY_SIZE(ids); i++) {
		if (!is_like(text, i->pattern))
			continue;
		core = &cores[i->core];
		for (const char *name = core->tree; *name && !node; name += strlen(name) + 1)
			node = of_find_compatible_node(NULL, "cpu", name);
		of_node_put(node);
		if (node)
			return core;
		several = found;
		found = found ?: core;
	}
	if (several)
		pr_info("%s: no device tree names a core with these ids, and others have more events\n",
			found->title);
	return found;
}

int sbi_pmu_table_find(const struct sbi_pmu_firmware_id *id, struct sbi_pmu_table **table)
{
	const struct sbi_pmu_core *core;
	const char *why = NULL;
	const int ret = sbi_pmu_xiangshan_find(id, cores, ARRAY_SIZE(cores), &core, &why);

	if (ret == -EINVAL)
		return ret;
	if (ret)
		core = find_core(id) ?: &sbi_pmu_unknown_core;
	*table = kzalloc(struct_size(*table, decision, core->standards_total), GFP_KERNEL);
	if (!*table)
		return -ENOMEM;
	(*table)->core = core;
	(*table)->why = why;
	(*table)->spacemit = id->mvendorid == SPACEMIT;
	return 0;
}

void sbi_pmu_table_free(struct sbi_pmu_table *table)
{
	if (!table)
		return;
	kvfree(table->list);
	kvfree(table->attr);
	kfree(table);
}

/* Which counters count it? 0: all */
static u32 csrs_of(const struct sbi_pmu_core *core, u64 selector)
{
	const struct sbi_pmu_limit *limit = core->limits;

	if (sbi_pmu_has_units(core))
		return sbi_pmu_xiangshan_csrs(selector);
	while (limit && limit->csrs && (selector < limit->first || selector > limit->last))
		limit++;
	return limit ? limit->csrs : 0;
}

int sbi_pmu_table_encode(const struct sbi_pmu_table *table, u64 config, struct sbi_pmu_code *code)
{
	if (sbi_pmu_has_units(table->core))
		return sbi_pmu_xiangshan_encode(table->core, config, code);
	code->data = config;
	if (table->spacemit && FIELD_GET(SPACEMIT_TYPE, config) == SPACEMIT_TYPE_RAW)
		code->data &= ~SPACEMIT_TYPE;
	code->csrs = csrs_of(table->core, code->data);
	return 0;
}

/* ---- standard events ---- */

struct sbi_pmu_code sbi_pmu_core_code(const struct sbi_pmu_core *core, u64 selector)
{
	const u32 type = selector & ~RISCV_PMU_RAW_EVENT_MASK ? SBI_PMU_EVENT_TYPE_RAW_V2 :
								SBI_PMU_EVENT_TYPE_RAW;

	return (struct sbi_pmu_code){
		.idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, type),
		.data = selector,
		.csrs = csrs_of(core, selector),
	};
}

bool sbi_pmu_table_standard(const struct sbi_pmu_table *table, u32 idx, struct sbi_pmu_code *code)
{
	const struct sbi_pmu_core *core = table->core;

	for (unsigned int n = 0; n < core->standards_total; n++)
		if (core->standards[n].when == DELEGATED && core->standards[n].idx == idx) {
			*code = sbi_pmu_core_code(core, core->standards[n].selector);
			return true;
		}
	return false;
}

/* By the byte that selects an event: other bits must not get around this. */
bool sbi_pmu_table_ignores_filters(const struct sbi_pmu_table *table,
				   const struct sbi_pmu_code *code)
{
	const u8 selector = code->data;

	return sbi_pmu_code_is_raw(code) && table->core->unfiltered_last &&
	       selector >= table->core->unfiltered_first &&
	       selector <= table->core->unfiltered_last;
}

int sbi_pmu_table_correct(const struct sbi_pmu_table *table, struct sbi_pmu_code *code)
{
	for (unsigned int n = 0; n < table->core->standards_total; n++) {
		const struct sbi_pmu_standard *row = &table->core->standards[n];

		if (row->idx != code->idx || table->decision[n] < SBI_PMU_REPLACED)
			continue;
		if (table->decision[n] == SBI_PMU_REFUSED)
			return -ENOENT;
		*code = sbi_pmu_core_code(table->core, row->selector);
		return 0;
	}
	return 0;
}

/* Replace an event by one that counts the same; its flags stay. Return: is there one? */
bool sbi_pmu_table_substitute(const struct sbi_pmu_table *table, struct sbi_pmu_code *code)
{
	const u32 flags = code->flags;
	const u32 modes = flags & (SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH);

	for (unsigned int n = 0; n < table->core->standards_total; n++) {
		const struct sbi_pmu_standard *row = &table->core->standards[n];

		if (row->idx != code->idx ||
		    !((row->when == USER && modes == SBI_PMU_CFG_FLAG_SET_SINH) ||
		      (row->when == KERNEL && modes == SBI_PMU_CFG_FLAG_SET_UINH)))
			continue;
		*code = sbi_pmu_core_code(table->core, row->selector);
		code->flags = flags;
		return true;
	}
	return false;
}
