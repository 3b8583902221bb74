// SPDX-License-Identifier: GPL-2.0-only
#include "xiangshan.h"

/* A value in the place of a config field, in a constant expression. */
#define AT(_field, _value)	((u64)(_value) * ((_field) & -(_field)))

#define OR	0
#define ADD2	AT(SBI_PMU_CFG_OP0, SBI_PMU_OP_ADD)
#define ADD3	(ADD2 | AT(SBI_PMU_CFG_OP1, SBI_PMU_OP_ADD) | AT(SBI_PMU_CFG_OP2, SBI_PMU_OP_ADD))
#define ADD4	ADD3

#define NAME(_withheld, _name, _unit, _op, _e0, _e1, _e2, _e3)				\
	{										\
		.name = _name,								\
		.withheld = _withheld,							\
		.config = AT(SBI_PMU_CFG_UNIT, _unit) | (_op) |				\
			  AT(SBI_PMU_CFG_EVENT0, _e0) | AT(SBI_PMU_CFG_EVENT1, _e1) |	\
			  AT(SBI_PMU_CFG_EVENT2, _e2) | AT(SBI_PMU_CFG_EVENT3, _e3),	\
	}

#define EVENT(...)	NAME(false, __VA_ARGS__)
#define WITHHELD(...)	NAME(true, __VA_ARGS__)

/* A standard event of the SBI specification, and the name of an event that counts the same */
struct standard {
	u32 idx;
	const char *name;
};

#include "tables.inc"

/* The @n-th of all tables, NULL past the last. */
const struct sbi_pmu_table *sbi_pmu_table_nth(unsigned int n)
{
	return n < ARRAY_SIZE(tables) ? &tables[n] : NULL;
}

const struct sbi_pmu_table *sbi_pmu_table_find(const char *name)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(tables); n++)
		if (!strcmp(tables[n].name, name))
			return &tables[n];
	return NULL;
}

/* The number of names of @table that are withheld. */
unsigned int sbi_pmu_table_withheld(const struct sbi_pmu_table *table)
{
	unsigned int withheld = 0;

	for (unsigned int n = 0; n < table->total; n++)
		withheld += table->names[n].withheld;
	return withheld;
}

/* The config of an event of @table; 0, which is no event, if it has no such name to show. */
u64 sbi_pmu_table_config(const struct sbi_pmu_table *table, const char *name)
{
	for (unsigned int n = 0; n < table->total; n++)
		if (!table->names[n].withheld && !strcmp(table->names[n].name, name))
			return table->names[n].config;
	return 0;
}

/*
 * The config of the event of @table that counts as the standard event @idx: that of the first row
 * whose name it has. 0: none. Firmware's device tree (make dts) has the same events.
 */
u64 sbi_pmu_table_standard(const struct sbi_pmu_table *table, u32 idx)
{
	u64 config = 0;

	for (unsigned int n = 0; !config && n < ARRAY_SIZE(standards); n++)
		if (standards[n].idx == idx)
			config = sbi_pmu_table_config(table, standards[n].name);
	return config;
}

/* ---- choose ---- */

#define ARCH_XIANGSHAN	25
#define VENDOR_BOSC	0x86f

/* By mvendorid and marchid, which hardly differ between cores. */
static void choose_by_core(const struct sbi_pmu_core *core, struct sbi_pmu_choice *choice)
{
	if (core->arch != ARCH_XIANGSHAN)
		return;
	if (core->vendor != VENDOR_BOSC) {
		choice->why = "cores with this mvendorid have had three different tables";
	} else if (core->smcntrpmf) {
		choice->table = sbi_pmu_table_find("v3");
		choice->why = "mvendorid 0x86f, Smcntrpmf";
	} else {
		/* A device tree may not list the extension although the core has it. */
		choice->why = "V2, and V3 without Smcntrpmf in the device tree, look the same";
	}
}

/**
 * sbi_pmu_table_choose() - choose the event table of a core
 * @wish: auto, off, or the name of a table
 * @core: what is known of the core
 * @choice: the answer
 *
 * A wrong table gives plausible numbers of other events, so in doubt there is no table. The
 * device tree is trusted whatever the ids are: its author knows which events its firmware
 * maps.
 *
 * Return: 0, -EINVAL if @wish is none of these.
 */
int sbi_pmu_table_choose(const char *wish, const struct sbi_pmu_core *core,
			 struct sbi_pmu_choice *choice)
{
	memset(choice, 0, sizeof(*choice));
	if (!strcmp(wish, "off"))
		return 0;
	if (strcmp(wish, "auto")) {
		choice->table = sbi_pmu_table_find(wish);
		choice->why = "asked for";
		return choice->table ? 0 : -EINVAL;
	}
	if (!core->stated) {
		choose_by_core(core, choice);
		return 0;
	}
	choice->table = sbi_pmu_table_find(core->stated);
	choice->why = choice->table ? "the device tree says so" :
				      "the device tree names an unknown table";
	return 0;
}
