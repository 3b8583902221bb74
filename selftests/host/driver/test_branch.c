// SPDX-License-Identifier: GPL-2.0-only
/* test_branch: branch records: which are in samples, of whom, and when nothing is recorded. */
#include "test.h"

#define USER		PERF_SAMPLE_BRANCH_USER
#define KERNEL		PERF_SAMPLE_BRANCH_KERNEL
#define HV		PERF_SAMPLE_BRANCH_HV
#define ANY		PERF_SAMPLE_BRANCH_ANY
#define CALL_STACK	PERF_SAMPLE_BRANCH_CALL_STACK
#define KERNEL_CODE	0xffffffff80200000ULL

/* Optional bits of sctrctl and ctrdata are missing: kinds cannot be left out, or are not told. */
static void lack(u64 control, u64 data)
{
	for (unsigned int i = 0; i < FAKESBI_HARTS; i++) {
		fakesbi_harts[i].branches.least = 16;
		fakesbi_harts[i].branches.most = 256;
		fakesbi_harts[i].branches.no_control = control;
		fakesbi_harts[i].branches.no_data = data;
	}
}

static void records_branches(void) { lack(0, 0); }
static void no_inhibits(void) { lack(SPEC_CTR_INHIBIT, 0); }
static void no_call_stack(void) { lack(SPEC_CTR_RASEMU, 0); }
static void no_types(void) { lack(0, SPEC_CTR_TYPE); }
static void neither(void) { lack(SPEC_CTR_INHIBIT, SPEC_CTR_TYPE); }
static void neither_of_traps(void) { lack(0xeULL << 32, SPEC_CTR_TYPE); }
static void nothing_optional(void)
{
	lack(SPEC_CTR_INHIBIT | SPEC_CTR_RASEMU, ~0ULL);
	fakesbi.branches.no_target = SPEC_CTR_MISPREDICTED;
}

static void fixed_cycles(void) { records_branches(); fakesbi.can = is_not_cycles; }
static void no_sched_cb(void) { records_branches(); no_kallsyms(); }
static void at_most_16(void) { records_branches(); fakesbi.branches.most = 16; }
static void at_least_256(void) { records_branches(); fakesbi.branches.least = 256; }
static void other_cpu_has_16(void) { records_branches(); fakesbi_harts[1].branches.most = 16; }
static void other_cpu_inhibits_less(void) { records_branches(); fakesbi_harts[1].branches.no_control = BIT_ULL(37); }
static void other_cpu_has_no_types(void) { records_branches(); fakesbi_harts[1].branches.no_data = SPEC_CTR_TYPE; }
static void other_cpu_has_none(void) { records_branches(); fakesbi_harts[1].branches.most = 0; }

static void other_core_has_none(void)
{
	other_cpu_has_none();
	host.arch = 1;
	host.other_arch = 2;
}

/* Its interrupt freezes nothing. */
static void thead(void)
{
	records_branches();
	host.vendor = 0x5b7;
	fakesbi.sscofpmf = true;
	fakesbi.overflow_csr = 0x5c5;
	fakesbi.quirks |= QUIRK(FIXED_HOMOGENEOUS);
}

static const struct machine lcofi = { .quirks = OPENSBI_NEW, .prepare = records_branches };
static const struct machine two_cpus = { .cpus = 2, .prepare = records_branches };
static const struct machine by_timer = { .prepare = records_branches,
					 .params = { "overflow=timer" } };

static const struct machine without_types = { .prepare = no_types };
static const struct machine without_either = { .prepare = neither };
static const struct machine without_either_of_traps = { .prepare = neither_of_traps };

static const struct machine by_thead = { .isa = "", .prepare = thead };

#define SAMPLER(branches, ...)								\
	ATTR(5, .sample_period = 10000, .sample_type = PERF_SAMPLE_BRANCH_STACK,	\
	     .branch_sample_type = branches, ##__VA_ARGS__)

/* ---- what is there ---- */

static void test_found(void)
{
	static const struct {
		const char *name, *entries, *log;
		struct machine machine;
		int error;
	} rows[] = {
		{ "found", "32", "), 32 branch records", { .prepare = records_branches, .params = { "overflow=timer" } } },
		{ "16_wanted", "16", "16 branch records", { .prepare = records_branches, .params = { "branches=16" } } },
		{ "64_wanted", "64", "64 branch records", { .prepare = records_branches, .params = { "branches=64" } } },
		{ "none_wanted", "0", NULL, { .prepare = records_branches, .params = { "branches=0" } } },
		{ "17_wanted", NULL, "branches=17: 0, 16, 32 and 64", { .params = { "branches=17" } }, -EINVAL },
		{ "core_has_16", "16", "16 branch records", { .prepare = at_most_16 } },
		{ "core_has_256", "32", "32 branch records", { .prepare = at_least_256 } },
		{ "core_has_none", "0", NULL, {} },
		{ "firmware_gives_none", "0", "OpenSBI does since 1.7", { .isa = " sscofpmf ssctr " } },
		{ "kvm", "0", NULL, { .quirks = KVM, .prepare = records_branches } },
		{ "no_samples", "0", NULL, { .prepare = no_sched_cb } },
		{ "cpus_differ", "0", "there are no branch stacks", { .cpus = 2, .prepare = other_cpu_has_16 } },
		{ "one_cpu_has_none", "0", "there are no branch stacks", { .cpus = 2, .prepare = other_cpu_has_none } },
		{ "cpus_inhibit_differently", "0", "there are no branch stacks", { .cpus = 2, .prepare = other_cpu_inhibits_less } },
		{ "one_cpu_has_no_types", "0", "there are no branch stacks", { .cpus = 2, .prepare = other_cpu_has_no_types } },
		{ "without_types", "32", "32 branch records without types", { .prepare = no_types } },
		{ "other_core_has_none", "32", "32 branch records", { .cpus = 2, .prepare = other_core_has_none } },
		{ "guests_see", "32", "KVM guests can read the host's branch records", { .isa = " sscofpmf h ", .prepare = records_branches } },
		{ "guests_do_not_see", "32", NULL, { .isa = " sscofpmf h smstateen ", .prepare = records_branches } },
		{ "guests_have_nothing_to_see", "0", NULL, { .isa = " sscofpmf h " } },
		{ "shared", "32", "32 branch records", { .other = "cpu", .prepare = records_branches } },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const int error = boot(&rows[i].machine);
		const char *entries = error ? NULL : perf_sysfs("caps/branches");

		check(error == rows[i].error && (!entries || !strcmp(entries, rows[i].entries)) &&
		      (!rows[i].log || host_logged(rows[i].log)) &&
		      host_logged("(Ssctr)") == !strcmp(rows[i].name, "firmware_gives_none") &&
		      host_logged("KVM guests") == !strcmp(rows[i].name, "guests_see"), "branch.%s", rows[i].name);
		if (!error && !strcmp(rows[i].entries, "0"))
			check(!host_logged("branch records") && !open_errno(GENERAL(0)) &&
			      open_errno(SAMPLER(USER | ANY)) == -EOPNOTSUPP,
			      "branch.%s_is_eopnotsupp", rows[i].name);
		host_reboot(SYS_POWER_OFF);
	}
}

/* A CPU that comes online later must be like the others, or what it lacks is left alone there. */
static void test_late_cpu(const struct machine *machine, const char *name)
{
	boot(machine);
	perf_hotplug(1, false);
	fakesbi_harts[1].branches.most = 0;
	fakesbi_harts[1].delegated = 0;
	perf_hotplug(1, true);
	check(host_logged("CPU 1 does not record branches as CPU 0") &&
	      !strcmp(perf_sysfs("cpus"), "0"), "%s_without_has_no_events", name);
	host_run_cpu(1);
	perf_suspend(true);
	host_run_cpu(0);
	host_reboot(SYS_POWER_OFF);
}

/* ---- what can be asked for ---- */

static void test_errors(void)
{
	struct perf_event *leader;
	int error = 0;
	static const struct {
		const char *name;
		const struct machine *machine;
		u64 branches;
		int error;
	} rows[] = {
		{ "any_of_user", &lcofi, USER | ANY, 0 },
		{ "defaults", &lcofi, USER | KERNEL | HV | ANY, 0 },
		{ "hv_alone", &lcofi, HV | ANY, -EOPNOTSUPP },
		{ "no_kind", &lcofi, USER | PERF_SAMPLE_BRANCH_NO_FLAGS, -EINVAL },
		{ "in_tx", &lcofi, USER | ANY | PERF_SAMPLE_BRANCH_IN_TX, -EOPNOTSUPP },
		{ "abort_tx", &lcofi, USER | PERF_SAMPLE_BRANCH_ABORT_TX, -EOPNOTSUPP },
		{ "counters", &lcofi, USER | ANY | 1 << 19, -EOPNOTSUPP },
		{ "kernel", &lcofi, KERNEL | ANY, 0 },
		{ "kernel_by_timer", &by_timer, KERNEL | ANY, -EOPNOTSUPP },
		{ "kernel_by_thead", &by_thead, KERNEL | ANY, -EOPNOTSUPP },
		{ "defaults_by_timer", &by_timer, USER | KERNEL | HV | ANY, 0 },
		{ "call_stack", &lcofi, USER | CALL_STACK, 0 },
		{ "call_stack_of_kernel", &lcofi, USER | KERNEL | CALL_STACK, -EOPNOTSUPP },
		{ "any_without_either", &without_either, USER | KERNEL | ANY, 0 },
		{ "call_stack_without_either", &without_either, USER | CALL_STACK, 0 },
		{ "cond_without_either", &without_either, USER | PERF_SAMPLE_BRANCH_COND, -EOPNOTSUPP },
		{ "cond_if_traps_have_neither", &without_either_of_traps, USER | PERF_SAMPLE_BRANCH_COND, 0 },
		{ "cond_of_kernel_if_traps_have_neither", &without_either_of_traps,
		  USER | KERNEL | PERF_SAMPLE_BRANCH_COND, -EOPNOTSUPP },
		{ "call_stack_and_cond", &lcofi, USER | CALL_STACK | PERF_SAMPLE_BRANCH_COND, -EINVAL },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		int error;

		boot(rows[i].machine);
		error = open_errno(SAMPLER(rows[i].branches));
		if (error != rows[i].error)
			note("%d", error);
		check(error == rows[i].error, "branch.errno_of_%s", rows[i].name);
	}
	boot(&lcofi);
	check(open_errno(ATTR(5, .sample_type = PERF_SAMPLE_BRANCH_STACK,
			      .branch_sample_type = USER | ANY)) == -EOPNOTSUPP,
	      "branch.counting_event_is_eopnotsupp");
	leader = open_task(SAMPLER(USER | ANY));
	perf_open(SAMPLER(USER | CALL_STACK), current, -1, leader, &error);
	check(error == -EINVAL, "branch.call_stack_in_group_of_other_kinds_is_einval");
	perf_open(SAMPLER(USER | PERF_SAMPLE_BRANCH_COND), current, -1, leader, &error);
	check(!error, "branch.group_of_other_kinds_opens");
	boot(&without_types);
	leader = open_task(SAMPLER(USER | ANY));
	perf_open(SAMPLER(USER | PERF_SAMPLE_BRANCH_COND), current, -1, leader, &error);
	check(error == -EINVAL, "branch.group_of_kinds_that_are_not_told_is_einval");
}

/* ---- samples ---- */

/* The @n-th branch of user mode or of the kernel */
static u64 user_at(unsigned int n) { return 0x10000 + n * 8; }
static u64 kernel_at(unsigned int n) { return KERNEL_CODE + n * 8; }

static void user_branches(unsigned int first, unsigned int n)
{
	for (unsigned int i = first; i < first + n; i++)
		fakesbi_branch(FAKESBI_USER, FAKESBI_USER, SPEC_CTR_TAKEN, user_at(i), user_at(i) + 4, 0);
}

static void system_call(void)
{
	fakesbi_branch(FAKESBI_USER, FAKESBI_KERNEL, SPEC_CTR_EXCEPTION, user_at(100), kernel_at(0), 0);
	fakesbi_branch(FAKESBI_KERNEL, FAKESBI_KERNEL, SPEC_CTR_DIRECT_CALL, kernel_at(1), kernel_at(2), 0);
	/* A call of firmware */
	fakesbi_branch(FAKESBI_KERNEL, FAKESBI_FIRMWARE, SPEC_CTR_EXCEPTION, kernel_at(3), 0x80000000, 0);
	fakesbi_branch(FAKESBI_FIRMWARE, FAKESBI_KERNEL, SPEC_CTR_TRAP_RETURN, 0x80000100, kernel_at(4), 0);
	/* To a guest, whose records are not wanted */
	fakesbi_branch(FAKESBI_KERNEL, FAKESBI_GUEST, SPEC_CTR_TRAP_RETURN, kernel_at(6), 0x1000, 0);
	fakesbi_branch(FAKESBI_GUEST, FAKESBI_KERNEL, SPEC_CTR_INTERRUPT, 0x1004, kernel_at(7), 0);
	fakesbi_branch(FAKESBI_KERNEL, FAKESBI_USER, SPEC_CTR_TRAP_RETURN, kernel_at(5), user_at(101), 0);
}

/* Sample now: run to the end of the period. Return: the number of branches, -1: no sample */
static int sample(struct perf_event *e)
{
	const u64 before = perf_model(e)->samples;

	for (unsigned int i = 0; i < 20000 && perf_model(e)->samples == before; i++)
		perf_run(1000);
	return perf_model(e)->samples == before ? -1 : perf_model(e)->branches;
}

static const struct perf_branch_entry *branch(struct perf_event *e, unsigned int i)
{
	return &perf_model(e)->branch[i];
}

/* Of which kind is that exception in a sample? @insn: the program's instruction there, 0: not readable */
static int exception_type(struct perf_event *e, u32 insn)
{
	int n;

	host.insn = insn;
	system_call();
	n = sample(e);
	for (int i = 0; i < n; i++)
		if (branch(e, i)->from == user_at(100))
			return branch(e, i)->type;
	return -1;
}

/* Has any entry an end in the kernel, or in firmware? */
static unsigned int kernel_ends(struct perf_event *e)
{
	unsigned int n = 0;

	for (int i = 0; i < perf_model(e)->branches; i++)
		n += branch(e, i)->from >> 63 || branch(e, i)->to >> 63 || !branch(e, i)->from;
	return n;
}

static void test_samples(const struct machine *machine, const char *name)
{
	struct perf_event *e;

	boot(machine);
	host.regs.user = true;
	e = open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	user_branches(0, 5);
	check(sample(e) == 5 && branch(e, 0)->from == user_at(4) && branch(e, 0)->to == user_at(4) + 4 &&
	      branch(e, 4)->from == user_at(0), "%s_newest_branch_is_first", name);
	check(!branch(e, 0)->type && !branch(e, 0)->priv && !branch(e, 0)->cycles &&
	      !branch(e, 0)->mispred && !branch(e, 0)->predicted, "%s_unknown_is_zero", name);
	user_branches(5, 100);
	check(sample(e) == 32 && branch(e, 0)->from == user_at(104) &&
	      branch(e, 31)->from == user_at(73), "%s_sample_has_32_branches", name);
	system_call();
	user_branches(0, 3);
	check(sample(e) == 32 && !kernel_ends(e) && branch(e, 3)->from == user_at(104),
	      "%s_user_does_not_see_the_kernel", name);
	perf_disable(e);
	check(!fakesbi.branches.control, "%s_nothing_is_recorded_without_event", name);
}

/* The kernel's branches up to the overflow, but not the handler's */
static void test_kernel(void)
{
	struct perf_event *e, *both, *user;

	boot(&lcofi);
	e = open_task(SAMPLER(KERNEL | ANY));
	system_call();
	check(sample(e) == 1 && branch(e, 0)->from == kernel_at(1), "branch.kernel_has_both_ends_there");
	check(!(fakesbi.branches.control & SPEC_CTR_U),
	      "branch.user_is_not_recorded_when_nobody_asks");
	both = open_task(SAMPLER(USER | KERNEL | ANY));
	user_branches(0, 1);
	system_call();
	check(sample(both) == 4 && branch(both, 0)->from == kernel_at(5) &&
	      branch(both, 2)->to == kernel_at(0) && branch(both, 3)->from == user_at(0),
	      "branch.both_modes_have_what_is_between");
	check(sample(e) == 1, "branch.kernel_does_not_get_what_another_asks_for");
	user = open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	host.regs.user = true;
	user_branches(0, 2);
	system_call();
	user_branches(2, 2);
	check(sample(user) == 4 && !kernel_ends(user),
	      "branch.user_does_not_see_what_another_records_of_the_kernel");
	perf_close(both);
	both = open_task(SAMPLER(USER | KERNEL | ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE));
	check(exception_type(both, 0x73) == PERF_BR_SYSCALL, "branch.system_call_is_told");
	check(exception_type(both, 0x9002) == PERF_BR_UNKNOWN, "branch.other_exception_is_unknown");
	check(exception_type(both, 0) == PERF_BR_UNKNOWN, "branch.exception_of_unreadable_text_is_unknown");
	perf_close(e);
	perf_close(both);
	check(fakesbi.branches.control & SPEC_CTR_U && !(fakesbi.branches.control & SPEC_CTR_S) &&
	      fakesbi.branches.entry[0].source, "branch.kernel_is_not_recorded_when_nobody_asks_any_more");
}

/* After an interrupt was lost, or when another event's overflow is served. */
static void test_frozen(void)
{
	struct perf_event *e, *other;

	boot(&lcofi);
	e = open_task(SAMPLER(USER | KERNEL | ANY));
	other = open_task(ATTR(6, .sample_period = 300));
	system_call();
	sample(other);
	check(!fakesbi.branches.frozen, "branch.others_sample_lets_them_go_on");
	perf_close(other);
	perf_close(e);
	/* As the kernel before this one may leave it */
	fakesbi.branches.frozen = true;
	open_task(SAMPLER(USER | KERNEL | ANY));
	check(!fakesbi.branches.frozen, "branch.first_event_lets_them_go_on");
	fakesbi.lcofi = true;
	perf_run(1);
	check(!fakesbi.branches.frozen, "branch.spurious_interrupt_lets_them_go_on");

	/* Not frozen: the newest of the kernel's are the handler's. */
	boot(&lcofi);
	e = open_task(SAMPLER(USER | KERNEL | ANY));
	host.irq_enabled[0] = false;
	user_branches(0, 2);
	system_call();
	for (unsigned int i = 0; i < 100 && !perf_model(e)->samples; i++) {
		fakesbi.lcofi = false;
		perf_run(4000000);
		perf_tick();
	}
	check(perf_model(e)->samples && !kernel_ends(e), "branch.missed_interrupt_shows_only_user_mode");
	host.irq_enabled[0] = true;
}

static void test_shared(void)
{
	struct perf_event *e;

	boot(&(struct machine){ .other = "cpu", .prepare = records_branches });
	host.regs.user = true;
	e = open_task(SAMPLER(USER | KERNEL | ANY));
	user_branches(0, 2);
	check(!(fakesbi.branches.control & (SPEC_CTR_LCOFIFRZ | SPEC_CTR_S)),
	      "branch.interrupt_of_another_driver_freezes_nothing");
	check(sample(e) == 2, "branch.shared_mode_samples");
	boot(&by_thead);
	host.regs.user = true;
	e = open_task(SAMPLER(USER | KERNEL | ANY));
	user_branches(0, 2);
	check(sample(e) == 2 && !fakesbi.branches.frozen && !strcmp(perf_sysfs("caps/overflow"), "thead"),
	      "branch.interrupt_without_freeze_samples_user_mode");
	/* An event of a counter that does not interrupt, where others do */
	boot(&(struct machine){ .prepare = fixed_cycles });
	check(!strcmp(perf_sysfs("caps/overflow"), "lcofi") &&
	      open_errno(ATTR(STANDARD_EVENT(1), .sample_period = 10000,
			      .sample_type = PERF_SAMPLE_BRANCH_STACK,
			      .branch_sample_type = KERNEL | ANY)) == -EOPNOTSUPP,
	      "branch.kernel_of_event_by_timer_is_eopnotsupp");
	open_task(ATTR(STANDARD_EVENT(1), .sample_period = 10000,
		       .sample_type = PERF_SAMPLE_BRANCH_STACK,
		       .branch_sample_type = USER | KERNEL | ANY));
	check(fakesbi.branches.control & SPEC_CTR_U && !(fakesbi.branches.control & SPEC_CTR_S),
	      "branch.event_by_timer_records_user_mode");
}

/* ---- filters ---- */

static void one_of_each(void)
{
	for (unsigned int type = SPEC_CTR_NOT_TAKEN; type <= SPEC_CTR_OTHER_DIRECT; type++)
		if (type < 6 || type > 7)
			fakesbi_branch(FAKESBI_USER, FAKESBI_USER, type, user_at(type), user_at(type) + 4,
				       0);
}

static void test_filters(void)
{
	static const struct {
		const char *name;
		u64 kind;
		u32 types;
	} rows[] = {
		{ "any", ANY, 0xff20 },
		{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL,
		  BIT(SPEC_CTR_INDIRECT_CALL) | BIT(SPEC_CTR_DIRECT_CALL) | BIT(SPEC_CTR_COROUTINE_SWAP) },
		{ "any_return", PERF_SAMPLE_BRANCH_ANY_RETURN,
		  BIT(SPEC_CTR_RETURN) | BIT(SPEC_CTR_COROUTINE_SWAP) },
		{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL,
		  BIT(SPEC_CTR_INDIRECT_CALL) | BIT(SPEC_CTR_COROUTINE_SWAP) },
		{ "ind_jump", PERF_SAMPLE_BRANCH_IND_JUMP,
		  BIT(SPEC_CTR_INDIRECT_JUMP) | BIT(SPEC_CTR_OTHER_INDIRECT) },
		{ "cond", PERF_SAMPLE_BRANCH_COND, BIT(SPEC_CTR_TAKEN) },
		{ "call", PERF_SAMPLE_BRANCH_CALL, BIT(SPEC_CTR_DIRECT_CALL) },
		{ "call_or_cond", PERF_SAMPLE_BRANCH_CALL | PERF_SAMPLE_BRANCH_COND,
		  BIT(SPEC_CTR_TAKEN) | BIT(SPEC_CTR_DIRECT_CALL) },
	};

	static const struct {
		struct machine machine;
		bool beside;
	} cores[] = {
		{ { .prepare = records_branches }, false }, { { .prepare = records_branches }, true },
		{ { .prepare = no_inhibits }, false },
		{ { .prepare = no_types }, false }, { { .prepare = no_types }, true },
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(cores); n++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
			struct perf_event *e;
			u32 types = 0;

			boot(&cores[n].machine);
			if (cores[n].beside)
				open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
			e = open_task(SAMPLER(USER | rows[i].kind | PERF_SAMPLE_BRANCH_TYPE_SAVE,
					      .exclude_kernel = 1));
			/* Those of which records do not tell which is whose take turns. */
			if (e->state != PERF_EVENT_STATE_ACTIVE)
				perf_rotate();
			one_of_each();
			check(fakesbi.branches.no_control || (cores[n].beside && !fakesbi.branches.no_data) ||
			      fakesbi.branches.entry[hweight64(rows[i].types)].source == 0,
			      "branch.%s_is_all_that_is_recorded_%u", rows[i].name, n);
			for (int b = sample(e); b > 0; b--)
				types |= BIT((branch(e, b - 1)->from - user_at(0)) / 8);
			check(types == rows[i].types && !branch(e, 0)->type == (fakesbi.branches.no_data != 0),
			      "branch.%s_filters_%u", rows[i].name, n);
		}
	}
}

static void make_calls(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fakesbi_branch(FAKESBI_USER, FAKESBI_USER, SPEC_CTR_DIRECT_CALL, user_at(i), user_at(i + 1), 0);
}

static void test_call_stack(void)
{
	struct perf_event *e, *other;
	u64 samples;

	boot(&lcofi);
	e = open_task(SAMPLER(USER | CALL_STACK, .exclude_kernel = 1));
	make_calls(3);
	fakesbi_branch(FAKESBI_USER, FAKESBI_USER, SPEC_CTR_RETURN, user_at(4), user_at(2), 0);
	check(sample(e) == 2 && branch(e, 0)->from == user_at(1),
	      "branch.call_stack_has_calls_that_have_not_returned");
	/* Neither is wrong because of the other: they take turns. */
	other = open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	check(e->state == PERF_EVENT_STATE_ACTIVE && other->state == PERF_EVENT_STATE_INACTIVE,
	      "branch.call_stack_and_another_do_not_go_together");
	samples = perf_model(e)->samples;
	perf_rotate();
	user_branches(0, 3);
	check(sample(other) == 3 && perf_model(e)->samples == samples,
	      "branch.call_stack_takes_turns_with_another");
}

/* The callers of a task are the same after it has waited, unless it has run elsewhere. */
static void test_kept_calls(void)
{
	struct mm_struct exec = {};
	struct perf_event *e, *cpu;
	bool kept = true;

	boot(&two_cpus);
	host.regs.user = true;
	e = open_task(SAMPLER(USER | CALL_STACK, .exclude_kernel = 1));
	make_calls(3);
	for (unsigned int i = 0; i < 3; i++) {
		perf_switch(&perf_core.task[1]);
		make_calls(7);
		perf_switch(&perf_core.task[0]);
		kept = kept && sample(e) == 3 && branch(e, 0)->from == user_at(2) &&
		       branch(e, 2)->from == user_at(0);
	}
	check(kept, "branch.calls_are_kept_over_switches");
	fakesbi_branch(FAKESBI_USER, FAKESBI_USER, SPEC_CTR_RETURN, user_at(4), user_at(2), 0);
	check(sample(e) == 2, "branch.kept_call_returns");
	/* As if it had run on a CPU where this event does not go */
	perf_switch(&perf_core.task[1]);
	perf_core.task[0].nivcsw++;
	perf_switch(&perf_core.task[0]);
	check(sample(e) == 0, "branch.calls_of_before_another_switch_are_not_restored");
	make_calls(3);
	perf_core.task[0].mm = &exec;
	perf_switch(&perf_core.task[1]);
	perf_switch(&perf_core.task[0]);
	check(sample(e) == 0, "branch.calls_of_before_exec_are_not_restored");
	perf_core.task[0].mm = &perf_core.mm[0];
	sample(e);
	make_calls(3);
	/* Perf core may give the event of one task to another: those inherited are alike. */
	perf_switch(&perf_core.task[1]);
	e->hw.target = &perf_core.task[1];
	perf_switch(&perf_core.task[2]);
	perf_core.task[1].nvcsw = perf_core.task[0].nvcsw;
	perf_core.task[1].nivcsw = perf_core.task[0].nivcsw;
	perf_switch(&perf_core.task[1]);
	check(sample(e) == 0, "branch.calls_of_another_task_are_not_restored");
	perf_close(e);
	cpu = open_attr(SAMPLER(USER | CALL_STACK, .exclude_kernel = 1));
	make_calls(3);
	perf_switch(&perf_core.task[2]);
	check(sample(cpu) == 0, "branch.calls_of_a_cpu_are_cleared_at_a_switch");
}

/* They are kept once, however many of its events ask for them, and its user pays for each. */
static void test_kept_once(void)
{
	struct perf_event *e = NULL;
	unsigned int accesses;

	boot(&lcofi);
	host.regs.user = true;
	for (unsigned int i = 0; i < 4; i++)
		e = open_task(SAMPLER(USER | CALL_STACK, .exclude_kernel = 1));
	make_calls(100);
	accesses = -fakesbi.branches.accesses;
	go_away(1);
	accesses += fakesbi.branches.accesses;
	check(sample(e) == 32 && host.accounted >= 4 * 32 * sizeof(struct fakesbi_record),
	      "branch.calls_are_kept_for_all_events_and_charged");
	check(accesses == 64, "branch.calls_are_read_and_written_once");
}

/* ---- what an entry says ---- */

static void test_entries(void)
{
	static const struct {
		u64 exponent, mantissa;
		unsigned int cycles;
	} rows[] = {
		{ 0, 0, 0 }, { 0, 7, 7 }, { 0, 4095, 4095 }, { 1, 0, 4096 }, { 1, 5, 4101 },
		{ 2, 1, 8194 }, { 4, 4095, 65528 }, { 5, 0, 65535 }, { 15, 4095, 65535 },
	};
	const u64 all = USER | ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_PRIV_SAVE;
	struct perf_event *e, *plain;
	unsigned int wrong = 0;

	boot(&lcofi);
	e = open_task(SAMPLER(all, .exclude_kernel = 1));
	plain = open_task(SAMPLER(USER | ANY | PERF_SAMPLE_BRANCH_NO_FLAGS |
				  PERF_SAMPLE_BRANCH_NO_CYCLES, .exclude_kernel = 1));
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		fakesbi_branch(FAKESBI_USER, FAKESBI_USER, SPEC_CTR_DIRECT_CALL, user_at(i), user_at(i),
			       SPEC_CTR_CYCLES_VALID | FIELD_PREP(SPEC_CTR_EXPONENT, rows[i].exponent) |
			       FIELD_PREP(SPEC_CTR_MANTISSA, rows[i].mantissa));
	sample(e);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		wrong += branch(e, ARRAY_SIZE(rows) - 1 - i)->cycles != rows[i].cycles;
	check(!wrong, "branch.cycles");
	check(branch(e, 0)->type == PERF_BR_CALL && branch(e, 0)->priv == PERF_BR_PRIV_USER,
	      "branch.type_and_mode");
	check(!branch(e, 0)->mispred && !branch(e, 0)->predicted,
	      "branch.prediction_is_unknown_until_one_is_wrong");
	sample(plain);
	check(!branch(plain, 0)->cycles && !branch(plain, 0)->type, "branch.no_cycles");
	fakesbi_branch(FAKESBI_USER, FAKESBI_USER, SPEC_CTR_TAKEN, user_at(0),
		       user_at(1) | SPEC_CTR_MISPREDICTED, FIELD_PREP(SPEC_CTR_MANTISSA, 9));
	user_branches(3, 1);
	sample(e);
	check(branch(e, 1)->mispred && !branch(e, 1)->predicted && branch(e, 1)->to == user_at(1) &&
	      branch(e, 0)->predicted && !branch(e, 0)->mispred, "branch.misprediction");
	check(!branch(e, 1)->cycles, "branch.cycles_that_are_not_valid_are_unknown");
	sample(plain);
	check(!branch(plain, 1)->mispred && !branch(plain, 0)->predicted, "branch.no_flags");
	fakesbi_branch(FAKESBI_USER, FAKESBI_USER, 0, user_at(4), user_at(5), 0);
	check(sample(e) == ARRAY_SIZE(rows) + 2, "branch.record_without_its_type_is_no_branch");

	boot(&(struct machine){ .prepare = no_call_stack });
	check(open_errno(SAMPLER(USER | CALL_STACK)) == -EOPNOTSUPP &&
	      !open_errno(SAMPLER(USER | ANY)), "branch.core_without_call_stack");
	boot(&(struct machine){ .prepare = nothing_optional });
	e = open_task(SAMPLER(USER | ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE, .exclude_kernel = 1));
	fakesbi_branch(FAKESBI_USER, FAKESBI_USER, SPEC_CTR_TAKEN, user_at(0),
		       user_at(1) | SPEC_CTR_MISPREDICTED, SPEC_CTR_CYCLES_VALID | FIELD_PREP(SPEC_CTR_MANTISSA, 9));
	check(sample(e) == 1 && branch(e, 0)->to == user_at(1) && branch(e, 0)->type == PERF_BR_UNKNOWN &&
	      !branch(e, 0)->cycles && !branch(e, 0)->mispred && !branch(e, 0)->predicted,
	      "branch.core_with_nothing_optional");
}

/* ---- nobody sees what others did ---- */

static void test_others(void)
{
	struct perf_event *e, *cpu;
	struct mm_struct exec = {};

	boot(&lcofi);
	host.regs.user = true;
	e = open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	user_branches(0, 20);
	perf_switch(&perf_core.task[1]);
	user_branches(40, 20);
	check(!fakesbi.branches.control && !fakesbi.branches.entry[0].source,
	      "branch.nothing_is_recorded_of_other_tasks");
	perf_switch(&perf_core.task[0]);
	user_branches(60, 2);
	check(sample(e) == 2 && branch(e, 1)->from == user_at(60), "branch.cleared_when_a_task_comes");
	/* For a whole CPU all tasks are recorded. */
	cpu = open_attr(SAMPLER(USER | ANY, .exclude_kernel = 1));
	check(sample(cpu) == 0, "branch.cleared_before_first_use");
	user_branches(0, 3);
	perf_switch(&perf_core.task[1]);
	check(!(e->attach_state & cpu->attach_state & PERF_ATTACH_TASK) &&
	      cpu->attach_state & PERF_ATTACH_SCHED_CB, "branch.perf_core_tells_of_switches");
	user_branches(10, 1);
	check(sample(cpu) == 1, "branch.of_a_cpu_cleared_at_a_switch");
	user_branches(20, 5);
	perf_switch(&perf_core.task[0]);
	check(sample(e) == 0, "branch.task_does_not_see_what_a_cpu_recorded");
	user_branches(0, 5);
	perf_core.task[0].mm = &exec;
	check(sample(e) == 0, "branch.cleared_at_exec");
	user_branches(0, 4);
	check(sample(e) == 4, "branch.recorded_after_exec");
	/* Switches that perf core does not tell of */
	user_branches(0, 4);
	host.current_task[0] = &perf_core.task[2];
	check(sample(cpu) == 0, "branch.cleared_if_another_program_runs");
	perf_core.task[0].mm = &perf_core.mm[0];
}

/* An inherited event is like its parent's. */
static void test_inherit(void)
{
	struct perf_event *e, *child;

	boot(&lcofi);
	host.regs.user = true;
	e = open_task(SAMPLER(USER | PERF_SAMPLE_BRANCH_COND, .exclude_kernel = 1));
	child = perf_inherit(e, &perf_core.task[1]);
	perf_switch(&perf_core.task[1]);
	one_of_each();
	check(sample(child) == 1 && child->attach_state & PERF_ATTACH_SCHED_CB,
	      "branch.child_inherits");
}

/* Stopped and started, as at each tick by frequency and when throttled: recording goes on. */
static void test_stop(void)
{
	struct perf_event *e;

	boot(&lcofi);
	host.regs.user = true;
	e = open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	user_branches(0, 3);
	host.irqs_off = true;
	e->pmu->stop(e, PERF_EF_UPDATE);
	user_branches(3, 2);
	e->pmu->start(e, PERF_EF_RELOAD);
	host.irqs_off = false;
	check(sample(e) == 5, "branch.stop_and_start_clear_nothing");
	host.irqs_off = true;
	e->pmu->stop(e, PERF_EF_UPDATE);
	host.irqs_off = false;
	perf_switch(&perf_core.task[1]);
	check(!fakesbi.branches.control && !perf_core.sched_cb[0], "branch.stopped_event_leaves");
	perf_switch(&perf_core.task[0]);
	user_branches(0, 1);
	check(sample(e) == 1, "branch.stopped_event_comes_back");
}

/* ---- CPUs and the module come and go ---- */

static void test_come_and_go(void)
{
	struct perf_event *e;

	boot(&two_cpus);
	host.regs.user = true;
	e = open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	user_branches(0, 3);
	perf_suspend(true);
	check(fakesbi.branches.control && fakesbi.branches.depth == 32,
	      "branch.recorded_after_suspend");
	user_branches(0, 2);
	check(sample(e) == 2, "branch.suspend_leaves_no_branches");
	perf_close(e);
	open_task(SAMPLER(USER | CALL_STACK, .exclude_kernel = 1));
	make_calls(3);
	perf_switch(&perf_core.task[1]);
	host_reboot(SYS_POWER_OFF);
	perf_switch(&perf_core.task[0]);
	perf_suspend(false);
	check(!fakesbi.branches.control && !fakesbi.branches.entry[0].source,
	      "branch.not_recorded_in_the_next_kernel");

	boot(&two_cpus);
	host_run_cpu(1);
	host.current_task[1] = &perf_core.task[1];
	open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	user_branches(0, 3);
	check(fakesbi.branches.control, "branch.second_cpu_records");
	host_run_cpu(0);
	perf_hotplug(1, false);
	check(!fakesbi_harts[1].branches.control && !fakesbi_harts[1].branches.entry[0].source &&
	      !perf_core.sched_cb[1], "branch.offline_cpu_records_nothing");
	perf_hotplug(1, true);
	check(!fakesbi_harts[1].branches.control, "branch.online_cpu_without_events_records_nothing");
}

/* A CPU wakes, and firmware has not restored its access to the records: nothing may look at them. */
static void test_lost(void)
{
	struct perf_event *own, *e, *other;
	int error;

	boot(&(struct machine){ .cpus = 2, .quirks = QUIRK(SUSPEND_LOSES_CTR),
				.prepare = records_branches });
	host_run_cpu(1);
	host.current_task[1] = &perf_core.task[1];
	host.regs.user = true;
	own = perf_open(SAMPLER(USER | CALL_STACK, .exclude_kernel = 1), NULL, 1, NULL, &error);
	e = open_task(SAMPLER(USER | CALL_STACK, .exclude_kernel = 1));
	make_calls(3);
	perf_suspend(true);
	check(host_logged("CPU1: firmware has not restored branch records"), "branch.lost_ones_are_logged");
	check(sample(own) == 0 && perf_model(e)->samples && !fakesbi.broken,
	      "branch.lost_ones_are_in_no_sample");
	fakesbi.lcofi = true;
	perf_run(1);
	check(!fakesbi.broken, "branch.lost_ones_are_not_unfrozen");
	perf_switch(&perf_core.task[0]);
	perf_switch(&perf_core.task[1]);
	check(!fakesbi.broken, "branch.lost_ones_are_not_touched_at_a_switch");
	other = open_task(SAMPLER(USER | ANY, .exclude_kernel = 1));
	check(!sample(e) && !sample(other) && is_right(e), "branch.events_count_where_they_are_lost");
	perf_close(own);
	check(!fakesbi.broken && !perf_core.sched_cb[1], "branch.lost_ones_are_not_cleared");
	perf_close(other);
	host_run_cpu(0);
	perf_hotplug(1, false);
	perf_hotplug(1, true);
	host_run_cpu(1);
	perf_switch(&perf_core.task[1]);
	make_calls(2);
	check(sample(e) == 2, "branch.lost_ones_are_back_when_the_cpu_is_online_again");
	host_run_cpu(0);
}

void test_branch(void)
{
	test_found();
	test_late_cpu(&two_cpus, "branch.late_cpu");
	test_late_cpu(&(struct machine){ .cpus = 2, .delegated = true, .prepare = records_branches,
					 .params = { "backend=csr" } }, "branch.late_delegated_cpu");
	test_errors();
	test_samples(&lcofi, "branch.lcofi");
	test_samples(&by_timer, "branch.timer");
	test_samples(&(struct machine){ .delegated = true, .prepare = records_branches,
					.params = { "backend=csr" } }, "branch.delegated");
	test_kernel();
	test_frozen();
	test_shared();
	test_filters();
	test_call_stack();
	test_kept_calls();
	test_kept_once();
	test_entries();
	test_others();
	test_inherit();
	test_stop();
	test_come_and_go();
	test_lost();
}
