// SPDX-License-Identifier: GPL-2.0-only
/* test_trial: how counters are best read, and raw events that nobody can count. */
#include "test.h"

static u64 now;

/* A look at the clock takes 2 ns. */
static u64 clock_ns(void)
{
	fakesbi_run(2);
	return now += 2;
}

/* What takes time in the model is on the clock as well. */
static int read_slowly(unsigned int csr, u64 *value)
{
	now += fakesbi.read_ticks;
	return fakesbi_read_csr(csr, value);
}

static struct sbi_pmu_ret call_slowly(unsigned int fid, const xlen_t arg[SBI_PMU_ARGS])
{
	now += fakesbi.call_ticks;
	return fakesbi_call(fid, arg);
}

static struct sbi_pmu_manner manner(enum way way, u64 quirks, u64 read_ticks, u64 call_ticks)
{
	struct sbi_pmu_manner m;

	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = quirks;
	hart_boot_way(way);
	hart.slots.sums = false;
	hart.slots.read_csr = read_slowly;
	hart.slots.fw.call = call_slowly;
	fakesbi.read_ticks = read_ticks;
	fakesbi.call_ticks = call_ticks;
	sbi_pmu_slots_manner(&hart.slots, clock_ns, &m);
	check(quiet() && !fakesbi.broken, "nothing is left, no rule broken (%s)",
	      fakesbi.why ? fakesbi.why : "-");
	return m;
}

static void test_manner(void)
{
	struct sbi_pmu_manner m;

	m = manner(SOLE, 0, 1, 100);
	check(!m.traps && !m.sums && !m.tells, "bare metal: reading is cheap");
	m = manner(RESTING, 0, 1, 100);
	check(!m.traps && !m.sums && m.tells, "with such memory: so it is");
	m = manner(RESTING, KVM, 90, 100);
	check(m.traps && !m.sums && m.tells, "KVM: it traps, the memory is better");
	m = manner(RESTING, KVM_OLD, 110, 100);
	check(m.traps && m.sums && m.tells, "KVM of 6.12: and what is told adds up");
	m = manner(SOLE, KVM_OLD, 110, 100);
	check(m.traps && m.sums && !m.tells, "without the memory: it still does");
	m = manner(RESTING, KVM | QUIRK(NO_SNAPSHOT), 90, 100);
	check(m.traps && !m.tells, "no such memory: it tells nothing");

	fakesbi_reset(4, 2, 64);
	hart_boot_way(RESTING);
	hart.slots.memory = calloc(1, sizeof(*hart.slots.memory));
	sbi_pmu_slots_manner(&hart.slots, clock_ns, &m);
	check(!m.tells, "memory that firmware does not write to");
	free(hart.slots.memory);
	fakesbi_reset(0, 2, 64);
	fakesbi.refuse = 1;
	hart_boot(true);
	sbi_pmu_slots_manner(&hart.slots, clock_ns, &m);
	check(!m.traps && !m.sums && !m.tells, "nothing to find out with: no");
}

/* Even selectors are this machine's. */
static bool even(const struct sbi_pmu_code *code)
{
	return (code->idx != RAW && code->idx != RAW_V2) || code->data % 2 == 0;
}

static void boot_doubting(u64 quirks)
{
	fakesbi_reset(6, 2, 64);
	fakesbi.quirks = quirks;
	fakesbi.countable = even;
	hart_boot_way(RESTING);
}

static struct sbi_pmu_truth ask(u32 idx, u64 data)
{
	const struct sbi_pmu_code code = { .idx = idx, .data = data };
	const struct sbi_pmu_mask hardware = sbi_pmu_inventory_hardware(&hart.inv);
	struct sbi_pmu_truth truth = {};
	const u64 reads = fakesbi.reads;

	/* A witness takes time, in which others count on. */
	fakesbi.read_ticks = 1;
	sbi_pmu_slots_trial(&hart.slots, &code, &hardware, &truth);
	fakesbi.read_ticks = 0;
	for (unsigned int i = 0; i < PLAYERS; i++)
		if (hart.player[i].live)
			hart.player[i].expected += (fakesbi.reads - reads) *
						   fakesbi_rate(&hart.player[i].user.code);
	return truth;
}

static bool says(const struct sbi_pmu_truth *truth, bool can, bool cannot)
{
	return sbi_pmu_mask_empty(&truth->can) != can &&
	       sbi_pmu_mask_empty(&truth->cannot) != cannot;
}

static void test_doubts(u64 quirks)
{
	struct player *cycles = &hart.player[0], *instret = &hart.player[1], *raw = &hart.player[2];
	struct sbi_pmu_truth truth;

	boot_doubting(quirks);
	truth = ask(RAW, 4);
	check(sbi_pmu_mask_weight(&truth.can) == 6 && sbi_pmu_mask_weight(&truth.cannot) == 2,
	      "an event of this machine: on all six (%u), and not on the other two",
	      sbi_pmu_mask_weight(&truth.can));
	truth = ask(RAW, 5);
	check(says(&truth, false, true), "one of another: no");
	truth = ask(RAW_V2, 7);
	check(says(&truth, false, true), "nor in the other form");
	check(quiet() && !fakesbi.broken, "nothing is left, no rule broken (%s)",
	      fakesbi.why ? fakesbi.why : "-");

	player_open_idx(cycles, SBI_PMU_GENERAL_CYCLES, 0);
	player_open_idx(instret, SBI_PMU_GENERAL_INSTRUCTIONS, 0);
	player_open_idx(raw, RAW, 2);
	player_seat(cycles);
	player_seat(raw);
	hart_run(100);
	truth = ask(RAW, 3);
	check(says(&truth, false, true), "somebody counts cycles: instructions tell");
	truth = ask(RAW, 6);
	check(says(&truth, true, true), "either way");
	hart_run(100);
	check(player_right(cycles) && player_right(raw), "and he counts on");
	player_seat(instret);
	hart_run(100);
	truth = ask(RAW, 9);
	check(says(&truth, false, false), "both are in use: no telling");
	truth = ask(RAW, 8);
	check(says(&truth, false, false), "either way");
	hart_run(100);
	check(player_right(cycles) && player_right(instret) && player_right(raw), "all count on");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

/* A hart whose cycles stand still, as they do in a guest that gets no counter. */
static bool stands(const struct sbi_pmu_code *code)
{
	return code->idx != SBI_PMU_GENERAL_CYCLES && code->idx != SBI_PMU_GENERAL_INSTRUCTIONS;
}

static void test_no_witness(void)
{
	struct sbi_pmu_truth truth;

	boot_doubting(KVM);
	fakesbi.countable = stands;
	truth = ask(RAW, 4);
	check(says(&truth, false, false), "a witness that stands still is none");
	truth = ask(RAW, 5);
	check(says(&truth, false, false), "for either");
	check(quiet(), "nothing is left");
}

static unsigned int started;

/* Other guests leave room for two of ours, and later for one. */
static bool crowded(const struct sbi_pmu_code *code)
{
	if (code->idx != RAW)
		return true;
	return ++started <= 2;
}

static void test_crowded(void)
{
	struct sbi_pmu_truth truth;

	boot_doubting(KVM);
	fakesbi.countable = crowded;
	started = 0;
	truth = ask(RAW, 4);
	check(says(&truth, true, true) && sbi_pmu_mask_weight(&truth.cannot) == 2,
	      "what counted once and later did not is no \"no\"");
}

void test_trial(void)
{
	test_manner();
	test_doubts(KVM);
	test_doubts(KVM_OLD);
	test_no_witness();
	test_crowded();
}
