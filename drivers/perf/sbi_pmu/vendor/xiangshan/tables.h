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
};

/**
 * struct sbi_pmu_table - a numbering of events
 * @name: its name
 * @names: named events
 * @total: number of @names
 * @bits: by unit, number of bits of an index that the hardware decodes
 */
struct sbi_pmu_table {
	const char *name;
	const struct sbi_pmu_name *names;
	unsigned int total;
	u8 bits[SBI_PMU_UNITS];
};

/**
 * struct sbi_pmu_core - what ids and device tree say about a core
 * @vendor: mvendorid
 * @arch: marchid
 * @stated: the table that the device tree names, NULL if it names none
 * @smcntrpmf: the device tree lists this extension
 */
struct sbi_pmu_core {
	unsigned long vendor;
	unsigned long arch;
	const char *stated;
	bool smcntrpmf;
};

/**
 * struct sbi_pmu_choice - the table that is used
 * @table: NULL: none
 * @why: how it was chosen, or what prevents that; NULL if this is another core
 */
struct sbi_pmu_choice {
	const struct sbi_pmu_table *table;
	const char *why;
};

const struct sbi_pmu_table *sbi_pmu_table_nth(unsigned int n);
const struct sbi_pmu_table *sbi_pmu_table_find(const char *name);
int sbi_pmu_table_choose(const char *wish, const struct sbi_pmu_core *core,
			 struct sbi_pmu_choice *choice);
u64 sbi_pmu_table_config(const struct sbi_pmu_table *table, const char *name);

#endif
