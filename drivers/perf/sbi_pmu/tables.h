/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tables: the names of XiangShan's events, a table for each numbering of them,
 * and which of these a core has. Pure.
 */
#ifndef SBI_PMU_TABLES_H
#define SBI_PMU_TABLES_H

#include "selector.h"
#include "slot.h"

/* An event of ours: its name, and its config in the fields of selector.h */
struct sbi_pmu_name {
	const char *name;
	u64 config;
};

/**
 * struct sbi_pmu_table - a numbering of events
 * @name: what people call it
 * @names: the events that count what their names say
 * @total: how many @names
 * @bits: by unit, how many of an index the hardware looks at
 */
struct sbi_pmu_table {
	const char *name;
	const struct sbi_pmu_name *names;
	unsigned int total;
	u8 bits[SBI_PMU_UNITS];
};

/**
 * struct sbi_pmu_core - what a core, and those who describe it, say it is
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
 * @table: NULL: no XiangShan names at all
 * @why: how it was chosen, or what prevents that; NULL if there is nothing to say
 */
struct sbi_pmu_choice {
	const struct sbi_pmu_table *table;
	const char *why;
};

/* What tells whether a table is the core's: see sbi_pmu_table_measure() */
enum {
	SBI_PMU_WITNESS_MEMORY,
	SBI_PMU_WITNESS_BACKEND,
	SBI_PMU_WITNESSES
};

/**
 * struct sbi_pmu_measure - what was counted in the same stretch of time
 * @cycles: whether the cycle counter is the clock; if it stands still, the first witness is
 * @least: the clock from the last look at its beginning to the first at its end
 * @most: from the first to the last
 * @witness: by events that happen on every cycle
 */
struct sbi_pmu_measure {
	bool cycles;
	u64 least;
	u64 most;
	u64 witness[SBI_PMU_WITNESSES];
};

/* What a measure says of a table */
enum sbi_pmu_verdict {
	SBI_PMU_UNCLEAR,	/* nothing: the hart was held up between two looks */
	SBI_PMU_PLAUSIBLE,	/* it could be the core's */
	SBI_PMU_WRONG,		/* it is not */
};

const struct sbi_pmu_table *sbi_pmu_table_nth(unsigned int n);
const struct sbi_pmu_table *sbi_pmu_table_find(const char *name);
int sbi_pmu_table_choose(const char *wish, const struct sbi_pmu_core *core,
			 struct sbi_pmu_choice *choice);
u64 sbi_pmu_table_config(const struct sbi_pmu_table *table, const char *name);
u64 sbi_pmu_table_witness(const struct sbi_pmu_table *table, unsigned int n);
int sbi_pmu_table_measure(struct sbi_pmu_slots *slots,
			  const struct sbi_pmu_code code[SBI_PMU_WITNESSES],
			  const struct sbi_pmu_mask can[SBI_PMU_WITNESSES],
			  void (*wait)(void), struct sbi_pmu_measure *measure);
enum sbi_pmu_verdict sbi_pmu_table_verdict(const struct sbi_pmu_measure *measure);

#endif
