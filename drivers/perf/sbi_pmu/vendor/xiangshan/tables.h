/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tables: names of XiangShan's events, one table for each numbering of them, and which
 * table a core has.
 */
#ifndef SBI_PMU_TABLES_H
#define SBI_PMU_TABLES_H

#include "selector.h"

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
