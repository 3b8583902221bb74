// SPDX-License-Identifier: GPL-2.0-only
/* machine: load and unload the driver; short names for what most tests do. */
#include "test.h"

static bool is_loaded;
static const char *booted_by;

static void set_up(const struct machine *m)
{
	const char *isa = m->isa ?: " sscofpmf ";

	host_reset();
	perf_core_reset();
	perf_core.version = m->kernel ?: 702;
	host.isa = isa;
	host.compatible = "riscv";
	host.impl = m->impl ?: m->quirks & QUIRK(FIXED_HOMOGENEOUS) ? 3 : 1;
	host.impl_version = m->impl_version ?: OPENSBI(1, 7);
	host.vendor = m->vendor;
	host.arch = m->arch;
	host.mimpid = m->mimpid;
	host.other_arch = m->other_arch;
	host.cpus = max(m->cpus, 1u);
	for (unsigned int cpu = 0; cpu < FAKESBI_HARTS; cpu++) {
		host_run_cpu(cpu);
		fakesbi_reset(m->no_hpm ? 0 : m->hpm ?: 4, m->no_firmware ? 0 : m->firmware ?: 3,
			      m->width ?: 64);
		fakesbi.quirks = m->quirks;
		fakesbi.can = m->can;
		fakesbi.sscofpmf = host_has_isa("sscofpmf") || m->overflow_csr;
		if (m->overflow_csr) {
			fakesbi.overflow_csr = m->overflow_csr;
			fakesbi.quirks |= QUIRK(FIXED_HOMOGENEOUS);
		}
		if (m->overflow_csr == 0x5c5 && !m->arch) {
			fakesbi.quirks |= QUIRK(NO_FILTER);
			fakesbi.one_filter = SPEC_CFG_UINH | SPEC_CFG_SINH;
		}
		/* A guest has two counters more, those of cycles and instructions. */
		fakesbi.host_counters = m->quirks & QUIRK(UNCOUNTABLE_STOPS) ? m->hpm ?: 4 : 0;
		fakesbi.smcntrpmf = m->smcntrpmf;
		if (m->delegated)
			fakesbi_delegate(true);
		if (cpu >= host.cpus)
			fakesbi.end = 0;
		else
			cpumask_set_cpu(cpu, cpu_online_mask);
	}
	host_run_cpu(0);
	host.shared = m->other;
	host.other_leaves = m->other_leaves;
	if (m->other)
		perf_core_other_pmu(m->other, PERF_TYPE_RAW);
	for (unsigned int i = 0; i < ARRAY_SIZE(m->params) && m->params[i]; i++)
		host_set_param(m->params[i]);
	if (m->prepare)
		m->prepare();
}

/* Load the module again, on the machine as it is now. Return: what insmod gets */
int boot_again(void)
{
	int ret;

	/* Tests load often: where the driver waits, it looks at the clock a few thousand times at most. */
	host.clock_ns = host.clock_ns ?: 500;
	host.read_ns = host.read_ns ?: 10;
	host.call_ns = host.call_ns ?: 300;
	ret = host_module_init();
	host.clock_ns = host.read_ns = host.call_ns = 0;
	host.migrates = false;
	host_run_cpu(0);
	is_loaded = !ret;
	return ret;
}

static void close_and_unload(void)
{
	for (struct perf_model *m = perf_core.model; m < perf_core.model + PERF_EVENTS; m++)
		if (m->is_open && m->event.group_leader == &m->event)
			perf_close(&m->event);
	if (is_loaded)
		host_module_exit();
	is_loaded = false;
}

/* Unload the driver: nothing may be left, and no rule of the specification may be broken. */
bool unload(void)
{
	const char *left, *why = NULL;
	unsigned int broken = 0;

	close_and_unload();
	left = host_left();
	if (left)
		note("%s is left", left);
	must(!left, "machine.%s_leaves_nothing", booted_by);
	for (unsigned int i = 0; i < FAKESBI_HARTS; i++) {
		broken += fakesbi_harts[i].broken;
		why = fakesbi_harts[i].why ?: why;
	}
	if (broken)
		note("%u rules broken, last: %s", broken, why);
	must(!broken, "machine.%s_breaks_no_rule", booted_by);
	return !left && !broken;
}

/* For tests that leave something, or break a rule. */
void unload_unchecked(void)
{
	close_and_unload();
	for (unsigned int i = 0; i < FAKESBI_HARTS; i++)
		fakesbi_harts[i].broken = 0;
}

/* Unload what the test before has loaded, and load the driver for @test on another machine. */
int boot_for(const char *test, const struct machine *m)
{
	unload();
	booted_by = test;
	set_up(m);
	return boot_again();
}

static struct perf_event *open_or_note(const struct perf_event_attr *attr, struct task_struct *task)
{
	int error;
	struct perf_event *e = perf_open(attr, task, task ? -1 : 0, NULL, &error);

	if (!e)
		note("event %u:%#llx is refused: %d", attr->type, attr->config, error);
	return e;
}

/* Of CPU 0 */
struct perf_event *open_attr(const struct perf_event_attr *attr)
{
	return open_or_note(attr, NULL);
}

/* Of the task that runs now */
struct perf_event *open_task(const struct perf_event_attr *attr)
{
	return open_or_note(attr, current);
}

/* In the group of an event of CPU 0. Return: NULL if it does not go with that */
struct perf_event *open_member(struct perf_event *leader, u64 config)
{
	return perf_open(ATTR(config), NULL, 0, leader, &(int){ 0 });
}

/* Return: the errno of perf_event_open(), 0 if the event can be opened */
int open_errno(const struct perf_event_attr *attr)
{
	int error;
	struct perf_event *e = perf_open(attr, NULL, 0, NULL, &error);

	if (e)
		perf_close(e);
	return error;
}

/* No programmable counter has what cycle and instret count. */
bool is_not_fixed(const struct fakesbi_code *code, unsigned int idx)
{
	return code->idx > SPEC_GENERAL_INSTRUCTIONS;
}

/* No programmable counter has cycles. */
bool is_not_cycles(const struct fakesbi_code *code, unsigned int idx)
{
	return code->idx != SPEC_GENERAL_CYCLES;
}

/* Another driver uses a counter, or no longer. */
void hold(unsigned int idx, bool held)
{
	fakesbi.ctr[idx].configured = fakesbi.ctr[idx].running = held;
}

void no_kallsyms(void)	{ host.no_kallsyms = true; }

/* Of programmable counters firmware says 64 bits. */
void narrow_by_tree(void)
{
	for (unsigned int i = 3; i < 7; i++)
		fakesbi.ctr[i].width = 40;
}

/* Which counter has the event? -1: none. */
static int counter_with(u32 idx, u64 data, u32 flags)
{
	for (unsigned int i = 0; i < fakesbi.end; i++)
		if (fakesbi.ctr[i].configured && fakesbi.ctr[i].code.idx == idx &&
		    fakesbi.ctr[i].code.data == data && fakesbi.ctr[i].code.flags == flags)
			return i;
	return -1;
}

/* Open an event: is the error right, and if there is none, what firmware got? @at: its counter */
bool opens_as(struct perf_event_attr attr, int error, u32 idx, u64 data, u32 flags, int *at)
{
	int got;
	struct perf_event *e;

	if (attr.type == OWN)
		attr.type = TYPE;
	e = perf_open(&attr, NULL, 0, NULL, &got);
	*at = e ? counter_with(idx, data, flags) : -1;
	if (e)
		perf_close(e);
	if (got != error)
		note("errno %d", got);
	return got == error && (error || *at >= 0);
}

/* The first task sleeps for so long, and another runs. */
void go_away(u64 ns)
{
	perf_switch(&perf_core.task[1]);
	perf_run(ns);
	perf_switch(&perf_core.task[0]);
}

/* The ns in which an event has counted, as its count says */
u64 count_ns(struct perf_event *e)
{
	return local64_read(&e->count) / perf_model(e)->rate;
}

/* Time of @n events */
u64 time_of(struct perf_event *e, u64 n)
{
	return n / perf_model(e)->rate + 1;
}

/* Events take turns on too few counters. */
void take_turns(unsigned int n)
{
	while (n--) {
		perf_run(1000);
		perf_rotate();
	}
}

/* Has it counted all that happened, and no more? */
bool is_right(struct perf_event *e)
{
	const u64 count = e ? perf_read(e) : 0, happened = e ? perf_model(e)->happened : 1;

	if (count != happened)
		note("counted %llu of %llu", count, happened);
	return count == happened;
}

/* Is that so for all open events, and has each counted something? */
bool all_right(void)
{
	struct perf_model *m;
	bool right = true;

	for_each_event(m)
		right = is_right(&m->event) && perf_read(&m->event) && right;
	return right;
}

/* Are samples taken of all its periods but the last, and of what came @late ns ago, or less? */
bool is_sampled(struct perf_event *e, u64 late)
{
	const struct perf_model *m = perf_model(e);
	const u64 rest = perf_read(e) - m->sampled;
	const u64 most = 2 * e->hw.sample_period + late * m->rate;

	if (rest >= most || m->wrong_mode)
		note("%llu samples stand for %llu of %llu, %llu in a wrong mode",
		     m->samples, m->sampled,
		     m->happened, m->wrong_mode);
	return m->samples && rest < most && !m->wrong_mode;
}

unsigned long calls_of(unsigned int cpu)
{
	unsigned long n = 0;

	for (unsigned int fid = 0; fid < ARRAY_SIZE(fakesbi.calls); fid++)
		n += fakesbi_harts[cpu].calls[fid];
	return n;
}
