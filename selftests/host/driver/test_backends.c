// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_backends: the ways to program counters: what a switch and a sample cost, what firmware must
 * not find or lose; and what is refused.
 */
#include "test.h"

static const struct machine csr = { .delegated = true, .params = { "backend=csr" } };
static const struct machine snapshot = { .params = { "backend=snapshot" } };

/* ---- the snapshot shared memory ---- */

static void test_snapshot_switch(const char *firmware, u64 quirks)
{
	static const u64 events[] = { STANDARD_EVENT(1), STANDARD_EVENT(2), 1, 2, 3,
				      FIRMWARE_EVENT(1), FIRMWARE_EVENT(2), 4 };
	struct machine machine = snapshot;

	machine.quirks = quirks;
	/* So many of a guest count at once. */
	machine.hpm = 6;
	for (unsigned int n = 1; n <= ARRAY_SIZE(events); n++) {
		unsigned long before, reads;

		boot(&machine);
		/* In a VM to learn of a raw event takes time. */
		host.read_ns = 1;
		for (unsigned int i = 0; i < n; i++)
			open_errno(ATTR(events[i], .disabled = 1));
		host.read_ns = 0;
		for (unsigned int i = 0; i < n; i++)
			open_own(events[i]);
		perf_run(1000);
		before = all_calls();
		reads = fakesbi.reads;
		go_away(1000);
		check(all_calls() - before == 2 && fakesbi.reads == reads,
		      "snapshot.%s_switch_of_%u_events_makes_two_calls", firmware, n);
		perf_run(1000);
		check(all_right(), "snapshot.%s_switch_of_%u_events_keeps_counts", firmware, n);
	}
}

static void test_snapshot(void)
{
	struct machine machine = snapshot;
	struct perf_event *sampler, *firmware, *e;
	unsigned long before;
	u64 count;

	/* Firmware has dropped the shared memory; then it refuses to have it again. */
	boot(&snapshot);
	open_own(STANDARD_EVENT(1));
	open_own(4);
	sampler = open_sampler(6, 1000000);
	firmware = open_own(FIRMWARE_EVENT(1));
	perf_run(time_of(sampler, 900000));
	before = all_calls();
	perf_run(time_of(sampler, 200000));
	check(perf_model(sampler)->samples == 1 && all_calls() - before == 2,
	      "snapshot.sample_makes_two_calls");
	fakesbi.shmem = NULL;
	perf_resched();
	perf_run(100);
	check(fakesbi.shmem && all_right(), "snapshot.dropped_shmem_is_registered_again");
	perf_run(100);
	perf_read(firmware); /* what others have counted is in their CSRs */
	fakesbi.shmem = NULL;
	fakesbi.shmem_fails = 1;
	perf_resched();
	perf_run(3000000);
	perf_resched();
	check(!fakesbi.shmem && all_right() && is_sampled(sampler, 0),
	      "snapshot.refused_shmem_keeps_counts");
	fakesbi.shmem_fails = 0;
	perf_suspend(true);
	perf_run(100);
	check(fakesbi.shmem && all_right(), "snapshot.resume_registers_shmem_again");
	/* By kexec another kernel may get the page. */
	host_reboot(SYS_RESTART);
	check(!fakesbi.shmem, "snapshot.reboot_takes_shmem_back");

	/* Firmware has lost a counter, and saves nothing of it, without an error. */
	machine.quirks = QUIRK(UNUSED_SKIPPED);
	boot(&machine);
	e = open_own(4);
	perf_run(100);
	count = perf_read(e);
	hold(3, false);
	before = calls(SPEC_FID_START);
	perf_resched();
	perf_run(100);
	check(perf_read(e) == count + 100 * perf_model(e)->rate &&
	      calls(SPEC_FID_START) == before + 1,
	      "snapshot.counter_that_is_not_saved_is_configured_again");
	unload();

	/* A page that firmware may still write to is never used again. */
	boot(&snapshot);
	fakesbi.shmem_fails = 1;
	unload_unchecked();
	check(host_logged("this page is leaked") && host.allocations == 1,
	      "snapshot.page_that_firmware_keeps_is_leaked");
	free_page((unsigned long)fakesbi.shmem);
	fakesbi.shmem = NULL;
}

/* ---- delegated counters ---- */

static void less_3(void)	{ fakesbi.delegated &= ~BIT(3); }
static void less_one(void)	{ fakesbi.delegated &= ~BIT(4); }
static void no_sireg2(void)	{ fakesbi.no_sireg2 = true; }
static void constant(void)	{ fakesbi.constant = BIT(5); }
static void constant_cycle(void) { fakesbi.constant = BIT(0); }
static void unstoppable(void)	{ fakesbi.unstoppable = BIT(3); }
static void unstartable(void)	{ fakesbi.unstartable = BIT(3); }
static void no_smcntrpmf(void)	{ fakesbi.smcntrpmf = 0; }
static void no_selector(void)	{ fakesbi.event_bits = SPEC_EVENT_MINH | SPEC_EVENT_SINH; }

static void test_refused(void)
{
	static const struct {
		const char *what;
		void (*prepare)(void);
	} faults[] = {
		{ "counter_4_not_delegated_is_refused", less_one },
		{ "no_sireg2_is_refused", no_sireg2 },
		{ "programmable_value_that_stays_is_refused", constant },
		{ "cycle_that_stays_is_refused", constant_cycle },
		{ "counter_3_that_cannot_be_stopped_is_refused", unstoppable },
		{ "counter_3_that_cannot_be_started_is_refused", unstartable },
		{ "selector_that_is_not_kept_is_refused", no_selector },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(faults); i++) {
		struct machine machine = csr;
		int error;

		machine.prepare = faults[i].prepare;
		error = boot(&machine);
		check(error == -EOPNOTSUPP || (!error && open_errno(ATTR(5))), "delegation.%s",
		      faults[i].what);
		if (fakesbi.unstoppable)
			hold(3, false);
	}
}

CAN(can_hold_upto, code->idx >> 16 == SPEC_TYPE_FIRMWARE || idx <= 3 + code->idx % 3)

/* The events of firmware are learned at load; after that it is not asked. */
static void test_learned(void)
{
	struct machine machine = csr;
	struct perf_event *e;
	unsigned long before;
	int error;

	machine.can = can_hold_upto;
	boot(&machine);
	before = all_calls();
	e = open_own(STANDARD_EVENT(SPEC_GENERAL_CACHE_REFS));
	open_own(STANDARD_EVENT(SPEC_GENERAL_CACHE_MISSES));
	check(!open_errno(ATTR(0xbad)), "delegation.raw_event_on_all_programmable");
	check(fakesbi.ctr[3].running && (fakesbi.ctr[3].event & 0xffff) == SPEC_GENERAL_CACHE_REFS &&
	      (fakesbi.ctr[4].event & 0xffff) == SPEC_GENERAL_CACHE_MISSES,
	      "delegation.event_on_the_counters_of_firmware");
	perf_run(1000);
	go_away(1000);
	check(all_calls() == before, "delegation.firmware_is_not_asked_again");
	check(all_right(), "delegation.learned_events_count");
	check(!perf_open(ATTR(STANDARD_EVENT(SPEC_GENERAL_CACHE_REFS + 3)), current, -1, e, &error) &&
	      error == -EINVAL, "delegation.second_event_of_one_counter_does_not_join_its_group");
}

static void cycle_runs(void)
{
	fakesbi.ctr[0].running = fakesbi.ctr[2].running = true;
	fakesbi.ctr[0].code.idx = SPEC_GENERAL_CYCLES;
	fakesbi.ctr[2].code.idx = SPEC_GENERAL_INSTRUCTIONS;
}

/* Firmware is asked for one of its own counters, and takes a delegated one, perhaps in use. */
static void test_taken(void)
{
	struct machine machine = csr;
	struct perf_event *s;
	unsigned int writes;
	u64 instret;

	machine.quirks = QUIRK(RESET_CLEARS_FIXED) | QUIRK(SUSPEND_LOSES_EVENTS);
	machine.prepare = cycle_runs; /* for programs that read them */
	boot(&machine);
	perf_close(open_general(PERF_COUNT_HW_CPU_CYCLES));
	check(fakesbi.ctr[0].running && fakesbi.ctr[2].running, "delegation.cycle_runs_on_after_close");
	open_general(PERF_COUNT_HW_CPU_CYCLES);
	open_raw(5);
	open_raw(6);
	s = open_sampler(7, 1000);
	writes = fakesbi.inhibit_writes;
	perf_run(50);
	check(perf_model(s)->samples == 1 && fakesbi.inhibit_writes - writes == 2,
	      "pause.overflow_stops_and_starts_by_one_write_each");
	perf_suspend(true);
	check(fakesbi.ctr[2].running, "delegation.instret_runs_on_after_resume");
	instret = fakesbi.ctr[2].value;
	for (unsigned int n = 0; n < 1000; n++) {
		perf_run(1000);
		fakesbi.stray = 1;
		perf_close(open_raw(FIRMWARE_EVENT(n % 16)));
		fakesbi.stray = 0;
	}
	check(all_right(), "delegation.counter_that_firmware_takes_is_taken_back");
	check(fakesbi.ctr[2].running && fakesbi.ctr[2].value > instret,
	      "delegation.instret_that_firmware_takes_runs_on");
	unload_unchecked();
	check(fakesbi.ctr[0].running && fakesbi.ctr[2].running, "delegation.cycle_runs_on_after_unload");
	fakesbi.ctr[0].running = fakesbi.ctr[2].running = false;
}

/* Rows of a device tree as XiangShan's: 20 events, each on the eight counters of one unit, or five */
static bool unit(const struct fakesbi_code *code, unsigned int idx)
{
	const unsigned int n = code->idx >> 16 ? 10 + (code->idx & 0xff) : code->idx;
	const unsigned int first = 3 + n % 4 * 8;

	return code->idx >> 16 >= 2 || (n <= 20 && idx >= first && idx < first + 8);
}

/* SBI calls when CPU 1 comes online */
static unsigned long online_calls(void)
{
	unsigned long before;

	host_hotplug(1, false);
	before = calls_of(1);
	host.most_calls = 0;
	host_hotplug(1, true);
	return calls_of(1) - before;
}

/* What it costs to find out about delegated counters */
static void test_learning(const char *name,
			  bool (*rows)(const struct fakesbi_code *code, unsigned int idx))
{
	struct machine machine = {
		.hpm = 29, .firmware = 16, .cpus = 2, .delegated = true, .quirks = OPENSBI_NEW,
		.params = { "backend=sbi" }, .can = rows,
	};
	unsigned long without, load, other, online;
	unsigned long most;

	boot(&machine);
	without = online_calls();
	machine.params[0] = "backend=csr";
	boot(&machine);
	load = calls_of(0);
	other = calls_of(1);
	most = host.most_calls;
	online = online_calls();
	note("%s: %lu calls of CPU 0 at load, %lu of CPU 1, at most %lu with interrupts off", name,
	     load, other, most);
	note("%s: CPU 1 comes online: %lu, with backend=sbi %lu, at most %lu with interrupts off",
	     name, online, without, host.most_calls);
	check(online <= without + 50, "delegation.%s_cpu_is_compared_by_50_calls", name);
	/* To ask for all counters takes 65. */
	check(other <= without + 50 && most <= 65 && host.most_calls <= 50,
	      "delegation.%s_learns_with_interrupts_enabled_in_between", name);
	machine.params[0] = "xiangshan=v3";
	boot(&machine);
	note("%s: %lu calls of CPU 0 at load by default, %lu of CPU 1", name, calls_of(0),
	     calls_of(1));
	check(!strcmp(perf_sysfs("caps/backend"), "csr") && calls_of(0) < load + 150 &&
	      calls_of(1) < other + 150, "delegation.%s_is_learned_once", name);
}

/* Where counters are not delegated, firmware is not asked whether they are. */
static void test_not_delegated(void)
{
	struct machine machine = {};
	unsigned long by_default;

	boot(&machine);
	by_default = all_calls();
	machine.params[0] = "backend=sbi";
	boot(&machine);
	check(by_default == all_calls(), "delegation.costs_no_call_where_there_is_none");
}

CAN(not_counter_5, idx != 5 && unit(code, idx))

static void other_selector(void) { fakesbi_harts[1].odd_counters = 0xf8000000; }
static void other_rows(void)	{ fakesbi_harts[1].can = not_counter_5; }
static void other_fixed_filters(void) { fakesbi_harts[1].smcntrpmf = false; }
static void other_value(void)	{ fakesbi_harts[1].constant = BIT(5); }

static void other_filters(void)
{
	fakesbi_harts[0].smcntrpmf = fakesbi_harts[1].smcntrpmf = false;
	fakesbi_harts[1].event_bits = ~SPEC_EVENT_SINH;
}

/* A CPU whose counters differ has a PMU of its own, and none of that one stays in use. */
static void test_differs(void)
{
	static const struct {
		const char *what;
		void (*prepare)(void);
	} differences[] = {
		{ "selector_of_a_row", other_selector }, { "counters_of_a_row", other_rows },
		{ "filters", other_filters }, { "filters_of_cycle", other_fixed_filters },
		{ "counter_that_keeps_no_value", other_value },
	};
	struct machine machine = {
		.hpm = 29, .cpus = 2, .delegated = true, .can = unit, .params = { "backend=csr" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(differences); i++) {
		struct perf_event *e;
		int error;

		machine.prepare = differences[i].prepare;
		boot(&machine);
		e = perf_open(GENERAL(0), NULL, 1, NULL, &error);
		perf_run(1000);
		check(e && e->pmu == perf_core.pmus[1] && is_right(e) && perf_read(e) &&
		      !strcmp(perf_sysfs("cpus"), "0") &&
		      host_logged("CPU 1: its counters are not delegated as those of CPU 0"),
		      "delegation.cpu_with_other_%s_has_its_own_pmu", differences[i].what);
	}
}

static bool counts_m_mode(void)
{
	for (unsigned int i = 3; i < 7; i++)
		if (fakesbi.ctr[i].event & SPEC_EVENT_SELECTOR &&
		    !(fakesbi.ctr[i].event & SPEC_EVENT_MINH))
			return true;
	return false;
}

static unsigned int holders_of(u64 selector)
{
	unsigned int n = 0;

	for (unsigned int i = 3; i < 7; i++)
		n += (fakesbi.ctr[i].event & SPEC_EVENT_SELECTOR) == selector;
	return n;
}

static void test_csr(void)
{
	struct perf_event *leader, *e, *cycles, *s;
	unsigned long before, writes;
	struct machine machine = csr;
	int error;

	machine.width = 27;
	machine.quirks = QUIRK(SUSPEND_LOSES_EVENTS);
	boot(&machine);
	leader = open_own(5);
	for (unsigned int i = 0; i < 3; i++)
		e = perf_open(ATTR(6 + i), current, -1, leader, &error);
	cycles = open_own(STANDARD_EVENT(1));
	perf_run(100);
	before = all_calls();
	writes = fakesbi.inhibit_writes;
	go_away(100);
	note("%lu writes to scountinhibit for a switch and back",
	     fakesbi.inhibit_writes - writes);
	check(fakesbi.inhibit_writes - writes == 4, "pause.group_starts_and_stops_by_one_write_each");
	check(all_calls() == before, "delegation.switch_makes_no_call");
	perf_map(leader); /* so that it starts from 0 */
	host.irq_enabled[0] = false;
	perf_run(100000000);
	check(is_right(leader) && is_right(e) && is_right(cycles) && !fakesbi.lcofi,
	      "delegation.wrap_of_counting_event_makes_no_interrupt");
	host.irq_enabled[0] = true;
	check(!counts_m_mode(), "delegation.no_counter_counts_m_mode");
	fakesbi.boot_event &= ~SPEC_EVENT_MINH;
	perf_suspend(true);
	check(!counts_m_mode() && is_right(e), "delegation.no_counter_counts_m_mode_after_suspend");
	perf_close(leader);
	s = open_sampler(9, 10000);
	perf_run(1000);
	before = all_calls();
	perf_run(100000);
	check(is_sampled(s, 0) && is_right(s) && is_right(cycles) && all_calls() == before,
	      "delegation.samples_make_no_call");
	check(open_errno(ATTR(STANDARD_EVENT(1), .exclude_hv = 1)) == 0,
	      "delegation.exclude_hv_is_no_filter_where_all_counters_have_it");
	e = open_attr(ATTR(9, .exclude_hv = 1));
	check(e && holders_of(9) == 1, "delegation.exclude_hv_takes_no_second_counter");
	perf_close(e);
	before = perf_model(s)->samples;
	less_3();
	perf_run(100000);
	check(perf_model(s)->samples > before + 5 && host_logged("event descheduled"),
	      "delegation.event_leaves_counter_that_cannot_be_written");
	/* Before kexec: the next kernel may not have them stopped. */
	host_reboot(SYS_RESTART);
	check(!fakesbi.ctr[3].running && !fakesbi.ctr[4].running && !fakesbi.ctr[5].running,
	      "delegation.counters_are_stopped_before_reboot");
	perf_resched();
	check(s->state == PERF_EVENT_STATE_INACTIVE && !fakesbi.ctr[3].running,
	      "delegation.no_event_is_added_before_reboot");
	perf_close(s);
	perf_close(cycles);

	/* Without Smcntrpmf only programmable counters filter. */
	machine = csr;
	machine.prepare = no_smcntrpmf;
	boot(&machine);
	cycles = open_attr(GENERAL(0, .exclude_user = 1));
	perf_run(1000);
	check(cycles && is_right(cycles) && perf_read(cycles),
	      "delegation.without_smcntrpmf_programmable_counters_filter");
	perf_close(cycles);
	/* cycle counts M-mode. */
	e = open_attr(GENERAL(0, .exclude_hv = 1));
	check(e && holders_of(BIT_ULL(40) | 1) == 1 && !fakesbi.ctr[0].running,
	      "delegation.without_smcntrpmf_cycle_does_not_exclude_hv");

	/* With it the fixed ones do, too. */
	machine.prepare = NULL;
	machine.no_hpm = true;
	if (!boot(&machine)) {
		cycles = open_attr(GENERAL(0, .exclude_user = 1));
		perf_run(1000);
		check(cycles && is_right(cycles) && perf_read(cycles),
		      "delegation.filtered_cycles_need_no_programmable_counter");
	}
}

static struct spec_snapshot page __attribute__((aligned(sizeof(struct spec_snapshot))));

/* What another kernel has left is released at load. */
static void leftover(void)
{
	fakesbi.shmem = &page;
	for (unsigned int i = 3; i < 5; i++) {
		hold(i, true);
		fakesbi.ctr[i].code = (struct fakesbi_code){ .idx = RAW, .data = 77 };
	}
}

static void test_leftover(const char *mode, const struct machine *like, bool shared)
{
	struct machine machine = *like;
	struct perf_event *e;

	machine.prepare = leftover;
	machine.quirks = QUIRK(SHMEM_LEAKS);
	boot(&machine);
	check(fakesbi.ctr[3].running == shared && (fakesbi.shmem == &page) == shared &&
	      !fakesbi.broken, "power.%s_mode_%s_foreign_counters", mode,
	      shared ? "leaves" : "releases");
	e = open_raw(5);
	perf_run(100);
	check(is_right(e) && perf_read(e), "power.%s_mode_uses_free_counter", mode);
	unload_unchecked();
	check(fakesbi.ctr[3].running == shared && fakesbi.ctr[4].running == shared,
	      "power.%s_mode_unload_%s_foreign_counters", mode, shared ? "leaves" : "releases");
	hold(3, false);
	hold(4, false);
	fakesbi.shmem = NULL;
}

/* The kernel before has left an event where firmware configures none; it counts once only. */
CAN(not_counter_3, code->idx >= RAW || idx != 3)

static void left_on_3(void)
{
	fakesbi_harts[1].ctr[3].code.idx = SPEC_GENERAL_CACHE_MISSES;
	fakesbi_harts[1].ctr[3].event = model_event(&fakesbi_harts[1].ctr[3].code);
}

static void test_leftover_event(void)
{
	struct perf_event *e;

	boot(&(struct machine){ .cpus = 2, .delegated = true, .quirks = QUIRK(TIED),
				.can = not_counter_3, .prepare = left_on_3,
				.params = { "backend=csr" } });
	e = perf_open(GENERAL(PERF_COUNT_HW_CACHE_MISSES), NULL, 1, NULL, &(int){ 0 });
	perf_run(100);
	check(is_right(e) && perf_read(e), "delegation.event_of_the_kernel_before_is_cleared");
}

/* ---- widths, and low-power states ---- */

static void test_widths(void)
{
	static const unsigned int widths[] = { 27, 32, 40, 48, 63 };
	struct perf_event *e, *idle;

	for (unsigned int i = 0; i < ARRAY_SIZE(widths); i++) {
		const u64 poll = BIT_ULL(widths[i] - 1) / 64;

		boot(&(struct machine){ .width = widths[i], .params = { "backend=sbi" } });
		check(host_next_timer(~0ULL >> 2) == ~0ULL >> 2, "power.no_poll_without_events");
		e = open_raw(63); /* a high rate */
		check(host_next_timer(~0ULL >> 2) <= poll, "power.counter_of_%u_bits_is_polled",
		      widths[i]);
		perf_run(poll * 3);
		check(is_right(e), "power.polled_counter_of_%u_bits_wraps", widths[i]);
		idle = open_raw(FIRMWARE_EVENT(2));
		perf_disable(e);
		perf_run(poll * 2);
		check(host_next_timer(~0ULL >> 2) == ~0ULL >> 2,
		      "power.firmware_counter_beside_%u_bits_is_not_polled", widths[i]);
		check(is_right(e) && is_right(idle), "power.counts_beside_%u_bits", widths[i]);
	}
	boot(&(struct machine){ .params = { "backend=sbi" } });
	e = open_raw(5);
	check(host_next_timer(~0ULL >> 2) == ~0ULL >> 2, "power.counter_of_64_bits_is_not_polled");

	boot(&(struct machine){ .prepare = narrow_by_tree, .params = { "backend=sbi" } });
	e = open_raw(63);
	perf_run(60 * NSEC_PER_SEC);
	check(is_right(e), "power.counter_of_measured_width_wraps");
	boot(&(struct machine){ .width = 40, .params = { "backend=sbi", "width=32" } });
	e = open_raw(63);
	check(host_next_timer(~0ULL >> 2) <= BIT_ULL(31) / 64, "power.width_is_limited");
}

/* It may have missed what happened in @ns. */
static void forgive(struct perf_event *e, u64 ns)
{
	struct perf_model *m = perf_model(e);
	const u64 count = perf_read(e);

	if (count <= m->happened && m->happened - count <= ns * m->rate)
		m->happened = count;
}

static void test_resume(const char *loses, u64 quirks, unsigned int configs)
{
	struct perf_event *e, *cycles, *fw, *stopped;
	unsigned long before;

	boot(&(struct machine){ .quirks = quirks, .params = { "backend=sbi" } });
	e = open_raw(5);
	cycles = open_general(PERF_COUNT_HW_CPU_CYCLES);
	fw = open_raw(FIRMWARE_EVENT(3));
	stopped = open_raw(6);
	perf_run(100);
	perf_disable(stopped);
	/* Two reads show that a counter counts, if they take time. */
	before = calls(SPEC_FID_CONFIG_MATCHING);
	host.read_ns = 1;
	perf_suspend(true);
	host.read_ns = 0;
	check(calls(SPEC_FID_CONFIG_MATCHING) - before == configs,
	      "power.resume_losing_%s_configures_%u_counters", loses, configs);
	forgive(e, 20);
	forgive(cycles, 20);
	forgive(fw, 10);
	perf_run(100);
	check(all_right(), "power.suspend_losing_%s_keeps_counts", loses);
	perf_enable(stopped);
	perf_run(100);
	check(is_right(stopped), "power.stopped_event_counts_after_suspend_losing_%s", loses);
}

/* Firmware restores events, but not the filter of cycle. */
static void test_resume_filter(void)
{
	struct perf_event *raw, *user;

	boot(&(struct machine){ .quirks = QUIRK(SUSPEND_LOSES_FIXED_FILTERS), .smcntrpmf = BIT(0),
				.params = { "backend=sbi" } });
	raw = open_raw(5);
	user = open_attr(GENERAL(0, .exclude_kernel = 1));
	perf_run(100);
	host.read_ns = 1;
	perf_suspend(true);
	host.read_ns = 0;
	forgive(raw, 20);
	forgive(user, 20);
	perf_run(100);
	check(fakesbi.ctr[0].code.flags && is_right(raw) && is_right(user),
	      "power.filter_of_cycle_is_set_again");
}

void test_backends(void)
{
	test_snapshot_switch("plain", 0);
	test_snapshot_switch("kvm", KVM);
	test_snapshot();
	test_refused();
	test_learned();
	test_taken();
	test_learning("all_rows", NULL);
	test_learning("units", unit);
	test_not_delegated();
	test_differs();
	test_csr();
	test_leftover("exclusive", &(struct machine){ .params = { "backend=sbi" } }, false);
	test_leftover("snapshot", &snapshot, false);
	test_leftover("csr", &csr, false);
	test_leftover("shared", &(struct machine){ .other = "cpu" }, true);
	test_leftover_event();
	test_widths();
	test_resume_filter();
	test_resume("nothing", 0, 0);
	test_resume("values", QUIRK(SUSPEND_LOSES_VALUES), 0);
	test_resume("events", QUIRK(SUSPEND_LOSES_EVENTS), 3);
	test_resume("all", QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES), 3);
}
