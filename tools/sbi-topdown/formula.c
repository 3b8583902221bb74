// SPDX-License-Identifier: GPL-2.0-only
/*
 * formula - the arithmetic, which needs nothing of the system.
 *
 * A cycle has six slots, each for one micro-op from decode on. Level 1 says where the
 * slots went. Levels 2 and 3 are by events that count cycles, not slots (but for the
 * two of bad speculation): such a part may be larger than what it is a part of, and a
 * remainder that would be negative is 0.
 */
#include <math.h>

#include "formula.h"

#define SLOTS	6.0

const char *const td_events[TD_EVENTS] = {
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
	[TD_RETIRING] = { "retiring", "Retiring", "retire",
		"slots of instructions that retired", 1 },
	[TD_FRONTEND_BOUND] = { "frontend_bound", "Frontend bound", "front",
		"slots the frontend left empty", 1 },
	[TD_FETCH_LATENCY] = { "fetch_latency", "Fetch latency", "fe-lat",
		"cycles without any instruction from the frontend", 2 },
	[TD_FETCH_BANDWIDTH] = { "fetch_bandwidth", "Fetch bandwidth", "fe-bw",
		"slots left empty beside instructions", 2 },
	[TD_BAD_SPECULATION] = { "bad_speculation", "Bad speculation", "badspc",
		"slots of micro-ops that never retired, and recovery", 1 },
	[TD_BRANCH_MISPREDICTS] = { "branch_mispredicts", "Branch mispredicts", "branch",
		"of these, by branches", 2 },
	[TD_MACHINE_CLEARS] = { "machine_clears", "Machine clears", "clears",
		"of these, by other flushes", 2 },
	[TD_BACKEND_BOUND] = { "backend_bound", "Backend bound", "back",
		"slots that waited for the backend", 1 },
	[TD_MEMORY_BOUND] = { "memory_bound", "Memory bound", "memory",
		"cycles that waited for loads or stores", 2 },
	[TD_L1_BOUND] = { "l1_bound", "L1", "L1",
		"cycles that waited for loads from the L1", 3 },
	[TD_L2_BOUND] = { "l2_bound", "L2", "L2",
		"cycles that waited for loads from the L2", 3 },
	[TD_L3_BOUND] = { "l3_bound", "L3", "L3",
		"cycles that waited for loads from the L3", 3 },
	[TD_MEM_BOUND] = { "mem_bound", "DRAM", "DRAM",
		"cycles that waited for loads from memory", 3 },
	[TD_STORE_BOUND] = { "store_bound", "Stores", "stores",
		"cycles that waited for room for stores", 3 },
	[TD_CORE_BOUND] = { "core_bound", "Core bound", "core",
		"cycles with few micro-ops issued, and no memory to blame", 2 },
};

unsigned int td_level(unsigned int known)
{
	return known >= TD_LEVEL3_LESS ? 3 : known >= TD_LEVEL2 ? 2 : 1;
}

/* The share of its time that a sample was counted in; 0 of no time. */
double td_running(const struct td_sample *sample)
{
	return sample->enabled ? (double)sample->running / sample->enabled : 0;
}

static uint64_t over(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Counters do not go back; what seems to is nothing. */
struct td_sample td_since(const struct td_sample *now, const struct td_sample *before)
{
	struct td_sample since = {
		.enabled = over(now->enabled, before->enabled),
		.running = over(now->running, before->running),
		.known = now->known,
	};

	for (unsigned int i = 0; i < now->known; i++)
		since.count[i] = over(now->count[i], before->count[i]);
	return since;
}

static double positive(double x)
{
	return x > 0 ? x : 0;
}

/* @part of it and @rest; of nothing there is no part. */
static double ratio(double part, double rest)
{
	return part ? part / (part + rest) : 0;
}

static void level1(const uint64_t *count, double *share)
{
	const double slots = SLOTS * count[TD_CYCLES];
	double rest;

	share[TD_RETIRING] = count[TD_INSTRUCTIONS] / slots;
	share[TD_FRONTEND_BOUND] = count[TD_FRONT_BUBBLE] / slots;
	/* What the counters read one after the other may be apart. */
	share[TD_BAD_SPECULATION] =
		over(count[TD_INST_SPEC_RECOVERY], count[TD_INSTRUCTIONS]) / slots;
	rest = 1 - share[TD_FRONTEND_BOUND] - share[TD_BAD_SPECULATION] - share[TD_RETIRING];
	share[TD_BACKEND_BOUND] = positive(rest);
}

static void level2(const uint64_t *count, double *share)
{
	const double cycles = count[TD_CYCLES], bad = share[TD_BAD_SPECULATION];
	const double branches = count[TD_BR_MIS_PRED], others = count[TD_TOTAL_FLUSH];
	const double memory = (double)count[TD_MEMSTALL_ANY_LOAD] + count[TD_MEMSTALL_STORE];

	share[TD_FETCH_LATENCY] = count[TD_FETCH_LATENCY_BOUND] / cycles;
	share[TD_FETCH_BANDWIDTH] = positive(share[TD_FRONTEND_BOUND] - share[TD_FETCH_LATENCY]);
	/* A mispredicted branch is no flush to TOTAL_FLUSH: the two together are all. */
	share[TD_BRANCH_MISPREDICTS] = bad * ratio(branches, others);
	share[TD_MACHINE_CLEARS] = bad * ratio(others, branches);
	share[TD_MEMORY_BOUND] = memory / cycles;
	share[TD_CORE_BOUND] = positive(count[TD_EXEC_STALL_CYCLE] - memory) / cycles;
}

static void level3(const uint64_t *count, bool l3, double *share)
{
	const double cycles = count[TD_CYCLES];

	share[TD_L1_BOUND] =
		over(count[TD_MEMSTALL_ANY_LOAD], count[TD_MEMSTALL_L1MISS]) / cycles;
	share[TD_L2_BOUND] = over(count[TD_MEMSTALL_L1MISS], count[TD_MEMSTALL_L2MISS]) / cycles;
	share[TD_L3_BOUND] = over(count[TD_MEMSTALL_L2MISS], count[TD_MEMSTALL_L3MISS]) / cycles;
	share[TD_MEM_BOUND] = l3 ? count[TD_MEMSTALL_L3MISS] / cycles : NAN;
	share[TD_STORE_BOUND] = count[TD_MEMSTALL_STORE] / cycles;
}

/**
 * td_shares - where the time went
 * @sample: what was counted
 * @share: shares of 1 by part, NAN where not known. Without the last event
 *	   TD_L3_BOUND is that of L3 and memory.
 *
 * Return: whether they are known. If not, all are NAN.
 */
enum td_verdict td_shares(const struct td_sample *sample, double share[TD_PARTS])
{
	const unsigned int level = td_level(sample->known);

	for (unsigned int i = 0; i < TD_PARTS; i++)
		share[i] = NAN;
	/* Times are taken a moment apart when events are switched on. */
	if (sample->enabled && td_running(sample) < 0.99)
		return TD_DISPLACED;
	if (!sample->count[TD_CYCLES])
		return TD_NOTHING;
	level1(sample->count, share);
	if (level >= 2)
		level2(sample->count, share);
	if (level >= 3)
		level3(sample->count, sample->known > TD_MEMSTALL_L3MISS, share);
	return TD_RIGHT;
}
