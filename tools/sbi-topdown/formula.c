// SPDX-License-Identifier: GPL-2.0-only
/*
 * formula - the arithmetic; no system calls, so that it is tested on the host.
 *
 * A cycle has a number of slots, each for one micro-op from decode on. Level 1 divides the
 * slots. Most events of levels 2 and 3 count cycles, not slots (the exceptions are the
 * two parts of bad speculation): such a part may be larger than the part it belongs to.
 * A remainder that would be negative is 0.
 */
#include <math.h>

#include "formula.h"

const char * const td_events[TD_EVENTS] = {
	[TD_CYCLES] = "cycles",
	[TD_INSTRUCTIONS] = "instructions",
	[TD_FRONT_BUBBLE] = "front_bubble",
	[TD_INST_SPEC_RECOVERY] = "inst_spec_recovery",
	[TD_FETCH_LATENCY_BOUND] = "fetch_latency_bound",
	[TD_BR_MIS_PRED] = "br_mis_pred",
	[TD_TOTAL_FLUSH] = "total_flush",
	[TD_EXEC_STALL_CYCLE] = "exec_stall_cycle",
	[TD_MEMSTALL_STORE] = "memstall_store",
	[TD_MEMSTALL_ANY_LOAD] = "memstall_any_load",
	[TD_MEMSTALL_L1MISS] = "memstall_l1miss",
	[TD_MEMSTALL_L2MISS] = "memstall_l2miss",
	[TD_MEMSTALL_L3MISS] = "memstall_l3miss",
};

const struct td_part_info td_parts[TD_PARTS] = {
	[TD_RETIRING] = { "retiring", "Retiring", "retire", "slots of retired instructions", 1 },
	[TD_FRONTEND_BOUND] = { "frontend_bound", "Frontend bound", "front",
				"slots that the frontend left empty", 1 },
	[TD_FETCH_LATENCY] = { "fetch_latency", "Fetch latency", "fe-lat",
			       "cycles without any instruction from the frontend", 2 },
	[TD_FETCH_BANDWIDTH] = { "fetch_bandwidth", "Fetch bandwidth", "fe-bw",
				 "empty slots in cycles with some instructions", 2 },
	[TD_BAD_SPECULATION] = { "bad_speculation", "Bad speculation", "badspc",
				 "slots of micro-ops that did not retire, and recovery", 1 },
	[TD_BRANCH_MISPREDICTS] = { "branch_mispredicts", "Branch mispredicts", "branch",
				    "of bad speculation: mispredicted branches", 2 },
	[TD_MACHINE_CLEARS] = { "machine_clears", "Machine clears", "clears",
				"of bad speculation: other flushes", 2 },
	[TD_BACKEND_BOUND] = { "backend_bound", "Backend bound", "back",
			       "slots that waited for the backend", 1 },
	[TD_MEMORY_BOUND] = { "memory_bound", "Memory bound", "memory",
			      "cycles that waited for loads or stores", 2 },
	[TD_L1_BOUND] = { "l1_bound", "L1", "L1", "cycles that waited for loads from the L1", 3 },
	[TD_L2_BOUND] = { "l2_bound", "L2", "L2", "cycles that waited for loads from the L2", 3 },
	[TD_L3_BOUND] = { "l3_bound", "L3", "L3", "cycles that waited for loads from the L3", 3 },
	[TD_MEM_BOUND] = { "mem_bound", "DRAM", "DRAM", "cycles that waited for loads from memory",
			   3 },
	[TD_STORE_BOUND] = { "store_bound", "Stores", "stores",
			     "cycles that waited for space in the store buffer", 3 },
	[TD_CORE_BOUND] = { "core_bound", "Core bound", "core",
			    "cycles with few micro-ops issued, not due to memory", 2 },
};

/**
 * td_level() - level of an analysis
 * @n_events: events that are counted
 *
 * Return: 1 to 3.
 */
unsigned int td_level(unsigned int n_events)
{
	return n_events >= TD_LEVEL3_NO_L3MISS ? 3 : n_events >= TD_LEVEL2 ? 2 : 1;
}

/**
 * td_running_share() - share of the enabled time in which the events counted
 * @sample: the counts
 *
 * Return: 0 to 1; 0 if the events were never enabled.
 */
double td_running_share(const struct td_sample *sample)
{
	return sample->enabled ? (double)sample->running / sample->enabled : 0;
}

/* Subtract; 0 instead of a negative result. */
static uint64_t subtract(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/**
 * td_sample_difference() - what was counted between two samples
 * @now: the later one
 * @before: the earlier one
 *
 * Return: the differences; 0 where a value decreased.
 */
struct td_sample td_sample_difference(const struct td_sample *now, const struct td_sample *before)
{
	struct td_sample difference = {
		.enabled = subtract(now->enabled, before->enabled),
		.running = subtract(now->running, before->running),
		.n_events = now->n_events,
		.slots = now->slots,
	};

	for (unsigned int i = 0; i < now->n_events; i++)
		difference.count[i] = subtract(now->count[i], before->count[i]);
	return difference;
}

static double clamp_to_0(double x)
{
	return x > 0 ? x : 0;
}

/* The fraction that @part is of @part and @rest together; 0 if both are 0. */
static double fraction(double part, double rest)
{
	return part ? part / (part + rest) : 0;
}

static void compute_level1(const struct td_sample *sample, double *share)
{
	const uint64_t *count = sample->count;
	const double slots = (double)sample->slots * count[TD_CYCLES];
	double rest;

	share[TD_RETIRING] = count[TD_INSTRUCTIONS] / slots;
	share[TD_FRONTEND_BOUND] = count[TD_FRONT_BUBBLE] / slots;
	/* Counters are read one after another, so the difference may seem negative. */
	share[TD_BAD_SPECULATION] =
		subtract(count[TD_INST_SPEC_RECOVERY], count[TD_INSTRUCTIONS]) / slots;
	rest = 1 - share[TD_FRONTEND_BOUND] - share[TD_BAD_SPECULATION] - share[TD_RETIRING];
	share[TD_BACKEND_BOUND] = clamp_to_0(rest);
}

static void compute_level2(const uint64_t *count, double *share)
{
	const double cycles = count[TD_CYCLES], bad = share[TD_BAD_SPECULATION];
	const double branches = count[TD_BR_MIS_PRED], others = count[TD_TOTAL_FLUSH];
	const double memory = (double)count[TD_MEMSTALL_ANY_LOAD] + count[TD_MEMSTALL_STORE];

	share[TD_FETCH_LATENCY] = count[TD_FETCH_LATENCY_BOUND] / cycles;
	share[TD_FETCH_BANDWIDTH] = clamp_to_0(share[TD_FRONTEND_BOUND] - share[TD_FETCH_LATENCY]);
	/* TOTAL_FLUSH does not include mispredicted branches: the sum of both is all flushes. */
	share[TD_BRANCH_MISPREDICTS] = bad * fraction(branches, others);
	share[TD_MACHINE_CLEARS] = bad * fraction(others, branches);
	share[TD_MEMORY_BOUND] = memory / cycles;
	share[TD_CORE_BOUND] = clamp_to_0(count[TD_EXEC_STALL_CYCLE] - memory) / cycles;
}

static void compute_level3(const uint64_t *count, bool has_l3miss, double *share)
{
	const double cycles = count[TD_CYCLES];

	share[TD_L1_BOUND] =
		subtract(count[TD_MEMSTALL_ANY_LOAD], count[TD_MEMSTALL_L1MISS]) / cycles;
	share[TD_L2_BOUND] =
		subtract(count[TD_MEMSTALL_L1MISS], count[TD_MEMSTALL_L2MISS]) / cycles;
	share[TD_L3_BOUND] =
		subtract(count[TD_MEMSTALL_L2MISS], count[TD_MEMSTALL_L3MISS]) / cycles;
	share[TD_MEM_BOUND] = has_l3miss ? count[TD_MEMSTALL_L3MISS] / cycles : NAN;
	share[TD_STORE_BOUND] = count[TD_MEMSTALL_STORE] / cycles;
}

/**
 * td_compute_shares() - compute the shares of all parts
 * @sample: the counts
 * @share: filled in: from 0 on, 1 is all slots or cycles; NAN for parts above the level
 *	   of @sample. Without memstall_l3miss TD_L3_BOUND includes DRAM.
 *
 * Return: whether they could be computed. If not, all are NAN.
 */
enum td_validity td_compute_shares(const struct td_sample *sample, double share[TD_PARTS])
{
	const unsigned int level = td_level(sample->n_events);

	for (unsigned int i = 0; i < TD_PARTS; i++)
		share[i] = NAN;
	/* Allow 1 %: on enabling, both times do not begin at exactly the same moment. */
	if (sample->enabled && td_running_share(sample) < 0.99)
		return TD_MULTIPLEXED;
	if (!sample->count[TD_CYCLES])
		return TD_NO_CYCLES;
	compute_level1(sample, share);
	if (level >= 2)
		compute_level2(sample->count, share);
	if (level >= 3)
		compute_level3(sample->count, sample->n_events > TD_MEMSTALL_L3MISS, share);
	return TD_VALID;
}

/**
 * td_largest_part() - find the largest of the parts that a part consists of
 * @share: of all parts
 * @whole: the part; TD_PARTS: find the largest of level 1
 *
 * Return: TD_PARTS if there is none.
 */
unsigned int td_largest_part(const double share[TD_PARTS], unsigned int whole)
{
	const unsigned int level = whole == TD_PARTS ? 1 : td_parts[whole].level + 1;
	unsigned int found = TD_PARTS;

	for (unsigned int i = whole == TD_PARTS ? 0 : whole + 1;
	     i < TD_PARTS && td_parts[i].level >= level; i++) {
		if (td_parts[i].level == level && share[i] > 0 &&
		    (found == TD_PARTS || share[i] > share[found]))
			found = i;
	}
	return found;
}

/**
 * td_bottleneck() - find what to look at first
 * @share: of all parts
 *
 * Return: of the largest part of level 1 the largest part, and so on, as deep as there are
 * shares; TD_PARTS if there are none.
 */
unsigned int td_bottleneck(const double share[TD_PARTS])
{
	unsigned int part = TD_PARTS, next;

	while ((next = td_largest_part(share, part)) != TD_PARTS)
		part = next;
	return part;
}

/**
 * td_event_of_part() - the event to sample, to find the code that a part comes from
 * @part: the part
 * @sample: the counts
 *
 * Some parts are a difference of events, or have none of their own: then this is the event
 * that causes them, or the larger of two.
 *
 * Return: the event.
 */
enum td_event td_event_of_part(unsigned int part, const struct td_sample *sample)
{
	static const enum td_event events[TD_PARTS] = {
		[TD_RETIRING] = TD_INSTRUCTIONS,
		[TD_FRONTEND_BOUND] = TD_FRONT_BUBBLE,
		[TD_FETCH_LATENCY] = TD_FETCH_LATENCY_BOUND,
		[TD_FETCH_BANDWIDTH] = TD_FRONT_BUBBLE,
		[TD_BAD_SPECULATION] = TD_INST_SPEC_RECOVERY,
		[TD_BRANCH_MISPREDICTS] = TD_BR_MIS_PRED,
		[TD_MACHINE_CLEARS] = TD_TOTAL_FLUSH,
		[TD_BACKEND_BOUND] = TD_EXEC_STALL_CYCLE,
		[TD_MEMORY_BOUND] = TD_MEMSTALL_ANY_LOAD,
		[TD_L1_BOUND] = TD_MEMSTALL_ANY_LOAD,
		[TD_L2_BOUND] = TD_MEMSTALL_L1MISS,
		[TD_L3_BOUND] = TD_MEMSTALL_L2MISS,
		[TD_MEM_BOUND] = TD_MEMSTALL_L3MISS,
		[TD_STORE_BOUND] = TD_MEMSTALL_STORE,
		[TD_CORE_BOUND] = TD_EXEC_STALL_CYCLE,
	};

	if (part == TD_MEMORY_BOUND &&
	    sample->count[TD_MEMSTALL_STORE] > sample->count[TD_MEMSTALL_ANY_LOAD])
		return TD_MEMSTALL_STORE;
	return events[part];
}
