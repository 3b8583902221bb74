// SPDX-License-Identifier: GPL-2.0-only
/* test_open: what it costs others when a user opens events that were never opened before. */
#include "test.h"

/* Firmware has the new codes of @has_new, and others. */
#define FIRST_NEW	0x10000

static bool has_new;

static bool is_there(const struct fakesbi_code *code)
{
	return code->idx != RAW || code->data < FIRST_NEW || has_new;
}

CAN(can, is_there(code))

static void prepare_vm(void)
{
	fakesbi.countable = is_there;
}

/* Open and close an event that does not count. Return: its errno */
static int try_open(u64 config)
{
	return open_errno(ATTR(config, .disabled = 1));
}

/* ---- how long interrupts are disabled ---- */

#define BOARD(n)	.hpm = n, .quirks = OPENSBI_NEW, .can = can
#define VM(n)		.hpm = n, .quirks = KVM, .prepare = prepare_vm

/* Many counters hold events. @calls: of a section, at most */
static const struct {
	const char *name;
	struct machine machine;
	unsigned int busy, calls;
	bool refused;
} costs[] = {
	{ "u74", { BOARD(2) }, 2, 6 },
	{ "u74_idle", { BOARD(2) }, 0, 6 },
	{ "29_idle", { BOARD(29) }, 0, 6 },
	{ "29_with_20_busy", { BOARD(29) }, 20, 6 },
	{ "29_busy", { BOARD(29) }, 29, 6 },
	{ "29_busy_refused", { BOARD(29) }, 29, 6, true },
	{ "29_shared", { BOARD(29), .other = "cpu" }, 20, 6 },
	{ "29_shared_refused", { BOARD(29), .other = "cpu" }, 20, 6, true },
	{ "kvm_16", { VM(14), .params = { "backend=sbi" } }, 10, 8 },
	{ "kvm_29", { VM(27), .params = { "backend=sbi" } }, 20, 8 },
	{ "kvm_29_refused", { VM(27), .params = { "backend=sbi" } }, 20, 8, true },
	{ "kvm_29_busy", { VM(27), .params = { "backend=sbi" } }, 29, 11 },
	{ "kvm_29_snapshot", { VM(27), .params = { "backend=snapshot" } }, 20, 8 },
};

#define OPENS	20

static void test_cost(unsigned int n, bool root)
{
	const char *user = root ? "root" : "user";
	unsigned long before, lost = 0;
	struct perf_model *m;
	bool right = true;

	boot(&costs[n].machine);
	has_new = !costs[n].refused;
	host.perfmon = root;
	/* A reference counter needs time. */
	host.read_ns = 1;
	for (unsigned int i = 0; i < costs[n].busy; i++)
		open_raw(100 + i);
	perf_run(1000);
	host.call_ns = 1000;
	host.most_calls = 0;
	before = all_calls();
	for (unsigned int i = 0; i < OPENS; i++)
		right = right && !try_open(FIRST_NEW + i) == has_new;
	before = all_calls() - before;
	for_each_event(m)
		lost = max(lost, (unsigned long)((m->happened - perf_read(&m->event)) / m->rate));
	note("%s, %u counters busy, %s: %lu calls for each new event, at most %lu in a section; other events lose the time of %llu",
	     costs[n].name, costs[n].busy, user, before / OPENS, host.most_calls,
	     lost / OPENS / host.call_ns);
	check(right, "open.%s_%s_gets_right_answers", costs[n].name, user);
	check(host.most_calls && host.most_calls <= costs[n].calls,
	      "open.%s_%s_disables_interrupts_for_few_calls", costs[n].name, user);
	check(lost <= before * host.call_ns * 11 / 10, "open.%s_%s_loses_no_more_than_calls_take",
	      costs[n].name, user);
}

/* ---- what one event needs, however many counters there are ---- */

static void test_alone(unsigned int hpm, const char *other)
{
	const char *mode = other ? "shared" : "exclusive";
	unsigned long before, calls[2];

	boot(&(struct machine){ .hpm = hpm, .quirks = OPENSBI_NEW, .can = can, .other = other });
	has_new = true;
	host.perfmon = false;
	for (unsigned int filter = 0; filter < 2; filter++) {
		before = all_calls();
		check(!open_errno(ATTR(FIRST_NEW + filter, .disabled = 1, .exclude_kernel = filter)),
		      "open.%s_%u_counters%s", mode, hpm, filter ? "_filtered" : "");
		calls[filter] = all_calls() - before;
	}
	note("%s, %u counters: %lu calls for a new event, %lu with a filter", mode, hpm, calls[0],
	     calls[1]);
	check(calls[0] <= 12 && calls[1] <= 12, "open.%s_%u_counters_take_at_most_12_calls", mode,
	      hpm);
}

/* An event of n counts on counters 3 to 3 + n, another one from 3 + n on. */
static bool up_to(const struct fakesbi_code *code, unsigned int idx)
{
	const unsigned int last = 3 + (code->data & 31);

	return code->idx != RAW || (code->data >> 16 ? idx >= last : idx <= last);
}

#define UP_TO(n, other)	((n) | (other) << 5)
#define FROM(n, other)	(UP_TO(n, other) | 1 << 16)

/* Each was asked for on the same counter. They all count together; a switch makes no call. */
static void test_lack(void)
{
	struct perf_event *e[29], *one;
	unsigned long before, most = 0;
	bool right = true;

	boot(&(struct machine){ .hpm = 29, .quirks = OPENSBI_NEW, .can = up_to });
	for (unsigned int i = 0; i < 29; i++)
		e[i] = open_task(ATTR(UP_TO(28, 1 + i), .disabled = 1));
	for (unsigned int i = 0; i < 29; i++)
		perf_enable(e[i]);
	perf_run(1000);
	for (unsigned int i = 0; i < 29; i++)
		right = is_right(e[i]) && perf_model(e[i])->running == 1000 && right;
	check(right, "open.events_of_one_known_counter_all_count");
	go_away(1000);
	before = all_calls();
	for (unsigned int i = 0; i < 10; i++)
		go_away(1000);
	check(all_calls() == before && all_right(), "open.their_switch_makes_no_call");
	/* One of those makes way for an event that can be nowhere else. */
	perf_close(e[28]);
	one = open_own(UP_TO(0, 99));
	perf_run(1000);
	check(is_right(one) && perf_read(one) && all_right(),
	      "open.event_moves_to_a_counter_that_was_not_asked");

	/* All free counters are offered together, of which many refuse. */
	boot(&(struct machine){ .hpm = 29, .quirks = OPENSBI_NEW, .can = up_to });
	for (unsigned int i = 0; i < 9; i++)
		e[i] = open_task(ATTR(FROM(20, 1 + i), .disabled = 1));
	for (unsigned int i = 0; i < 9; i++) {
		before = all_calls();
		perf_enable(e[i]);
		most = max(most, all_calls() - before);
	}
	perf_run(1000);
	note("at most %lu calls when an event is added", most);
	check(most <= 3 && all_right(), "open.counters_that_were_not_asked_are_asked_by_one_call");

	/* Two tasks: nobody takes the counter that both events are known to count on. */
	boot(&(struct machine){ .hpm = 4, .quirks = OPENSBI_NEW, .can = up_to });
	e[0] = open_task(ATTR(UP_TO(28, 1), .disabled = 1));
	e[1] = perf_open(ATTR(UP_TO(28, 2), .disabled = 1), &perf_core.task[1], -1, NULL,
			 &(int){ 0 });
	perf_enable(e[0]);
	perf_enable(e[1]);
	go_away(1000);
	go_away(1000);
	before = all_calls();
	go_away(1000);
	perf_run(1000);
	check(all_calls() == before && all_right(), "open.tasks_do_not_fight_for_known_counter");
}

/* Counters are asked for until a group fits, or all are known: whoever counts, and whoever opens. */
static void test_group(const char *mode, const char *other, bool busy)
{
	struct perf_event *leader, *second, *last;
	unsigned int n = 0;
	int error;

	boot(&(struct machine){ .hpm = 4, .quirks = OPENSBI_NEW, .can = up_to, .other = other });
	host.perfmon = other;
	for (unsigned int i = 0; busy && i < 4; i++)
		open_raw(UP_TO(28, 9 + i));
	perf_run(1000);
	leader = open_attr(ATTR(UP_TO(3, 1), .disabled = 1));
	second = perf_open(ATTR(UP_TO(1, 1)), NULL, 0, leader, &error);
	n += second && perf_open(ATTR(UP_TO(1, 2)), NULL, 0, leader, &error);
	/* The leader was known on counter 3 first. */
	check(n && !perf_open(ATTR(UP_TO(1, 3)), NULL, 0, leader, &error) && error == -EINVAL,
	      "open.%s_group_that_never_fits_is_refused", mode);
	last = perf_open(ATTR(UP_TO(3, 4)), NULL, 0, leader, &error);
	check(last && !perf_open(ATTR(UP_TO(3, 5)), NULL, 0, leader, &error) && error == -EINVAL,
	      "open.%s_group_of_all_counters_opens", mode);
	perf_enable(leader);
	take_turns(8);
	check(all_right(), "open.%s_group_counts", mode);
	perf_close(leader);
	leader = open_raw(FIRMWARE_EVENT(0));
	for (n = 1; open_member(leader, FIRMWARE_EVENT(n)); n++)
		;
	check(n == 3, "open.%s_group_takes_the_counters_of_firmware_and_no_more", mode);
}

/* Of each member all counters are asked when it joins, and of the leader with the first. */
static void test_new_group(void)
{
	struct perf_event *leader, *e;
	unsigned long before, most = 0;
	unsigned int n = 0;
	int error;

	boot(&(struct machine){ BOARD(29), .params = { "backend=sbi", "overflow=timer" } });
	has_new = true;
	host.perfmon = false;
	host.uid = 1000;
	host.most_calls = 0;
	leader = e = open_task(ATTR(FIRST_NEW, .exclude_kernel = 1, .disabled = 1));
	while (e) {
		before = all_calls();
		e = perf_open(ATTR(FIRST_NEW + ++n, .exclude_kernel = 1), &perf_core.task[0], -1,
			      leader, &error);
		most = max(most, all_calls() - before);
	}
	note("%u events in the group, at most %lu calls for one, %lu in a section", n, most,
	     host.most_calls);
	check(n == 29 && error == -EINVAL, "open.new_group_takes_all_counters_and_no_more");
	check(most <= 2 * 3 * 29, "open.member_asks_all_counters_for_two_events_at_most");
	check(host.most_calls <= 6, "open.new_group_disables_interrupts_for_few_calls");
}

/* What is known was learnt on one CPU; others count the event by it. */
static void test_other_cpu(void)
{
	struct perf_event *e[2];
	int error;

	boot(&(struct machine){ .hpm = 4, .cpus = 2, .quirks = OPENSBI_NEW, .can = up_to });
	e[0] = perf_open(ATTR(UP_TO(28, 1)), NULL, 1, NULL, &error);
	e[1] = perf_open(ATTR(UP_TO(28, 2)), NULL, 1, NULL, &error);
	perf_run(1000);
	check(e[0] && e[1] && all_right(), "open.other_cpu_counts_events");
	perf_close(e[1]);
	perf_close(e[0]);
	e[0] = open_own(UP_TO(28, 3));
	e[1] = open_own(UP_TO(28, 4));
	perf_switch(&perf_core.idle);
	perf_hotplug(1, false);
	perf_hotplug(1, true);
	host_run_cpu(1);
	perf_switch(&perf_core.task[0]);
	perf_run(1000);
	check(all_right(), "open.cpu_that_came_back_counts_events");
	perf_switch(&perf_core.idle);
	host_run_cpu(0);
}

/* ---- counters that others use ---- */

/* Event 7 counts on counter 4 only. */
CAN(only_on_4, code->data != 7 || idx == 4)

static void test_borrowing(void)
{
	struct perf_event *e;
	u64 at[2];

	boot(&(struct machine){ .hpm = 4, .can = only_on_4, .params = { "backend=sbi" } });
	e = open_raw(1);
	open_raw(2);
	perf_run(1000);
	at[0] = fakesbi.ctr[3].configured_at;
	at[1] = fakesbi.ctr[4].configured_at;
	check(!try_open(3) && at[0] == fakesbi.ctr[3].configured_at &&
	      at[1] == fakesbi.ctr[4].configured_at, "open.users_leave_busy_counters_alone");
	check(!try_open(7) && at[1] != fakesbi.ctr[4].configured_at,
	      "open.users_borrow_one_if_no_other_counter_takes_the_event");
	perf_run(1000);
	check(is_right(e), "open.borrowed_counter_counts_on");
}

/* A guest has two counters more than its host, and what it configures last does not count then. */
static void test_crowded(void)
{
	const struct machine guest = { .hpm = 4, .quirks = KVM, .prepare = prepare_vm,
				       .params = { "backend=sbi" } };
	struct perf_event *cycles, *instructions;
	struct perf_model *m;
	bool run = true;

	boot(&guest);
	host.read_ns = 1;
	for (unsigned int i = 1; i <= 4; i++)
		perf_disable(open_raw(i)); /* not closed: with the last one all are released */
	cycles = open_general(PERF_COUNT_HW_CPU_CYCLES);
	host.read_ns = 0;
	perf_run(1000);
	check(perf_read(cycles) && is_right(cycles),
	      "open.guest_has_no_idle_counters_that_others_need");
	for (unsigned int i = 1; i <= 3; i++)
		run = run && open_member(cycles, i);
	check(run && open_errno(ATTR(4)) == 0 && !open_member(cycles, 4),
	      "open.guest_has_no_group_that_its_host_cannot_count");

	boot(&guest);
	has_new = false;
	host.read_ns = 1;
	cycles = open_general(PERF_COUNT_HW_CPU_CYCLES);
	instructions = open_general(PERF_COUNT_HW_INSTRUCTIONS);
	for (unsigned int i = 1; i <= 4; i++)
		open_raw(i);
	check(try_open(FIRST_NEW) == -ENOENT, "open.crowded_guest_gets_right_answer");
	host.read_ns = 0;
	/* A probe takes time. */
	for_each_event(m)
		m->happened = perf_read(&m->event);
	perf_run(1000);
	check(is_right(cycles) && is_right(instructions),
	      "open.crowded_guest_keeps_its_first_events");
	take_turns(40);
	run = true;
	for_each_event(m)
		run = run && m->running && is_right(&m->event);
	check(run, "open.crowded_guest_has_all_events_take_turns");
}

/* ---- a user's limit ---- */

/* Open new events as fast as it goes, alone or as members of @leader. Return: so many before EAGAIN */
static unsigned int open_new(struct perf_event *leader)
{
	static u64 config = 100 * FIRST_NEW;
	struct perf_event *e;
	unsigned int n = 0;
	int error;

	while ((e = perf_open(ATTR(config++, .disabled = !leader), NULL, 0, leader, &error))) {
		list_del_init(&e->sibling_list);
		e->group_leader = e;
		perf_close(e);
		n++;
	}
	return error == -EAGAIN ? n : 0;
}

static void test_limit(void)
{
	struct perf_event *leader;
	unsigned int n;
	u64 start;

	has_new = true;
	boot(&(struct machine){ BOARD(2) });
	start = host.now;
	host.uid = 1000;
	check(open_new(NULL) == 1000 && host.now == start, "open.thousand_new_events_open_at_once");
	leader = open_general(PERF_COUNT_HW_CPU_CYCLES);
	host.perfmon_asked_unlogged = 0;
	check(!try_open(100 * FIRST_NEW + 999) && !host.perfmon_asked_unlogged,
	      "open.known_event_has_no_limit_and_needs_no_right");
	check(try_open(FIRST_NEW) == -EAGAIN && host.perfmon_asked_unlogged,
	      "open.new_event_needs_the_right");
	host.uid = 1001;
	check(!try_open(FIRST_NEW), "open.no_user_denies_another");
	host.uid = 1000;
	host.perfmon = true;
	check(!try_open(FIRST_NEW + 1), "open.privileged_user_has_no_limit");
	host.perfmon = false;
	perf_run(NSEC_PER_SEC / 2);
	n = open_new(NULL);
	check(n >= 499 && n <= 501, "open.then_thousand_in_a_second");
	perf_run(10 * NSEC_PER_SEC);
	n = open_new(leader);
	check(n == 500, "open.a_member_needs_a_probe_for_each_counter");
	perf_close(leader);
}

/*
 * Whoever has many uids or namespaces is one user. Root's containers are others: below, each that is
 * said to have a @budget has all of it, and the others nothing, as one above has spent it.
 */
static void test_users(void)
{
	static struct user_namespace outer = { &init_user_ns, 1000 }, inner = { &outer, 100000 };
	static struct user_namespace unshared[1000], a = { &init_user_ns, 0 }, b = { &init_user_ns, 0 };
	static struct user_namespace in_a = { &a, 100000 };
	static struct pid_namespace p = { &init_pid_ns, 1, &init_user_ns }, in_p = { &p, 2 };
	static struct pid_namespace q = { &init_pid_ns, 1, &init_user_ns }, of_a = { &init_pid_ns, 1, &a };
	static const struct {
		const char *name;
		kuid_t uid;
		struct user_namespace *user_ns;
		struct pid_namespace *pid_ns;
		bool budget;
	} users[] = {
		{ "user", 1000, .budget = true },
		{ "other_user", 1064, .budget = true },
		{ "user_in_his_namespace", 100000, &outer },
		{ "user_in_one_within", 100001, &inner, &p },
		{ "service_of_root", 0, .budget = true },
		{ "container_with_user_namespace", 100000, &a, .budget = true },
		{ "another_of_those", 200000, &b, .budget = true },
		{ "its_other_uid", 200005, &b },
		{ "namespace_in_the_first", 100000, &in_a },
		{ "pid_namespace_made_in_that", 100000, &a, &of_a },
		{ "container_of_root", 0, NULL, &p, true },
		{ "another_container_of_root", 0, NULL, &q, true },
		{ "pid_namespace_in_the_first", 0, NULL, &in_p },
		{ "user_namespace_in_a_container", 0, &a, &p },
	};
	unsigned int n = 0, got;
	u64 start;

	boot(&(struct machine){ BOARD(2) });
	/* Counters in use are lent 200 times. */
	host.perfmon = true;
	for (unsigned int i = 0; i < 4; i++)
		open_raw(1 + i);
	perf_run(1000);
	host.perfmon = false;
	start = host.now;
	host.most_calls = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(users); i++) {
		host.uid = users[i].uid;
		host.user_ns = users[i].user_ns;
		host.pid_ns = users[i].pid_ns;
		got = open_new(NULL);
		n += got;
		check(got == (users[i].budget ? 200 : 0), "open.%s_has_%s_budget", users[i].name,
		      users[i].budget ? "a" : "no");
	}
	got = 0;
	host.pid_ns = NULL;
	for (unsigned int i = 0; i < 1000; i++) {
		unshared[i] = (struct user_namespace){ &init_user_ns, 1000 };
		host.user_ns = &unshared[i];
		got += open_new(NULL);
	}
	check(!got, "open.thousand_user_namespaces_have_one_budget");
	host.user_ns = NULL;
	for (host.uid = 2000; host.uid < 2100; host.uid++)
		n += open_new(NULL);
	note("%u at once, at most %lu calls in a section", n, host.most_calls);
	check(n == 16 * 200 && host.now == start, "open.all_users_together_have_a_limit");
}

/* A user learns of @n events. */
static void learn(kuid_t uid, unsigned int n)
{
	host.uid = uid;
	for (unsigned int i = 0; i < n; i++)
		while (try_open(FIRST_NEW * (1 + uid) + i) == -EAGAIN)
			perf_run(NSEC_PER_MSEC);
}

static bool is_known(u64 config)
{
	const unsigned long before = all_calls();

	return !try_open(config) && all_calls() == before;
}

static void test_known(void)
{
	const u64 last = FIRST_NEW * 1002 + 1123;
	struct perf_event *e;

	boot(&(struct machine){ BOARD(2) });
	host.most_calls = 0;
	learn(1001, 1124);
	note("1124 in %llu s, at most %lu calls in a section", host.now / NSEC_PER_SEC,
	     host.most_calls);
	e = open_task(ATTR(last, .disabled = 1, .inherit = 1));
	perf_close(perf_inherit(e, &perf_core.task[1]));
	learn(1002, 1024);
	check(is_known(last), "open.open_event_stays_known");
	perf_close(e);
	learn(1003, 1024);
	check(!is_known(last) && is_known(STANDARD_EVENT(5)),
	      "open.closed_event_does_not_but_general_ones_do");
}

/* Firmware, or another driver that uses the counters, has nobody try a filter for now. */
static bool no_counter;

CAN(can_now, !no_counter || code->idx != RAW)

static void test_filter(const char *mode, const char *other)
{
	struct perf_event_attr attr;
	unsigned int refused = 0;
	unsigned long before;
	int error;

	boot(&(struct machine){ .hpm = 2, .quirks = OPENSBI_NEW, .other = other, .can = can_now });
	attr = *ATTR(1, .disabled = 1, .exclude_kernel = 1);
	try_open(1);
	no_counter = true;
	host.most_calls = 0;
	while ((error = open_errno(&attr)) == -EBUSY)
		refused++;
	note("%u times refused, at most %lu calls in a section", refused, host.most_calls);
	check(refused >= 990 && error == -EAGAIN,
	      "open.%s_filter_that_cannot_be_tried_is_refused_within_the_limit", mode);
	perf_run(NSEC_PER_SEC);
	no_counter = false;
	check(!open_errno(&attr), "open.%s_filter_is_tried_again", mode);
	before = all_calls();
	check(!open_errno(&attr) && all_calls() == before, "open.%s_filter_is_tried_once",
	      mode);
}

/* ---- an event filter of a VM's host, which its administrator changes ---- */

static bool is_denied(const struct fakesbi_code *code)
{
	return code->idx == RAW && code->data >= 3;
}

static void test_denial(void)
{
	struct perf_event *e[6];
	u64 running[6];
	bool right = true;

	boot(&(struct machine){ .hpm = 2, .quirks = KVM, .params = { "backend=sbi" } });
	check(!host_logged("has no cycles for this guest"), "open.guest_with_cycles_logs_nothing");
	host.read_ns = 1;
	for (unsigned int i = 0; i < 6; i++)
		e[i] = open_attr(ATTR(1 + i, .disabled = 1));
	host.read_ns = 0;
	for (unsigned int i = 0; i < 5; i++)
		perf_enable(e[i]);
	take_turns(20);
	fakesbi.denied = is_denied;
	perf_enable(e[5]);
	take_turns(20);
	for (unsigned int i = 0; i < 6; i++)
		running[i] = perf_model(e[i])->running;
	take_turns(40);
	for (unsigned int i = 0; i < 6; i++)
		right = right && is_right(e[i]) &&
			(perf_model(e[i])->running > running[i]) == (i < 2);
	check(right && !running[5], "open.denied_events_are_not_running_and_others_are");
	check(try_open(7) == -ENOENT, "open.denied_event_that_is_new_is_refused");
	fakesbi.denied = NULL;
	take_turns(400);
	for (unsigned int i = 0; i < 6; i++)
		right = right && perf_model(e[i])->running > running[i];
	check(right && all_right(), "open.all_count_after_a_denial");
	perf_run(NSEC_PER_SEC + 2 * TICK_NSEC);
	host.read_ns = 1;
	check(!try_open(7), "open.event_that_was_denied_opens_later");
	host.read_ns = 0;
}

static u32 denied; /* general events, a bit each */

static bool is_denied_now(const struct fakesbi_code *code)
{
	return code->idx < 32 && denied & BIT(code->idx);
}

static bool is_rare(const struct fakesbi_code *code)
{
	return code->idx == SPEC_GENERAL_CACHE_REFS;
}

static void with_filter(void)
{
	prepare_vm();
	fakesbi.denied = is_denied_now;
	fakesbi.silent = is_rare;
}

/* Cycles are denied, and with them perhaps instructions; later allowed, and denied again. */
static void test_denied_cycles(const char *name, u64 quirks, const char *backend, u32 events)
{
	const struct perf_event_attr attr = *GENERAL(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event *e, *pinned, *other, *s;
	unsigned long before;
	u64 at[2];

	denied = events;
	has_new = false;
	check(!boot(&(struct machine){ .hpm = 4, .quirks = quirks, .params = { backend },
				       .prepare = with_filter }) &&
	      !strcmp(perf_sysfs("caps/overflow"), "lcofi") &&
	      host_logged("has no cycles for this guest, or denies them"),
	      "open.%s_loads_without_cycles", name);
	other = open_general(events & BIT(2) ? PERF_COUNT_HW_BRANCH_INSTRUCTIONS :
					       PERF_COUNT_HW_INSTRUCTIONS);
	s = open_attr(GENERAL(PERF_COUNT_HW_BUS_CYCLES, .sample_period = 5000000));
	perf_run(2 * NSEC_PER_SEC);
	check(all_right() && is_sampled(s, 0), "open.%s_others_count_without_cycles", name);
	host.read_ns = 1;
	check(try_open(FIRST_NEW) == -ENOENT && try_open(5) == (events & BIT(2) ? -ENOENT : 0),
	      "open.%s_raw_events_are_tried_beside_instructions", name);
	host.read_ns = 0;
	before = calls(SPEC_FID_CONFIG_MATCHING);
	check(open_errno(&attr) == -ENOENT && calls(SPEC_FID_CONFIG_MATCHING) == before + 1,
	      "open.%s_cycles_are_refused_at_once", name);

	denied = 0;
	perf_run(2 * NSEC_PER_SEC);
	e = open_attr(&attr);
	pinned = open_attr(GENERAL(PERF_COUNT_HW_CPU_CYCLES, .pinned = 1));
	perf_run(1000);
	check(is_right(e) && perf_read(e), "open.%s_cycles_count_once_they_are_allowed", name);
	check(try_open(FIRST_NEW + 1) == -EBUSY, "open.%s_what_cannot_be_tried_is_busy", name);

	denied = events;
	perf_suspend(true); /* they are configured again */
	perf_run(2 * NSEC_PER_SEC);
	at[0] = perf_model(e)->running;
	at[1] = perf_model(other)->running;
	take_turns(100);
	check(perf_model(e)->running == at[0] && is_right(e) &&
	      pinned->state == PERF_EVENT_STATE_ERROR, "open.%s_denied_cycles_do_not_run", name);
	check(perf_model(other)->running > at[1] && is_sampled(s, 0),
	      "open.%s_others_run_beside_denied_cycles", name);
	check(open_errno(&attr) == -ENOENT &&
	      try_open(FIRST_NEW + 2) == (events & BIT(2) ? -ENOENT : -EBUSY),
	      "open.%s_cycles_are_refused_later", name);
	denied = 0;
	take_turns(200);
	check(perf_model(e)->running > at[0] && is_right(e), "open.%s_cycles_run_again", name);
	for (unsigned int i = 0; i < 2; i++) {
		perf_run(2 * NSEC_PER_SEC);
		before = calls(SPEC_FID_CONFIG_MATCHING);
		check(!open_errno(&attr) && i == (before == calls(SPEC_FID_CONFIG_MATCHING)),
		      "open.%s_cycles_are_%s", name, i ? "known_again" : "asked_for_again");
	}
}

/* Cycles are denied after the load, while the other reference for raw events is in use. */
static void test_denied_later(void)
{
	denied = 0;
	has_new = false;
	boot(&(struct machine){ .hpm = 4, .quirks = KVM, .params = { "backend=sbi" },
				.prepare = with_filter });
	open_general(PERF_COUNT_HW_INSTRUCTIONS);
	perf_run(1000);
	denied = BIT(1);
	host.read_ns = 1;
	check(!try_open(6), "open.raw_events_are_tried_beside_instructions_in_use");
	host.read_ns = 0;
}

/* A mask that no counter of the event is in, of another user, in a VM */
static void test_masked(void)
{
	const struct perf_event_attr cycles = *GENERAL(PERF_COUNT_HW_CPU_CYCLES);
	unsigned long before, cost;
	int ret;

	boot(&(struct machine){ .hpm = 4, .quirks = KVM, .prepare = prepare_vm,
				.params = { "backend=sbi" } });
	perf_close(open_attr(&cycles));
	before = all_calls();
	perf_close(open_attr(&cycles));
	cost = all_calls() - before;
	perf_run(2 * NSEC_PER_SEC);
	host.perfmon = false;
	ret = open_errno(GENERAL(PERF_COUNT_HW_CPU_CYCLES, .config2 = 2, .exclude_kernel = 1));
	before = all_calls();
	check(ret == -ENOENT && !open_errno(&cycles) && all_calls() == before + cost,
	      "open.masked_open_costs_nobody_what_is_known");
	host.perfmon = true;
}

/* ---- what was not asked at open is asked when it is needed ---- */

/* The low bits of a raw event are the counters from 3 on that take it. */
#define ON_3	1
#define ON_4	2
#define ON_6	8
#define ON(counters, n)		((counters) | (n) << 16)

CAN(is_wanted, code->idx != RAW || (idx >= 3 && code->data >> (idx - 3) & 1))

/* The event is known to count on a counter that another one has by now. */
static void test_asked_later(const char *name, u64 quirks, bool pinned)
{
	const struct machine machine = { .hpm = 4, .quirks = quirks, .can = is_wanted,
					 .params = { "backend=sbi" } };
	struct perf_event *e, *idle;

	boot(&machine);
	e = open_task(ATTR(ON(ON_3 | ON_6, 1), .pinned = pinned, .disabled = 1));
	open_attr(ATTR(ON(ON_3, 2), .pinned = 1));
	perf_enable(e);
	perf_run(1000);
	check(is_right(e) && perf_read(e), "open.%s_event_counts_at_first_add", name);

	boot(&machine);
	e = open_task(ATTR(ON(ON_4 | ON_6, 1), .pinned = pinned, .disabled = 1));
	open_attr(ATTR(ON(ON_4, 2), .pinned = 1));
	idle = open_raw(ON(ON_6, 3));
	perf_disable(idle);
	perf_enable(e);
	perf_run(1000);
	check(is_right(e) && perf_read(e), "open.%s_event_takes_idle_counter", name);
}

/*
 * Of many idle counters only the last takes the event, and no other has been asked: an add makes a
 * few offers. @busy: they were in use when it was opened.
 */
static void test_many_idle(bool busy)
{
	const char *name = busy ? "flexible" : "known";
	struct perf_event *e, *idle[8];
	unsigned long before;

	boot(&(struct machine){ .hpm = 9, .can = is_wanted, .params = { "backend=sbi" } });
	for (unsigned int i = 0; i < ARRAY_SIZE(idle); i++)
		idle[i] = open_raw(ON(ON_4 << i, 10 + i));
	for (unsigned int i = 0; !busy && i < ARRAY_SIZE(idle); i++)
		perf_disable(idle[i]);
	e = open_task(ATTR(ON(ON_3 | ON_4 << 7, 1), .disabled = 1));
	open_attr(ATTR(ON(ON_3, 2), .pinned = 1));
	for (unsigned int i = 0; busy && i < ARRAY_SIZE(idle); i++)
		perf_disable(idle[i]);
	before = all_calls();
	perf_enable(e);
	note("%lu calls", all_calls() - before);
	check(all_calls() - before <= 20, "open.%s_event_makes_few_offers_at_an_add", name);
	for (unsigned int i = 0; i < 8; i++)
		perf_resched();
	perf_run(1000);
	check(e->state == PERF_EVENT_STATE_ACTIVE && perf_read(e), "open.%s_event_finds_last_counter",
	      name);

	/* One that is known is taken before others are asked. */
	boot(&(struct machine){ .hpm = 4, .can = is_wanted, .params = { "backend=sbi" } });
	e = open_task(ATTR(ON(ON_6, 1), .disabled = 1));
	before = all_calls();
	perf_enable(e);
	check(all_calls() - before == 2, "open.%s_event_takes_known_counter_first", name);
}

/* The other driver has a counter while the event is added, and lets it go. */
static void test_refused_for_a_while(void)
{
	struct perf_event *e;

	boot(&(struct machine){ .hpm = 2, .can = is_wanted, .other = "cpu" });
	host.perfmon = true;
	e = open_attr(ATTR(ON(ON_3 | ON_4, 1), .disabled = 1));
	open_attr(ATTR(ON(ON_3, 2), .pinned = 1));
	hold(4, true);
	perf_enable(e);
	check(e->state == PERF_EVENT_STATE_INACTIVE, "open.counter_of_the_other_driver_is_refused");
	hold(4, false);
	for (unsigned int n = 0; n < 64; n++)
		perf_resched();
	check(e->state == PERF_EVENT_STATE_ACTIVE, "open.refusal_by_the_other_driver_is_not_final");

	boot(&(struct machine){ .hpm = 1, .cpus = 2, .can = is_wanted, .other = "cpu" });
	host.perfmon = true;
	e = open_task(ATTR(ON(ON_3, 1), .disabled = 1));
	hold(3, true);
	perf_enable(e);
	perf_switch(&perf_core.idle);
	host_run_cpu(1);
	perf_switch(&perf_core.task[0]);
	perf_run(1000);
	check(e->state == PERF_EVENT_STATE_ACTIVE && perf_read(e),
	      "open.counter_is_asked_for_at_once_on_another_cpu");
	perf_switch(&perf_core.idle);
	host_run_cpu(0);
	hold(3, false);
}

/* Firmware has an error while a group is opened: that is no reason to refuse it for good. */
static void test_group_beside_error(void)
{
	struct perf_event *leader;
	int error = 0;

	boot(&(struct machine){ .hpm = 2, .can = is_wanted, .params = { "backend=sbi" } });
	leader = open_attr(ATTR(ON(ON_3 | ON_4, 1), .disabled = 1));
	open_attr(ATTR(ON(ON_3 | ON_4, 2), .disabled = 1));
	fakesbi.start_fails = 1;
	check(perf_open(ATTR(ON(ON_3 | ON_4, 2)), NULL, 0, leader, &error) || error != -EINVAL,
	      "open.group_is_not_refused_for_an_error");
	fakesbi.start_fails = 0;
}

/* The leader may be an event of another PMU, which has data of its own where the driver has. */
static void test_foreign_leader(void)
{
	static const char *const names[] = { "software", "other" };
	struct pmu pmu = { .name = "another" };
	struct perf_event leader = { .pmu = &pmu, .attach_state = PERF_ATTACH_GROUP };
	struct perf_event *e[6];
	int error;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		boot(&(struct machine){ .params = { "backend=sbi" } });
		pmu.task_ctx_nr = i ? 0 : -1;
		leader.group_leader = &leader;
		INIT_LIST_HEAD(&leader.sibling_list);
		/* Four programmable counters */
		for (unsigned int n = 0; n < ARRAY_SIZE(e); n++)
			e[n] = perf_open(ATTR(5 + n), NULL, 0, &leader, &error);
		check(!!e[0] != i && !!e[3] != i && !e[4] && error == -EINVAL,
		      "open.%s_leader_does_not_change_what_fits", names[i]);
		for (unsigned int n = 0; n < ARRAY_SIZE(e); n++)
			if (e[n])
				perf_close(e[n]);
	}
}

/* An ordinary user has others' counters borrowed for a group: one that fits, and one that never does. */
static void test_greedy_group(void)
{
	struct perf_event *leader;
	unsigned long before;
	unsigned int n = 0;
	int error = 0;

	boot(&(struct machine){ .hpm = 16, .quirks = OPENSBI_NEW, .can = is_wanted,
				.params = { "backend=sbi" } });
	host.perfmon = true;
	for (unsigned int i = 0; i < 16; i++)
		open_raw(0xffff | (100UL + i) << 16);
	perf_run(1000);
	host.perfmon = false;
	before = all_calls();
	leader = open_attr(ATTR(1 | 500UL << 16, .disabled = 1));
	for (error = 0; error != -EAGAIN; n++)
		perf_open(ATTR(1UL << (n & 15) | (501UL + n) << 16), NULL, 0, leader, &error);
	note("%lu calls for %u members", all_calls() - before, n);
	check(all_calls() - before <= 200 * 6, "open.borrowing_for_a_group_is_limited");
}

static bool is_any(const struct fakesbi_code *code)	{ return code; }
static bool is_7(const struct fakesbi_code *code)	{ return code->idx == RAW && code->data == 7; }
static void no_filter_works(void)	{ fakesbi.unfiltered = is_any; }
static void not_of_7(void)	{ fakesbi.unfiltered = is_7; }

#define OF_USER(_config, ...)	ATTR(_config, .exclude_kernel = 1, ##__VA_ARGS__)

/* What an event of the first task gets */
static int user_errno(const struct perf_event_attr *attr)
{
	int error;
	struct perf_event *e = perf_open(attr, &perf_core.task[0], -1, NULL, &error);

	if (e)
		perf_close(e);
	return error;
}

/* It is to count in all modes. */
static struct perf_event *count_all(struct perf_event *e)
{
	perf_model(e)->code.flags = 0;
	perf_model(e)->rate = fakesbi_rate(&perf_model(e)->code);
	return e;
}

/* No counter filters. By root's consent an event of a user's own task counts in all modes. */
static void test_unfiltered(void)
{
	struct machine m = { .isa = " h ", .params = { "backend=sbi", "overflow=timer" } };
	struct perf_event *e, *child;
	u64 count, shown;
	int before;

	boot(&m);
	check(user_errno(OF_USER(5)) == -ENOENT &&
	      host_logged("unfiltered=1 permits") && !strcmp(perf_sysfs("caps/unfiltered"), "0"),
	      "unfiltered.without_consent_it_is_refused_and_logged");
	m.params[2] = "unfiltered=1";
	boot(&m);
	before = atoi(host_debugfs("unfiltered"));
	e = count_all(open_task(OF_USER(5)));
	check(!fakesbi.ctr[3].code.flags && !strcmp(perf_sysfs("caps/unfiltered"), "1") &&
	      atoi(host_debugfs("unfiltered")) == before + 1, "unfiltered.event_of_own_task_opens_and_is_counted");
	child = open_own(5);
	perf_run(1000);
	check(is_right(child) && perf_read(e) == perf_read(child) && !fakesbi.ctr[4].configured,
	      "unfiltered.event_counts_as_one_without_filter");
	perf_map(e);
	perf_map(child);
	shown = perf_model(e)->page.offset;
	perf_run(1000);
	go_away(1000);
	check(!perf_user_read(e, &count) && perf_user_read(child, &count) && perf_read(e) &&
	      perf_model(e)->page.offset == shown, "unfiltered.page_does_not_show_the_count");
	check(!user_errno(OF_USER(5, .exclude_user = 1)) && !user_errno(ATTR(5, .exclude_user = 1)) &&
	      !user_errno(ATTR(5, .exclude_hv = 1)), "unfiltered.each_mode_may_be_excluded");
	check(open_errno(OF_USER(5)) == -ENOENT && open_errno(ATTR(5, .exclude_hv = 1)) == -ENOENT, "unfiltered.not_of_a_cpu");
	check(user_errno(OF_USER(5, .exclude_host = 1)) == -ENOENT &&
	      user_errno(OF_USER(5, .exclude_guest = 1)) == -EINVAL &&
	      user_errno(OF_USER(5, .exclude_idle = 1)) == -ENOENT,
	      "unfiltered.not_without_host_guests_or_idle");
	check(user_errno(OF_USER(5, .config2 = BIT(3))) == -ENOENT,
	      "unfiltered.not_by_choice_of_counters");
	check(user_errno(OF_USER(FIRMWARE_EVENT(3))) == -ENOENT, "unfiltered.not_of_firmware");
	perf_core.task[0].uid = 1000; /* root may open events of others' tasks */
	check(user_errno(OF_USER(5)) == -ENOENT, "unfiltered.not_of_others_tasks");
	perf_core.task[0].uid = 0;
	host_set_param("unfiltered=0"); /* root writes the file in /sys/module */
	check(user_errno(OF_USER(5)) == -ENOENT && is_right(e),
	      "unfiltered.consent_ends_for_new_events");

	/* The L2 of SpacemiT X60 serves several cores. */
	m = (struct machine){ .vendor = 0x710, .arch = 0x8000000058000001, .can = is_not_fixed,
			      .params = { "unfiltered=1" } };
	boot(&m);
	check(user_errno(GENERAL(PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1)) == 0 &&
	      user_errno(OF_USER(0xb8)) == -ENOENT, "unfiltered.not_of_units_that_cores_share");

	m = (struct machine){ .prepare = not_of_7, .params = { "backend=sbi", "unfiltered=1" } };
	boot(&m);
	host.read_ns = 1;
	check(user_errno(OF_USER(7)) == -ENOENT && !user_errno(OF_USER(8)),
	      "unfiltered.not_if_other_events_are_filtered");
	host.read_ns = 0;

	/* Where counters filter they do. One that could not be tried may filter, too. */
	m = (struct machine){ .params = { "backend=sbi", "unfiltered=1" } };
	boot(&m);
	before = atoi(host_debugfs("unfiltered"));
	e = open_task(OF_USER(5, .sample_period = 1000));
	check(e && fakesbi.ctr[3].code.flags == SPEC_CFG_SINH && atoi(host_debugfs("unfiltered")) == before,
	      "unfiltered.counters_that_filter_do");
	user_errno(ATTR(6));
	fakesbi.start_fails = 1;
	check(user_errno(OF_USER(6)) == -EBUSY, "unfiltered.not_if_it_could_not_be_tried");
	fakesbi.start_fails = 0;

	/* Samples are taken in modes that the event does not exclude, whatever made it overflow. */
	m.prepare = no_filter_works;
	boot(&m);
	e = count_all(open_task(OF_USER(5, .sample_period = 10000, .inherit = 1)));
	child = count_all(perf_inherit(e, &perf_core.task[1]));
	perf_run(time_of(e, 100000));
	check(!perf_model(e)->samples && !perf_model(e)->wrong_mode, "unfiltered.no_sample_in_the_kernel");
	perf_switch(&perf_core.task[1]);
	perf_run(time_of(child, 100000));
	check(!perf_model(child)->samples && !perf_model(child)->wrong_mode,
	      "unfiltered.no_sample_of_a_child_in_the_kernel");
	host.regs.user = true;
	perf_run(time_of(child, 3000000));
	host.regs.user = false;
	check(is_sampled(child, 0) && is_right(child), "unfiltered.samples_weigh_all_modes");
}

void test_open(void)
{
	test_unfiltered();
	for (unsigned int i = 0; i < ARRAY_SIZE(costs); i++)
		for (unsigned int root = 0; root < 2; root++)
			test_cost(i, root);
	for (unsigned int i = 0; i < 3; i++) {
		static const unsigned int hpm[] = { 4, 16, 29 };

		test_alone(hpm[i], NULL);
		test_alone(hpm[i], "cpu");
	}
	test_lack();
	test_group("idle", NULL, false);
	test_group("busy", NULL, true);
	test_group("shared", "cpu", false);
	test_new_group();
	test_other_cpu();
	test_asked_later("task", 0, false);
	test_asked_later("pinned", 0, true);
	test_asked_later("tied_task", OPENSBI_NEW | QUIRK(TIED), false);
	test_many_idle(false);
	test_many_idle(true);
	test_refused_for_a_while();
	test_group_beside_error();
	test_foreign_leader();
	test_greedy_group();
	test_borrowing();
	test_crowded();
	test_limit();
	test_users();
	test_known();
	test_filter("exclusive", NULL);
	test_filter("shared", "cpu");
	test_denial();
	test_denied_cycles("kvm", KVM, "backend=sbi", BIT(1));
	test_denied_cycles("kvm_6_12", KVM_OLD, "backend=sbi", BIT(1) | BIT(2));
	test_denied_later();
	test_masked();
	test_denied_cycles("kvm_snapshot", KVM, "backend=snapshot", BIT(1) | BIT(2));
}
