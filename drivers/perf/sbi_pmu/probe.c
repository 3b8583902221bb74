// SPDX-License-Identifier: GPL-2.0-only
#include "probe.h"

/* ---- which counters there are ---- */

/**
 * sbi_pmu_probe_inventory() - ask firmware for the counters of this CPU
 * @sbi: this CPU's
 * @limits: what to make of the answers
 * @inv: filled in
 * Return: 0, or an errno if firmware does not even return their number.
 */
int sbi_pmu_probe_inventory(struct sbi_pmu_sbi *sbi, const struct sbi_pmu_probe_limits *limits,
			    struct sbi_pmu_inventory *inv)
{
	struct sbi_pmu_counter_info info;
	unsigned long n, word, found = 0;
	int ret;

	memset(inv, 0, sizeof(*inv));
	ret = sbi_pmu_sbi_num_counters(sbi, &n);
	if (ret)
		return ret;

	/* The number of counters is no bound of their indices. */
	for (unsigned int i = 0; i < SBI_PMU_MAX_COUNTERS && found < n; i++) {
		if (sbi_pmu_sbi_counter_info(sbi, i, &word))
			continue;
		found++;
		info = sbi_pmu_counter_info_decode(word, limits->width[i]);
		if (limits->homogeneous && info.kind == SBI_PMU_COUNTER_FIXED)
			info.kind = SBI_PMU_COUNTER_PROGRAMMABLE;
		sbi_pmu_inventory_add(inv, i, info);
	}
	/* OpenSBI includes gaps in the number, such as the time CSR. */
	if (n > SBI_PMU_MAX_COUNTERS)
		inv->beyond = n - SBI_PMU_MAX_COUNTERS;
	return 0;
}

/* ---- reference counter: does KVM really count a raw event? ---- */

/* A running counter has moved after this many reads. */
#define READS_TO_MOVE	4

/* Return: 0, -ENODATA if counter @idx does not count, -EBUSY if it cannot be read. */
static int check_moves(struct sbi_pmu_backend *be, unsigned int idx)
{
	u64 first, now;
	int ret = sbi_pmu_backend_read(be, idx, &first);

	for (unsigned int n = 0; !ret && n < READS_TO_MOVE; n++) {
		ret = sbi_pmu_backend_read(be, idx, &now);
		if (!ret && now != first)
			return 0;
	}
	return ret ? -EBUSY : -ENODATA;
}

/* Start cycles or instructions on a counter other than @probed. */
static bool start_reference(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			    unsigned int probed, unsigned int *idx)
{
	u64 free = sbi_pmu_inventory_hardware(be->inv);
	struct sbi_pmu_event_code code = {};

	free &= ~plan->configured;
	free &= ~BIT_ULL(probed);
	for (code.idx = SBI_PMU_HW_CPU_CYCLES; code.idx <= SBI_PMU_HW_INSTRUCTIONS; code.idx++) {
		if (!free || sbi_pmu_backend_config(be, free, &code, plan->configured, idx))
			continue;
		if (!sbi_pmu_sbi_start_at(&be->sbi, *idx, 0) && !check_moves(be, *idx))
			return true;
		sbi_pmu_backend_release(be, *idx);
	}
	return false;
}

/*
 * KVM accepts any raw event. If its host cannot count it, the start stops this counter and those
 * configured after it, such as the reference counter.
 * Return: 0, -ENODATA if the event cannot be counted, -EBUSY if that is not known.
 */
static int start_with_reference(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
				unsigned int idx)
{
	unsigned int reference;
	int ret;

	if (!start_reference(be, plan, idx, &reference))
		return -EBUSY;
	ret = sbi_pmu_sbi_start(&be->sbi, idx) ?: check_moves(be, reference);
	sbi_pmu_backend_release(be, reference);
	return ret;
}

static bool is_raw(const struct sbi_pmu_event_code *code)
{
	return sbi_pmu_event_type(code) == SBI_PMU_EVENT_TYPE_RAW ||
	       sbi_pmu_event_type(code) == SBI_PMU_EVENT_TYPE_RAW_V2;
}

/* ---- which counters can count an event ---- */

/* Return: 0, -ENXIO if a counter took the event but cannot be read, or another errno. */
static int try_config(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
		      const struct sbi_pmu_event_code *code, u64 mask)
{
	unsigned int got;
	int ret = sbi_pmu_backend_config(be, mask, code, plan->configured, &got);
	u64 value;

	if (ret)
		return ret;
	/* RustSBI does not release a counter that was never started. */
	ret = be->in_vm && is_raw(code) ? start_with_reference(be, plan, got) :
					  sbi_pmu_backend_start_one(be, got);
	if (!ret && sbi_pmu_backend_read(be, got, &value))
		ret = -ENXIO;
	sbi_pmu_backend_release(be, got);
	return ret;
}

static bool is_denial(int ret)
{
	return ret == -EOPNOTSUPP || ret == -EINVAL || ret == -EPROTO || ret == -ENXIO ||
	       ret == -ENODATA;
}

/* Once the event @counts, -ENODATA means that the host has no second counter for it now. */
static void probe_each(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
		       const struct sbi_pmu_event_code *code, u64 which, bool counts,
		       struct sbi_pmu_support *support)
{
	unsigned int i;

	for_each_counter(i, which) {
		const int ret = try_config(be, plan, code, BIT_ULL(i));

		if (!ret)
			support->can |= BIT_ULL(i);
		else if (is_denial(ret) && !(counts && ret == -ENODATA))
			support->cannot |= BIT_ULL(i);
	}
}

/**
 * sbi_pmu_probe_event() - find out which counters can count an event
 * @be: this CPU's
 * @plan: what its counters hold; those are not probed, and none holds @code
 * @code: the event; its flags are not used
 * @candidates: the counters in question
 * @support: what is learned is added
 */
void sbi_pmu_probe_event(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			 const struct sbi_pmu_event_code *code, u64 candidates,
			 struct sbi_pmu_support *support)
{
	const struct sbi_pmu_event_code bare = { .idx = code->idx, .data = code->data };
	const u64 known = support->can | support->cannot;
	u64 open = candidates & ~known;
	const bool counts = support->can;
	int ret;

	open &= ~plan->configured;
	if (!open)
		return;
	ret = try_config(be, plan, &bare, open);
	if (ret == -EPROTO)
		support->strayed = true;
	/* In shared mode firmware that ignores the offer is not asked again. */
	if ((ret == -EPROTO && be->exclusive) ||
	    ((!ret || ret == -ENXIO) && !sbi_pmu_event_is_firmware(&bare)))
		probe_each(be, plan, &bare, open, counts || !ret, support);
	else if (!ret) /* firmware counters are homogeneous */
		support->can |= open;
	else if (is_denial(ret) && !(counts && ret == -ENODATA))
		support->cannot |= open;
}

/* Counters @which took @code. */
void sbi_pmu_examples_add(struct sbi_pmu_examples *examples, u64 which,
			  const struct sbi_pmu_event_code *code)
{
	const u64 more = which & ~examples->known;
	unsigned int i;

	for_each_counter(i, more)
		examples->code[i] =
			(struct sbi_pmu_event_code){ .idx = code->idx, .data = code->data };
	examples->known |= more;
}

/**
 * sbi_pmu_probe_examples() - find counters that no other driver uses
 * @be: this CPU's
 * @plan: what its counters hold
 * @examples: events that counters took before
 * @which: free counters, as far as the plan says
 * Return: those of @which that still take that event.
 */
u64 sbi_pmu_probe_examples(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			   const struct sbi_pmu_examples *examples, u64 which)
{
	const u64 known = examples->known & which;
	u64 taken = 0;
	unsigned int i;

	for_each_counter(i, known)
		if (!try_config(be, plan, &examples->code[i], BIT_ULL(i)))
			taken |= BIT_ULL(i);
	return taken;
}

/* ---- how many bits counters have ---- */

/*
 * A counter is started with upper bits set and lower bits 0, and read before it can overflow. If
 * the hart is delayed for 2^20 events, the values are wrong, and the width stays unknown.
 */
#define FAR_BITS	20
#define UPPER_HALF	GENMASK_ULL(63, 32)
#define LOWER_HALF	GENMASK_ULL(31, FAR_BITS)

static int start_and_read(struct sbi_pmu_backend *be, unsigned int idx, u64 from, u64 *value)
{
	return sbi_pmu_backend_start_from(be, idx, from) ?:
		       be->read_csr(be->inv->info[idx].csr, value);
}

/* What is left of the ones of @pattern in a counter, from the lowest on? 0: not ones. */
static unsigned int ones_left(u64 value, u64 pattern)
{
	const u64 ones = (value & pattern) / (pattern & -pattern);

	return ones & (ones + 1) ? 0 : hweight64(ones);
}

/* Return: its bits, 0 if it cannot be written. It runs on, as RustSBI releases no stopped one. */
static unsigned int measure_width(struct sbi_pmu_backend *be, unsigned int idx)
{
	u64 upper, lower, zero;

	if (start_and_read(be, idx, UPPER_HALF, &upper))
		return 0;
	sbi_pmu_backend_stop_one(be, idx);
	if (start_and_read(be, idx, LOWER_HALF, &lower))
		return 0;
	sbi_pmu_backend_stop_one(be, idx);
	if (start_and_read(be, idx, 0, &zero))
		return 0;
	if (zero >> FAR_BITS || (upper & ~UPPER_HALF) >> FAR_BITS || !ones_left(lower, LOWER_HALF))
		return 0;
	if (upper & UPPER_HALF)
		return ones_left(upper, UPPER_HALF) ? 32 + ones_left(upper, UPPER_HALF) : 0;
	return FAR_BITS + ones_left(lower, LOWER_HALF);
}

/**
 * sbi_pmu_probe_widths() - measure programmable counters
 * @be: this CPU's
 * @plan: what its counters hold
 * @examples: events that counters took
 * @limits: wider counters' widths are reduced
 *
 * A counter is left out without an example, if the other driver uses it, or if it cannot be
 * written. cycle and instret have 64 bits (privileged specification, 3.1.10), and so have the
 * counters of a VM, which are in its host's memory.
 */
void sbi_pmu_probe_widths(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			  const struct sbi_pmu_examples *examples,
			  struct sbi_pmu_probe_limits *limits)
{
	u64 which = examples->known & be->inv->programmable;
	unsigned int i, got, width;

	which &= ~plan->configured;
	if (be->in_vm)
		return;
	for_each_counter(i, which) {
		if (sbi_pmu_backend_config(be, BIT_ULL(i), &examples->code[i], plan->configured,
					   &got))
			continue;
		width = measure_width(be, i);
		if (width && width < limits->width[i])
			limits->width[i] = width;
		sbi_pmu_backend_release(be, i);
	}
}

/* Reads of the clock that give a counter time to count some thousand events */
#define CLOCK_READS	1000

static bool is_counting(struct sbi_pmu_backend *be, u16 csr, u64 (*clock)(void))
{
	u64 first, now;

	if (be->read_csr(csr, &first))
		return false;
	for (unsigned int n = 0; n < CLOCK_READS; n++)
		clock();
	return !be->read_csr(csr, &now) && now > first;
}

/**
 * sbi_pmu_probe_counts_freely() - does a fixed counter run that firmware does not hand out?
 * @be: this CPU's
 * @idx: the counter; started if need be: the built-in driver stops all of a CPU that comes online
 * @clock: returns the time
 */
bool sbi_pmu_probe_counts_freely(struct sbi_pmu_backend *be, unsigned int idx, u64 (*clock)(void))
{
	const u16 csr = be->inv->info[idx].csr;

	return is_counting(be, csr, clock) ||
	       (!sbi_pmu_sbi_start(&be->sbi, idx) && is_counting(be, csr, clock));
}

static bool is_refused(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
		       const struct sbi_pmu_event_code *code, u64 offered)
{
	const int ret = offered ? try_config(be, plan, code, offered) : 0;

	return ret == -EOPNOTSUPP || ret == -EINVAL;
}

/**
 * sbi_pmu_probe_free_running() - find the fixed counters that only need to be read
 * @be: this CPU's, online and idle
 * @plan: what its counters hold: nothing
 * @clock: returns the time
 *
 * With Sscofpmf and without Smcntrpmf, OpenSBI 1.9 and later do not hand out cycle and instret, as
 * they cannot filter. If firmware's device tree has no lines for the events, no other counter
 * counts them; the CSRs run all the time, though.
 *
 * In shared mode only programmable counters are offered, as OpenSBI hands out a fixed one whatever
 * is offered. The caller must know that the firmware does that.
 * Return: those whose event firmware hands out no counter for.
 */
u64 sbi_pmu_probe_free_running(struct sbi_pmu_backend *be, const struct sbi_pmu_plan *plan,
			       u64 (*clock)(void))
{
	const u64 offered = be->exclusive ? sbi_pmu_inventory_hardware(be->inv) :
					    be->inv->programmable;
	u64 free_running = 0;
	unsigned int i;

	for_each_counter(i, be->inv->fixed) {
		const struct sbi_pmu_event_code code = {
			.idx = sbi_pmu_counter_fixed_event(&be->inv->info[i]),
		};

		if (is_refused(be, plan, &code, offered) &&
		    sbi_pmu_probe_counts_freely(be, i, clock))
			free_running |= BIT_ULL(i);
	}
	return free_running;
}

/* ---- how counters are best read ---- */

/* What takes a few ns is timed so many times, in so many rounds. */
#define TIMES		8
#define ROUNDS		4
/* A counter is read when its task is switched out, and when it is switched in. */
#define READS		2
/* A start value that the counter cannot reach meanwhile */
#define FAR		BIT_ULL(40)

static int config_any(struct sbi_pmu_backend *be, unsigned int *idx)
{
	const u64 hardware = sbi_pmu_inventory_hardware(be->inv);
	const u64 none = 0;
	struct sbi_pmu_event_code code = {};
	int ret = -EOPNOTSUPP;

	for (code.idx = SBI_PMU_HW_CPU_CYCLES;
	     ret && hardware && code.idx <= SBI_PMU_HW_INSTRUCTIONS; code.idx++)
		ret = sbi_pmu_backend_config(be, hardware, &code, none, idx);
	return ret;
}

/* The counter of @csr runs, started from 0. Is each result added to the one before? */
static bool reads_accumulate(struct sbi_pmu_backend *be, u16 csr, u64 (*clock)(void))
{
	u64 first = 0, second = 0;

	for (unsigned int n = 0; n < CLOCK_READS; n++)
		clock();
	if (be->read_csr(csr, &first) || be->read_csr(csr, &second))
		return false;
	return first && second - first >= first;
}

/* Start counter @idx from @from, stop it: the value saved in the shared memory. */
static u64 saved_value(struct sbi_pmu_backend *be, unsigned int idx, u64 from, bool by_shmem)
{
	u64 *value = &be->shmem.data->ctr_values[idx];
	int ret;

	WRITE_ONCE(*value, from);
	ret = by_shmem ? sbi_pmu_sbi_start_snapshot(&be->sbi, BIT_ULL(idx)) :
			 sbi_pmu_sbi_start_at(&be->sbi, idx, from);
	if (ret || sbi_pmu_sbi_stop_snapshot(&be->sbi, BIT_ULL(idx)))
		return from - 1;
	return READ_ONCE(*value);
}

static bool snapshot_works(struct sbi_pmu_backend *be, unsigned int idx, bool accumulates)
{
	u64 saved, read;

	for (unsigned int by_shmem = 0; by_shmem < 2; by_shmem++) {
		const u64 from = FAR << by_shmem;

		saved = saved_value(be, idx, from, by_shmem);
		if (saved - from >= FAR || be->read_csr(be->inv->info[idx].csr, &read) ||
		    read - saved != (accumulates ? saved - from : 0))
			return false;
	}
	return true;
}

static int start_and_stop(struct sbi_pmu_backend *be, unsigned int idx)
{
	return sbi_pmu_sbi_start_snapshot(&be->sbi, BIT_ULL(idx)) ?:
		       sbi_pmu_sbi_stop_snapshot(&be->sbi, BIT_ULL(idx));
}

static int read_twice(struct sbi_pmu_backend *be, unsigned int idx)
{
	u64 value;
	int ret = 0;

	for (unsigned int i = 0; i < READS && !ret; i++)
		ret = be->read_csr(be->inv->info[idx].csr, &value);
	return ret;
}

static int time_best(struct sbi_pmu_backend *be, unsigned int idx, u64 (*clock)(void),
		     int (*what)(struct sbi_pmu_backend *be, unsigned int idx), u64 *best)
{
	const u64 begin = clock();
	u64 took;

	for (unsigned int i = 0; i < TIMES; i++) {
		const int ret = what(be, idx);

		if (ret)
			return ret;
	}
	took = clock() - begin;
	*best = took < *best ? took : *best;
	return 0;
}

/*
 * If a switch by two calls is faster for one event, it is for more. With KVM up to 7.2 it is not:
 * the host has much to do to stop and start a counter. The hart may be interrupted, hence rounds.
 */
static bool snapshot_is_faster(struct sbi_pmu_backend *be, unsigned int idx, u64 (*clock)(void))
{
	u64 calls = ~0ULL, reads = ~0ULL;

	for (unsigned int round = 0; round < ROUNDS; round++)
		if (time_best(be, idx, clock, start_and_stop, &calls) ||
		    sbi_pmu_sbi_start_snapshot(&be->sbi, BIT_ULL(idx)) ||
		    time_best(be, idx, clock, read_twice, &reads) ||
		    sbi_pmu_sbi_stop_snapshot(&be->sbi, BIT_ULL(idx)))
			return false;
	/* A clock may be too coarse for the reads. */
	return reads && calls <= reads;
}

/**
 * sbi_pmu_probe_read_method() - find out how counters are best read here
 * @be: this CPU's, online and idle
 * @clock: returns the time
 * @method: the answer; false for what could not be found out
 */
void sbi_pmu_probe_read_method(struct sbi_pmu_backend *be, u64 (*clock)(void),
			       struct sbi_pmu_read_method *method)
{
	unsigned int idx;

	memset(method, 0, sizeof(*method));
	if (config_any(be, &idx))
		return;
	if (!sbi_pmu_sbi_start_at(&be->sbi, idx, 0)) {
		method->accumulates = reads_accumulate(be, be->inv->info[idx].csr, clock);
		if (be->shmem.registered && !sbi_pmu_sbi_stop(&be->sbi, BIT_ULL(idx)))
			method->snapshot_works = snapshot_works(be, idx, method->accumulates);
		method->snapshot_is_faster = method->snapshot_works &&
					     snapshot_is_faster(be, idx, clock);
	}
	sbi_pmu_backend_release(be, idx);
}
