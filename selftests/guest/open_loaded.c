// SPDX-License-Identifier: GPL-2.0-only
/*
 * open_loaded - whether an event opens does not depend on how many events count; those go on
 * counting, and other CPUs are left alone. In shared mode an event is refused with EBUSY while
 * the built-in driver has all counters that might count it.
 */
#include "outcome.h"
#include "overcommit.h"

enum { QUESTIONS = 50, FILLING = 40 };

/* Raw events that QEMU does not have. A board may have some. */
static uint64_t unknown_event(unsigned int n)
{
	return 0xdead0000 + n;
}

/* Return: what opening raw event @n in this task returns: 0 or an errno. */
static int ask(unsigned int n)
{
	int fd = open_event(unknown_event(n), 0, -1, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/*
 * TLB misses with each filter, on CPU 0: more than there are programmable counters, so that they
 * are multiplexed and all these counters are in use. With filters, cycles and instructions use
 * programmable counters, too.
 */
static unsigned int fill(int fds[FILLING], unsigned int type, const uint64_t config[], int configs)
{
	unsigned int n = 0;

	for (int i = 0; i < configs * 8; i++) {
		struct perf_event_attr attr = { .type = type, .config = config[i % configs] };

		add_filter(&attr, i / configs);
		fds[n] = perf_try(&attr, -1, 0, -1);
		n += fds[n] >= 0;
	}
	return n;
}

static unsigned int fill_own(int fds[FILLING])
{
	static const uint64_t tlb_misses[] = {
		STANDARD(0x10019), STANDARD(0x1001b), STANDARD(0x10021),
	};

	return fill(fds, pmu.type, tlb_misses, ARRAY_SIZE(tlb_misses));
}

static unsigned int fill_other(int fds[FILLING])
{
	/* Data TLB loads and stores, instruction TLB loads: misses */
	static const uint64_t tlb_misses[] = { 0x10003, 0x10103, 0x10004 };

	return fill(fds, PERF_TYPE_HW_CACHE, tlb_misses, ARRAY_SIZE(tlb_misses));
}

/* ---- other CPUs ---- */

/* Return: SBI calls of the module on all CPUs but 0; -1 if that is not known. */
static long calls_elsewhere(void)
{
	FILE *f = fopen("/sys/kernel/debug/sbi_pmu/sbi_calls", "r");
	long total = 0;
	char line[512];

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		char *at = line, *next;

		/* The first line has words, the others begin with a CPU. */
		if (strtol(at, &next, 10) < 1)
			continue;
		do {
			at = next;
			total += strtol(at, &next, 10);
		} while (next != at);
	}
	fclose(f);
	return total;
}

/* ---- exclusive mode ---- */

/* Cycles and instructions in a group: one read tells both counts at the same time. */
struct pair {
	uint64_t events, enabled, running, cycles, instructions;
};

/* Instructions are on a programmable counter, if that is possible. */
static bool open_pair(int fds[2])
{
	struct perf_event_attr cycles = event(CYCLES), instructions = event(INSTRUCTIONS);

	cycles.pinned = 1;
	cycles.read_format |= PERF_FORMAT_GROUP;
	instructions.exclude_guest = isa_has("h") && has_mode_filters();
	fds[0] = perf_try(&cycles, -1, 0, -1);
	fds[1] = perf_try(&instructions, -1, 0, fds[0]);
	return fds[0] >= 0 && fds[1] >= 0;
}

static struct pair get_pair(int fd)
{
	struct pair p = {};

	if (read(fd, &p, sizeof(p)) != sizeof(p))
		perror("read");
	return p;
}

/*
 * What the pair counts while raw events from @first on are opened; none if that is 0. Between
 * them is far more work than in the SBI calls by which counters are started one by one.
 */
static struct pair count_pair(int fd, unsigned int first)
{
	const struct pair before = get_pair(fd);
	struct pair after;

	for (unsigned int n = 0; n < QUESTIONS; n++) {
		work(1000000);
		if (first)
			ask(first + n);
	}
	after = get_pair(fd);
	return (struct pair){
		.enabled = after.enabled - before.enabled,
		.running = after.running - before.running,
		.cycles = after.cycles - before.cycles,
		.instructions = after.instructions - before.instructions,
	};
}

static double per_cycle(const struct pair *p)
{
	return (double)p->instructions / p->cycles;
}

static void test_loaded(void)
{
	int idle[QUESTIONS], fds[FILLING], pair[2];
	unsigned int n, different = 0, possible = 0;
	struct pair alone, loaded;
	long elsewhere;

	for (unsigned int i = 0; i < QUESTIONS; i++) {
		idle[i] = ask(i);
		possible += is_possible_not_in_lab(idle[i]);
	}
	note("%d raw events, idle: %s", QUESTIONS, idle[0] ? strerror(idle[0]) : "opened");
	check(possible == QUESTIONS, "idle_raw_events_open_or_enoent");

	check(open_pair(pair), "pinned_group_opens");
	n = fill_own(fds);
	note("%u events and 2 on %d counters", n, pmu_number(pmu.name, "caps/hardware_counters"));
	alone = count_pair(pair[0], 0);
	elsewhere = calls_elsewhere();
	loaded = count_pair(pair[0], 1000);
	/* Not those that have been opened idle, as they are remembered. */
	for (unsigned int i = 0; i < QUESTIONS; i++) {
		const int result = ask(2000 + i);

		different += result != idle[i];
		if (result != idle[i])
			note("raw event %u: %s", i, strerror(result));
	}
	check(!different, "raw_events_open_as_when_idle");
	/* Both miss the same time, when all counters of the CPU stand still. */
	note("instructions a cycle: %.3f, and %.3f while events are opened", per_cycle(&alone),
	     per_cycle(&loaded));
	check(per_cycle(&loaded) > per_cycle(&alone) * 0.8 &&
	      per_cycle(&loaded) < per_cycle(&alone) / 0.8, "counting_events_go_on_alike");
	note("pinned group: %lu of %lu ns", loaded.running, loaded.enabled);
	check(loaded.running && loaded.running == loaded.enabled,
	      "pinned_group_keeps_its_counters");
	note("SBI calls on other CPUs: %ld", calls_elsewhere() - elsewhere);
	check(calls_elsewhere() == elsewhere, "opening_makes_no_calls_on_other_cpus");
	close_events(fds, n);
	close_events(pair, 2);
}

/* ---- shared mode ---- */

static bool is_logged(const char *text)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[2048];
	bool found = false;
	ssize_t n;

	while (fd >= 0 && !found && ((n = read(fd, record, sizeof(record) - 1)) > 0 ||
				     (n < 0 && errno == EPIPE))) {
		record[n > 0 ? n : 0] = '\0';
		found = strstr(record, text);
	}
	if (fd >= 0)
		close(fd);
	return found;
}

static void test_shared(void)
{
	unsigned int n, busy = 0, possible = 0;
	int fds[FILLING];

	check(is_possible_not_in_lab(ask(0)), "raw_event_opens_or_enoent_beside_idle_driver");
	n = fill_other(fds);
	note("%u events of the built-in driver on %d counters", n,
	     pmu_number(pmu.name, "caps/hardware_counters"));
	for (unsigned int i = 0; i < QUESTIONS; i++)
		busy += ask(1000 + i) == EBUSY;
	note("%u of %d raw events: %s", busy, QUESTIONS, strerror(EBUSY));
	check(busy == QUESTIONS, "raw_events_are_ebusy_beside_busy_driver");
	check(is_logged("the other PMU uses"), "log_says_that_other_driver_uses_counters");
	check(open_event(STANDARD(0x10019), 0, -1, -1) >= 0,
	      "supported_event_opens_beside_busy_driver");
	close_events(fds, n);
	for (unsigned int i = 0; i < QUESTIONS; i++)
		possible += is_possible_not_in_lab(ask(1000 + i));
	check(possible == QUESTIONS, "same_raw_events_open_or_enoent_beside_idle_driver");
}

int main(void)
{
	begin();
	pin(0);
	if (pmu.exclusive)
		test_loaded();
	else
		test_shared();
	return end();
}
