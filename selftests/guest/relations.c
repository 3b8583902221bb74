// SPDX-License-Identifier: GPL-2.0-only
/*
 * relations [GROUPS] - what must hold between counts on any core: of random groups of events, one
 * at a time ("alone") and some that are multiplexed. LAB_GROUPS says how many, too; sbi-pmu-report
 * --run runs this.
 *
 * Where they are the kernel's built-in driver's, what does not hold is a row of make compare and no
 * failure. Relations of two events are the core's, which may count what it speculates: they are
 * only printed. All events are of a child, and begin and end to count with it.
 */
#include <math.h>

#include "harness.h"

enum { GROUPS = 4, MEMBERS = 5, ROUNDS = 3, TRIES = 3, RARE = 30000 };
enum { BACKWARDS, RUNNING, EQUAL, ESTIMATE, NESTED, MODE, SUM, CORE, KINDS };

static const char *const names[KINDS] = {
	"counts_never_run_backwards", "running_at_most_enabled",
	"equal_events_are_equal",     "estimates_of_equal_events_agree",
	"nested_at_most_outer",       "one_mode_at_most_all",
	"user_and_kernel_are_all",    "misses at most accesses (the core's)",
};

/* It has counted @low at least, and would have counted @high at most in all of the time. */
static struct member {
	struct perf_event_attr attr;
	int fd, group;
	double low, high;
} members[GROUPS * MEMBERS + 1], *const inner = &members[GROUPS * MEMBERS];

/* A group as read(2) shows it */
static struct moment {
	uint64_t n, enabled, running, value[MEMBERS];
} groups[GROUPS];

static struct tally {
	unsigned int seen[KINDS], wrong[KINDS];
} tally;

static struct perf_event_attr pool[64];
static unsigned int in_pool, n_members, n_groups, group_number;
static int to_child[2], from_child[2];
static bool decides, last_try, is_steady;
static double per_cycle;
static pid_t child;

#define below(n)	((unsigned int)rand() % (n))

/* General events, cache events, timers that firmware sets: those that count. */
static void fill_pool(void)
{
	for (unsigned int i = 0; i < 42 + 10 + 1; i++) {
		struct perf_event_attr attr = {
			.type = i < 42 ? PERF_TYPE_HW_CACHE :
				i < 52 ? PERF_TYPE_HARDWARE :
					 PERF_TYPE_RAW,
			.config = i < 42 ? i / 6 | i / 2 % 3 << 8 | i % 2 << 16 :
				  i < 52 ? i - 42 :
					   FIRMWARE(5),
			.read_format = READ_TIMES,
		};
		const int fd = perf_try(&attr, 0, -1, -1);

		work(1000);
		attr.read_format |= PERF_FORMAT_GROUP;
		if (fd >= 0 && perf_get(fd).running)
			pool[in_pool++] = attr;
		close(fd);
	}
}

/* Half of the members have the event of another one. */
static void open_group(void)
{
	struct member *first = &members[n_members], *m = first;

	groups[n_groups] = (struct moment){};
	for (unsigned int tries = 2 + below(2 * MEMBERS - 1); tries && m < first + MEMBERS;
	     tries--) {
		m->attr = n_members && below(2) ? members[below(n_members)].attr :
						  pool[below(in_pool)];
		if (m->attr.config >> 62 != 2 && below(2)) {
			m->attr.exclude_user = !below(3);
			m->attr.exclude_kernel = !m->attr.exclude_user && below(2);
			m->attr.exclude_hv = below(2);
		}
		m->group = n_groups;
		m->fd = perf_try(&m->attr, child, -1, m == first ? -1 : first->fd);
		m += m->fd >= 0;
		n_members = m - members;
	}
	n_groups += m > first;
}

/* The child: one mix of work, as long as ordered. What a group sees is like what it does not. */
static void work_as_ordered(long arg)
{
	static volatile char pages[256][4096];
	unsigned int order;

	while (read(to_child[0], &order, sizeof(order)) > arg) {
		const uint64_t end = now_ns() + (order >> 4) * 1000;

		do {
			work(order & 1 ? 3000 : 300);
			for (unsigned int i = order & 2 ? 20 : 0; i; i--)
				syscall(SYS_getppid);
			for (unsigned int i = order & 4 ? 256 : 0; i; i--)
				pages[i - 1][0]++;
			if (order & 8)
				usleep(50);
		} while (now_ns() < end);
		if (write(from_child[1], &order, 1) != 1)
			break;
	}
}

/* Until it waits for an order, so that nothing of it counts. Twice: it may have been about to. */
static void wait_for_child(unsigned int cpu)
{
	char path[32], text[64];

	pin(cpu);
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	for (unsigned int waits = 0; waits < 2; waits += !!strstr(text, ") S")) {
		usleep(100);
		read_text(path, text, sizeof(text));
	}
}

static void judge(int kind, bool holds)
{
	static unsigned int shown;

	tally.seen[kind]++;
	tally.wrong[kind] += !holds;
	if (holds || !last_try || kind == CORE || shown++ > 5)
		return;
	note("group %u: not %s:", group_number, names[kind]);
	for (const struct member *m = members; m < members + n_members; m++)
		note("  type %u config %#llx%s%s%s: %.0f to %.0f, group %d ran %lu of %lu ns",
		     m->attr.type, m->attr.config, m->attr.exclude_kernel ? ":u" : "",
		     m->attr.exclude_user ? ":k" : "", m->attr.exclude_hv ? ", no M-mode" : "",
		     m->low, m->high, m->group, groups[m->group].running, groups[m->group].enabled);
}

/*
 * While it did not run it may have counted nothing, or twice what its estimate says, and RARE more;
 * where the host's clock counts, anything.
 */
static void set_bounds(struct member *m, uint64_t value, uint64_t enabled, uint64_t running)
{
	m->low = m->high = value;
	if (running < enabled)
		m->high += running && is_steady ?
				   2. * value * (enabled - running) / running + RARE :
				   INFINITY;
}

/* The most that @m may have counted while a group ran: its own members run at the same time. */
static double most(const struct member *m, int group)
{
	return m->group == group ? m->low : m->high;
}

static void read_groups(void)
{
	struct member *m = members;

	for (struct moment *g = groups; g < groups + n_groups; g++) {
		const struct moment last = *g;
		bool forward = read(m->fd, g, sizeof(last)) > 0;

		forward &= g->enabled >= last.enabled && g->running >= last.running;
		for (unsigned int k = 0; k < g->n; k++, m++) {
			forward &= g->value[k] >= last.value[k];
			set_bounds(m, g->value[k], g->enabled, g->running);
		}
		judge(BACKWARDS, forward);
		judge(RUNNING, g->running <= g->enabled);
	}
}

/* 0: both modes, 1: user, 2: kernel; 3 to 5: the same without M-mode. 6: another event than @of */
static unsigned int modes(const struct member *m, const struct member *of)
{
	if (m->attr.type != of->attr.type || m->attr.config != of->attr.config)
		return 6;
	return m->attr.exclude_kernel + 2 * m->attr.exclude_user + 3 * m->attr.exclude_hv;
}

static bool is(const struct member *m, unsigned int general)
{
	return m->attr.type == PERF_TYPE_HARDWARE && m->attr.config == general && !modes(m, m);
}

/* Two events */
static void judge_core(const struct member *a, const struct member *b, bool holds)
{
	if ((is(a, PERF_COUNT_HW_CACHE_MISSES) && is(b, PERF_COUNT_HW_CACHE_REFERENCES)) ||
	    (is(a, PERF_COUNT_HW_BRANCH_MISSES) && is(b, PERF_COUNT_HW_BRANCH_INSTRUCTIONS)) ||
	    (a->attr.type == PERF_TYPE_HW_CACHE && b->attr.type == PERF_TYPE_HW_CACHE &&
	     !modes(a, a) && !modes(b, b) && a->attr.config == (b->attr.config | 1 << 16)))
		judge(CORE, holds);
	if (is(a, PERF_COUNT_HW_INSTRUCTIONS) && is(b, PERF_COUNT_HW_CPU_CYCLES) && b->low &&
	    a->low > per_cycle * b->high)
		per_cycle = a->low / b->high;
}

/* Two counters are read one after the other: what may lie between; of the host's clock, more */
#define APART(m)	(300 + (m)->low / (is_steady ? 1000 : 50))

static void judge_pair(const struct member *a, const struct member *b)
{
	const unsigned int mode_a = modes(a, b), mode_b = modes(b, a);
	const bool fits = a->low <= most(b, a->group);

	if (mode_a < 6 && mode_a == mode_b && a < b)
		judge(a->group == b->group ? EQUAL : ESTIMATE, fits && b->low <= most(a, b->group));
	/* M-mode, which is left out of @a, may be in @b. */
	if ((mode_a == 4 || mode_a == 5) && mode_b % 3 == 0)
		judge(MODE, a->low <= most(b, a->group) + APART(b));
	for (const struct member *m = members; m < members + n_members; m++)
		if (mode_a == 4 && mode_b == 5 && modes(m, a) == 3 && a->group == b->group &&
		    b->group == m->group)
			judge(SUM, __builtin_fabs(a->low + b->low - m->low) <= APART(m));
	if (mode_a == 6)
		judge_core(a, b, fits);
}

/* While they count, each group is read at another time; at the end it has run several times. */
static void judge_pairs(bool at_end)
{
	read_groups();
	for (struct member *a = members; a < members + n_members; a++)
		for (struct member *b = members; b < members + n_members; b++)
			if (a != b && (at_end || a->group == b->group))
				judge_pair(a, b);
}

static void try_groups(unsigned int at_once)
{
	const unsigned int order = (at_once > 1 ? 4000 : 300) << 4 | below(16),
			   cpu = below(sysconf(_SC_NPROCESSORS_ONLN));
	struct member *outer;
	struct reading r;
	cpu_set_t set;
	char byte;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(child, sizeof(set), &set);
	wait_for_child(cpu);
	n_groups = n_members = 0;
	while (n_groups < at_once)
		open_group();
	outer = &members[below(n_members)];
	*inner = *outer;
	inner->attr.disabled = 1;
	inner->attr.read_format = READ_TIMES;
	inner->fd = perf_try(&inner->attr, child, -1, -1);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ioctl(inner->fd, i == 1 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
		pin(0);
		if (write(to_child[1], &order, sizeof(order)) < 0)
			perror("write");
		usleep(100);
		judge_pairs(false);
		if (read(from_child[0], &byte, 1) < 0)
			perror("read");
		wait_for_child(cpu);
		judge_pairs(i == ROUNDS - 1);
	}
	if (inner->fd >= 0) {
		r = perf_get(inner->fd);
		set_bounds(inner, r.value, r.enabled, r.running);
		judge(NESTED, inner->low <= outer->high);
		close(inner->fd);
	}
	while (n_members)
		close(members[--n_members].fd);
}

/* A busy host makes estimates and distances wrong: what does not hold must not hold again. */
static void test_groups(unsigned int tries, const char *how, unsigned int at_once)
{
	unsigned int opened = 0, ran = 0, wrong = 0;
	double share = 0;
	char name[64];

	tally = (struct tally){};
	for (group_number = 0; group_number < tries; group_number++) {
		const struct tally before = tally;

		for (unsigned int i = TRIES; i; i--) {
			last_try = i == 1;
			tally = before;
			srand(group_number);
			try_groups(at_once > 1 ? 2 + below(at_once - 1) : 1);
			if (!memcmp(tally.wrong, before.wrong, CORE * sizeof(*tally.wrong)))
				break;
		}
		for (const struct moment *g = groups; g < groups + n_groups; g++, opened++) {
			ran += g->running > 0;
			share += g->enabled ? (double)g->running / g->enabled : 0;
		}
	}
	note("%s: %u of %u groups ran, %.0f %% of the time; %.2f instructions a cycle (the core's)",
	     how, ran, opened, 100 * share / opened, per_cycle);
	check(ran, "%s_groups_run", how);
	for (unsigned int k = 0; k < KINDS; k++) {
		note("%s: %u of %u do not hold", names[k], tally.wrong[k], tally.seen[k]);
		wrong += k < CORE ? tally.wrong[k] : 0;
		snprintf(name, sizeof(name), "%s_%s", how, names[k]);
		if (k < CORE && decides && !tally.seen[k])
			skip(name, "no group had such events");
		else if (k < CORE && decides)
			check(!tally.wrong[k], "%s", name);
	}
	note("row\t%u random groups, %s: relations that do not hold\t%u", tries, how, wrong);
}

#define INTERVAL	PMU_DEVICES "cpu/perf_event_mux_interval_ms"

static int interval_before;

/* The interval is the whole machine's. */
static void stop_early(int signal)
{
	write_number(INTERVAL, interval_before);
	_exit(128 + signal);
}

int main(int argc, char **argv)
{
	const char *lab = getenv("LAB_GROUPS");
	const int tries = argc > 1 ? atoi(argv[1]) : lab ? atoi(lab) : 100;

	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	read_lab_tests();
	is_steady = !getenv("lab_run") || getenv("LAB_ICOUNT");
	decides = find_pmu() && pmu.exclusive;
	fill_pool();
	note("%u events count", in_pool);
	if (!check(in_pool && !pipe(to_child) && !pipe(from_child), "events_count"))
		return end();
	child = start_child(work_as_ordered, 0);
	interval_before = read_number(INTERVAL);
	signal(SIGINT, stop_early);
	signal(SIGTERM, stop_early);
	write_number(INTERVAL, 1);
	test_groups(tries, "alone", 1);
	test_groups(tries, "multiplexed", GROUPS);
	write_number(INTERVAL, interval_before);
	stop_child(child);
	return end();
}
