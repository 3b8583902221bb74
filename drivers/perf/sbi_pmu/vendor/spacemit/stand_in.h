/* SPDX-License-Identifier: GPL-2.0-only */
/* stand_in: events of SpacemiT cores that count what no counter can count by its own name. */
#ifndef SBI_PMU_STAND_IN_H
#define SBI_PMU_STAND_IN_H

#include "../../event_code.h"

struct sbi_pmu_stand_ins {
	const char *core;
	u64 mvendorid;
	u64 marchid;
	struct sbi_pmu_stand_in {
		u32 event;        /* event_idx of what is asked for; 0 ends the list */
		u32 filter;       /* with these of the inhibit flags of U- and S-mode */
		u64 raw;          /* data of the raw event that counts the same */
		const char *name; /* the vendor's name of that event */
	} row[];
};

const struct sbi_pmu_stand_ins *sbi_pmu_stand_ins_find(u64 mvendorid, u64 marchid);
bool sbi_pmu_stand_in_substitute(const void *data, struct sbi_pmu_event_code *code);

#endif
