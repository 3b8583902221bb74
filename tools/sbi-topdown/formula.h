/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formula.h - top-down analysis of a XiangShan core: compute shares from event counts.
 * drivers/perf/sbi_pmu/vendor/xiangshan/metrics.tsv has the same formulas, for perf.
 */
#ifndef TOPDOWN_FORMULA_H
#define TOPDOWN_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The events. Each level's events follow those of the lower levels, so that an analysis
 * needs the first TD_LEVEL1, TD_LEVEL2 or TD_LEVEL3 of them.
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
	TD_LEVEL3_NO_L3MISS,

	/* Without this event, level 3 has one share for L3 and DRAM together. */
	TD_MEMSTALL_L3MISS = TD_LEVEL3_NO_L3MISS,
	TD_LEVEL3,
	TD_EVENTS = TD_LEVEL3,
};

/* The parts, in the order of the output: each before the parts that it consists of. */
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
 * struct td_part_info - names of a part
 * @name: for programs; perf's metric is called "td_" and this name
 * @label: for people
 * @column: short label, at most 6 characters
 * @meaning: what is counted as a share of all slots or cycles
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
 * struct td_sample - counts of the events
 * @enabled: ns that the events were enabled, added up over tasks or CPUs
 * @running: ns of these in which they counted
 * @n_events: events that were counted: TD_LEVEL1, 2, 3 or TD_LEVEL3_NO_L3MISS
 * @slots: how many micro-ops a cycle can have at most; not 0
 * @count: the counts, 0 from @n_events on
 */
struct td_sample {
	uint64_t enabled;
	uint64_t running;
	unsigned int n_events;
	unsigned int slots;
	uint64_t count[TD_EVENTS];
};

/**
 * enum td_validity - can shares be computed from a sample?
 * @TD_VALID: yes
 * @TD_NO_CYCLES: no, nothing ran
 * @TD_MULTIPLEXED: no, other events used the counters for some of the time
 */
enum td_validity { TD_VALID, TD_NO_CYCLES, TD_MULTIPLEXED };

extern const char * const td_events[TD_EVENTS];
extern const struct td_part_info td_parts[TD_PARTS];

unsigned int td_level(unsigned int n_events);
double td_running_share(const struct td_sample *sample);
struct td_sample td_sample_difference(const struct td_sample *now, const struct td_sample *before);
enum td_validity td_compute_shares(const struct td_sample *sample, double share[TD_PARTS]);
unsigned int td_largest_part(const double share[TD_PARTS], unsigned int whole);
unsigned int td_bottleneck(const double share[TD_PARTS]);
enum td_event td_event_of_part(unsigned int part, const struct td_sample *sample);

#endif
