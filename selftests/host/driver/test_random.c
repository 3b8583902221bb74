// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_random: programs open, close and change events, CPUs switch, sleep and come and go, in
 * random order, on machines of many kinds. What happened while an event counted is known, and
 * compared.
 */
#include "test.h"

#define EVENTS	20
#define LOST	"event descheduled"
#define FEW_STEPS	5000 /* so many of a scenario show all that is to be seen in it */
#define LAST	(host.cpus - 1) /* tasks run on this CPU and on CPU 0 */
/* In scounteren */
#define TIME	SPEC_CSR_BIT(SPEC_CSR_TIME)
#define TIME_AND_FIXED	(TIME | SPEC_CSR_BIT(SPEC_CSR_CYCLE) | SPEC_CSR_BIT(SPEC_CSR_INSTRET))

/* A run of random steps on its machine, and on one that has 16 CPUs of two kinds */
struct scenario {
	const char *name;	/* part of the names of the results */
	struct machine machine;
	bool faults;		/* calls fail, deny events, or return a counter that was not offered */
	bool slow;		/* calls, reads and samples take time: without faults the events of a group agree */
};

#define SUSPEND	(QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES))
#define JUNK	QUIRK(JUNK_INFO)
#define FIXED_FILTERS	(OPENSBI_NEW | QUIRK(SUSPEND_LOSES_FIXED_FILTERS))
#define CSR	.delegated = true, .params = { "backend=csr" }
#define PAGE	.params = { "backend=snapshot" }
#define SBI	.params = { "backend=sbi" }
#define TIMER	.params = { "backend=sbi", "overflow=timer" }

static const struct scenario scenarios[] = {
	{ "64_bits", { .width = 64, SBI } },
	{ "64_bits_6_12", { .kernel = 612, SBI } },
	{ "63_bits_suspend", { .width = 63, .quirks = SUSPEND, SBI } },
	{ "two_cpus", { .cpus = 2, .quirks = SUSPEND, SBI } },
	{ "two_cpus_6_12", { .cpus = 2, .kernel = 612, .width = 48, .quirks = OPENSBI_NEW } },
	{ "timer", { TIMER } },
	{ "timer_27_bits_6_12", { .width = 27, .kernel = 612, .quirks = SUSPEND, TIMER } },
	{ "timer_faults", { .width = 27, .quirks = SUSPEND, TIMER }, true },
	{ "40_bits_shared", { .width = 40, .quirks = SUSPEND, .other = "cpu" } },
	{ "shared_faults", { .quirks = SUSPEND, .other = "cpu" }, true },
	{ "27_bits", { .width = 27, .quirks = QUIRK(HIGHEST_FIRST) | JUNK, SBI } },
	{ "faults", { .quirks = SUSPEND, SBI }, true },
	{ "faults_27_bits_tied", { .width = 27, .quirks = QUIRK(TIED), SBI }, true },
	{ "tied_shared", { .quirks = QUIRK(TIED) | SUSPEND, .other = "cpu" } },
	{ "tied_shared_faults", { .quirks = QUIRK(TIED), .other = "cpu" }, true },
	{ "tied_delegated", { .quirks = QUIRK(TIED) | SUSPEND, CSR } },
	{ "tied_delegated_faults", { .quirks = QUIRK(TIED), CSR }, true },
	{ "one_filter", { THEAD, .cpus = 2, .quirks = QUIRK(LEVEL) | SUSPEND } },
	{ "one_filter_faults", { THEAD, .quirks = QUIRK(LEVEL) }, true },
	{ "one_filter_6_12",
	  { THEAD, .kernel = 612, .width = 40, .quirks = QUIRK(LEVEL) | SUSPEND } },
	{ "d1_old", { THEAD, .quirks = D1_OLD } },
	{ "sg2042_old", { THEAD, .cpus = 2, .quirks = SG2042_OLD } },
	{ "andes", { ANDES, .cpus = 2, .quirks = SUSPEND } },
	{ "andes_faults", { ANDES, .cpus = 2, .width = 48, .quirks = SUSPEND }, true },
	{ "value_ignored", { .quirks = QUIRK(VALUE_IGNORED), SBI } },
	{ "opensbi_1_2", { .width = 48, .quirks = OPENSBI_OLD, .impl_version = OPENSBI(1, 2) } },
	{ "opensbi_1_9", { .width = 48, .quirks = OPENSBI_NEW, .impl_version = OPENSBI(1, 9) } },
	{ "fixed_withheld",
	  { .width = 48, .quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD) | SUSPEND } },
	{ "fixed_alone", { .no_hpm = true, .smcntrpmf = 5, .quirks = OPENSBI_NEW | SUSPEND } },
	{ "fixed_alone_withheld",
	  { .no_hpm = true, .quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD) | SUSPEND } },
	{ "fixed_withheld_faults",
	  { .quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD) | SUSPEND }, true },
	{ "kvm", { .quirks = KVM, SBI } },
	{ "kvm_snapshot", { .quirks = KVM, PAGE } },
	{ "kvm_6_12", { .quirks = KVM_OLD, SBI } },
	{ "kvm_6_12_snapshot", { .quirks = KVM_OLD, PAGE } },
	{ "kvm_faults", { .quirks = KVM, SBI }, true },
	{ "kvm_6_12_faults", { .quirks = KVM_OLD, SBI }, true },
	{ "kvm_snapshot_faults", { .quirks = KVM, PAGE }, true },
	{ "snapshot_27_bits_suspend", { .width = 27, .quirks = SUSPEND, PAGE } },
	{ "snapshot_two_cpus", { .cpus = 2, PAGE } },
	{ "snapshot_faults", { .width = 40, .quirks = SUSPEND, PAGE }, true },
	{ "slow", { SBI }, .slow = true },
	{ "slow_6_12", { .kernel = 612, .width = 48, .quirks = OPENSBI_NEW }, .slow = true },
	{ "slow_faults", { .cpus = 2, .quirks = SUSPEND, SBI }, true, true },
	{ "slow_timer", { .width = 27, .quirks = SUSPEND, TIMER }, .slow = true },
	{ "slow_tied_two_cpus", { .cpus = 2, .quirks = QUIRK(TIED) | SUSPEND, SBI }, .slow = true },
	{ "slow_one_filter", { THEAD, .cpus = 2, .quirks = QUIRK(LEVEL) | SUSPEND }, .slow = true },
	{ "slow_value_ignored", { .quirks = QUIRK(VALUE_IGNORED), SBI }, .slow = true },
	{ "slow_fixed_filters", { .cpus = 2, .quirks = FIXED_FILTERS }, .slow = true },
	{ "slow_shared_suspend", { .quirks = SUSPEND, .other = "cpu" }, .slow = true },
	{ "slow_fixed_withheld", { .quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD) }, .slow = true },
	{ "slow_kvm", { .quirks = KVM, SBI }, .slow = true },
	{ "slow_kvm_6_12", { .quirks = KVM_OLD, SBI }, .slow = true },
	{ "slow_snapshot", { PAGE }, .slow = true },
	{ "slow_delegated_two_cpus", { .cpus = 2, CSR }, .slow = true },
	{ "slow_delegated_faults",
	  { .cpus = 2, .width = 48, .quirks = OPENSBI_OLD & ~QUIRK(GAP_TRAPS), CSR }, true, true },
	{ "rustsbi", { .width = 32, .quirks = RUSTSBI | SUSPEND } },
	{ "fixed_filters", { .quirks = FIXED_FILTERS } },
	{ "fixed_filters_faults", { .quirks = FIXED_FILTERS }, true },
	{ "fixed_filters_tied", { .cpus = 2, .quirks = FIXED_FILTERS | QUIRK(TIED) } },
	{ "delegated", { .quirks = OPENSBI_NEW, CSR } },
	{ "delegated_6_12", { .quirks = OPENSBI_NEW, .kernel = 612, .cpus = 2, CSR } },
	{ "delegated_27_bits_suspend", { .width = 27, .quirks = SUSPEND, CSR } },
	{ "delegated_faults",
	  { .width = 48, .quirks = OPENSBI_OLD & ~QUIRK(GAP_TRAPS), CSR }, true },
};

static const struct scenario *now;
static unsigned int wrong, misread, late, leaks;
static u64 counted, sampled;
/* Of each event: its samples are due at known times: its period is never changed. */
static bool is_steady[PERF_EVENTS];
/* Of each leader: its group starts and stops only as a whole. */
static bool is_whole[PERF_EVENTS];
static unsigned int apart;
static u32 to_all; /* what scounteren opens to all programs */

static unsigned int below(unsigned int n)
{
	return fakesbi_random() % n;
}

/* Raw event d can be on counters 3 to 3 + d, branches on all */
static bool can_hold_upto(const struct fakesbi_code *code, unsigned int idx)
{
	if (fakesbi_has(QUIRK_FIXED_WITHHELD) && code->idx <= SPEC_GENERAL_INSTRUCTIONS)
		return false;
	return code->idx >> 16 == SPEC_TYPE_FIRMWARE || code->idx == PERF_COUNT_HW_BRANCH_INSTRUCTIONS + 1 ||
	       idx <= 3 + code->data;
}

static u32 denied; /* events, a bit for some each */

static bool is_denied(const struct fakesbi_code *code)
{
	return denied & BIT((code->idx + code->data) % 8);
}

/* To measure widths, an event is needed that all counters take. */
static void prepare(void)
{
	const bool any = now->machine.quirks & QUIRK(WIDTH_64_ALWAYS);

	for (unsigned int h = 0; h < FAKESBI_HARTS; h++) {
		fakesbi_harts[h].sscofpmf = !host_is_other_kind(h);
		fakesbi_harts[h].denied = is_denied;
		fakesbi_harts[h].branches.least = 16;
		fakesbi_harts[h].branches.most = 64;
		if (now->machine.quirks & QUIRK(SUSPEND_LOSES_FIXED_FILTERS))
			fakesbi_harts[h].smcntrpmf = BIT(0) | BIT(2);
		if (host_is_other_kind(h)) {
			fakesbi_harts[h].end = 5;
			fakesbi_harts[h].delegated = 0;
			continue;
		}
		fakesbi_harts[h].can = any ? NULL : can_hold_upto;
	}
}

/*
 * Stray only where the driver may release what was not offered, and where a call takes no time: the
 * wrong event would count in it. Not where counters are delegated: firmware would write over one
 * that is in use; nor KVM.
 */
static void set_faults(bool on)
{
	const bool stray = on && !now->slow && !now->machine.other &&
			   !(now->machine.quirks & (QUIRK(FIXED_ALWAYS) | QUIRK(FIXED_WITHHELD)));

	for (unsigned int h = 0; h < FAKESBI_HARTS; h++) {
		fakesbi_harts[h].refuse = on ? 9 : 0;
		fakesbi_harts[h].stray = stray && !fakesbi_harts[h].delegated ? 17 : 0;
		fakesbi_harts[h].start_fails = on ? 11 : 0;
		fakesbi_harts[h].read_fails = on ? 7 : 0;
	}
}

static bool is_firmware(const struct perf_event *e)
{
	return perf_model((struct perf_event *)e)->code.idx >> 16 == SPEC_TYPE_FIRMWARE;
}

/* The time that an event has counted (ns) */
static u64 counted_ns(struct perf_model *m)
{
	return perf_read(&m->event) / m->rate;
}

/* Members differ by a thousandth at most, and by what it takes to read them. */
static void check_group(struct perf_model *leader)
{
	const u64 ns = counted_ns(leader), most = ns / 1000 + 100;
	struct perf_model *m;

	for_each_event(m) {
		const u64 other = m->event.group_leader == &leader->event ? counted_ns(m) : ns;

		if ((other > ns ? other - ns : ns - other) > most && !apart++)
			note("event %ld %#x %#llx counted %lld ns, its leader %#x %#llx %lld, time %lld",
			     m - perf_core.model, m->code.idx, m->code.data, other,
			     leader->code.idx, leader->code.data, ns, host.now);
	}
}

/* With failing reads a firmware counter may lose counts; what happens in a section is not counted. */
static void check_event(struct perf_model *m)
{
	struct perf_event *e = &m->event;
	const u64 count = perf_read(e);
	const bool right = now->slow || (now->faults && is_firmware(e)) ? count <= m->happened :
									  count == m->happened;

	if (!right && !wrong++)
		note("event %ld %#x %#llx: counted %lld of %lld, state %d %d, period %lld, time %lld",
		     m - perf_core.model, m->code.idx, m->code.data, count, m->happened, e->state,
		     e->hw.state, e->hw.sample_period, host.now);
	/* An event of one mode waits for that mode. */
	if (right && is_sampling_event(e) &&
	    (m->sampled > count || m->wrong_mode ||
	     (is_steady[m - perf_core.model] && !m->code.flags &&
	      count - m->sampled > 2 * e->hw.sample_period + 11000000 * m->rate))) {
		if (!late++)
			note("event %ld %#x %#llx: samples for %lld of %lld, period %lld, time %lld, throttled %lld",
			     m - perf_core.model, m->code.idx, m->code.data, m->sampled, count,
			     e->hw.sample_period, host.now, m->throttled);
	}
	if (!right)
		m->happened = count;
}

/* Does cycle or instret count all, for programs without an event? */
static bool counts_all(const struct fakesbi_hart *hart, unsigned int idx)
{
	const struct fakesbi_ctr *ctr = &hart->ctr[idx];

	return fakesbi_has(QUIRK_FIXED_WITHHELD) ||
	       (ctr->running && !ctr->lost && !ctr->code.flags && !hart->filter);
}

/* Programs read what all may, and what their pages show: that counts only their own events. */
static void check_open(unsigned int cpu)
{
	const struct fakesbi_ctr *ctr = fakesbi_harts[cpu].ctr;
	const struct perf_model *m;
	u32 may = to_all;

	for_each_event(m) {
		const u32 shown = m->page.index ? BIT(m->page.index - 1) & ~to_all : 0;

		if (m->event.oncpu != (int)cpu || !shown)
			continue;
		may |= shown;
		leaks += ctr[m->page.index - 1].value > m->happened;
	}
	if (to_all == TIME_AND_FIXED && !now->machine.other && !now->faults)
		misread += !counts_all(&fakesbi_harts[cpu], 0) || !counts_all(&fakesbi_harts[cpu], 2);
	leaks += host.scounteren[cpu] & ~may || to_all & ~host.scounteren[cpu];
}

static void check_all(void)
{
	struct perf_model *m;
	unsigned int cpu;
	u64 count;

	set_faults(false);
	for_each_online_cpu(cpu)
		check_open(cpu);
	for_each_event(m) {
		/* A member that loses its counter stops before the others. */
		if (now->slow && !now->faults && is_whole[m - perf_core.model] &&
		    m->event.group_leader == &m->event)
			check_group(m);
		if (!now->slow && m->mapped && m->event.hw.target == current && !is_firmware(&m->event) &&
		    perf_user_read(&m->event, &count) && count != m->happened && !misread++)
			note("event %ld %#x %#llx: a program reads %lld of %lld, state %d %d index %u lock %u time %lld",
			     m - perf_core.model, m->code.idx, m->code.data, count, m->happened,
			     m->event.state, m->event.hw.state, m->page.index, m->page.lock, host.now);
		check_event(m);
	}
	set_faults(now->faults);
}

/* ---- steps ---- */

static struct perf_event_attr random_attr(const struct pmu *pmu)
{
	const bool shared = now->machine.other;
	const unsigned int n = below(8);
	struct perf_event_attr attr = { .type = pmu->type, .config = below(12) };

	if (n < 2 && shared) {
		attr.config = STANDARD_EVENT(SPEC_GENERAL_CYCLES + n);
	} else if (n < 2) {
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = (u64)pmu->type << PERF_PMU_TYPE_SHIFT | n;
	} else if (n < 4) {
		attr.config = FIRMWARE_EVENT(below(4));
		return attr;
	} else if (n == 4) {
		attr.config = 1ULL << 50 | below(6);
	}
	if (below(4) == 0) {
		attr.exclude_user = below(2);
		attr.exclude_kernel = !attr.exclude_user;
	}
	if (below(2)) {
		attr.sample_period = 10000 + below(below(4) ? 400000 : 100000000);
		attr.freq = below(4) == 0;
		if (attr.freq)
			attr.sample_freq = 1000 + below(100000);
		if (below(2))
			attr.read_format = PERF_FORMAT_GROUP;
		if (below(2)) {
			attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
			attr.branch_sample_type =
				PERF_SAMPLE_BRANCH_USER |
				(below(4) ? PERF_SAMPLE_BRANCH_ANY : PERF_SAMPLE_BRANCH_CALL_STACK) |
				(below(4) ? 0 : PERF_SAMPLE_BRANCH_KERNEL);
		}
	}
	if (below(8) == 0)
		attr.config2 = below(0x200); /* of counters 0 to 8 */
	attr.inherit = below(4) == 0;
	attr.disabled = below(8) == 0;
	return attr;
}

static void not_whole(const struct perf_event *e)
{
	is_whole[perf_model(e->group_leader) - perf_core.model] = false;
}

static void open_group(void)
{
	struct task_struct *task = below(5) ? &perf_core.task[below(PERF_TASKS)] : NULL;
	const int cpu = task ? -1 : (int)host.cpu;
	const struct pmu *pmu = perf_core.pmus[perf_core.pmus[1] && below(2)];
	struct perf_event *leader = NULL, *e;
	struct perf_event_attr attr;
	unsigned int members = 1 + (below(2) ? below(4) : 0), open = 0;
	struct perf_model *m;
	int error;

	for_each_event(m)
		open++;
	set_faults(false);
	while (members-- && open++ < EVENTS) {
		attr = random_attr(pmu);
		if (leader)
			attr.disabled = 0;
		else
			attr.disabled |= now->slow;
		e = perf_open(&attr, task, cpu, leader, &error);
		if (!e)
			continue;
		leader = leader ?: e;
		is_steady[perf_model(e) - perf_core.model] = !attr.freq;
		is_whole[perf_model(e) - perf_core.model] = true;
		if (attr.sample_period && below(4) == 0)
			atomic_set(&e->event_limit, 1 + below(5));
		/* 6.12 throttles one event of a group. */
		if (is_firmware(e) || atomic_read(&e->event_limit) ||
		    (attr.sample_period && now->machine.kernel == 612))
			not_whole(e);
	}
	if (leader && now->slow)
		perf_enable(leader);
	set_faults(now->faults);
}

/* A sampling event that is not of one mode, and steady, has samples of nearly all in time. */
static void close_group(struct perf_event *e)
{
	struct perf_model *m;

	if (e->group_leader != e && below(4))
		return;
	set_faults(false);
	for_each_event(m) {
		if (m->event.group_leader != e && &m->event != e)
			continue;
		check_event(m);
		counted += m->happened;
		sampled += m->samples;
	}
	perf_close(e);
	set_faults(now->faults);
}

static void inherit(struct perf_event *parent)
{
	struct perf_event *e;
	struct perf_model *m;
	unsigned int open = 0;

	for_each_event(m)
		open++;
	if (!parent->attr.inherit || !parent->hw.target || open >= EVENTS)
		return;
	e = perf_inherit(parent, &perf_core.task[below(PERF_TASKS)]);
	if (e)
		is_steady[perf_model(e) - perf_core.model] = !e->attr.freq;
}

static void switch_task(void)
{
	struct task_struct *next = below(8) ? &perf_core.task[below(PERF_TASKS)] : &perf_core.idle;

	if (next != &perf_core.idle && next == host.current_task[host.cpu ? 0 : LAST])
		return;
	perf_switch(next);
}

static void hotplug(void)
{
	const unsigned int cpu = below(2) ? 1 : LAST;

	if (host.cpus < 2)
		return;
	host_run_cpu(0);
	perf_hotplug(cpu, !cpumask_test_cpu(cpu, cpu_online_mask));
}

static void rare_step(struct perf_event *e)
{
	const bool fixed = below(2);

	switch (below(16)) {
	case 0:
		return hotplug();
	case 1 ... 3:
		return perf_suspend(below(4));
	case 4:
		if (!now->machine.other && !(now->machine.quirks & QUIRK(UNCOUNTABLE_STOPS)) &&
		    !host_sysctl(fixed ? "2" : "1"))
			to_all = fixed ? TIME_AND_FIXED : TIME;
		/* An event may have lost its counter. */
		return perf_interrupts();
	case 5:
		denied = now->faults ? below(256) & below(256) : 0;
		/* In shared mode counters that are idle for so long are released. */
		return perf_run(below(now->machine.other ? 300000000 : 10000000));
	case 6 ... 7:
		return inherit(e);
	case 8 ... 9:
		if (e->hw.target == current && !now->machine.other)
			perf_map(e);
		return;
	case 10:
		if (!perf_set_period(e, 10000 + below(1000000)))
			is_steady[perf_model(e) - perf_core.model] = false;
		return;
	case 11 ... 12:
		if (e->group_leader != e)
			not_whole(e);
		return perf_disable(e);
	case 13:
		not_whole(e);
		return is_sampling_event(e) ? perf_refresh(e, 1 + below(5)) : perf_enable(e);
	default:
		return perf_enable(e);
	}
}

/* Each program has addresses of its own: perf_core.c knows them. */
static void take_branches(void)
{
	const u64 program = (u64)(current - perf_core.task + 1) << 32, kernel = FAKESBI_HANDLER;

	for (unsigned int n = below(20); n; n--) {
		if (current->mm)
			fakesbi_branch(FAKESBI_USER, FAKESBI_USER, below(2) ? SPEC_CTR_DIRECT_CALL : SPEC_CTR_RETURN,
				       program + n, program - n, 0);
		if (below(8))
			continue;
		if (current->mm)
			fakesbi_branch(FAKESBI_USER, FAKESBI_KERNEL, SPEC_CTR_EXCEPTION, program, kernel, 0);
		fakesbi_branch(FAKESBI_KERNEL, FAKESBI_KERNEL, SPEC_CTR_TAKEN, kernel, kernel + n, 0);
		if (current->mm)
			fakesbi_branch(FAKESBI_KERNEL, FAKESBI_USER, SPEC_CTR_TRAP_RETURN, kernel, program, 0);
	}
}

static void step(void)
{
	struct perf_model *m = &perf_core.model[below(EVENTS)];

	if (host.cpus > 1 && cpumask_test_cpu(LAST, cpu_online_mask))
		host_run_cpu(below(2) ? 0 : LAST);
	host.regs.user = below(2) && current->mm;
	take_branches();
	switch (below(32)) {
	case 0 ... 5:
		return switch_task();
	case 6 ... 7:
		return open_group();
	case 8:
		if (m->is_open)
			close_group(&m->event);
		return;
	case 9 ... 10:
		return perf_tick();
	case 11 ... 12:
		return perf_rotate();
	case 13 ... 15:
		if (m->is_open)
			rare_step(&m->event);
		return;
	case 16 ... 17:
		if (m->is_open)
			perf_read(&m->event);
		return;
	default:
		return perf_run(below(20000));
	}
}

/* In a VM to learn of a raw event takes time: here no event is open that misses it. */
static void learn(void)
{
	struct perf_event_attr attr = { .disabled = 1 };
	struct perf_event *e;
	int error;

	host.read_ns = 1;
	for_each_pmu(pmu)
		for (unsigned int n = 0; n < 18; n++) {
			attr.type = pmu->type;
			attr.config = n < 12 ? n : 1ULL << 50 | (n - 12);
			e = perf_open(&attr, current, -1, NULL, &error);
			if (e)
				perf_close(e);
		}
	host.read_ns = 0;
}

/* The machine restarts, also by kexec, or is switched off. Programs run until their CPU ends. */
static void reboot(void)
{
	const bool kexec = below(2);
	unsigned int cpu;

	host_run_cpu(0);
	perf_reboot(kexec || below(2) ? SYS_RESTART : SYS_POWER_OFF);
	perf_run(10000);
	switch_task();
	for (cpu = 1; kexec && cpu < host.cpus; cpu++)
		if (cpumask_test_cpu(cpu, cpu_online_mask))
			perf_hotplug(cpu, false);
}

/* Return: was nothing wrong? */
static bool run(const struct scenario *s, unsigned long steps)
{
	struct machine machine = s->machine;
	struct perf_model *m;

	wrong = misread = late = leaks = apart = counted = sampled = 0;
	to_all = s->machine.other ? HOST_OPEN_AT_START : TIME;
	now = s;
	denied = 0;
	machine.hpm = 6;
	machine.prepare = prepare;
	if (boot(&machine)) {
		note("%s", host.log);
		return false;
	}
	learn();
	perf_core.max_samples_per_tick = 30;
	perf_core.latency = 300;
	set_faults(s->faults);
	host.call_ns = s->slow ? 1000 : 0;
	host.read_ns = s->slow ? 2 : 0;
	host.sample_ns = s->slow ? 20000 : 0;
	for (unsigned long n = 0; n < steps; n++) {
		step();
		if (n % 32 == 0)
			check_all();
	}
	check_all();
	for_each_event(m) {
		counted += m->happened;
		sampled += m->samples;
	}
	set_faults(false);
	reboot();
	if (!s->faults && host_logged(LOST))
		note("%s: a counter was lost", s->name);
	return !wrong && !misread && !late && !leaks && !apart && counted && (s->faults || !host_logged(LOST));
}

/* Was nothing wrong? What is asked for must have been @seen, too: few steps may not show it. */
static void check_seen(bool right, bool seen, unsigned long steps, const char *test,
		       const char *what)
{
	char name[128];

	snprintf(name, sizeof(name), "%s_%s", test, what);
	if (right && !seen && steps < FEW_STEPS)
		skip(name, "too few steps");
	else
		check(right && seen, "%s", name);
}

static void run_scenario(const struct scenario *s, unsigned long steps)
{
	char test[64];

	snprintf(test, sizeof(test), "random.%s", s->name);
	run(s, steps);
	note("%lu steps: %u counts wrong, %u reads by programs wrong, %u open that should not be, %u samples late or wrong, %llu samples",
	     steps, wrong, misread, leaks, late, sampled);
	check_seen(!wrong, counted, steps, test, "counts_are_correct");
	check(!misread, "%s_user_reads_are_correct", test);
	check(!leaks, "%s_programs_read_only_what_they_may", test);
	check_seen(!late, sampled, steps, test, "samples_stand_for_all");
	check(s->faults || !host_logged(LOST), "%s_loses_no_counter", test);
	note("%llu branches", perf_core.branches);
	check_seen(!perf_core.foreign,
		   perf_core.branches || s->machine.quirks & QUIRK(FIXED_ALWAYS),
		   steps, test,
		   "samples_have_only_own_branches");
	if (s->slow && !s->faults)
		check(!apart, "%s_group_members_count_the_same_time", test);
	host.call_ns = host.read_ns = host.sample_ns = 0;
	unload();
}

/* @name: one of the scenarios; empty: all, which share the steps */
void test_random(unsigned long steps, u64 seed, const char *name)
{
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(scenarios); i++) {
		struct scenario s = scenarios[i / 2];
		char two_kinds[64];

		if (i % 2) {
			snprintf(two_kinds, sizeof(two_kinds), "two_kinds_%s", s.name);
			s.name = two_kinds;
			s.machine.cpus = 16;
			s.machine.arch = 1;
			s.machine.other_arch = 2;
			/* The others have no Sscofpmf, so the kernel knows of none. */
			if (!(s.machine.quirks & QUIRK(FIXED_HOMOGENEOUS)))
				s.machine.isa = s.machine.isa ?: "";
		}
		if (*name && strcmp(name, s.name))
			continue;
		fakesbi_seed(seed + i);
		run_scenario(&s, *name ? steps : steps / ARRAY_SIZE(scenarios) / 2);
	}
}

/* ---- each quirk of firmware by itself ---- */

#define NAME(name)	#name,
static const char *const quirks[] = { FAKESBI_QUIRK_LIST(NAME) };

static const struct {
	const char *name;
	struct machine machine;
} modes[] = {
	{ "exclusive", { SBI } },
	{ "shared", { .other = "cpu" } },
	{ "snapshot", { PAGE } },
	{ "delegated", { CSR } },
};

static bool is_of_kvm(unsigned int quirk)
{
	return quirk >= QUIRK_FIXED_ALWAYS && quirk <= QUIRK_READS_ACCUMULATE;
}

static void test_quirk(unsigned int quirk, unsigned int mode)
{
	struct scenario s = { .name = modes[mode].name, .machine = modes[mode].machine };
	char name[48];

	/* A VM has no other driver and no delegated counters; RustSBI has no snapshot. */
	if ((is_of_kvm(quirk) && mode & 1) ||
	    (mode == 2 && (quirk == QUIRK_NO_SNAPSHOT || quirk == QUIRK_FIXED_WITHHELD ||
			   quirk == QUIRK_ABORT_AT_ALREADY)))
		return;
	s.machine.quirks = BIT_ULL(quirk);
	s.machine.width = quirk == QUIRK_WIDTH_64_ALWAYS ? 40 : mode == 2 ? 48 : 32;
	if (is_of_kvm(quirk))
		s.machine.quirks |= QUIRK(FIXED_HOMOGENEOUS);
	for (size_t i = 0; i <= strlen(quirks[quirk]); i++)
		name[i] = quirks[quirk][i] | (quirks[quirk][i] ? 0x20 : 0);
	for (char *c = name; *c; c++)
		*c = *c == 0x7f ? '_' : *c;
	check(run(&s, 2000), "quirks.%s_counts_are_correct_in_%s_mode", name, s.name);
	unload();
}

void test_quirks(void)
{
	fakesbi_seed(7);
	for (unsigned int quirk = 0; quirk < FAKESBI_QUIRKS; quirk++)
		for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++)
			test_quirk(quirk, mode);
}
