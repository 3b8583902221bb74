// SPDX-License-Identifier: GPL-2.0-only
/* test_probe: read methods, and raw events that KVM accepts but cannot count. */
#include "test.h"

/* ---- read methods ---- */

static u64 now;

/* Reading the clock takes 2 ns. */
static u64 clock_ns(void)
{
	fakesbi_run(2);
	return now += 2;
}

static u64 clock_stopped(void)
{
	fakesbi_run(2);
	return 0;
}

/* What takes time in the model takes it on the clock, too. */
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

static const char *broken_rule(void)
{
	return fakesbi.why ?: "none";
}

static struct sbi_pmu_read_method read_method(const char *name, enum mode mode, u64 quirks,
					      u64 read_ticks, u64 call_ticks)
{
	struct sbi_pmu_read_method m;

	fakesbi_reset(4, 2, 64);
	fakesbi.quirks = quirks;
	cpu_boot_mode(mode);
	cpu.counters.backend.accumulates = false;
	cpu.counters.backend.read_csr = read_slowly;
	cpu.counters.backend.sbi.call = call_slowly;
	fakesbi.read_ticks = read_ticks;
	fakesbi.call_ticks = call_ticks;
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
	note("%s: broken rule: %s", name, broken_rule());
	check(is_all_released() && !fakesbi.broken, "probe.method_leaves_nothing_%s", name);
	return m;
}

static bool method_is(const struct sbi_pmu_read_method *m, bool accumulates, bool snapshot_works,
		      bool snapshot_is_faster)
{
	return m->accumulates == accumulates && m->snapshot_works == snapshot_works &&
	       m->snapshot_is_faster == snapshot_is_faster;
}

static void test_read_method(void)
{
	struct sbi_pmu_read_method m;

	m = read_method("exclusive", EXCLUSIVE, 0, 1, 100);
	check(method_is(&m, false, false, false), "probe.method_plain_without_memory");
	m = read_method("snapshot", SNAPSHOT, 0, 1, 100);
	check(method_is(&m, false, true, false), "probe.method_snapshot_slower_than_csr");
	m = read_method("kvm_slow_reads", SNAPSHOT, KVM, 110, 100);
	check(method_is(&m, false, true, true), "probe.method_snapshot_faster_than_slow_reads");
	m = read_method("kvm_fast_reads", SNAPSHOT, KVM, 90, 100);
	check(method_is(&m, false, true, false), "probe.method_snapshot_slower_than_fast_reads");
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_stopped, &m);
	check(m.snapshot_works && !m.snapshot_is_faster, "probe.method_not_faster_by_coarse_clock");
	m = read_method("kvm_old_snapshot", SNAPSHOT, KVM_OLD, 110, 100);
	check(method_is(&m, true, true, true), "probe.method_accumulates_with_snapshot");
	m = read_method("kvm_old", EXCLUSIVE, KVM_OLD, 110, 100);
	check(method_is(&m, true, false, false), "probe.method_accumulates_without_snapshot");
	m = read_method("kvm_no_snapshot", SNAPSHOT, KVM | QUIRK(NO_SNAPSHOT), 110, 100);
	check(!m.snapshot_works && !m.snapshot_is_faster, "probe.method_without_snapshot_call");

	fakesbi_reset(4, 2, 64);
	cpu_boot_mode(SNAPSHOT);
	cpu.counters.backend.shmem.data = calloc(1, sizeof(*cpu.counters.backend.shmem.data));
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
	check(!m.snapshot_works, "probe.method_memory_never_written");
	free(cpu.counters.backend.shmem.data);
	fakesbi_reset(0, 2, 64);
	fakesbi.refuse = 1;
	cpu_boot(true);
	sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
	check(method_is(&m, false, false, false), "probe.method_plain_without_counter");
}

/* Even selectors exist on this machine. */
static bool even(const struct sbi_pmu_event_code *code)
{
	return (code->idx != RAW && code->idx != RAW_V2) || code->data % 2 == 0;
}

/* ---- one fault, in each place where it can occur ---- */

/* Counts cycles on the counters that are offered only, and a counter in use may be taken. */
#define KVM_MATCHING	(KVM & ~(QUIRK(FIXED_ALWAYS) | QUIRK(FIXED_HOMOGENEOUS) | \
				 QUIRK(CONFIGURED_IS_TAKEN)))

static const struct firmware {
	const char *name;
	u64 quirks;
} firmwares[] = {
	{ "kvm", KVM },
	{ "kvm_old", KVM_OLD },
	{ "kvm_matching", KVM_MATCHING },
};

/* Not errors of SBI: a counter that was not offered; a CSR that traps. */
#define NOT_OFFERED	1
#define UNREADABLE	2

static const struct fault {
	const char *name;
	long kind;
} faults[] = {
	{ "failed", SPEC_ERR_FAILED },
	{ "invalid_param", SPEC_ERR_INVALID_PARAM },
	{ "already_stopped", SPEC_ERR_ALREADY_STOPPED },
	{ "no_shmem", SPEC_ERR_NO_SHMEM },
	{ "not_offered", NOT_OFFERED },
	{ "unreadable", UNREADABLE },
};

/* The fault, and after how many calls or reads in which it can occur */
static long fault;
static unsigned int left;

/* Not in a STOP: the driver cannot repair a counter that does not stop. */
static bool can_fail(unsigned int fid)
{
	return fault == NOT_OFFERED ? fid == SBI_EXT_PMU_COUNTER_CFG_MATCH :
				      fault != UNREADABLE && fid != SBI_EXT_PMU_COUNTER_STOP;
}

static struct sbiret call_fails_once(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	struct sbiret ret;

	if (!left || !can_fail(fid) || --left)
		return call_slowly(fid, arg);
	if (fault != NOT_OFFERED)
		return (struct sbiret){ .error = fault };
	fakesbi.stray = 1;
	ret = call_slowly(fid, arg);
	fakesbi.stray = 0;
	return ret;
}

static int read_fails_once(unsigned int csr, u64 *value)
{
	if (!left || fault != UNREADABLE || --left)
		return read_slowly(csr, value);
	return -ENXIO;
}

/* A counter that was not offered is any of many: try more than one. */
#define SEEDS(kind)	((kind) == NOT_OFFERED ? 100 : 1)

static void boot_with_fault(u64 quirks, unsigned int after, long kind, unsigned int seed)
{
	fakesbi_reset(4, 2, 64);
	fakesbi_seed(seed * 0x9e3779b97f4a7c15ULL);
	fakesbi.quirks = quirks;
	fakesbi.countable = even;
	cpu_boot_mode(SNAPSHOT);
	cpu.counters.backend.accumulates = quirks == KVM_OLD;
	cpu.counters.backend.read_csr = read_fails_once;
	cpu.counters.backend.sbi.call = call_fails_once;
	fakesbi.read_ticks = 100;
	fakesbi.call_ticks = 100;
	left = after;
	fault = kind;
}

static void test_read_method_fault(const struct firmware *fw, const struct fault *f)
{
	unsigned int after = 0, seed = 0, works = 0, faster = 0, accumulates = 0, wrong = 0;

	do {
		struct sbi_pmu_read_method m;

		seed = seed % SEEDS(f->kind) + 1;
		after += seed == 1;
		boot_with_fault(fw->quirks, after, f->kind, seed);
		sbi_pmu_probe_read_method(&cpu.counters.backend, clock_ns, &m);
		works += m.snapshot_works;
		faster += m.snapshot_is_faster;
		accumulates += m.accumulates;
		wrong += (m.snapshot_is_faster && !m.snapshot_works) || fakesbi.broken ||
			 !is_all_released() || (m.accumulates && fw->quirks != KVM_OLD);
	} while (!left && after < 10000);
	note("%s, %s: of %u places: works %u, faster %u, accumulates %u, broken rule: %s", fw->name,
	     f->name, after, works, faster, accumulates, broken_rule());
	check(!wrong && after < 10000, "probe.method_%s_fault_%s_breaks_no_rule", fw->name,
	      f->name);
	/* The last round is without a fault. The first fault is made up for by another event. */
	check(works && (f->kind == NOT_OFFERED || (works < after && faster < works)) && faster &&
		      !!accumulates == (fw->quirks == KVM_OLD),
	      "probe.method_%s_fault_%s_is_not_believed", fw->name, f->name);
}

/*
 * Whatever fails, an event that does not exist is not found; and one that exists is not
 * refused, unless firmware refuses it, ignores the offer, or the counter cannot be read.
 */
static void test_raw_fault(const struct firmware *fw, const struct fault *f, bool exists)
{
	const struct sbi_pmu_event_code code = { .idx = RAW, .data = exists ? 4 : 5 };
	const char *event = exists ? "event" : "no_event";
	const u64 fixed = 5;
	unsigned int after = 0, seed = 0, rounds = 0, wrong = 0, answers = 0;

	do {
		struct sbi_pmu_support support = {};
		u64 all, untrue;

		seed = seed % SEEDS(f->kind) + 1;
		after += seed == 1;
		rounds++;
		boot_with_fault(fw->quirks, after, f->kind, seed);
		all = sbi_pmu_inventory_hardware(&cpu.inv);
		cpu_probe(&code, all, &support);
		untrue = exists ? (support.cannot & ~fixed) : support.can;
		wrong += fakesbi.broken || !is_all_released() || untrue;
		answers += !!(exists ? support.can : support.cannot);
	} while (!left && after < 10000);
	note("%s, %s, %s: %u answers, %u wrong, of %u, broken rule: %s", fw->name, f->name, event,
	     answers, wrong, rounds, broken_rule());
	check(after < 10000 && answers, "probe.raw_%s_fault_%s_answers_%s", fw->name, f->name,
	      event);
	if (exists && f->kind == NOT_OFFERED)
		check(answers == rounds, "probe.raw_%s_fault_is_of_one_counter", fw->name);
	/* Each of four counters is configured, started and read. */
	check(wrong <= (!exists                           ? 0 :
			f->kind == UNREADABLE             ? 4 :
			f->kind == SPEC_ERR_INVALID_PARAM ? 10 :
			f->kind == NOT_OFFERED            ? 4 * SEEDS(NOT_OFFERED) :
							    0),
	      "probe.raw_%s_fault_%s_few_wrong_%s", fw->name, f->name, event);
}

/* ---- raw events in a VM ---- */

/* Time of probes since boot_vm() */
static u64 probe_ticks;

static void boot_vm(u64 quirks)
{
	probe_ticks = 0;
	fakesbi_reset(6, 2, 64);
	fakesbi.quirks = quirks;
	fakesbi.countable = even;
	cpu_boot_mode(SNAPSHOT);
}

static struct sbi_pmu_support probe_event(u32 idx, u64 data)
{
	const struct sbi_pmu_event_code code = { .idx = idx, .data = data };
	const u64 hardware = sbi_pmu_inventory_hardware(&cpu.inv);
	struct sbi_pmu_support support = {};
	const u64 reads = fakesbi.reads;

	/* The reference counter needs time, in which others count for a moment. */
	fakesbi.read_ticks = 1;
	cpu_probe(&code, hardware, &support);
	fakesbi.read_ticks = 0;
	probe_ticks += fakesbi.reads - reads;
	return support;
}

static bool support_is(const struct sbi_pmu_support *support, bool can, bool cannot)
{
	return !support->can != can && !support->cannot != cannot;
}

static void test_raw(const struct firmware *fw)
{
	struct tracked *cycles = &cpu.tracked[0], *instret = cycles + 1, *raw = cycles + 2;
	struct sbi_pmu_support support;

	boot_vm(fw->quirks);
	support = probe_event(RAW, 4);
	check(hweight64(support.can) == 6 && hweight64(support.cannot) == 2,
	      "probe.raw_%s_event_on_programmable_counters", fw->name);
	support = probe_event(RAW, 5);
	check(support_is(&support, false, true), "probe.raw_%s_no_event", fw->name);
	support = probe_event(RAW_V2, 7);
	check(support_is(&support, false, true), "probe.raw_%s_no_event_v2", fw->name);
	note("broken rule: %s", broken_rule());
	check(is_all_released() && !fakesbi.broken, "probe.raw_%s_leaves_nothing", fw->name);

	tracked_open_idx(cycles, SBI_PMU_HW_CPU_CYCLES, 0);
	tracked_open_idx(instret, SBI_PMU_HW_INSTRUCTIONS, 0);
	tracked_open_idx(raw, RAW, 2);
	tracked_add_start(cycles);
	tracked_add_start(raw);
	cpu_run(100);
	support = probe_event(RAW, 3);
	check(support_is(&support, false, true), "probe.raw_%s_no_event_by_instructions", fw->name);
	support = probe_event(RAW, 6);
	check(support_is(&support, true, true), "probe.raw_%s_event_by_instructions", fw->name);
	cpu_run(100);
	check(is_count_near(cycles, probe_ticks) && is_count_near(raw, probe_ticks),
	      "probe.raw_%s_others_count_on", fw->name);
	tracked_add_start(instret);
	cpu_run(100);
	support = probe_event(RAW, 9);
	check(support_is(&support, false, true), "probe.raw_%s_no_event_if_both_in_use", fw->name);
	support = probe_event(RAW, 8);
	check(support_is(&support, true, true), "probe.raw_%s_event_if_both_in_use", fw->name);
	cpu_run(100);
	check(is_count_near(cycles, probe_ticks) && is_count_near(instret, probe_ticks) &&
		      is_count_near(raw, probe_ticks),
	      "probe.raw_%s_all_count_on", fw->name);
	sbi_pmu_counters_offline(&cpu.counters);
	note("broken rule: %s", broken_rule());
	check(is_all_released() && !fakesbi.broken, "probe.raw_%s_breaks_no_rule", fw->name);
}

/* Cycles and instructions do not count, as in a VM that gets no counter. */
static bool no_cycles(const struct sbi_pmu_event_code *code)
{
	return code->idx != SBI_PMU_HW_CPU_CYCLES && code->idx != SBI_PMU_HW_INSTRUCTIONS;
}

static void test_no_reference(const struct firmware *fw)
{
	struct tracked *cycles = &cpu.tracked[0];
	struct sbi_pmu_support support;

	boot_vm(fw->quirks);
	/* Each counter has a value of cycles from before. */
	tracked_open_idx(cycles, SBI_PMU_HW_CPU_CYCLES, 0);
	tracked_add_start(cycles);
	cpu_run(100);
	tracked_stop(cycles);
	tracked_del(cycles);
	fakesbi.countable = no_cycles;
	support = probe_event(RAW, 4);
	check(support_is(&support, false, false), "probe.raw_%s_event_unknown_without_reference",
	      fw->name);
	support = probe_event(RAW, 5);
	check(support_is(&support, false, false), "probe.raw_%s_no_event_unknown_without_reference",
	      fw->name);
	sbi_pmu_counters_release_idle(&cpu.counters);
	check(is_all_released(), "probe.raw_%s_without_reference_leaves_nothing", fw->name);
}

static unsigned int started;

/* Other VMs leave two counters for this one. */
static bool first_two(const struct sbi_pmu_event_code *code)
{
	if (code->idx != RAW)
		return true;
	return ++started <= 2;
}

static void test_overcommitted(void)
{
	struct sbi_pmu_support support;

	fakesbi_reset(6, 2, 64);
	fakesbi_add(70, 0xc10, 64);
	fakesbi.quirks = KVM;
	fakesbi.countable = first_two;
	cpu_boot_mode(SNAPSHOT);
	started = 0;
	support = probe_event(RAW, 4);
	check(support_is(&support, true, true) && hweight64(support.cannot) == 2,
	      "probe.raw_no_refusal_after_event_has_counted");
}

void test_probe(void)
{
	test_read_method();
	for (unsigned int i = 0; i < ARRAY_SIZE(firmwares); i++)
		test_raw(&firmwares[i]);
	test_no_reference(&firmwares[0]);
	test_no_reference(&firmwares[1]);
	test_overcommitted();
	for (unsigned int i = 0; i < ARRAY_SIZE(firmwares); i++) {
		for (unsigned int n = 0; n < ARRAY_SIZE(faults); n++) {
			test_read_method_fault(&firmwares[i], &faults[n]);
			test_raw_fault(&firmwares[i], &faults[n], true);
			test_raw_fault(&firmwares[i], &faults[n], false);
		}
	}
}
