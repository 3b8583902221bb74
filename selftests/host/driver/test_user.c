// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_user: programs read counters by their mmap pages: what they get is right, and is nothing of
 * what others count.
 */
#include "test.h"

#define TIME		SPEC_CSR_BIT(SPEC_CSR_TIME)
#define CYCLE		SPEC_CSR_BIT(SPEC_CSR_CYCLE)
#define INSTRET		SPEC_CSR_BIT(SPEC_CSR_INSTRET)

static const struct machine sbi = { .hpm = 2, .params = { "backend=sbi" } };

static const struct perf_event_mmap_page *page_of(struct perf_event *e)
{
	return &perf_model(e)->page;
}

/* Does the program get the count by its page, without a system call? */
static bool reads_right(struct perf_event *e)
{
	u64 count = ~0ULL;
	const bool can = perf_user_read(e, &count);

	if (!can || count != perf_model(e)->happened)
		note("read %lld of %lld", can ? count : -1LL, perf_model(e)->happened);
	return can && count == perf_model(e)->happened;
}

static bool must_ask_kernel(struct perf_event *e)
{
	return !page_of(e)->cap_user_rdpmc;
}

static void test_page(void)
{
	struct perf_event *e, *fw, *cpu, *inherited, *before;

	boot(&sbi);
	before = open_raw(5);
	perf_run(1000);
	e = open_own(5);
	check(!(host.scounteren[0] & SPEC_CSR_BIT(0xc03)), "user_page.counter_is_closed_at_first");
	perf_map(e);
	check(page_of(e)->index == 4 && host.scounteren[0] & SPEC_CSR_BIT(0xc03),
	      "user_page.shows_csr");
	check(reads_right(e), "user_isolation.mmap_resets_counter");
	perf_run(10);
	check(reads_right(e) && is_right(e) && is_right(before), "user_isolation.mmap_keeps_counts");
	perf_switch(&perf_core.task[1]);
	check(host.scounteren[0] == TIME && !page_of(e)->index,
	      "user_page.closed_while_another_task_runs");
	perf_switch(&perf_core.task[0]);
	check(fakesbi.ctr[3].value == 0, "user_isolation.csr_shows_only_own_count");
	perf_disable(e);
	check(reads_right(e) && !page_of(e)->index, "user_page.has_count_after_stop");
	perf_enable(e);
	perf_run(5);
	check(reads_right(e), "user_page.shown_after_reset");

	fw = open_task(ATTR(7, .disabled = 1));
	perf_map(fw);
	check(!must_ask_kernel(fw) && reads_right(fw) && page_of(fw)->pmc_width == 64,
	      "user_page.of_new_event_says_it_can_be_read");
	fw = open_own(FIRMWARE_EVENT(3));
	perf_map(fw);
	check(must_ask_kernel(fw), "user_page.not_possible_for_firmware_event");
	cpu = open_raw(6);
	perf_map(cpu);
	check(must_ask_kernel(cpu), "user_page.not_possible_for_event_of_a_cpu");
	inherited = open_task(ATTR(6, .inherit = 1));
	perf_map(inherited);
	check(must_ask_kernel(inherited), "user_page.not_possible_for_inherited_event");
	/* The page of a task that another task maps, too, is for neither. */
	perf_switch(&perf_core.task[1]);
	perf_map(e);
	perf_switch(&perf_core.task[0]);
	perf_run(5);
	check(must_ask_kernel(e) && host.scounteren[0] == TIME,
	      "user_page.not_readable_after_other_task_maps");
	check(is_right(e), "user_page.other_task_keeps_counts");
	unload();
	check(!perf_core.nr_user, "user_page.flag_of_events_does_not_change");
	for (unsigned int i = 0; i < PERF_TASKS; i++)
		must(!perf_core.mm[i].references, "user_page.address_space_%u_is_released", i);

	boot(&(struct machine){ .params = { "backend=sbi" } });
	host.openable = ~SPEC_CSR_BIT(0xc03) & ~SPEC_CSR_BIT(0xc04);
	unload();
	check(!boot_again(), "user_page.module_loads_with_few_openable_counters");
	e = open_own(5);
	perf_map(e);
	perf_run(5);
	check(!page_of(e)->index, "user_page.none_if_not_openable");
}

/* Perf core may write the page at any time (ioctl RESET, mmap): its words go together. */
static bool reads_right_if_written(struct perf_event *e)
{
	perf_event_update_userpage(e);
	return reads_right(e);
}

static void test_page_at_any_time(void)
{
	struct perf_event *e;
	bool right = true;

	boot(&(struct machine){ .params = { "backend=sbi", "overflow=timer" } });
	e = open_own(5);
	perf_map(e);
	perf_run(1000);
	perf_read(e);
	check(page_of(e)->index && reads_right_if_written(e), "user_page.is_right_after_read");
	open_sampler(5, 100000000);
	perf_run(20000000);
	check(page_of(e)->index && reads_right_if_written(e), "user_page.is_right_after_look_of_timer");

	boot(&(struct machine){ .delegated = true, .params = { "backend=csr" } });
	e = open_own(5);
	perf_map(e);
	perf_run(1000);
	host_reboot(SYS_RESTART);
	check(!page_of(e)->index && reads_right(e), "user_page.shows_no_counter_that_reboot_has_stopped");

	/* A program extends the sign: more than one range, looked at in each part of it */
	boot(&(struct machine){ .width = 32, .params = { "backend=sbi" } });
	e = open_own(64);
	perf_map(e);
	for (unsigned int n = 0; n < 20; n++) {
		perf_run((1ULL << 32) / 7);
		right = right && page_of(e)->index &&
			(n < 10 ? reads_right(e) : reads_right_if_written(e));
	}
	check(right && is_right(e), "user_page.is_right_while_narrow_counter_wraps");
}

/* exec() in a task that has mapped: the new program maps it, or may not read. */
static void test_exec(void)
{
	struct pt_regs regs = { .user = true, .epc = 0x1000 };
	struct perf_event *e;
	struct mm_struct other = {};

	boot(&sbi);
	e = open_own(5);
	perf_map(e);
	perf_run(5);
	perf_core.task[0].mm = &other;
	go_away(5);
	check(host.scounteren[0] == TIME, "user_page.new_program_may_not_read");
	host.insn = 0xc03U << 20 | 2 << 12 | 7 << 7 | 0x73;
	check(!host_illegal_instruction(&regs), "user_page.read_by_new_program_is_not_caught");
	perf_core.task[0].mm = &perf_core.mm[0];
	check(host_illegal_instruction(&regs) && regs.epc == 0x1000 &&
	      host.scounteren[0] & SPEC_CSR_BIT(0xc03), "user_trap.opens_what_may_be_read");
	check(host_illegal_instruction(&regs) && regs.epc == 0x1000,
	      "user_trap.read_of_open_counter_is_repeated");
	perf_core.task[0].mm = &other;
	perf_map(e);
	perf_run(5);
	check(reads_right(e) && other.references == 1 && !perf_core.mm[0].references,
	      "user_page.new_program_maps_it");
	perf_close(e);
	check(!other.references, "user_page.address_space_is_released");
	perf_core.task[0].mm = &perf_core.mm[0];
}

/* A read that comes when the counter is closed already: 0, and the page has changed. */
static void test_trap(void)
{
	struct pt_regs regs = { .user = true, .epc = 0x1000 };
	struct perf_event *e;
	unsigned int stops;

	boot(&sbi);
	stops = host.stops;
	e = open_own(5);
	perf_map(e);
	perf_run(5);
	perf_disable(e);
	host.insn = 0xc03U << 20 | 2 << 12 | 7 << 7 | 0x73;
	regs.x[6] = 0xbad;
	check(host_illegal_instruction(&regs) && regs.epc == 0x1004 && !regs.x[6],
	      "user_trap.late_read_returns_0");
	check(strstr(host_debugfs("user_access"), "0 0x2 1"), "user_trap.late_read_is_counted");
	host.insn = 0xc04U << 20 | 2 << 12 | 7 << 7 | 0x73;
	check(!host_illegal_instruction(&regs), "user_trap.other_counter_is_not_read");
	host.insn = 0xc01U << 20 | 2 << 12 | 7 << 7 | 0x73;
	check(!host_illegal_instruction(&regs), "user_trap.time_is_not_read");
	host.insn = 0xc03U << 20 | 1 << 12 | 7 << 7 | 0x73;
	check(!host_illegal_instruction(&regs), "user_trap.write_is_not_read");
	host.insn = 0;
	regs.badaddr = 0xc03U << 20 | 2 << 12 | 0 << 7 | 0x73;
	check(host_illegal_instruction(&regs) && regs.epc == 0x1008,
	      "user_trap.unreadable_text_is_read_from_badaddr");
	perf_switch(&perf_core.task[1]);
	regs.badaddr = 0xc03U << 20 | 2 << 12 | 7 << 7 | 0x73;
	check(!host_illegal_instruction(&regs), "user_trap.other_task_is_killed");
	perf_switch(&perf_core.task[0]);
	host_sysctl("0");
	check(host_illegal_instruction(&regs), "user_trap.sysctl_0_kills_no_reader");
	perf_close(e);
	check(!host_illegal_instruction(&regs), "user_trap.no_read_after_close");
	check(stops == host.stops, "user_trap.events_and_sysctl_stop_no_cpu");

	boot(&(struct machine){ .cpus = 2, .arch = 1, .other_arch = 2 });
	perf_switch(&perf_core.idle);
	host_run_cpu(1);
	perf_switch(&perf_core.task[0]);
	e = open_task(GENERAL((u64)perf_core.pmus[1]->type << PERF_PMU_TYPE_SHIFT));
	perf_map(e);
	perf_run(5);
	perf_disable(e);
	regs.badaddr = 0xc00U << 20 | 2 << 12 | 7 << 7 | 0x73;
	check(host_illegal_instruction(&regs) && strstr(host_debugfs("user_access"), "\n1 0x2 1"),
	      "user_trap.late_read_on_cpu_of_other_kind_returns_0");
}

/* What others count on the same counter is never shown; what that costs. */
static void test_isolation(void)
{
	struct perf_event *own, *other, *sampler;
	unsigned int shown = 0, wrong = 0;
	unsigned long before;

	boot(&sbi);
	own = open_own(5);
	other = perf_open(ATTR(5), &perf_core.task[1], -1, NULL, &(int){ 0 });
	perf_map(own);
	for (unsigned int i = 0; i < 10; i++) {
		perf_run(77);
		shown += fakesbi.ctr[3].value != 77 * perf_model(own)->rate;
		wrong += !reads_right(own);
		perf_switch(&perf_core.task[1]);
		perf_run(1000 + i);
		before = all_calls();
		perf_switch(&perf_core.task[0]);
		must(all_calls() - before == 2, "user_isolation.reset_%u_makes_two_calls", i);
	}
	check(!shown && !wrong, "user_isolation.reset_keeps_counts");
	check(!perf_model(own)->least_offset, "user_isolation.page_has_only_own_counts");
	check(is_right(other) && is_right(own), "user_isolation.shared_counter_keeps_counts");
	sampler = open_sampler(5, 100000);
	perf_run(100);
	check(must_ask_kernel(own) && is_right(own) && host.scounteren[0] == TIME,
	      "user_isolation.no_user_read_of_counter_shared_with_sampler");
	perf_close(sampler);
	go_away(10);
	perf_run(10);
	check(reads_right(own) && page_of(own)->index,
	      "user_isolation.user_read_works_after_sampler_stops");
	perf_switch(&perf_core.task[1]);
	perf_map(own);
	perf_switch(&perf_core.task[0]);
	before = all_calls();
	host.read_ns = 1; /* so that it is seen to count */
	perf_suspend(true);
	host.read_ns = 0;
	check(all_calls() == before, "user_isolation.counter_that_nobody_reads_is_not_reset");

	/* perf record maps what no program can read; audit logs no denial of an ordinary user. */
	boot(&sbi);
	sampler = open_task(ATTR(5, .sample_period = 1000, .inherit = true));
	own = open_own(6);
	host.perfmon_asked = host.perfmon_asked_unlogged = 0;
	perf_map(sampler);
	check(!host.perfmon_asked && !host.perfmon_asked_unlogged,
	      "user_page.event_that_is_not_readable_needs_no_right");
	perf_map(own);
	check(!host.perfmon_asked && page_of(own)->index, "user_page.mmap_is_no_denial_in_the_audit_log");

	/* With CAP_PERFMON, or if everybody has that right, a program may see all: nothing is restarted. */
	for (unsigned int all = 0; all < 2; all++) {
		boot(&sbi);
		host.perfmon = !all;
		sysctl_perf_event_paranoid = all ? 0 : 2;
		own = open_own(5);
		perf_map(own);
		check(page_of(own)->index && reads_right(own),
		      "user_page.counter_that_is_not_reset_is_shown_at_once%s", all ? "_at_level_0" : "");
		go_away(5);
		before = all_calls();
		go_away(5);
		perf_run(5);
		check(all_calls() == before && reads_right(own),
		      "user_isolation.start_without_reset_makes_no_call%s", all ? "_at_level_0" : "");
	}
	sysctl_perf_event_paranoid = 2;

	/* A file that was opened with that right, and passed on */
	boot(&sbi);
	host.perfmon = true;
	own = open_own(5);
	host.perfmon = false;
	perf_map(own);
	perf_run(5);
	go_away(5);
	check(!fakesbi.ctr[3].value && reads_right(own), "user_isolation.rights_are_those_of_who_maps");
}

/* Firmware ignores start values, from load on or later. Nobody may see a counter that is not reset. */
static void test_not_reset(u64 at_load, const char *name)
{
	struct perf_event *own;
	unsigned long before;

	boot(&(struct machine){ .quirks = at_load, .params = { "backend=sbi", "overflow=timer" } });
	fakesbi.quirks = QUIRK(VALUE_IGNORED);
	own = open_own(5);
	perf_map(own);
	before = all_calls();
	go_away(1000);
	perf_run(1000);
	check(!at_load == (all_calls() != before), "user_isolation.%s_is_reset_if_that_may_help", name);
	check(must_ask_kernel(own) && host.scounteren[0] == TIME,
	      "user_isolation.%s_that_is_not_reset_is_not_shown", name);
	check(is_right(own), "user_isolation.%s_that_is_not_reset_counts_right", name);
	fakesbi.quirks = 0;
	go_away(1000);
	if (!at_load)
		check(reads_right(own), "user_isolation.counter_that_is_reset_again_is_shown");
}

static void no_counters(void)	{ fakesbi_harts[1].end = 0; }

/* CPU 1 is of another kind, and has no counters. */
static void test_two_kinds(void)
{
	struct perf_event *e;

	boot(&(struct machine){ .cpus = 2, .arch = 1, .other_arch = 2, .prepare = no_counters });
	host_sysctl("2");
	check(host.scounteren[1] == (TIME | CYCLE | INSTRET),
	      "fixed_counters.are_open_on_cpu_without_events");
	perf_hotplug(1, false);
	check(host.scounteren[1] == TIME, "fixed_counters.offline_closes_cpu_without_events");
	perf_hotplug(1, true);
	perf_switch(&perf_core.idle);
	host_run_cpu(1);
	perf_switch(&perf_core.task[0]);
	e = open_own(5);
	perf_map(e);
	perf_switch(&perf_core.idle);
	host_run_cpu(0);
	perf_switch(&perf_core.task[0]);
	perf_run(5);
	check(page_of(e)->index && reads_right(e), "user_page.can_be_opened_on_a_cpu_without_events");
	unload();
	check(host.scounteren[1] == TIME, "fixed_counters.rmmod_closes_cpu_without_events");
}

static void test_sysctl(void)
{
	struct perf_event *e;
	unsigned long before;

	boot(&(struct machine){ .cpus = 2, .quirks = QUIRK(SUSPEND_LOSES_EVENTS),
				.params = { "backend=sbi" } });
	check(host_sysctl("3") == -EINVAL && host_sysctl("-1") == -EINVAL,
	      "fixed_counters.sysctl_has_a_range");
	check(!host_sysctl("2") && host.scounteren[0] == (TIME | CYCLE | INSTRET) &&
	      host.scounteren[1] == host.scounteren[0], "fixed_counters.are_open_to_all");
	check(fakesbi.ctr[0].running && fakesbi.ctr[2].running,
	      "fixed_counters.cycle_and_instret_run");
	check(fakesbi.ctr[0].value >> 32, "fixed_counters.cycle_starts_from_where_it_was");
	e = open_task(GENERAL(0));
	perf_map(e);
	perf_run(10);
	before = all_calls();
	go_away(10);
	perf_run(10);
	check(all_calls() == before && reads_right(e),
	      "user_isolation.world_readable_counter_is_not_reset");
	host_sysctl("1");
	perf_run(10);
	check(reads_right(e) && page_of(e)->index && fakesbi.ctr[0].value <= perf_model(e)->happened,
	      "user_isolation.counter_that_is_closed_to_others_is_reset");
	host_sysctl("2");
	perf_close(e);
	perf_suspend(true);
	check(fakesbi.ctr[0].running && fakesbi.ctr[2].running &&
	      host.scounteren[0] == (TIME | CYCLE | INSTRET), "fixed_counters.run_after_suspend");
	perf_hotplug(1, false);
	check(host.scounteren[1] == TIME, "fixed_counters.offline_closes_them");
	perf_hotplug(1, true);
	check(host.scounteren[1] == (TIME | CYCLE | INSTRET) && fakesbi_harts[1].ctr[0].running,
	      "fixed_counters.online_opens_them");
	check(!host_sysctl("1") && host.scounteren[0] == TIME && !fakesbi.ctr[0].configured &&
	      !fakesbi.ctr[2].configured, "fixed_counters.counters_are_dropped");
	check(!fakesbi_harts[1].ctr[0].configured,
	      "fixed_counters.counters_of_cpu_that_came_back_are_dropped");
	check(!host_sysctl("0"), "fixed_counters.sysctl_0");
	e = open_own(5);
	perf_map(e);
	perf_run(5);
	check(must_ask_kernel(e) && host.scounteren[0] == TIME,
	      "fixed_counters.no_reads_with_sysctl_0");

	boot(&sbi);
	fakesbi.refuse = 1;
	host_sysctl("2");
	check(!fakesbi.ctr[0].configured, "fixed_counters.refused_counters_are_lost");
	fakesbi.refuse = 0;
	for (unsigned int i = 0; i < 100 && !fakesbi.ctr[0].running; i++)
		host_sysctl("2");
	check(fakesbi.ctr[0].running && fakesbi.ctr[2].running,
	      "fixed_counters.refused_counters_are_tried_again");
	fakesbi.quirks = QUIRK(SUSPEND_LOSES_EVENTS);
	fakesbi.refuse = 1;
	perf_suspend(true);
	fakesbi.refuse = 0;
	check(!fakesbi.ctr[0].running, "fixed_counters.refused_after_suspend_are_lost");
	perf_suspend(true);
	check(fakesbi.ctr[0].running && fakesbi.ctr[2].running,
	      "fixed_counters.lost_counters_are_taken_again");
	host_sysctl("1");

	/* Any user may open and close events, and no CPU has more to do then. */
	boot(&(struct machine){ .cpus = 16 });
	host_sysctl("2");
	e = open_task(GENERAL(0));
	perf_run(10);
	perf_close(e);
	host.interrupted = 0;
	/* Also the first ones with a filter, which is tried */
	for (unsigned int i = 0; i < 10; i++)
		perf_close(open_task(GENERAL(i & 1, .exclude_kernel = i / 2 & 1, .disabled = 1)));
	check(!host.interrupted && fakesbi.ctr[0].running && fakesbi.ctr[2].running &&
	      !fakesbi.ctr[0].code.flags, "fixed_counters.close_interrupts_no_cpu_and_stops_none");
	before = all_calls();
	e = open_task(GENERAL(0));
	perf_run(10);
	go_away(10);
	check(is_right(e) && perf_read(e) && all_calls() == before,
	      "fixed_counters.event_that_reads_one_makes_no_call");
	perf_close(e);
}

static bool has_fixed(const struct fakesbi_code *code)
{
	return code->idx <= SPEC_GENERAL_INSTRUCTIONS;
}

/* From now on firmware refuses cycle and instret: that is asked once, and costs nobody a count. */
static void test_refused(const struct machine *machine, const char *name)
{
	struct perf_event *e;
	struct perf_model *m;
	unsigned long before;
	u64 count, running, enabled;

	boot(machine);
	e = open_task(ATTR(5, .exclude_user = 1, .sample_period = 100000));
	m = perf_model(e);
	perf_run(time_of(e, 400000));
	fakesbi.denied = has_fixed;
	host_sysctl("2");
	perf_interrupts();
	before = all_calls();
	for (unsigned int i = 0; i < 100; i++)
		perf_interrupts();
	check(all_calls() == before, "fixed_counters.%s_that_are_refused_are_asked_once", name);
	count = perf_read(e);
	running = m->running;
	enabled = m->enabled;
	perf_run(1000000);
	check(is_right(e) && (perf_read(e) - count > 900000 * m->rate ||
			      m->running - running < m->enabled - enabled),
	      "fixed_counters.%s_that_are_refused_show_no_wrong_share", name);
}

CAN(cycles_with_one_other, code->idx <= SPEC_GENERAL_INSTRUCTIONS ? idx <= 3 : idx == 3)

/* They are no counters to which an event with a filter can move, nor do they keep what is wrong. */
static void test_kept(void)
{
	struct perf_event *e, *other;
	unsigned long before;
	bool right = true;

	boot(&(struct machine){ .smcntrpmf = CYCLE | INSTRET, .can = cycles_with_one_other,
				.params = { "backend=sbi" } });
	e = open_attr(GENERAL(0, .exclude_user = 1, .pinned = 1));
	perf_run(1000);
	host_sysctl("2");
	perf_interrupts();
	other = open_attr(ATTR(5, .disabled = 1));
	before = all_calls();
	perf_enable(other);
	for (unsigned int i = 0; i < 5; i++) {
		perf_run(1000);
		perf_rotate();
	}
	check(all_calls() == before && e->state == PERF_EVENT_STATE_ACTIVE && is_right(e),
	      "fixed_counters.no_filtered_event_moves_there");

	boot(&sbi);
	host_sysctl("2");
	e = open_general(0);
	fakesbi.stray = 1;
	for (unsigned int i = 0; i < 50; i++) {
		open_errno(ATTR(6 + i));
		perf_run(1000);
		right &= is_right(e);
	}
	fakesbi.stray = 0;
	check(right, "fixed_counters.what_firmware_takes_is_not_kept");
}

/* Cycle and instret interrupt, too: what samples by them goes on by timer, and by interrupt after. */
static void test_sampled(void)
{
	struct perf_event *e, *filtered;
	unsigned long before;
	u64 samples;

	boot(&(struct machine){ ANDES, .can = is_not_fixed });
	e = open_attr(GENERAL(0, .sample_period = 1000000));
	perf_run(time_of(e, 3000000));
	host_sysctl("2");
	perf_interrupts();
	samples = perf_model(e)->samples;
	before = all_calls();
	perf_run(100000000);
	check(is_sampled(e, 11000000) && perf_model(e)->samples > samples && is_right(e),
	      "fixed_counters.are_sampled_by_timer");
	check(all_calls() == before, "fixed_counters.are_not_stopped_for_a_sample");
	filtered = open_attr(ATTR(5, .exclude_user = 1));
	perf_run(1000);
	check(is_right(filtered) && perf_read(filtered), "fixed_counters.others_filter");
	perf_close(filtered);
	host_sysctl("1");
	perf_rotate();
	go_away(1000);
	samples = perf_model(e)->samples;
	before = all_calls();
	perf_run(time_of(e, 3000000));
	check(all_calls() >= before + 4 && perf_model(e)->samples >= samples + 2 && is_right(e),
	      "fixed_counters.are_sampled_by_interrupt_after");
}

/* The members of a group differ by two reads for each write at most, if one loses its counter. */
static void test_group(const struct machine *machine, const char *name)
{
	const s64 most = machine->smcntrpmf ? 200 : 50;
	struct perf_event *leader, *member;
	u64 since, value;
	s64 apart;

	boot(machine);
	leader = open_attr(ATTR(5));
	member = perf_open(GENERAL(0, .exclude_user = machine->smcntrpmf), NULL, 0, leader, &(int){ 0 });
	open_raw(FIRMWARE_EVENT(1));
	host.call_ns = 1000;
	host.read_ns = 2;
	for (unsigned int i = 0; i < 100; i++) {
		perf_run(1000);
		host_sysctl(i % 2 ? "1" : "2");
		perf_interrupts();
		perf_run(1000);
		take_turns(1);
	}
	/* Nor by what handlers of overflows take. */
	host_sysctl("2");
	perf_interrupts();
	host.clock_ns = 500;
	open_sampler(5, 100000);
	since = host.now;
	value = fakesbi.ctr[0].value;
	perf_run(time_of(leader, 5000000));
	check(machine->smcntrpmf ? fakesbi.ctr[0].running && !fakesbi.ctr[0].code.flags :
	      fakesbi.ctr[0].value - value == (host.now - since) * perf_model(member)->rate,
	      "fixed_counters.%s_count_all_the_time", name);
	host.clock_ns = host.call_ns = host.read_ns = 0;
	perf_read(leader);
	perf_read(member);
	apart = count_ns(leader) - count_ns(member);
	note("%s: members counted %llu ns, %lld ns apart", name, count_ns(member), apart);
	check(count_ns(member) && apart >= -most && apart <= most,
	      "fixed_counters.%s_group_members_count_the_same_time", name);
}

/* ---- cycle and instret that run, but that firmware does not hand out (OpenSBI 1.9) ---- */

static void only_cycles(void)		{ fakesbi.can = is_not_cycles; }
static void mapped(void)		{ fakesbi.can = NULL; }
static void handed_out(void)		{ fakesbi.quirks = OPENSBI_NEW; }
static void cycle_traps(void)		{ fakesbi.ctr[0].dead = true; }

static void stopped(void)	{ fakesbi.ctr[0].inhibited = fakesbi.ctr[2].inhibited = true; }

static void stopped_for_good(void)
{
	stopped();
	fakesbi.start_fails = 1;
}

static const struct {
	const char *what;
	void (*prepare)(void);
	const char *found;
} free_running[] = {
	{ "found", NULL, "cycles,instructions" },
	{ "not_if_mapped", mapped, "none" },
	{ "only_what_is_not_mapped", only_cycles, "cycles" },
	{ "stopped_counter_is_started", stopped, "cycles,instructions" },
	{ "not_if_stopped_for_good", stopped_for_good, "none" },
	{ "not_if_read_traps", cycle_traps, "instructions" },
	{ "not_if_handed_out", handed_out, "none" },
};

static void test_free_running(const char *other, const char *mode)
{
	struct machine machine = {
		.quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD), .can = is_not_fixed, .other = other,
	};
	struct perf_event *cycles, *again, *instret;
	unsigned long before;

	for (unsigned int i = 0; i < ARRAY_SIZE(free_running); i++) {
		machine.prepare = free_running[i].prepare;
		boot(&machine);
		check(!strcmp(perf_sysfs("caps/free_running"), free_running[i].found),
		      "free_running.%s_in_%s_mode", free_running[i].what, mode);
		fakesbi.start_fails = 0;
	}
	machine.prepare = NULL;
	boot(&machine);
	cycles = open_own(STANDARD_EVENT(1));
	again = open_own(STANDARD_EVENT(1));
	instret = open_own(STANDARD_EVENT(2));
	before = all_calls();
	for (unsigned int n = 0; n < 10; n++) {
		perf_run(1000);
		go_away(500);
	}
	check(all_calls() == before, "free_running.counts_without_a_call_in_%s_mode", mode);
	check(is_right(cycles) && is_right(again) && is_right(instret) && perf_read(instret),
	      "free_running.counts_are_correct_in_%s_mode", mode);
	check(open_errno(ATTR(STANDARD_EVENT(1), .exclude_user = 1)) == -ENOENT,
	      "free_running.filter_is_refused_in_%s_mode", mode);
	if (!other) {
		before = all_calls();
		perf_map(cycles);
		perf_run(10);
		check(!page_of(cycles)->index && is_right(cycles),
		      "free_running.shows_no_count_of_others");
		check(all_calls() == before, "free_running.restart_makes_no_call");
		host_sysctl("2");
		perf_run(10);
		go_away(10);
		check(reads_right(cycles), "free_running.world_readable_is_shown");
		host_sysctl("1");
		perf_read(cycles);
		perf_tick();
		check(!page_of(cycles)->index && !(host.scounteren[0] & CYCLE),
		      "free_running.page_hides_what_is_closed");
	}
}

static void other_opens(void)
{
	host_sysctl("2");
	host.closed = 0;
}

/* The built-in driver has been stopped: its sysctl has the same value before, then, and after. */
static void test_takeover(void)
{
	struct machine machine = {
		.cpus = 2, .quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD), .other = "cpu",
		.other_leaves = true,
	};

	boot(&machine);
	check(host.scounteren[1] == TIME, "user_takeover.sysctl_is_1_as_before");
	host_sysctl("2");
	check(host.scounteren[1] == (TIME | CYCLE | INSTRET), "user_takeover.sysctl_2_opens");
	check(!fakesbi.ctr[0].inhibited && !fakesbi_harts[1].ctr[2].inhibited,
	      "user_takeover.counters_that_were_stopped_run");
	host_sysctl("0");
	check(host.scounteren[1] == TIME && must_ask_kernel(open_own(5)),
	      "user_takeover.sysctl_0_closes");
	machine.prepare = other_opens;
	boot(&machine);
	check(!host.closed && host.scounteren[1] & CYCLE, "user_takeover.load_closes_nothing_with_2");
	unload();
	check(!host.closed, "user_takeover.rmmod_closes_nothing_with_2");
	check(perf_core_other_sysctl(-1) == 2, "user_takeover.rmmod_gives_its_value_back");
	machine.quirks = 0;
	boot(&machine);
	check(fakesbi.ctr[0].running && fakesbi_harts[1].ctr[2].running,
	      "user_takeover.load_starts_counters_with_2");
}

void test_user(void)
{
	test_page();
	test_page_at_any_time();
	test_exec();
	test_trap();
	test_isolation();
	test_not_reset(0, "counter");
	test_not_reset(QUIRK(VALUE_IGNORED), "counter_from_load_on");
	test_two_kinds();
	test_sysctl();
	test_takeover();
	test_refused(&(struct machine){ THEAD, .quirks = QUIRK(LEVEL) }, "one_filter");
	test_refused(&(struct machine){ .quirks = OPENSBI_NEW, .smcntrpmf = CYCLE | INSTRET },
		     "smcntrpmf");
	test_kept();
	test_sampled();
	test_group(&(struct machine){ .can = is_not_fixed }, "sbi");
	test_group(&(struct machine){ .can = is_not_fixed, .delegated = true,
				      .params = { "backend=csr" } }, "delegated");
	test_group(&(struct machine){ .can = is_not_fixed, .smcntrpmf = CYCLE | INSTRET },
		   "filtered");
	test_group(&(struct machine){ .can = is_not_fixed, .smcntrpmf = CYCLE | INSTRET,
				      .delegated = true, .params = { "backend=csr" } },
		   "delegated_filtered");
	test_free_running(NULL, "exclusive");
	test_free_running("cpu", "shared");
}
