// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi_calls_switch - what a context switch costs: SBI calls and time
 *
 * Two tasks on one CPU send a byte to each other. Both have the same events open on themselves,
 * so at a switch all events of one task are scheduled out and all of the other are scheduled in.
 * The kernel's tracepoint counts SBI calls. Allowed are: none for hardware events, however many;
 * only reads for firmware events. With snapshot, in a KVM guest: two, however many events of
 * either kind there are.
 *
 * Where instructions are QEMU's clock, what the events of the module add to a round is compared
 * with what as many software events add, for which perf core does the same work.
 */
#include <signal.h>
#include <sys/mman.h>

#include "pingpong.h"
#include "tracepoint.h"

enum { WARM_UP = 50, ROUNDS = 2000, TIMED_RUNS = 3, TIMED_ROUNDS = 500, MAX_EVENTS = 8 };

/* The time of a round is that of the best so many rounds in a row: between two clock ticks. */
enum { BLOCK = 10 };

/* ---- events ---- */

struct event {
	uint32_t type;
	uint64_t config;
	bool exclude_user, exclude_kernel;
};

#define OURS		UINT32_MAX
#define FW_EVENT(code)	{ .type = OURS, .config = FIRMWARE(code) }

/* Events that QEMU counts, all of them different, as equal events share a counter. */
static const struct event candidates[] = {
	HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
	MISSES(DTLB, READ), MISSES(DTLB, WRITE), MISSES(ITLB, READ),
	HARDWARE(CPU_CYCLES, .exclude_user = true),
	HARDWARE(INSTRUCTIONS, .exclude_user = true),
	HARDWARE(CPU_CYCLES, .exclude_kernel = true),
	HARDWARE(INSTRUCTIONS, .exclude_kernel = true),
};

/*
 * KVM has one counter for cycles and one for instructions, whatever the filter. Only with
 * snapshot do firmware events cost as much as the others.
 */
enum { KVM_HARDWARE = 5 };

static const struct event kvm_candidates[] = {
	HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
	MISSES(DTLB, READ), MISSES(DTLB, WRITE), MISSES(ITLB, READ),
	FW_EVENT(0), FW_EVENT(4), FW_EVENT(5),
};

/* misaligned_load, illegal_insn, set_timer */
static const struct event firmware[] = { FW_EVENT(0), FW_EVENT(4), FW_EVENT(5) };

static bool snapshot;

/* Events to open, and the driver to open them on. */
struct set {
	const char *driver;
	bool builtin;
	unsigned int n;
	struct event event[MAX_EVENTS];
};

static int open_on(const struct event *e, bool builtin)
{
	struct perf_event_attr attr = {
		.type = e->type == OURS ? (uint32_t)pmu.type : e->type,
		.config = e->config,
		.read_format = READ_TIMES,
		.exclude_user = e->exclude_user,
		.exclude_kernel = e->exclude_kernel,
	};

	/* Generic events are opened on the PMU of type PERF_TYPE_RAW unless they name another. */
	if (e->type != OURS && !builtin)
		attr.config |= (uint64_t)pmu.type << 32;
	return perf_try(&attr, 0, -1, -1);
}

/* Return: up to MAX_EVENTS hardware events that open on this machine. */
static struct set find_events(void)
{
	const unsigned int n = snapshot ? ARRAY_SIZE(kvm_candidates) :
			       is_kvm_guest() ? KVM_HARDWARE : ARRAY_SIZE(candidates);
	const struct event *candidate = is_kvm_guest() ? kvm_candidates : candidates;
	struct set set = { .driver = "module" };

	for (unsigned int i = 0; i < n && set.n < MAX_EVENTS; i++) {
		int fd = open_on(&candidate[i], false);

		if (fd < 0)
			continue;
		close(fd);
		set.event[set.n++] = candidate[i];
	}
	return set;
}

static struct set first_of(struct set set, unsigned int wanted)
{
	set.n = wanted < set.n ? wanted : set.n;
	return set;
}

/* ---- ping-pong ---- */

/**
 * struct run - what both tasks store about a run
 * @ping_done: the first task opened all events and completed all rounds
 * @pong_done: the second task did
 * @counts: SBI calls and context switches
 * @ns: time of a round
 * @ping: counts of the first task's events
 * @pong: of the second task's
 */
struct run {
	bool ping_done, pong_done;
	struct tracepoint_counts counts;
	uint64_t ns;
	struct reading ping[MAX_EVENTS], pong[MAX_EVENTS];
};

static struct run *shared;

static bool open_set(const struct set *set, int *fd)
{
	for (unsigned int i = 0; i < set->n; i++) {
		fd[i] = open_on(&set->event[i], set->builtin);
		if (fd[i] < 0) {
			note("event %u does not open: %s", i, strerror(-fd[i]));
			return false;
		}
	}
	return true;
}

static void close_set(const struct set *set, const int *fd, struct reading *r)
{
	for (unsigned int i = 0; i < set->n; i++) {
		r[i] = perf_get(fd[i]);
		close(fd[i]);
	}
}

static void pong(const struct set *set, int rounds, int in, int out)
{
	int fd[MAX_EVENTS];

	if (!open_set(set, fd) || !pong_rounds(rounds, in, out))
		return;
	close_set(set, fd, shared->pong);
	shared->pong_done = true;
}

/* Return: were all rounds completed? */
static bool time_rounds(int rounds, int in, int out)
{
	bool completed = true;
	uint64_t start, ns;

	shared->ns = UINT64_MAX;
	for (int done = 0; completed && done < rounds; done += BLOCK) {
		start = now_ns();
		completed = ping_rounds(BLOCK, in, out);
		ns = (now_ns() - start) / BLOCK;
		if (ns < shared->ns)
			shared->ns = ns;
	}
	return completed;
}

/* Counters are configured in the first rounds, which are not measured. */
static void ping(const struct set *set, int rounds, int in, int out)
{
	struct tracepoint_counts before;
	int fd[MAX_EVENTS];

	if (!open_set(set, fd) || !ping_rounds(WARM_UP, in, out))
		return;
	before = tracepoint_counts_now();
	shared->ping_done = time_rounds(rounds, in, out);
	shared->counts = tracepoint_counts_since(before);
	close_set(set, fd, shared->ping);
}

static struct run run_set(const struct set *set, int rounds)
{
	int there[2], back[2];
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	if (pipe(there) || pipe(back))
		return *shared;
	pid = fork();
	if (!pid) {
		pong(set, WARM_UP + rounds, there[0], back[1]);
		_exit(0);
	}
	close(back[1]);	/* so that ping's read() ends if pong exits */
	ping(set, rounds, back[0], there[1]);
	if (!shared->ping_done)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	return *shared;
}

/* Return: the time of a round, the best of some untraced runs. */
static uint64_t fastest(const struct set *set)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TIMED_RUNS; i++) {
		uint64_t ns = run_set(set, TIMED_ROUNDS).ns;

		best = ns < best ? ns : best;
	}
	return best;
}

/* Count the calls in one traced run, and take the time. */
static struct run measure(const struct set *set, const char *what)
{
	struct run run = {};

	if (tracepoints_open())
		run = run_set(set, ROUNDS);
	tracepoints_close();
	run.ns = fastest(set);
	note("%-8s  %u %-8s  %8lu  %7lu  %10.2f  %9.2f  %8.2f", set->driver, set->n, what,
	     run.counts.switches, run.counts.calls,
	     (double)run.counts.calls / (run.counts.switches ?: 1),
	     (double)run.counts.calls / (run.counts.switches ?: 1) / (set->n ?: 1), run.ns / 1e3);
	return run;
}

/* Return: whether both tasks completed the run and switched. */
static bool is_complete(const struct run *run)
{
	return run->ping_done && run->pong_done && run->counts.switches >= 2 * ROUNDS;
}

/* ---- tests ---- */

/* A count of zero calls means something only if the tracepoint is known to work. */
static void test_tracepoint(const struct set *set)
{
	struct tracepoint_counts before, counts;
	int fd;

	if (!check(tracepoints_open(), "sbi_call_tracepoint_opens"))
		exit(end());
	before = tracepoint_counts_now();
	/* Delegated counters are configured without a call, those of firmware are not. */
	fd = open_on(is_delegated() ? &firmware[0] : &set->event[0], false);
	counts = tracepoint_counts_since(before);
	note("opening an event makes %lu calls", counts.calls);
	check(fd >= 0 && counts.calls, "tracepoint_counts_calls_of_event_open");
	close(fd);
	tracepoints_close();
}

/*
 * Cycles and instructions occur in every run. TLB misses need not, and QEMU counts only one of
 * several equal events with different filters.
 */
static bool must_count(const struct event *e)
{
	return e->type == PERF_TYPE_HARDWARE && !e->exclude_user && !e->exclude_kernel;
}

static bool are_all_counted(const struct set *set, const char *task, const struct reading *r)
{
	bool all = true;

	for (unsigned int i = 0; i < set->n; i++) {
		if (r[i].enabled && r[i].enabled == r[i].running &&
		    (r[i].value || !must_count(&set->event[i])))
			continue;
		note("%s, event %u: %lu in %lu of %lu ns", task, i, r[i].value, r[i].running,
		     r[i].enabled);
		all = false;
	}
	return all;
}

/* @name: which events, for the name of the result. */
static void check_counted(const char *name, const struct set *set, const struct run *run)
{
	const bool ping = are_all_counted(set, "ping", run->ping);
	const bool pong = are_all_counted(set, "pong", run->pong);

	check(ping && pong, "tasks_with_%s_events_count_all_the_time", name);
}

static struct run test_hardware(const struct set *all, unsigned int wanted)
{
	struct set set = first_of(*all, wanted);
	struct run run = measure(&set, "hardware");
	const struct tracepoint_counts *counts = &run.counts;
	char name[32];

	note("%u events wanted, %u open: %lu calls, %lu of them reads, in %lu switches", wanted,
	     set.n, counts->calls, counts->reads, counts->switches);
	if (snapshot)
		/* A switch is counted before it is complete: allow one call more. */
		check(is_complete(&run) && counts->calls <= 2 * counts->switches + 1 &&
		      counts->reads <= counts->switches / 100,
		      "switch_with_%u_events_makes_two_sbi_calls", wanted);
	else
		check(is_complete(&run) && !counts->calls,
		      "switch_with_%u_hardware_events_makes_no_sbi_calls", wanted);
	snprintf(name, sizeof(name), "%u_%s", wanted, snapshot ? "mixed" : "hardware");
	check_counted(name, &set, &run);
	return run;
}

/* A switch reads each event of one task when it stops, and each of the other when it starts. */
static void test_firmware(void)
{
	struct set set = { .driver = "module", .n = ARRAY_SIZE(firmware) };
	struct run run;

	memcpy(set.event, firmware, sizeof(firmware));
	run = measure(&set, "firmware");
	note("%u events: %lu calls, %lu of them reads, in %lu switches", set.n, run.counts.calls,
	     run.counts.reads, run.counts.switches);
	check(is_complete(&run) && run.counts.reads == run.counts.calls,
	      "switch_with_firmware_events_makes_only_read_calls");
	/* A switch is counted before it is complete: allow one more with its reads. */
	check(run.counts.reads && run.counts.reads <= 2 * set.n * (run.counts.switches + 1),
	      "switch_with_firmware_events_makes_two_reads_per_event_at_most");
	check_counted("firmware", &set, &run);
}

/* The built-in driver makes calls at each switch, and the tracepoint must count them. */
static struct run test_builtin(const struct set *all, unsigned int wanted)
{
	struct set set = first_of(*all, wanted);
	struct run run;

	set.driver = "built-in";
	set.builtin = true;
	run = measure(&set, "hardware");
	note("%u events: %lu calls in %lu switches", set.n, run.counts.calls,
	     run.counts.switches);
	check(is_complete(&run) && run.counts.calls >= set.n * run.counts.switches,
	      "builtin_switch_with_%u_events_makes_a_call_per_event", wanted);
	return run;
}

/* As many software events: perf core's work alone, as a dummy counts nothing. */
static struct set dummies(unsigned int n)
{
	struct set set = { .builtin = true, .n = n };

	for (unsigned int i = 0; i < n; i++)
		set.event[i] = (struct event){ .type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_DUMMY };
	return set;
}

/*
 * @shift: an instruction takes 2^@shift ns. A round switches each event out and in twice: once for
 * each task. The driver adds at most 0.4 times perf core's work: about 0.28 on Debian 13's kernel
 * and 0.24 on Linux 7.2, however counters are programmed; before what is needed was inline it was
 * 0.44, and with a search for a counter at each switch 1.4.
 */
static void test_instructions(int shift, const struct set *all)
{
	const struct set sets[] = { {}, dummies(all->n), *all };
	const double unit = 2. * all->n * (1 << shift);
	uint64_t least[] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	double core, own;

	/* Linux 7.2 has several speeds with the same events: each gets turns to be at its best. */
	for (int i = 0; i < 5 * (int)ARRAY_SIZE(sets); i++) {
		const uint64_t ns = fastest(&sets[i % ARRAY_SIZE(sets)]);

		if (ns < least[i % ARRAY_SIZE(sets)])
			least[i % ARRAY_SIZE(sets)] = ns;
	}
	core = (least[1] - least[0]) / unit;
	own = (least[2] - least[0]) / unit;
	note("instructions to switch an event out and in: %.0f, a software event: %.0f", own, core);
	check(own <= 1.4 * core, "event_costs_at_most_1_4_software_events");
}

int main(void)
{
	static const unsigned int wanted[] = { 1, 2, 5, MAX_EVENTS };
	const char *icount = getenv("LAB_ICOUNT");
	struct run run, module, builtin;
	struct set all;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	begin();
	pin(TRACED_CPU);
	snapshot = uses_snapshot();
	all = find_events();
	note("%u different hardware events", all.n);
	if (!check(all.n && shared != MAP_FAILED, "hardware_events_are_available"))
		return end();
	test_tracepoint(&all);

	note("%d rounds between two tasks on CPU %d, each with the same events open", ROUNDS,
	     TRACED_CPU);
	note("                               SBI PMU       calls  per event     us per");
	note("driver    events      switches    calls  per switch  and switch      round");
	run = measure(&(struct set){ .driver = "none" }, "");
	check(is_complete(&run) && !run.counts.calls, "switch_without_events_makes_no_sbi_calls");
	for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
		module = test_hardware(&all, wanted[i]);
	if (!snapshot)
		test_firmware();
	if (icount)
		test_instructions(atoi(icount), &all);
	else
		skip("event_costs_at_most_1_4_software_events", "instructions are not the clock");

	if (pmu.exclusive) {
		skip("round_is_not_slower_than_with_builtin_driver",
		     "the built-in driver is not present");
		return end();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
		builtin = test_builtin(&all, wanted[i]);
	note("a round with the built-in driver takes %.2f times as long",
	     (double)builtin.ns / module.ns);
	check(module.ns <= builtin.ns, "round_is_not_slower_than_with_builtin_driver");
	return end();
}
