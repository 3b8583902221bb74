// SPDX-License-Identifier: GPL-2.0-only
/*
 * region - include/sbi_pmu/region.h on a real kernel: counts, and what user-space reads save. The
 * rest of it is tested on the host. Regions are of the module's events; struct region_cycles is of
 * the driver that counts "cycles": in shared mode that is the built-in one.
 */
#include <sys/resource.h>

#include "harness.h"
#include "../../include/sbi_pmu/region.h"

/* Cycles and instructions, twice: every machine has counters for these four events. */
static const char *four_events(void)
{
	static char list[256];

	snprintf(list, sizeof(list),
		 "%s/firmware=1,event=1/,%s/firmware=1,event=2/,%s/firmware=1,event=1/,%s/firmware=1,event=2/",
		 pmu.name, pmu.name, pmu.name, pmu.name);
	return list;
}

/* Return: the number of context switches of this thread. */
static long context_switches(void)
{
	struct rusage usage = {};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* End the program if the events do not open. */
static void check_open(const struct region *r, int error)
{
	if (!error)
		return;
	note("%s", region_why(r, error));
	check(false, "events_open");
	exit(end());
}

static struct region open_region(void)
{
	struct region r;

	check_open(&r, region_open(&r, four_events()));
	return r;
}

static struct region_cycles open_cycles(void)
{
	struct region_cycles c;

	check_open(&c.region, region_cycles_open(&c));
	return c;
}

/* ---- counts ---- */

enum { ROUNDS = 200 };

/* What is measured, with a migration to another CPU in the middle of every tenth round */
static void work_of_round(int i)
{
	work(1000);
	if (i % 10 == 9)
		pin(i / 10 % sysconf(_SC_NPROCESSORS_ONLN));
	work(1000);
}

/*
 * A region counts at least what an equal event counts between the inner reads, and at most what
 * it counts between the outer ones. If the thread was switched out, allow a factor of two, and in
 * three rounds more: a busy host may run something else between the events of a group.
 */
static void test_bounds(bool user_read)
{
	struct region r = open_region();
	const int other = open_event(INSTRUCTIONS, 0, -1, -1);
	int wrong = 0, failed = 0, unswitched = 0, apart = 0;
	struct region_sum all = {};

	for (int i = 0; i < ROUNDS; i++) {
		long switches = context_switches();
		uint64_t outer = perf_get(other).value, inner;
		struct region_sum sum = {};
		int error = region_begin(&r), slack;

		inner = perf_get(other).value;
		work_of_round(i);
		inner = perf_get(other).value - inner;
		error = error ? error : region_end(&r, &sum);
		outer = perf_get(other).value - outer;
		switches = context_switches() - switches;
		slack = switches ? 2 : 1;
		unswitched += !switches;
		failed += error != 0;
		all.direct += sum.direct;
		all.scaled += sum.scaled;
		if (sum.count[3] >= inner && sum.count[3] <= outer)
			continue;
		note("round %d: %lu is not in %lu to %lu, %ld switches; %s", i, sum.count[3], inner,
		     outer, switches, error ? region_why(&r, error) : "no error");
		if (slack * sum.count[3] < inner || sum.count[3] > slack * outer)
			wrong += !switches || apart++ >= 3;
	}
	note("%d regions, %d wrong, %d failed, %d without a switch", ROUNDS, wrong, failed,
	     unswitched);
	check(!wrong && !failed && unswitched > ROUNDS / 2,
	      "count_is_between_inner_and_outer_reads");
	note("%lu scaled, %lu read from user space", all.scaled, all.direct);
	check(!all.scaled && (user_read ? all.direct > ROUNDS / 2 : !all.direct),
	      "regions_are_exact_and_read_from_user_space_if_possible");
	close(other);
	region_close(&r);
}

/* ---- cost ---- */

enum { PAIRS = 10000 };

/* Count @fd during PAIRS pairs of reads, or during as many empty iterations: the least of ten. */
static uint64_t count_pairs(int fd, const struct region_cycles *c, bool *failed)
{
	uint64_t least = UINT64_MAX, start = 0, stop = 0, sum = 0;

	for (int i = 0; i < 10; i++) {
		uint64_t n = perf_get(fd).value;

		for (int pair = 0; pair < PAIRS; pair++) {
			if (c)
				*failed |= region_cycles_read(c, &start) ||
					   region_cycles_read(c, &stop);
			asm volatile("" : "+r"(sum) : "r"(stop - start));
		}
		n = perf_get(fd).value - n;
		least = n < least ? n : least;
	}
	return least;
}

/* With GCC 14 about 70 instructions by "cycle", 95 by another counter; read(2) takes thousands. */
static void test_cost(void)
{
	static const char test[] = "pair_from_user_space_takes_at_most_120_instructions";
	struct perf_event_attr attr = HARDWARE(INSTRUCTIONS, .read_format = READ_TIMES);
	struct region_cycles c = open_cycles();
	const char *reason = region_slow(&c.region);
	const int fd = perf_try(&attr, 0, -1, -1);
	uint64_t empty, fast, slow;
	bool failed = false;

	if (!getenv("LAB_ICOUNT") || reason) {
		skip(test, reason ?: "instructions are not the clock");
	} else {
		empty = count_pairs(fd, NULL, &failed);
		fast = (count_pairs(fd, &c, &failed) - empty) / PAIRS;
		c.region.direct = false;
		slow = (count_pairs(fd, &c, &failed) - empty) / PAIRS;
		note("a pair takes %lu instructions, by read(2) %lu; counter %u of the page", fast,
		     slow, c.region.page[0]->index);
		check(!failed && fast && fast <= 120 && slow > 4 * fast, "%s", test);
	}
	close(fd);
	region_cycles_close(&c);
}

int main(void)
{
	struct region r;
	const char *slow;

	begin();
	r = open_region();
	slow = region_slow(&r);
	region_close(&r);
	test_bounds(!slow);
	test_cost();
	return end();
}
