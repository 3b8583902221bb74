// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sse: overflow=sse. In the model an SSE event comes whenever time passes: in calls to
 * firmware, reads of a counter and looks at the clock, also in the middle of the driver.
 */
#include "test.h"
#include "../../../drivers/perf/sbi_pmu/sbi_pmu.h"

static void old_opensbi(void)	{ fakesbi.sse.leaves_irq = true; }
static void not_enabled(void)	{ fakesbi.sse.not_enabled = true; }
static void silent(void)	{ fakesbi.sse.silent = true; }
static void kvm(void)		{ host.kvm = true; }
static void rt(void)		{ host.rt = true; }
static void no_kprobes(void)	{ host.no_kprobes = true; }
static void kprobes_off(void)	{ host.kprobes_off = true; }
static void own_driver(void)	{ host.own_sse = true; }
static void other_vector(void)	{ host.vector = 0x1000; }
static void cpu1_is_late(void)	{ cpumask_clear_cpu(1, cpu_online_mask); }
static void second_fails(void)	{ fakesbi_harts[1].sse.not_enabled = true; }

CAN(is_raw, code->idx >> 16 == SPEC_TYPE_RAW)

static void has_records(void)
{
	for (unsigned int i = 0; i < FAKESBI_HARTS; i++)
		fakesbi_harts[i].branches.least = fakesbi_harts[i].branches.most = 16;
}

#define SSE	.sse = true, .params = { "overflow=sse" }
#define PERIOD	100000
#define SAMPLER	ATTR(5, .sample_period = PERIOD)

static unsigned long held(void)
{
	unsigned long lost, wrong, n = 0;

	sscanf(strchr(host_debugfs("overflow"), '\n'), " 0 %lu %lu 0 %lu", &lost, &wrong, &n);
	return n;
}

/* Return: an event that has been sampled a few times, and begins a period. */
static struct perf_event *boot_and_sample(void)
{
	struct perf_event *e;

	boot(&(struct machine){ SSE });
	e = open_attr(SAMPLER);
	perf_run(time_of(e, 4 * PERIOD + 1000));
	return e;
}

static void test_refusals(void)
{
	static const struct {
		struct machine machine;
		const char *why;
	} cases[] = {
		{ { .params = { "overflow=sse" } },
		  "firmware has no SSE event for overflows (OpenSBI has since 1.7)" },
		{ { SSE, .prepare = old_opensbi },
		  "firmware leaves the interrupt to the kernel (OpenSBI before 1.7)" },
		{ { SSE, .prepare = not_enabled }, "firmware does not enable the SSE event" },
		{ { SSE, .prepare = silent },
		  "an overflow does not come as an SSE event" },
		{ { SSE, .prepare = kvm, .isa = " sscofpmf h " },
		  "KVM's guests have other registers: unload kvm, if it is a module" },
		{ { SSE, .prepare = rt },
		  "not with CONFIG_SHADOW_CALL_STACK, CFI or PREEMPT_RT" },
		{ { SSE, .prepare = no_kprobes },
		  "no kprobe in machine_crash_shutdown(): CONFIG_KPROBES?" },
		{ { SSE, .prepare = kprobes_off },
		  "kprobes are switched off (debugfs, kprobes/enabled)" },
		{ { SSE, .quirks = KVM }, "only with backend=sbi, and not in a guest" },
		{ { .sse = true, .params = { "overflow=sse", "backend=csr" }, .delegated = true },
		  "only with backend=sbi, and not in a guest" },
		{ { SSE, .isa = "" }, "no Sscofpmf" },
		{ { SSE, .quirks = QUIRK(NO_IRQ) }, "the overflow interrupt does not come" },
		{ { SSE, .prepare = own_driver },
		  "the kernel has an SSE driver of its own" },
		{ { SSE, .prepare = other_vector }, "the kernel's entry code is not as expected" },
		{ { SSE, .no_hpm = true }, "no programmable counter" },
		{ { SSE, .can = is_raw }, "no counter overflows" },
	};
	struct perf_event *e;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		const int ret = boot(&cases[i].machine);

		check(ret == -EOPNOTSUPP && host_logged(cases[i].why), "sse.is_refused_in_words_%u",
		      i);
		must(fakesbi.sse.state == FAKESBI_SSE_UNUSED, "sse.refused_%u_leaves_no_event", i);
	}
	boot(&(struct machine){});
	e = open_attr(ATTR(5, .sample_period = PERIOD, .sigtrap = 1));
	check(e && !e->overflow_handler_context, "sse.changes_nothing_if_it_is_not_asked_for");
}

static const char *absent;

/* A kernel without kexec may have no kprobes. */
static void without(void)
{
	host.no_symbol = absent;
	host.no_kprobes = !strcmp(absent, "machine_crash_shutdown");
}

/* What the driver looks for in the kernel is not there. */
static void test_symbols(void)
{
	static const char *const needed[] = {
		"irqentry_nmi_enter", "irqentry_nmi_exit", "__irqentry_text_start",
		"__irqentry_text_end", "ret_from_exception", "perf_event_task_tick",
		"current_kprobe", "__cpuid_to_hartid_map",
	};
	struct perf_event *e;

	for (unsigned int i = 0; i < ARRAY_SIZE(needed); i++) {
		absent = needed[i];
		check(boot(&(struct machine){ SSE, .prepare = without }) == -EOPNOTSUPP &&
		      host_logged("not found: CONFIG_KALLSYMS_ALL?"), "sse.needs_%s", absent);
	}
	absent = "machine_crash_shutdown";
	boot(&(struct machine){ SSE, .prepare = without });
	e = open_attr(SAMPLER);
	perf_run(time_of(e, 10 * PERIOD));
	check(is_sampled(e, 0) && !held(), "sse.needs_no_%s", absent);
}

static void test_samples(void)
{
	struct perf_event *e;
	unsigned long stops, events;

	boot(&(struct machine){ SSE, .cpus = 2, .prepare = has_records });
	fakesbi.sse.unreadable = true; /* No sample asks for registers. */
	check(host_logged("sampling by SSE (experimental)") && !host.handler &&
	      !strcmp(perf_sysfs("caps/overflow"), "sse"), "sse.the_log_says_so");
	check(!perf_core.pmu->sched_task, "sse.has_no_branch_records");
	e = open_attr(SAMPLER);
	host.irqs_off = true; /* of what runs */
	host_pass(time_of(e, 40 * PERIOD + 1000));
	host.irqs_off = false;
	check(perf_model(e)->samples == 1, "sse.samples_where_interrupts_are_disabled");
	stops = calls(SPEC_FID_STOP);
	perf_run(time_of(e, 40 * PERIOD));
	check(calls(SPEC_FID_STOP) - stops == perf_model(e)->samples - 1,
	      "sse.a_sample_stops_its_counter_once");
	check(is_sampled(e, 0) && all_right() && perf_model(e)->samples > 40 && !held(),
	      "sse.samples_every_period");
	check(e->overflow_handler_context, "sse.no_bpf_program_can_be_attached");
	perf_core.context = &host; /* of an event of the kernel's own */
	check(open_raw(6)->overflow_handler_context == &host, "sse.handlers_context_stays");
	perf_core.context = NULL;
	/* A program runs, whose tp is its own. */
	host.regs.user = true;
	current->prio = 0;
	perf_run(time_of(e, 10 * PERIOD));
	current->prio = 120;
	host.regs.user = false;
	check(is_sampled(e, 0) && !held(), "sse.samples_programs");
	perf_switch(&perf_core.idle);
	perf_run(time_of(e, 10 * PERIOD));
	check(is_sampled(e, 0) && !held(), "sse.samples_kernel_threads");
	/* With counters that have no event, and without */
	for (unsigned int i = 0; i < 2; i++) {
		events = fakesbi.sse.entered;
		fakesbi.lcofi = true;
		host.call_ns = i ? 0 : 1000;
		host_pass(1);
		host.call_ns = 0;
		check(fakesbi.sse.entered == events + 1, "sse.a_spurious_event_ends_%u", i);
		perf_run(time_of(e, 10 * PERIOD));
		check(is_sampled(e, 0) && all_right(), "sse.a_spurious_event_changes_nothing_%u",
		      i);
		for (unsigned int n = 6; n < 9; n++)
			open_raw(n);
	}
	events = perf_model(e)->samples;
	host.regs.epc = sbi_pmu_csr_vector();
	host_pass(time_of(e, 2 * PERIOD));
	host.regs.epc = 0;
	check(perf_model(e)->samples == events, "sse.samples_no_trap_of_unknown_origin");
}

/* The counter overflows while the driver reads it: a read takes several periods. */
static void test_sections(void)
{
	struct perf_event *e;
	u64 samples;

	e = boot_and_sample();
	samples = perf_model(e)->samples;
	host.read_ns = time_of(e, PERIOD);
	perf_read(e);
	host.read_ns = 0;
	check(held() == 1, "sse.waits_for_the_end_of_a_section");
	check(perf_model(e)->samples > samples && !fakesbi.sse.masked, "sse.is_served_at_its_end");
	host.read_ns = time_of(e, PERIOD / 10);
	for (samples = held(); held() == samples && host.now < 60 * NSEC_PER_SEC;)
		host_sysctl("1");
	host.read_ns = 0;
	check(held() > samples && !fakesbi.sse.masked, "sse.is_served_after_a_change_of_the_sysctl");
	/* The same in calls to start and stop counters, and while perf core moves events */
	host.call_ns = time_of(e, PERIOD) / 50;
	host.read_ns = time_of(e, PERIOD) / 100;
	for (unsigned int i = 0; i < 50; i++) {
		struct perf_event *other = open_attr(ATTR(6 + i, .sample_period = 3 * PERIOD));

		perf_run(time_of(e, PERIOD));
		perf_close(other);
		take_turns(1);
	}
	host.call_ns = host.read_ns = 0;
	perf_run(time_of(e, 4 * PERIOD));
	check(is_sampled(e, 0) && !fakesbi.sse.masked, "sse.loses_nothing_beside_sections");
	check(strstr(host_debugfs("overflow"), "\n0 0 "), "sse.no_overflow_is_found_by_timer");
}

/* Firmware forgets what overflows while it stops another counter; and what is injected is held, too. */
static void test_forgotten(bool in_section, bool in_kprobe)
{
	const char *where = in_kprobe ? "a_kprobe" : in_section ? "a_section" : "the_handler";
	struct perf_event *e, *other;
	u64 ns;

	boot(&(struct machine){ SSE });
	e = open_attr(SAMPLER);
	ns = time_of(e, PERIOD);
	other = open_attr(ATTR(6, .sample_period = PERIOD));
	perf_set_period(other, (ns + 500) * perf_model(other)->rate);
	perf_set_period(e, PERIOD);
	host.call_ns = 1000;
	host_pass(in_section ? ns - 100 : ns);
	host.kprobe_hit[0] = in_kprobe ? &host : NULL;
	if (in_section)
		perf_set_period(e, PERIOD);
	host_pass(1000);
	host.call_ns = 0;
	host.kprobe_hit[0] = NULL;
	if (in_kprobe)
		perf_read(e);
	check(perf_model(other)->samples == 1, "sse.what_is_forgotten_in_%s_is_sampled", where);
}

/* A counter overflows while a group is read: its members are read one after the other all the same. */
static void test_group_read(void)
{
	struct perf_event *leader, *member;
	u64 ns;

	boot(&(struct machine){ SSE, .width = 32 });
	leader = open_attr(ATTR(5, .sample_period = PERIOD, .read_format = PERF_FORMAT_GROUP));
	member = open_member(leader, 6);
	perf_run(time_of(leader, PERIOD) - 5);
	host.read_ns = 10;
	perf_read(leader);
	host.read_ns = 0;
	check(held() == 1 && count_ns(member) == count_ns(leader) + 10, "sse.group_is_read_in_one");
	perf_read(leader);
	ns = count_ns(member);
	host_pass(100);
	check(perf_read(member) && count_ns(member) == ns + 100, "sse.member_is_read_again");
	for (unsigned int i = 7; i < 12; i++)
		open_raw(i);
	take_turns(8);
	perf_run(100 * NSEC_PER_MSEC);
	check(is_sampled(leader, 0) && !fakesbi.sse.masked,
	      "sse.group_that_was_read_is_sampled_on");
	check(open_errno(ATTR(5, .sample_period = PERIOD, .sigtrap = 1)) == -EOPNOTSUPP,
	      "sse.signals_are_refused");
}

/* What is interrupted must not be: the sample waits. */
static void test_waits(void)
{
	static const struct {
		const char *what;
		bool stopper, tick, kprobe, wrong_tp;
	} rows[] = {
		{ "stop_machine", .stopper = true },
		{ "perf_event_task_tick", .tick = true },
		{ "a_kprobe", .kprobe = true },
		{ "an_unknown_task", .wrong_tp = true },
	};
	struct perf_event *e;
	u64 samples;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		e = boot_and_sample();
		samples = perf_model(e)->samples;
		current->flags = rows[i].stopper ? PF_KTHREAD : 0;
		current->prio = rows[i].stopper ? 0 : 120;
		host.regs.epc = rows[i].tick ? (unsigned long)host_tick_text + 8 : 0;
		host.kprobe_hit[0] = rows[i].kprobe ? &host : NULL;
		host.wrong_tp = rows[i].wrong_tp;
		host_pass(time_of(e, 2 * PERIOD));
		perf_read(e); /* Its end has the event come again. */
		check(perf_model(e)->samples == samples && held() == 2 && fakesbi.sse.masked,
		      "sse.does_not_interrupt_%s", rows[i].what);
		current->flags = 0;
		current->prio = 120;
		host.regs.epc = 0;
		host.kprobe_hit[0] = NULL;
		host.wrong_tp = false;
		perf_run(20 * NSEC_PER_MSEC);
		check(is_sampled(e, 0) && perf_model(e)->samples > samples &&
		      strstr(host_debugfs("overflow"), "\n0 0 "), "sse.samples_after_%s",
		      rows[i].what);
	}
}

/* A fault in the handler clears the CPU's mark, which interrupted entry code may have yet to see. */
static void test_new_mappings(void)
{
	static const char *const names[] = { "new_vmalloc", "new_valid_map_cpus" };
	struct perf_event *e;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		absent = names[!i];
		boot(&(struct machine){ SSE, .prepare = without });
		e = open_attr(SAMPLER);
		host.new_mappings = 2;
		perf_run(time_of(e, 4 * PERIOD));
		check(host.new_mappings == 2, "sse.marks_no_cpu_in_%s", names[i]);
		host.new_mappings = 1;
		perf_run(time_of(e, 4 * PERIOD));
		check(host.new_mappings == 1, "sse.cpu_stays_marked_in_%s", names[i]);
	}
}

/* The values of tp and sscratch on the way into the kernel and out of it */
static void test_tasks(void)
{
	enum { TASK = 0x1000, PROGRAM = 0x2000, IN = HOST_VECTOR + 8, OUT = HOST_EXIT,
	       LAST = HOST_EXIT + 0x20 };
	const unsigned long entry = (unsigned long)host_entry_text;
	const struct {
		unsigned long pc, tp, scratch, task;
		bool user, other_vector;
	} rows[] = {
		{ 0x500, PROGRAM, TASK, TASK, .user = true },
		{ 0x500, TASK, 0, TASK },
		{ entry + HOST_VECTOR, PROGRAM, TASK, TASK },	/* from user mode: before the swap, */
		{ entry + IN, TASK, PROGRAM, TASK },		/* after it */
		{ entry + HOST_VECTOR, TASK, 0, TASK },		/* from the kernel */
		{ entry + IN, 0, TASK, TASK },
		{ entry + OUT, TASK, TASK, TASK },		/* to user mode, */
		{ 0x500, TASK, TASK, TASK },			/* in a function */
		{ entry + OUT, PROGRAM, TASK, TASK },
		{ entry + LAST, TASK, PROGRAM, TASK },		/* past the way out */
		{ 0x500, PROGRAM, TASK, 0 },			/* unknown */
		{ 0x500, TASK, 0, 0, .other_vector = true },
	};

	boot(&(struct machine){ SSE });
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pt_regs regs = { .epc = rows[i].pc, .tp = rows[i].tp, .user = rows[i].user };

		check((unsigned long)sbi_pmu_sse_find_task((struct sse_hart *)fakesbi.sse.arg, &regs,
							   rows[i].scratch, sbi_pmu_csr_vector() +
							   rows[i].other_vector) == rows[i].task,
		      "sse.finds_the_task_%u", i);
	}
}

/* What only firmware knows of the interrupted code */
static void test_attributes(u64 registers, const char *whose)
{
	const struct pt_regs *regs = &perf_core.sampled;
	unsigned long *attribute;
	struct perf_event *e;
	u64 samples;

	boot(&(struct machine){ SSE });
	attribute = fakesbi.sse.attribute;
	attribute[SPEC_SSE_INTERRUPTED_SEPC] = 0x1234;
	attribute[SPEC_SSE_INTERRUPTED_A6] = 6;
	attribute[SPEC_SSE_INTERRUPTED_A7] = 7;
	e = open_attr(ATTR(5, .sample_period = PERIOD, .sample_type = registers));
	host.regs.epc = 0x500;
	perf_run(time_of(e, 4 * PERIOD + 1000));
	check(regs->epc == 0x500 && regs->a6 == 6 && regs->a7 == 7,
	      "sse.sample_has_all_registers_%s", whose);
	host.regs.epc = sbi_pmu_csr_vector();
	host.regs.status = SR_SPP;
	host_pass(time_of(e, PERIOD));
	check(regs->epc == 0x1234 && !(regs->status & SR_SPP),
	      "sse.trap_is_sampled_where_it_came_from_%s", whose);
	attribute[SPEC_SSE_INTERRUPTED_FLAGS] = 1;
	host_pass(time_of(e, PERIOD));
	check(regs->status & SR_SPP, "sse.trap_is_sampled_in_its_mode_%s", whose);
	samples = perf_model(e)->samples;
	fakesbi.sse.unreadable = true;
	host_pass(time_of(e, PERIOD));
	check(perf_model(e)->samples == samples, "sse.no_sample_of_old_values_%s", whose);
	fakesbi.sse.unreadable = false;
	host_pass(time_of(e, PERIOD));
	check(perf_model(e)->samples > samples, "sse.it_comes_when_they_are_known_%s", whose);
	perf_close(e);
	e = open_attr(SAMPLER);
	host.regs.epc = 0x500;
	perf_run(time_of(e, 4 * PERIOD));
	check(is_sampled(e, 0) && !regs->a6, "sse.no_call_for_registers_of_nobody_%s", whose);
}

/* No sample has registers that are not those of the interrupted code. */
static void test_entry(const char *what, bool root, bool left)
{
	struct perf_event *e;
	u64 samples;

	e = boot_and_sample();
	samples = perf_model(e)->samples;
	host.other_root = root;
	current->active_mm = left ? NULL : current->mm;
	if (!root)
		host.regs.epc = (unsigned long)host_entry_text + HOST_EXIT;
	host_pass(time_of(e, PERIOD));
	check(perf_model(e)->samples == samples && strstr(host_debugfs("overflow"), "0 0 1 0 0\n"),
	      "sse.no_sample_in_%s", what);
	host.other_root = false;
	current->active_mm = current->mm;
	host.regs.epc = 0;
	host_pass(time_of(e, PERIOD / 10));
	check(perf_model(e)->samples == samples + 1, "sse.it_comes_soon_after_%s", what);
}

/* Nothing is registered on a CPU that goes, nor once the kernel ends. */
static void test_lifetimes(void)
{
	const struct fakesbi_sse *first = &fakesbi_harts[0].sse, *second = &fakesbi_harts[1].sse;
	struct perf_event *e;

	boot(&(struct machine){ SSE, .cpus = 2, .isa = " sscofpmf h ", .prepare = cpu1_is_late });
	host_hotplug(1, true);
	perf_close(open_raw(5)); /* no event is left */
	e = open_attr(SAMPLER);
	check(first->state == FAKESBI_SSE_ENABLED && second->state == FAKESBI_SSE_ENABLED,
	      "sse.is_on_on_each_cpu");
	host_hotplug(1, false);
	check(second->state == FAKESBI_SSE_UNUSED, "sse.ends_with_its_cpu");
	host_hotplug(1, true);
	check(second->state == FAKESBI_SSE_ENABLED && second->enter == sbi_pmu_sse_entry,
	      "sse.comes_with_its_cpu");
	host_cpu_pm(CPU_PM_ENTER);
	check(first->state == FAKESBI_SSE_UNUSED, "sse.ends_when_a_cpu_sleeps");
	fakesbi_suspend();
	host_cpu_pm(CPU_PM_EXIT);
	perf_run(time_of(e, 10 * PERIOD));
	check(first->state == FAKESBI_SSE_ENABLED && is_sampled(e, 0), "sse.comes_when_it_wakes");
	check(host_module_notifier->notifier_call(host_module_notifier, MODULE_STATE_COMING,
						  &(struct module){ "kvm" }) ==
	      notifier_from_errno(-EBUSY) &&
	      !host_module_notifier->notifier_call(host_module_notifier, MODULE_STATE_GOING,
						   &(struct module){ "kvm" }) &&
	      !host_module_notifier->notifier_call(host_module_notifier, MODULE_STATE_COMING,
						   &(struct module){ "other" }),
	      "sse.kvm_cannot_be_loaded");
	host.irqs_off = true;
	check(!host.crash_probe->pre_handler(host.crash_probe, NULL), "sse.lets_the_kernel_crash");
	host.irqs_off = false;
	check(first->masked && first->state == FAKESBI_SSE_UNUSED,
	      "sse.ends_when_the_kernel_crashes");
	perf_close(e);
	host_reboot(SYS_RESTART);
	check(first->state == FAKESBI_SSE_UNUSED && second->state == FAKESBI_SSE_UNUSED,
	      "sse.ends_before_the_next_kernel");
	host_cpu_pm(CPU_PM_ENTER);
	host_cpu_pm(CPU_PM_EXIT);
	host_hotplug(1, false);
	host_hotplug(1, true);
	check(first->state == FAKESBI_SSE_UNUSED && second->state == FAKESBI_SSE_UNUSED,
	      "sse.is_not_started_once_the_kernel_ends");
}

/* Nor where its core is of another kind. */
static void test_kinds_end(void)
{
	boot(&(struct machine){ SSE, .cpus = 2, .arch = 1, .other_arch = 2 });
	check(fakesbi_harts[1].sse.state == FAKESBI_SSE_ENABLED, "sse.is_on_on_cpus_of_each_kind");
	host_reboot(SYS_RESTART);
	host_hotplug(1, false);
	host_hotplug(1, true);
	check(fakesbi_harts[1].sse.state == FAKESBI_SSE_UNUSED,
	      "sse.is_not_started_on_cpus_of_another_kind");
}

/* Firmware refuses on one CPU: there its events are sampled by timer. */
static void test_one_cpu(void)
{
	struct perf_event *e;
	int error;

	boot(&(struct machine){ SSE, .cpus = 2, .prepare = second_fails });
	check(host_logged("CPU1: overflow=sse: firmware does not enable the SSE event: sampling by timer on this CPU"),
	      "sse.failure_on_a_cpu_is_in_the_log");
	e = perf_open(SAMPLER, NULL, 1, NULL, &error);
	perf_run(20 * NSEC_PER_MSEC);
	check(e && is_sampled(e, 2000000) && !fakesbi_harts[1].sse.entered,
	      "sse.a_cpu_without_is_sampled_by_timer");
	host.logged = host.log[0] = 0;
	host_hotplug(1, false);
	host_hotplug(1, true);
	check(!host_logged("CPU1"), "sse.failure_is_in_the_log_once");
	e = open_attr(SAMPLER);
	perf_run(20 * NSEC_PER_MSEC);
	host_cpu_pm(CPU_PM_ENTER);
	fakesbi.sse.not_enabled = true;
	host_cpu_pm(CPU_PM_EXIT);
	perf_run(1000 * NSEC_PER_MSEC);
	check(is_sampled(e, 2000000) && host_logged("CPU0: overflow=sse: firmware does not enable"),
	      "sse.failure_at_wake_up_leaves_the_timer");
}

/* Events that do not end leave the CPU no time. */
static void test_storm(void)
{
	struct perf_event *e;

	boot(&(struct machine){ SSE, .cpus = 2 });
	e = open_attr(ATTR(5, .sample_period = 40 * PERIOD));
	perf_run(time_of(e, 160 * PERIOD));
	host.clock_ns = 500;
	fakesbi.sse.entered = 0;
	fakesbi.sse.endless = true;
	perf_run(20 * NSEC_PER_MSEC);
	note("%lu events", fakesbi.sse.entered);
	check(fakesbi.sse.state == FAKESBI_SSE_UNUSED && fakesbi.sse.entered < 3000 &&
	      host_logged("CPU0: stuck overflow event (SSE) disabled"),
	      "sse.a_storm_is_switched_off");
	perf_run(100 * NSEC_PER_MSEC);
	check(is_sampled(e, 2000000), "sse.is_then_replaced_by_the_timer");
	host_cpu_pm(CPU_PM_ENTER);
	host_cpu_pm(CPU_PM_EXIT);
	check(fakesbi.sse.state == FAKESBI_SSE_UNUSED, "sse.stays_off_when_the_cpu_wakes");
	fakesbi.sse.endless = false;
	perf_run(1100 * NSEC_PER_MSEC);
	host.clock_ns = 0;
	check(fakesbi.sse.state == FAKESBI_SSE_ENABLED && !fakesbi.sse.masked,
	      "sse.is_tried_again");
}

void test_sse(void)
{
	test_refusals();
	test_symbols();
	test_samples();
	test_sections();
	test_forgotten(false, false);
	test_forgotten(true, false);
	test_forgotten(true, true);
	test_group_read();
	test_waits();
	test_new_mappings();
	test_tasks();
	test_attributes(PERF_SAMPLE_REGS_INTR, "intr");
	test_attributes(PERF_SAMPLE_REGS_USER, "user");
	test_entry("entry_code", false, false);
	test_entry("a_switch", true, false);
	test_entry("a_thread_that_has_left", true, true);
	test_lifetimes();
	test_kinds_end();
	test_one_cpu();
	test_storm();
}
