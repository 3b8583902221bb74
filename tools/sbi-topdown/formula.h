/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formula.h - top-down analysis of a XiangShan core: from counts of events to shares.
 * The same formulas are in drivers/perf/sbi_pmu/events/metrics.tsv, for perf.
 */
#ifndef TOPDOWN_FORMULA_H
#define TOPDOWN_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What is counted, each level's events after those of the levels before it: any
 * analysis needs the first so many of these.
 */
enum td_event {
	TD_CYCLES,
	TD_INSTRUCTIONS,
	TD_FRONT_BUBBLE,
	TD_INST_SPEC_RECOVERY,
	TD_LEVEL1,

	TD_FETCH_LATENCY_BOUND = TD_LEVEL1,
	TD_BR_MIS_PRED,
	TD_TOTAL_FLUSH,
	TD_EXEC_STALL_CYCLE,
	TD_MEMSTALL_STORE,
	TD_MEMSTALL_ANY_LOAD,
	TD_LEVEL2,

	TD_MEMSTALL_L1MISS = TD_LEVEL2,
	TD_MEMSTALL_L2MISS,
	TD_LEVEL3_LESS,

	/* Level 3 can do without the last, and then knows L3 and memory as one. */
	TD_MEMSTALL_L3MISS = TD_LEVEL3_LESS,
	TD_LEVEL3,
	TD_EVENTS = TD_LEVEL3,
};

/* What it is about, in the order of a picture: a part after its whole. */
enum td_part {
	TD_RETIRING,
	TD_FRONTEND_BOUND,
	TD_FETCH_LATENCY,
	TD_FETCH_BANDWIDTH,
	TD_BAD_SPECULATION,
	TD_BRANCH_MISPREDICTS,
	TD_MACHINE_CLEARS,
	TD_BACKEND_BOUND,
	TD_MEMORY_BOUND,
	TD_L1_BOUND,
	TD_L2_BOUND,
	TD_L3_BOUND,
	TD_MEM_BOUND,
	TD_STORE_BOUND,
	TD_CORE_BOUND,
	TD_PARTS,
};

/**
 * struct td_part_info - a part's names
 * @name: for programs; perf's metric is this after "td_"
 * @label: for people
 * @column: of at most 6 letters
 * @meaning: of what it is a share
 * @level: 1 to 3
 */
struct td_part_info {
	const char *name;
	const char *label;
	const char *column;
	const char *meaning;
	unsigned int level;
};

/**
 * struct td_sample - what was counted
 * @enabled: ns that the events should have counted, of all tasks or CPUs
 * @running: ns that they did
 * @known: how many of the events are counted: TD_LEVEL1, 2, 3 or TD_LEVEL3_LESS
 * @count: the counts, 0 from @known on
 */
struct td_sample {
	uint64_t enabled;
	uint64_t running;
	unsigned int known;
	uint64_t count[TD_EVENTS];
};

/**
 * enum td_verdict - can shares be told from a sample?
 * @TD_RIGHT: yes
 * @TD_NOTHING: no, nothing ran
 * @TD_DISPLACED: no, other events had the counters for some of the time
 */
enum td_verdict { TD_RIGHT, TD_NOTHING, TD_DISPLACED };

extern const char *const td_events[TD_EVENTS];
extern const struct td_part_info td_parts[TD_PARTS];

unsigned int td_level(unsigned int known);
double td_running(const struct td_sample *sample);
struct td_sample td_since(const struct td_sample *now, const struct td_sample *before);
enum td_verdict td_shares(const struct td_sample *sample, double share[TD_PARTS]);

#endif
