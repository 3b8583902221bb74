// SPDX-License-Identifier: GPL-2.0-only
/* test_probe: how counters are best read, and raw events that nobody can count. */
#include "test.h"

static u64 now;

/* A look at the clock takes 2 ns. */
static u64 clock_ns(void)
{
	fakesbi_run(2);
	return now += 2;
}

static u64 clock_slow(void)
{
	fakesbi_run(2);
	return 0;
}

/* What takes time in the model is on the clock as well. */
static int read_slowly(unsigned int csr, u64 *value)
{
	now += fakesbi.read_ticks;
	return fakesbi_read_csr(csr, value);
}

static struct sbiret call_slowly(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	now += fakesbi.call_ticks;
	return fakesbi_call(fid, arg);
}

static struct sbi_pmu_read_method manner(enum mode way, u64 quirks, u64 read_ticks, u64 call_ticks)
{
	struct sbi_pmu_read_method m;

	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = quirks;
	cpu_boot_mode(way);
	cpu.counters.backend.accumulates = false;
	cpu.counters.backend.read_csr = read_slowly;
	cpu.counters.backend.sbi.call = call_slowly;
	fakesbi.read_ticks = read_ticks;
	fakesbi.call_ticks = call_ticks;
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
	check(quiet() && !fakesbi.broken, "nothing is left, no rule broken (%s)",
	      fakesbi.why ? fakesbi.why : "-");
	return m;
}

static void test_manner(void)
{
	struct sbi_pmu_read_method m;

	m = manner(EXCLUSIVE, 0, 1, 100);
	check(!m.accumulates && !m.snapshot_works && !m.snapshot_is_faster, "bare metal: nothing is asked");
	m = manner(SNAPSHOT, 0, 1, 100);
	check(!m.accumulates && m.snapshot_works && !m.snapshot_is_faster, "with such memory: reading is cheaper");
	m = manner(SNAPSHOT, KVM, 110, 100);
	check(!m.accumulates && m.snapshot_works && m.snapshot_is_faster, "a read costs more than a call: it pays");
	m = manner(SNAPSHOT, KVM, 90, 100);
	check(!m.accumulates && m.snapshot_works && !m.snapshot_is_faster, "it costs less: it does not");
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_slow, &m);
	check(m.snapshot_works && !m.snapshot_is_faster, "the clock is too slow to tell: neither");
	m = manner(SNAPSHOT, KVM_OLD, 110, 100);
	check(m.accumulates && m.snapshot_works && m.snapshot_is_faster, "KVM of 6.12: what is told adds up");
	m = manner(EXCLUSIVE, KVM_OLD, 110, 100);
	check(m.accumulates && !m.snapshot_works && !m.snapshot_is_faster, "without the memory: it still does");
	m = manner(SNAPSHOT, KVM | QUIRK(NO_SNAPSHOT), 110, 100);
	check(!m.snapshot_works && !m.snapshot_is_faster, "no such memory: it tells nothing");

	fakesbi_reset(4, 2, 64);
	cpu_boot_mode(SNAPSHOT);
	cpu.counters.backend.shmem.data = calloc(1, sizeof(*cpu.counters.backend.shmem.data));
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
	check(!m.snapshot_works, "memory that firmware does not write to");
	free(cpu.counters.backend.shmem.data);
	fakesbi_reset(0, 2, 64);
	fakesbi.refuse = 1;
	cpu_boot(true);
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
	check(!m.accumulates && !m.snapshot_works && !m.snapshot_is_faster, "nothing to find out with: no");
}

/* Even selectors are this machine's. */
static bool even(const struct sbi_pmu_event_code *code)
{
	return (code->idx != RAW && code->idx != RAW_V2) || code->data % 2 == 0;
}

/* ---- one thing goes wrong, wherever there is one to go wrong ---- */

/* Cycles on whatever counter is offered, or not; and what is in use may be taken. */
#define ANYWHERE	(KVM & ~(QUIRK(FIXED_ALWAYS) | QUIRK(FIXED_ALIKE) | \
				 QUIRK(CONFIGURED_IS_TAKEN)))

/* No error of firmware's: a counter that was not offered; a CSR that traps. */
#define STRAY		1
#define UNREADABLE	2

static const long faults[] = {
	SPEC_ERR_FAILED, SPEC_ERR_INVALID_PARAM, SPEC_ERR_ALREADY_STOPPED,
	SPEC_ERR_NO_SHMEM, STRAY, UNREADABLE,
};

/* What goes wrong, and after how many calls, or reads, where it may. */
static long fault;
static unsigned int left;

/* Nobody can mend a counter that does not stop. */
static bool may_go_wrong(unsigned int fid)
{
	return fault == STRAY ? fid == SBI_EXT_PMU_COUNTER_CFG_MATCH :
	       fault != UNREADABLE && fid != SBI_EXT_PMU_COUNTER_STOP;
}

static struct sbiret call_once_wrong(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	struct sbiret ret;

	if (!left || !may_go_wrong(fid) || --left)
		return call_slowly(fid, arg);
	if (fault != STRAY)
		return (struct sbiret){ .error = fault };
	fakesbi.stray = 1;
	ret = call_slowly(fid, arg);
	fakesbi.stray = 0;
	return ret;
}

static int read_once_wrong(unsigned int csr, u64 *value)
{
	if (!left || fault != UNREADABLE || --left)
		return read_slowly(csr, value);
	return -ENXIO;
}

/* Which counter it is, if it is a wrong one: there are many that there are not. */
#define SEEDS(fault)	((fault) == STRAY ? 100 : 1)

static void boot_wrong(u64 quirks, unsigned int after, long what, unsigned int seed)
{
	fakesbi_reset(4, 2, 64);
	fakesbi_seed(seed * 0x9e3779b97f4a7c15ULL);
	fakesbi.quirks = quirks;
	fakesbi.countable = even;
	cpu_boot_mode(SNAPSHOT);
	cpu.counters.backend.accumulates = quirks == KVM_OLD;
	cpu.counters.backend.read_csr = read_once_wrong;
	cpu.counters.backend.sbi.call = call_once_wrong;
	fakesbi.read_ticks = fakesbi.call_ticks = 100;
	left = after;
	fault = what;
}

static void test_manner_wrong(u64 quirks)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		unsigned int after = 0, seed = 0, told = 0, paid = 0, summed = 0, wrong = 0;

		do {
			struct sbi_pmu_read_method m;

			seed = seed % SEEDS(faults[i]) + 1;
			after += seed == 1;
			boot_wrong(quirks, after, faults[i], seed);
			sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
			told += m.snapshot_works;
			paid += m.snapshot_is_faster;
			summed += m.accumulates;
			wrong += (m.snapshot_is_faster && !m.snapshot_works) || fakesbi.broken || !quiet() ||
				 (m.accumulates && quirks != KVM_OLD);
		} while (!left && after < 10000);
		check(!wrong && after < 10000, "fault %ld in each place: no rule broken (%s)",
		      faults[i], fakesbi.why ? fakesbi.why : "-");
		/* In the last round there was none; there is another event than the first. */
		check(told && (faults[i] == STRAY || (told < after && paid < told)) && paid &&
		      !!summed == (quirks == KVM_OLD),
		      "and what it hides is not believed (%u, %u, %u of %u)", told, paid,
		      summed, after);
	}
}

/*
 * A raw event is not said to be there if it is not, whatever goes wrong; nor not, if it is,
 * unless firmware says no, ignores what it was offered, or the counter cannot be read.
 */
static void test_doubts_wrong(u64 quirks, u64 selector)
{
	const struct sbi_pmu_event_code code = { .idx = RAW, .data = selector };
	const struct sbi_pmu_mask fixed = { .bits[0] = 5 };
	const bool there = even(&code);

	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		unsigned int after = 0, seed = 0, rounds = 0, wrong = 0, told = 0;

		do {
			struct sbi_pmu_mask all, untrue;
			struct sbi_pmu_support truth = {};

			seed = seed % SEEDS(faults[i]) + 1;
			after += seed == 1;
			rounds++;
			boot_wrong(quirks, after, faults[i], seed);
			all = sbi_pmu_inventory_hardware(&cpu.inv);
			sbi_pmu_support_probe_here(&cpu.counters, &code, &all, &truth);
			untrue = there ? sbi_pmu_mask_andnot(truth.cannot, &fixed) : truth.can;
			wrong += fakesbi.broken || !quiet() || !sbi_pmu_mask_empty(&untrue);
			told += !sbi_pmu_mask_empty(there ? &truth.can : &truth.cannot);
		} while (!left && after < 10000);
		check(after < 10000 && told,
		      "fault %ld in each place: there is an answer (%u of %u)", faults[i], told,
		      rounds);
		if (there && faults[i] == STRAY)
			check(told == rounds, "one counter's is not all the others'");
		/* Each of four counters is configured, started and read. */
		check(wrong <= (!there ? 0 : faults[i] == UNREADABLE ? 4 :
				faults[i] == SPEC_ERR_INVALID_PARAM ? 10 :
				faults[i] == STRAY ? 4 * SEEDS(STRAY) : 0),
		      "and none is wrong (%u, %s)", wrong, fakesbi.why ? fakesbi.why : "-");
	}
}

static void boot_doubting(u64 quirks)
{
	fakesbi_reset(6, 2, 64);
	fakesbi.quirks = quirks;
	fakesbi.countable = even;
	cpu_boot_mode(SNAPSHOT);
}

static struct sbi_pmu_support ask(u32 idx, u64 data)
{
	const struct sbi_pmu_event_code code = { .idx = idx, .data = data };
	const struct sbi_pmu_mask hardware = sbi_pmu_inventory_hardware(&cpu.inv);
	struct sbi_pmu_support truth = {};
	const u64 reads = fakesbi.reads;

	/* A witness takes time, in which others count on. */
	fakesbi.read_ticks = 1;
	sbi_pmu_support_probe_here(&cpu.counters, &code, &hardware, &truth);
	fakesbi.read_ticks = 0;
	for (unsigned int i = 0; i < TRACKED; i++)
		if (cpu.tracked[i].active)
			cpu.tracked[i].expected += (fakesbi.reads - reads) *
						   fakesbi_rate(&cpu.tracked[i].event.code);
	return truth;
}

static bool says(const struct sbi_pmu_support *truth, bool can, bool cannot)
{
	return sbi_pmu_mask_empty(&truth->can) != can &&
	       sbi_pmu_mask_empty(&truth->cannot) != cannot;
}

static void test_doubts(u64 quirks)
{
	struct tracked *cycles = &cpu.tracked[0], *instret = &cpu.tracked[1], *raw = &cpu.tracked[2];
	struct sbi_pmu_support truth;

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

	tracked_open_idx(cycles, SBI_PMU_HW_CPU_CYCLES, 0);
	tracked_open_idx(instret, SBI_PMU_HW_INSTRUCTIONS, 0);
	tracked_open_idx(raw, RAW, 2);
	tracked_add_start(cycles);
	tracked_add_start(raw);
	cpu_run(100);
	truth = ask(RAW, 3);
	check(says(&truth, false, true), "somebody counts cycles: instructions tell");
	truth = ask(RAW, 6);
	check(says(&truth, true, true), "either way");
	cpu_run(100);
	check(tracked_right(cycles) && tracked_right(raw), "and he counts on");
	tracked_add_start(instret);
	cpu_run(100);
	truth = ask(RAW, 9);
	check(says(&truth, false, false), "both are in use: no telling");
	truth = ask(RAW, 8);
	check(says(&truth, false, false), "either way");
	cpu_run(100);
	check(tracked_right(cycles) && tracked_right(instret) && tracked_right(raw), "all count on");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

/* A hart whose cycles stand still, as they do in a guest that gets no counter. */
static bool stands(const struct sbi_pmu_event_code *code)
{
	return code->idx != SBI_PMU_HW_CPU_CYCLES && code->idx != SBI_PMU_HW_INSTRUCTIONS;
}

static void test_no_witness(u64 quirks)
{
	struct tracked *cycles = &cpu.tracked[0];
	struct sbi_pmu_support truth;

	boot_doubting(quirks);
	/* Each counter has told something of cycles before. */
	tracked_open_idx(cycles, SBI_PMU_HW_CPU_CYCLES, 0);
	tracked_add_start(cycles);
	cpu_run(100);
	tracked_stop(cycles);
	tracked_del(cycles);
	fakesbi.countable = stands;
	truth = ask(RAW, 4);
	check(says(&truth, false, false), "a witness that stands still is none");
	truth = ask(RAW, 5);
	check(says(&truth, false, false), "for either");
	check(quiet(), "nothing is left");
}

static unsigned int started;

/* Other guests leave room for two of ours, and later for one. */
static bool crowded(const struct sbi_pmu_event_code *code)
{
	if (code->idx != RAW)
		return true;
	return ++started <= 2;
}

static void test_crowded(void)
{
	struct sbi_pmu_support truth;

	fakesbi_reset(6, 2, 64);
	fakesbi_add(70, 0xc10, 64);
	fakesbi.quirks = KVM;
	fakesbi.countable = crowded;
	cpu_boot_mode(SNAPSHOT);
	started = 0;
	truth = ask(RAW, 4);
	check(says(&truth, true, true) && sbi_pmu_mask_weight(&truth.cannot) == 2,
	      "what counted once and later did not is no \"no\"");
}

void test_probe(void)
{
	test_manner();
	test_doubts(KVM);
	test_doubts(KVM_OLD);
	test_doubts(ANYWHERE);
	test_no_witness(KVM);
	test_no_witness(KVM_OLD);
	test_crowded();
	test_manner_wrong(KVM);
	test_manner_wrong(KVM_OLD);
	test_manner_wrong(ANYWHERE);
	test_doubts_wrong(KVM, 4);
	test_doubts_wrong(KVM, 5);
	test_doubts_wrong(KVM_OLD, 4);
	test_doubts_wrong(KVM_OLD, 5);
	test_doubts_wrong(ANYWHERE, 4);
	test_doubts_wrong(ANYWHERE, 5);
}
