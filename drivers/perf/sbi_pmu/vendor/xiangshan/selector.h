/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selector: what mhpmevent of a XiangShan core holds, and which counters take it. Each cycle up to
 * four events of one unit, of 6 bits each, are combined:
 * (event0 op0 event1) op2 (event2 op1 event3).
 */
#ifndef SBI_PMU_SELECTOR_H
#define SBI_PMU_SELECTOR_H

#include "../../event_code.h"
#include "../../inventory.h"

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

int sbi_pmu_selector_encode(const u8 *bits, u64 config, u64 *data, u32 *unit);
u64 sbi_pmu_selector_candidates(const struct sbi_pmu_inventory *inv, u32 unit);

#endif
