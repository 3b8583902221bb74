// SPDX-License-Identifier: GPL-2.0-only
/*
 * switch_cost - what a context switch costs: SBI calls, time, in a KVM guest exits to the host, and
 * instructions where they are QEMU's clock
 *
 * The kernel's tracepoint counts SBI calls. Allowed are: none for hardware events, however many;
 * only reads for firmware events. With snapshot, in a KVM guest: two, however many events of
 * either kind there are. The built-in driver is measured as well if it is there.
 */
#include "pingpong.h"

enum { ROUNDS = 1000, TIMED_ROUNDS = 300 };

static bool snapshot;

/* ---- events ---- */

/* Events to open, and the name of the driver to open them on. */
struct set {
	const char *driver;
	unsigned int n;
	struct perf_event_attr attr[PINGPONG_EVENTS];
};

#define MODULE	"module"

/* Add the event if it opens on this machine. */
static void add_event(struct set *set, struct perf_event_attr attr)
{
	int fd;

	/* Generic events are opened on the PMU of type PERF_TYPE_RAW unless they name another. */
	if (!strcmp(set->driver, MODULE) && attr.type != (uint32_t)pmu.type)
		attr.config |= (uint64_t)pmu.type << PERF_PMU_TYPE_SHIFT;
	attr.read_format = READ_TIMES;
	fd = set->n < PINGPONG_EVENTS ? perf_try(&attr, 0, -1, -1) : -1;
	if (fd < 0)
		return;
	set->attr[set->n++] = attr;
	close(fd);
}

/* Misaligned loads, illegal instructions, set_timer */
static void add_firmware_events(struct set *set)
{
	add_event(set, event(FIRMWARE(0)));
	add_event(set, event(FIRMWARE(4)));
	add_event(set, event(FIRMWARE(5)));
}

/* With snapshot firmware events cost as much as others. More raw events open with csr. */
static struct set find_events(const char *driver)
{
	struct set set = { .driver = driver };

	for (unsigned int i = 0; i < ARRAY_SIZE(different_events); i++)
		add_event(&set, different_events[i]);
	if (snapshot)
		add_firmware_events(&set);
	else if (pmu.exclusive)
		for (unsigned int i = 1; i <= PINGPONG_EVENTS; i++)
			add_event(&set, event(i << 16 | 0x10));
	return set;
}

/* ---- runs ---- */

/* Return: the time of a round, the best of some untraced runs. */
static uint64_t fastest(const struct set *set)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		const uint64_t ns = pingpong_run(set->attr, set->n, TIMED_ROUNDS).round_ns;

		best = ns < best ? ns : best;
	}
	return best;
}

/* The best of each of @sets, by turns: results vary, in Linux 7.2 and on a busy host. */
static void fastest_by_turns(const struct set *sets, unsigned int n, uint64_t *best)
{
	for (unsigned int i = 0; i < 5 * n; i++) {
		const uint64_t ns = fastest(&sets[i % n]);

		if (i < n || ns < best[i % n])
			best[i % n] = ns;
	}
}

/* Switches to other tasks are among them. */
static double per_switch(const struct pingpong *run, uint64_t count)
{
	return (double)count / (run->counts.switches ?: 1);
}

/* Count the calls in one traced run, and take the time. demo_shared reads the lines. */
static struct pingpong measure(const struct set *set, const char *what)
{
	/* In shared mode a counter that nobody uses for 10 ms, as the host is away, is released. */
	unsigned int tries = pmu.exclusive || strcmp(set->driver, MODULE) ? 1 : 3;
	struct pingpong run;
	double per;

	do
		run = pingpong_run_traced(set->attr, set->n, ROUNDS);
	while (--tries && run.counts.calls != run.counts.reads);
	per = per_switch(&run, run.counts.calls);
	run.round_ns = fastest(set);
	note("%-8s  %u %-8s  %8lu  %7lu  %10.2f  %9.2f  %8.2f", set->driver, set->n, what,
	     run.counts.switches, run.counts.calls, per, per / (set->n ?: 1), run.round_ns / 1e3);
	if (run.exits.all)
		note("%.2f exits a switch, %.2f of them to read a CSR",
		     per_switch(&run, run.exits.all), per_switch(&run, run.exits.csr_reads));
	return run;
}

/* ---- tests ---- */

/* A count of zero calls means something only if the tracepoint is known to work. */
static void test_tracepoint(const struct set *set)
{
	struct perf_event_attr attr = set->attr[0], firmware = event(FIRMWARE(0));
	struct tracepoint_counts before, counts;
	int fd[2];

	if (!check(tracepoints_open(), "sbi_call_tracepoint_opens"))
		exit(end());
	before = tracepoint_counts_now();
	fd[0] = perf_try(&attr, 0, -1, -1);
	counts = tracepoint_counts_since(before);
	note("opening an event makes %lu calls", counts.calls);
	/* Delegated counters are configured without a call, those of firmware are not. */
	if (is_delegated())
		check(fd[0] >= 0 && !counts.calls, "delegated_event_opens_without_sbi_calls");
	fd[1] = perf_try(&firmware, 0, -1, -1);
	counts = tracepoint_counts_since(before);
	check(fd[1] >= 0 && counts.calls, "tracepoint_counts_calls_of_event_open");
	close_events(fd, 2);
	tracepoints_close();
}

static void check_counted(const char *what, const struct set *set, const struct pingpong *run)
{
	bool all = true;

	for (unsigned int i = 0; i < 2 * set->n; i++) {
		const struct reading r = run->read[i % 2][i / 2];

		/* Cycles and instructions occur in every run. TLB misses need not. */
		if (r.enabled && r.enabled == r.running &&
		    (r.value || set->attr[i / 2].type != PERF_TYPE_HARDWARE))
			continue;
		note("task %u, event %u: %lu in %lu of %lu ns", i % 2, i / 2, r.value, r.running,
		     r.enabled);
		all = false;
	}
	check(all, "tasks_with_%s_events_count_all_the_time", what);
}

static void check_calls(const struct set *set, const struct pingpong *run)
{
	const struct tracepoint_counts *counts = &run->counts;
	const bool complete = pingpong_is_complete(run, ROUNDS);
	char what[32];

	if (strcmp(set->driver, MODULE)) {
		/* The tracepoint must count them. */
		check(complete && counts->calls >= set->n * counts->switches,
		      "builtin_switch_with_%u_events_makes_a_call_per_event", set->n);
		return;
	}
	if (snapshot)
		/* A switch is counted before it is complete: allow one call more. */
		check(complete && counts->calls <= 2 * counts->switches + 1 &&
		      counts->reads <= counts->switches / 100,
		      "switch_with_%u_events_makes_two_sbi_calls", set->n);
	else
		check(complete && !counts->calls,
		      "switch_with_%u_hardware_events_makes_no_sbi_calls", set->n);
	snprintf(what, sizeof(what), "%u_%s", set->n, snapshot ? "mixed" : "hardware");
	check_counted(what, set, run);
}

/* With 1, 2, 5 and 8 events, as far as there are so many */
static void test_driver(const struct set *all)
{
	static const unsigned int wanted[] = { 1, 2, 5, PINGPONG_EVENTS };

	note("%s: %u different events; %d rounds between two tasks on CPU %d", all->driver, all->n,
	     ROUNDS, TRACED_CPU);
	note("                               SBI PMU       calls  per event     us per");
	note("driver    events      switches    calls  per switch  and switch      round");
	for (unsigned int i = 0; i < ARRAY_SIZE(wanted) && wanted[i] <= all->n; i++) {
		struct set set = *all;
		struct pingpong run;

		set.n = wanted[i];
		run = measure(&set, "hardware");
		check_calls(&set, &run);
	}
}

/* A switch reads each event of one task when it stops, and each of the other when it starts. */
static void test_firmware(void)
{
	struct set set = { .driver = MODULE };
	struct pingpong run;

	add_firmware_events(&set);
	run = measure(&set, "firmware");
	note("%lu of the calls are reads", run.counts.reads);
	check(pingpong_is_complete(&run, ROUNDS) && set.n == 3 &&
	      run.counts.reads == run.counts.calls,
	      "switch_with_firmware_events_makes_only_read_calls");
	/* A switch is counted before it is complete: allow one more with its reads. */
	check(run.counts.reads && run.counts.reads <= 2 * set.n * (run.counts.switches + 1),
	      "switch_with_firmware_events_makes_two_reads_per_event_at_most");
	check_counted("firmware", &set, &run);
}

/* ---- instructions ---- */

/* As many software events: perf core's work alone, as a dummy counts nothing. */
static struct set dummies(unsigned int n)
{
	struct set set = { .driver = "software" };

	while (set.n < n)
		add_event(&set, (struct perf_event_attr){
			.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY });
	return set;
}

/*
 * An instruction takes 2^@shift ns. A round switches each event out and in twice. The driver adds
 * 0.33 to 0.53 times perf core's work; with a search for a counter at each switch it was 1.4. After
 * programs that sample it is more for some seconds, whatever the driver: this comes before them.
 */
static void test_instructions(int shift, const struct set *all)
{
	const struct set sets[] = { { .driver = "none" }, dummies(all->n), *all };
	const double unit = 2. * all->n * (1 << shift);
	uint64_t best[ARRAY_SIZE(sets)];
	double core, own;

	fastest_by_turns(sets, ARRAY_SIZE(sets), best);
	core = (best[1] - best[0]) / unit;
	own = (best[2] - best[0]) / unit;
	note("instructions to switch an event out and in: %.0f, a software event: %.0f", own, core);
	check(own <= 1.6 * core, "event_costs_at_most_1_6_software_events");
}

/* ---- drivers ---- */

/* Return: its events */
static struct set test_module(void)
{
	const char *icount = getenv("LAB_ICOUNT");
	struct set all;

	snapshot = uses_backend("snapshot");
	all = find_events(MODULE);
	if (!check(all.n, "hardware_events_are_available"))
		exit(end());
	test_tracepoint(&all);
	test_driver(&all);
	if (!snapshot)
		test_firmware();
	/* In a KVM guest a switch is more than the guest's instructions. */
	if (icount && !is_kvm_guest())
		test_instructions(atoi(icount), &all);
	else
		skip("event_costs_at_most_1_6_software_events", "instructions are not the clock");
	snapshot = false;
	return all;
}

int main(void)
{
	static const char slower[] = "round_is_not_slower_than_with_builtin_driver";
	struct set drivers[2];
	uint64_t best[2];

	begin();
	pin(TRACED_CPU);
	drivers[0] = test_module();
	if (pmu.exclusive) {
		skip(slower, "the built-in driver is not present");
		return end();
	}
	drivers[1] = find_events("built-in");
	if (check(drivers[1].n, "builtin_events_are_available")) {
		test_driver(&drivers[1]);
		fastest_by_turns(drivers, 2, best);
		note("a round with the built-in driver takes %.2f times as long",
		     (double)best[1] / best[0]);
		check(best[0] && best[0] <= best[1], "%s", slower);
	}
	return end();
}
