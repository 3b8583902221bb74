/* SPDX-License-Identifier: GPL-2.0-only */
/* cores: the table of a core's events, as write-c.awk writes it; the code that XiangShan needs. */
#ifndef SBI_PMU_CORES_H
#define SBI_PMU_CORES_H

#include "../sysfs.h"
#include "../vendor.h"

/* When an event of the core is used for a standard event */
enum sbi_pmu_when {
	MISSING,   /* firmware does not take the standard event */
	PARTIAL,   /* firmware counts a part of it, else is left to firmware */
	WRONG,     /* firmware counts something else, else nothing is counted */
	SAME,      /* firmware counts it, too: used so that equal events share a counter */
	USER,      /* no counter filters the standard event by U-mode; events of the core do */
	KERNEL,    /* likewise, S-mode */
	DELEGATED, /* counters are programmed without firmware */
};

struct sbi_pmu_standard {
	u32 idx;           /* event_idx of the standard event */
	u64 selector;      /* the event of the core, 0: none */
	u8 when;           /* enum sbi_pmu_when */
	const char *name;  /* perf's name of the standard event; NULL: not for the log */
	const char *event; /* its name */
	const char *note;  /* for the log: what it counts, if that is not all; or NULL */
};

/* Units of XiangShan's cores: each has its own events and counters. */
enum sbi_pmu_unit {
	SBI_PMU_UNIT_ANY,
	SBI_PMU_UNIT_FRONTEND,
	SBI_PMU_UNIT_BACKEND,
	SBI_PMU_UNIT_MEMORY,
	SBI_PMU_UNIT_CACHE,
	SBI_PMU_UNITS
};

/* Events that count on some counters only; 0 in @csrs ends a list */
struct sbi_pmu_limit {
	u8 first, last;
	u32 csrs; /* a bit for each counter, as in mcounteren */
};

struct sbi_pmu_core {
	const char *name, *title;
	const char *tree;     /* its names in device trees, each with a 0 at its end */
	const char *date;     /* month of the newest table, or RTL, that was read */
	const char *names;    /* of the events, each with a 0 at its end */
	const u64 *selectors; /* in the same order; with units, as xiangshan.c encodes them */
	const struct sbi_pmu_standard *standards;
	struct attribute **fields; /* of a selector, for format/ */
	u16 total, standards_total;
	u16 withheld; /* the last of @names: in RTL to @date they count nothing, or another event */
	u8 slots;     /* micro-ops that a cycle can have at most; 0: no formulas need it */
	u8 bits[SBI_PMU_UNITS]; /* of an index that hardware decodes, by unit; 0: no units */
	u8 unfiltered_first, unfiltered_last; /* events that ignore filters */
	const struct sbi_pmu_limit *limits;   /* the first that fits an event is its; NULL: none */
};

/* Of this nothing is known, but how SpacemiT writes codes. */
extern const struct sbi_pmu_core sbi_pmu_unknown_core;

static inline bool sbi_pmu_has_units(const struct sbi_pmu_core *core)
{
	return core->bits[SBI_PMU_UNIT_ANY];
}

/* Who decides what counts as a standard event */
enum sbi_pmu_decision {
	SBI_PMU_LEFT, /* firmware; nothing is known to be wrong */
	/* firmware, though it may count a part only: it does not take the right event */
	SBI_PMU_LEFT_PART,
	SBI_PMU_REPLACED, /* the event of the core is counted */
	SBI_PMU_REFUSED,  /* none is counted */
};

struct sbi_pmu_table {
	const struct sbi_pmu_core *core;
	const char *why; /* how it was chosen, for the log; NULL: by ids */
	bool spacemit;
	unsigned int wanted;                   /* number of events to list, if they can be */
	unsigned int found;                    /* of these, those that firmware takes */
	unsigned int found_withheld;           /* of these, those that are listed only on demand */
	struct attribute_group events, fields; /* attribute groups */
	const struct attribute_group *groups[4]; /* all of them, for perf core */
	struct attribute **list;                 /* the attributes of @events */
	struct perf_pmu_events_attr *attr;       /* the events */
	u8 decision[]; /* enum sbi_pmu_decision, by row of the core's standards */
};

struct sbi_pmu_code sbi_pmu_core_code(const struct sbi_pmu_core *core, u64 selector);

/* ---- xiangshan.c ---- */

extern struct attribute *sbi_pmu_xiangshan_fields[];

int sbi_pmu_xiangshan_find(const struct sbi_pmu_firmware_id *id, const struct sbi_pmu_core *cores,
			   unsigned int n, const struct sbi_pmu_core **core, const char **why);
int sbi_pmu_xiangshan_encode(const struct sbi_pmu_core *core, u64 config,
			     struct sbi_pmu_code *code);
u32 sbi_pmu_xiangshan_csrs(u64 selector);
ssize_t sbi_pmu_xiangshan_event_show(struct device *dev, struct device_attribute *attr, char *buf);

#endif
