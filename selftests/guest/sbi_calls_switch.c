// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi_calls_switch - what a context switch costs: SBI calls, and time.
 *
 * Two tasks on one CPU send a byte to and fro. Both have the same events open,
 * each on itself, so at a switch all events of one leave and all of the other
 * come. The kernel's own tracepoint counts the calls to firmware. The promise:
 * none for hardware events, however many; only reads for firmware events. By
 * snapshot, in a KVM guest: two, however many there are and of whichever kind.
 */
#include <signal.h>
#include <sys/mman.h>

#include "pingpong.h"
#include "tracepoint.h"

enum { WARM_UP = 50, ROUNDS = 2000, TIMED_RUNS = 3, TIMED_ROUNDS = 500, MAX_EVENTS = 8 };

/* ---- events ---- */

struct event {
	uint32_t type;
	uint64_t config;
	bool exclude_user, exclude_kernel;
};

#define OURS		UINT32_MAX
#define FW_EVENT(code)	{ .type = OURS, .config = FIRMWARE(code) }
#define HARDWARE(id, ...) \
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id, ##__VA_ARGS__ }
#define MISSES(cache, op) \
	{ .type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache | \
	  PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 }

/* What QEMU can count. All are different: equal events would share a counter. */
static const struct event candidates[] = {
	HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
	MISSES(DTLB, READ), MISSES(DTLB, WRITE), MISSES(ITLB, READ),
	HARDWARE(CPU_CYCLES, .exclude_user = true),
	HARDWARE(INSTRUCTIONS, .exclude_user = true),
	HARDWARE(CPU_CYCLES, .exclude_kernel = true),
	HARDWARE(INSTRUCTIONS, .exclude_kernel = true),
};

/*
 * KVM has one counter for cycles, and one for instructions, whatever the filter. The
 * firmware's cost as much as the others by snapshot only.
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

/* Events to be open during a run, and on which driver's PMU. */
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

	/* Generic events go to the PMU of type RAW unless they name another. */
	if (e->type != OURS && !builtin)
		attr.config |= (uint64_t)pmu.type << 32;
	return perf_try(&attr, 0, -1, -1);
}

/* The candidates that can be had here, as many as we want. */
static struct set available(void)
{
	const unsigned int n = snapshot ? ARRAY_SIZE(kvm_candidates) :
			       in_kvm() ? KVM_HARDWARE : ARRAY_SIZE(candidates);
	const struct event *candidate = in_kvm() ? kvm_candidates : candidates;
	struct set set = { .driver = "ours" };

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

/* What both tasks write down about a run. */
struct run {
	bool ping_whole, pong_whole;	/* all events opened, all rounds played */
	struct tally seen;
	uint64_t ns;			/* a round */
	struct reading ping[MAX_EVENTS], pong[MAX_EVENTS];
};

static struct run *shared;

static bool open_set(const struct set *set, int *fd)
{
	for (unsigned int i = 0; i < set->n; i++) {
		fd[i] = open_on(&set->event[i], set->builtin);
		if (fd[i] < 0) {
			printf("# event %u does not open: %s\n", i, strerror(-fd[i]));
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
	shared->pong_whole = true;
}

/* The first rounds, in which counters are configured, are not looked at. */
static void ping(const struct set *set, int rounds, int in, int out)
{
	struct tally before;
	int fd[MAX_EVENTS];
	uint64_t start;

	if (!open_set(set, fd) || !ping_rounds(WARM_UP, in, out))
		return;
	before = seen_since((struct tally){});
	start = now_ns();
	shared->ping_whole = ping_rounds(rounds, in, out);
	shared->ns = (now_ns() - start) / rounds;
	shared->seen = seen_since(before);
	close_set(set, fd, shared->ping);
}

static struct run play(const struct set *set, int rounds)
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
	close(back[1]);	/* so that ping sees it if pong has gone */
	ping(set, rounds, back[0], there[1]);
	if (!shared->ping_whole)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	return *shared;
}

/* One run that is watched, for the calls; the best of some others for the time. */
static struct run measure(const struct set *set, const char *what)
{
	struct run run = {};

	if (witness_open())
		run = play(set, ROUNDS);
	witness_close();
	run.ns = UINT64_MAX;
	for (int i = 0; i < TIMED_RUNS; i++) {
		uint64_t ns = play(set, TIMED_ROUNDS).ns;

		run.ns = ns < run.ns ? ns : run.ns;
	}
	printf("# %-8s  %u %-8s  %8lu  %7lu  %10.2f  %9.2f  %8.1f\n", set->driver, set->n, what,
	       run.seen.switches, run.seen.calls,
	       (double)run.seen.calls / (run.seen.switches ?: 1),
	       (double)run.seen.calls / (run.seen.switches ?: 1) / (set->n ?: 1), run.ns / 1e3);
	return run;
}

/* Were both tasks there, and did they switch? */
static bool whole(const struct run *run)
{
	return run->ping_whole && run->pong_whole && run->seen.switches >= 2 * ROUNDS;
}

/* ---- what must be true ---- */

/* If nothing was seen where there are calls, nothing seen would mean nothing. */
static void test_witness(const struct set *set)
{
	struct tally before, seen;
	int fd;

	if (!check(witness_open(), "the tracepoint riscv:sbi_call can be counted"))
		exit(ktap_exit());
	before = seen_since((struct tally){});
	fd = open_on(&set->event[0], false);
	seen = seen_since(before);
	check(fd >= 0 && seen.calls, "it sees the calls when an event opens (%lu)", seen.calls);
	close(fd);
	witness_close();
}

/*
 * Cycles and instructions pass in any case. TLB misses need not, and of equal
 * events with other filters QEMU counts only one.
 */
static bool must_count(const struct event *e)
{
	return e->type == PERF_TYPE_HARDWARE && !e->exclude_user && !e->exclude_kernel;
}

static bool counted_all(const struct set *set, const char *task, const struct reading *r)
{
	bool all = true;

	for (unsigned int i = 0; i < set->n; i++) {
		if (r[i].enabled && r[i].enabled == r[i].running &&
		    (r[i].value || !must_count(&set->event[i])))
			continue;
		printf("# %s, event %u: %lu in %lu of %lu ns\n", task, i, r[i].value,
		       r[i].running, r[i].enabled);
		all = false;
	}
	return all;
}

static void check_counted(const struct set *set, const struct run *run)
{
	bool ping = counted_all(set, "ping", run->ping), pong = counted_all(set, "pong", run->pong);

	check(ping && pong, "and they counted in both tasks, all the time");
}

static struct run test_hardware(const struct set *all, unsigned int wanted)
{
	struct set set = first_of(*all, wanted);
	struct run run = measure(&set, "hardware");

	if (snapshot)
		/* A switch is there before it is over: one more call than twice as many. */
		check(whole(&run) && run.seen.calls <= 2 * run.seen.switches + 1 &&
		      run.seen.reads <= run.seen.switches / 100,
		      "%u events (%u wanted, %u there): 2 SBI calls a switch (%lu in %lu, %lu reads)",
		      set.n, wanted, all->n, run.seen.calls, run.seen.switches, run.seen.reads);
	else
		check(whole(&run) && !run.seen.calls,
		      "%u hardware events (%u wanted, %u there): 0 SBI calls in %lu switches (%lu)",
		      set.n, wanted, all->n, run.seen.switches, run.seen.calls);
	check_counted(&set, &run);
	return run;
}

/* At a switch one task's events leave, a read each, and the other's come, one more. */
static void test_firmware(void)
{
	struct set set = { .driver = "ours", .n = ARRAY_SIZE(firmware) };
	struct run run;

	memcpy(set.event, firmware, sizeof(firmware));
	run = measure(&set, "firmware");
	check(whole(&run) && run.seen.reads == run.seen.calls,
	      "%u firmware events: SBI calls are reads (%lu of %lu)", set.n, run.seen.reads,
	      run.seen.calls);
	/* A switch is there before it is over: one more of them may have made reads. */
	check(run.seen.reads && run.seen.reads <= 2 * set.n * (run.seen.switches + 1),
	      "at most two for each switch and event (%lu in %lu)", run.seen.reads,
	      run.seen.switches);
	check_counted(&set, &run);
}

/* The built-in driver makes calls at each switch: the witness must see them. */
static struct run test_builtin(const struct set *all, unsigned int wanted)
{
	struct set set = first_of(*all, wanted);
	struct run run;

	set.driver = "built-in";
	set.builtin = true;
	run = measure(&set, "hardware");
	check(whole(&run) && run.seen.calls >= set.n * run.seen.switches,
	      "built-in driver, %u events: its SBI calls are seen (%lu in %lu switches)", set.n,
	      run.seen.calls, run.seen.switches);
	return run;
}

int main(void)
{
	static const unsigned int wanted[] = { 1, 2, 5, MAX_EVENTS };
	struct run run, ours, builtin;
	struct set all;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	begin();
	pin(WITNESS_CPU);
	snapshot = by_snapshot();
	all = available();
	if (!check(all.n && shared != MAP_FAILED, "%u different hardware events", all.n))
		return end();
	test_witness(&all);

	printf("# %d rounds between two tasks on CPU %d, each with the same events open\n",
	       ROUNDS, WITNESS_CPU);
	puts("#                                SBI PMU       calls  per event     us per");
	puts("# driver    events      switches    calls  per switch  and switch      round");
	run = measure(&(struct set){ .driver = "none" }, "");
	check(whole(&run) && !run.seen.calls, "no events: 0 SBI calls (%lu)", run.seen.calls);
	for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
		ours = test_hardware(&all, wanted[i]);
	if (!snapshot)
		test_firmware();

	/* Ours has a name of its own where the built-in driver is there too. */
	if (!pmu.sole) {
		for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
			builtin = test_builtin(&all, wanted[i]);
		check(ours.ns <= builtin.ns, "the built-in driver's round is not faster (x %.2f)",
		      (double)builtin.ns / ours.ns);
	}
	return end();
}
