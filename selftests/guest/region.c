// SPDX-License-Identifier: GPL-2.0-only
/*
 * region - what reads in user space by include/sbi_pmu/region.h save, where instructions are the
 * clock. The rest of it is tested on the host.
 */
#include "harness.h"
#include "../../include/sbi_pmu/region.h"

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
int main(void)
{
	static const char test[] = "pair_from_user_space_takes_at_most_120_instructions";
	struct perf_event_attr attr = HARDWARE(INSTRUCTIONS, .read_format = READ_TIMES);
	struct region_cycles c;
	uint64_t empty, fast, slow;
	bool failed = false;
	const char *reason;
	int fd, error;

	begin();
	error = region_cycles_open(&c);
	if (!check(!error, "events_open")) {
		note("%s", region_why(&c.region, error));
		return end();
	}
	reason = getenv("LAB_ICOUNT") ? region_slow(&c.region) : "instructions are not the clock";
	if (reason) {
		skip(test, reason);
		return end();
	}
	fd = perf_try(&attr, 0, -1, -1);
	empty = count_pairs(fd, NULL, &failed);
	fast = (count_pairs(fd, &c, &failed) - empty) / PAIRS;
	c.region.direct = false;
	slow = (count_pairs(fd, &c, &failed) - empty) / PAIRS;
	note("a pair takes %lu instructions, by read(2) %lu; counter %u of the page", fast, slow,
	     c.region.page[0]->index);
	check(!failed && fast && fast <= 120 && slow > 4 * fast, "%s", test);
	return end();
}
