/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xiangshan: what mhpmevent of a XiangShan core holds, which counters take it (selector.c), names
 * of events, one table for each numbering of them, and which table a core has (tables.c).
 *
 * Each cycle up to four events of one unit, of 6 bits each, are combined:
 * (event0 op0 event1) op2 (event2 op1 event3).
 */
#ifndef SBI_PMU_XIANGSHAN_H
#define SBI_PMU_XIANGSHAN_H

#include "../vendors.h"

/* Fields of config, and except for the unit of the register. sysfs prints them. */
#define SBI_PMU_CFG_EVENT0	GENMASK_ULL(9, 0)
#define SBI_PMU_CFG_EVENT1	GENMASK_ULL(19, 10)
#define SBI_PMU_CFG_EVENT2	GENMASK_ULL(29, 20)
#define SBI_PMU_CFG_EVENT3	GENMASK_ULL(39, 30)
#define SBI_PMU_CFG_OP0		GENMASK_ULL(44, 40)
#define SBI_PMU_CFG_OP1		GENMASK_ULL(49, 45)
#define SBI_PMU_CFG_OP2		GENMASK_ULL(54, 50)
#define SBI_PMU_CFG_UNIT	GENMASK_ULL(58, 56)

/* Operators; the register ignores other codes. */
#define SBI_PMU_OP_OR		0
#define SBI_PMU_OP_AND		1
#define SBI_PMU_OP_XOR		2
#define SBI_PMU_OP_ADD		4

/* Units of the core: each has its own events and counters */
enum sbi_pmu_unit {
	SBI_PMU_UNIT_ANY,
	SBI_PMU_UNIT_FRONTEND,
	SBI_PMU_UNIT_BACKEND,
	SBI_PMU_UNIT_MEMORY,
	SBI_PMU_UNIT_CACHE,
	SBI_PMU_UNITS
};

int sbi_pmu_selector_encode(const u8 *bits, u64 config, u64 *data, u32 *csrs);

/* A named event, and its config in the fields of selector.h */
struct sbi_pmu_name {
	const char *name;
	u64 config;
	/* in the RTL of the table's date it never counts, or counts something else */
	bool withheld;
};

/* A numbering of events */
struct sbi_pmu_table {
	const char *name;                 /* its name */
	const char *rtl_date;             /* month of the newest RTL that has it, YYYY-MM */
	unsigned int slots;               /* micro-ops that a cycle can have at most */
	const struct sbi_pmu_name *names; /* named events */
	unsigned int total;               /* number of @names, withheld ones included */
	/* by unit, number of bits of an index that the hardware decodes */
	u8 bits[SBI_PMU_UNITS];
};

/* What ids and device tree say about a core */
struct sbi_pmu_core {
	unsigned long vendor; /* mvendorid */
	unsigned long arch;   /* marchid */
	/* the table that the device tree names, NULL if it names none */
	const char *stated;
	bool smcntrpmf; /* the device tree lists this extension */
};

/* The table that is used */
struct sbi_pmu_choice {
	const struct sbi_pmu_table *table; /* NULL: none */
	/* how it was chosen, or what prevents that; NULL if this is another core */
	const char *why;
};

const struct sbi_pmu_table *sbi_pmu_table_nth(unsigned int n);
const struct sbi_pmu_table *sbi_pmu_table_find(const char *name);
int sbi_pmu_table_choose(const char *wish, const struct sbi_pmu_core *core,
			 struct sbi_pmu_choice *choice);
unsigned int sbi_pmu_table_withheld(const struct sbi_pmu_table *table);
u64 sbi_pmu_table_config(const struct sbi_pmu_table *table, const char *name);
u64 sbi_pmu_table_standard(const struct sbi_pmu_table *table, u32 idx);

#endif
