// SPDX-License-Identifier: GPL-2.0-only
/*
 * region_cycles - struct region_cycles of region.h on a real kernel, with the driver that counts
 * "cycles": the built-in one in shared mode. Counts, refusals, and the cost in instructions.
 */
#include <pthread.h>

#include "harness.h"
#include "../../include/sbi_pmu/region.h"

/* @test is the name of the result if it does not open. */
static struct region_cycles open_cycles(const char *test)
{
	struct region_cycles c;
	int error = region_cycles_open(&c);

	if (error)
		note("%s", region_why(&c.region, error));
	if (!check(!error, "%s", test))
		exit(end());
	return c;
}

/* Open instructions of the driver that region.h uses, which differs from ours in shared mode. */
static int open_instructions(bool exclusive)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
		.read_format = READ_TIMES, .exclusive = exclusive, .pinned = exclusive,
	};

	return perf_try(&attr, 0, -1, -1);
}

/* ---- counts ---- */

/* The same event by read(2): beside the built-in driver QEMU has no second counter of cycles. */
static uint64_t read_by_kernel(const struct region_cycles *c)
{
	struct region_moment now = {};

	if (region_read_kernel(&c->region, &now))
		perror("read");
	return now.count[0];
}

/*
 * The cycles between two reads are between those of read(2) just inside and just outside, also
 * where the thread is switched out or moved to another CPU between them.
 */
static void test_bounds(bool direct)
{
	enum { ROUNDS = 200 };
	const char *method = direct ? "user_read" : "syscall_read";
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct region_cycles c = open_cycles(direct ? "opens" : "opens_again");
	int wrong = 0, failed = 0, switched = 0;
	uint64_t start = 0, stop = 0, last = 0;

	c.region.direct &= direct;
	for (int i = 0; i < ROUNDS; i++) {
		const long switches = context_switches();
		uint64_t outer = read_by_kernel(&c), inner;

		failed += region_cycles_read(&c, &start) != 0;
		inner = read_by_kernel(&c);
		work(1000);
		if (i % 10 == 9)
			pin(i / 10 % cpus);
		inner = read_by_kernel(&c) - inner;
		failed += region_cycles_read(&c, &stop) != 0;
		outer = read_by_kernel(&c) - outer;
		failed += start < last || stop < start;
		last = stop;
		switched += context_switches() != switches;
		if (stop - start >= inner && stop - start <= outer)
			continue;
		if (wrong++ < 5)
			note("round %d: %lu is not in %lu to %lu", i, stop - start, inner, outer);
	}
	note("%s: %d rounds, %d with a switch, %d wrong, %d failed; %s", method, ROUNDS, switched,
	     wrong, failed, region_slow(&c.region) ?: "from user space");
	check(!wrong && !failed, "%s_is_between_inner_and_outer_reads", method);
	region_cycles_close(&c);
}

/* ---- refusals ---- */

static struct region_cycles *shared_cycles;

static void *is_refused_in_thread(void *unused)
{
	uint64_t count = 7;

	(void)unused;
	return (void *)(uintptr_t)(region_cycles_read(shared_cycles, &count) == -EPERM &&
				   count == 7);
}

static bool is_refused_in_child(void)
{
	uint64_t count = 7;
	bool right = region_cycles_read(shared_cycles, &count) == -ENODEV && count == 7;

	region_cycles_close(shared_cycles);
	return right;
}

static void test_refusals(void)
{
	struct region_cycles c = open_cycles("opens_for_refusals");
	void *right = NULL;
	pthread_t thread;
	uint64_t count;

	shared_cycles = &c;
	if (!pthread_create(&thread, NULL, is_refused_in_thread, NULL))
		pthread_join(thread, &right);
	check(right, "read_in_other_thread_is_eperm");
	check(run_in_child(is_refused_in_child), "read_in_child_of_fork_is_enodev");
	check(!region_cycles_read(&c, &count), "read_works_after_refusals");
	region_cycles_close(&c);
	check(region_cycles_read(&c, &count) == -ENODEV, "read_after_close_is_enodev");
}

/* An event that excludes all others keeps ours from its counter, which is said, not counted. */
static void test_lost_counter(void)
{
	int exclusive = open_instructions(true);
	struct region_cycles c = open_cycles("opens_beside_exclusive_event");
	uint64_t count = 7;
	int error = region_cycles_read(&c, &count);

	note("%s", region_why(&c.region, error));
	check(exclusive >= 0 && error == -ENODATA && count == 7, "lost_counter_is_enodata");
	region_cycles_close(&c);
	close(exclusive);
	c = open_cycles("opens_after_exclusive_event");
	check(!region_cycles_read(&c, &count) && count != 7, "counts_after_exclusive_event");
	region_cycles_close(&c);
}

/* ---- cost ---- */

enum { PAIRS = 10000 };

/* Count @fd during PAIRS pairs of reads, or during as many empty iterations. */
static uint64_t count_pairs(int fd, const struct region_cycles *c, bool *failed)
{
	uint64_t n = perf_get(fd).value, start = 0, stop = 0, sum = 0;

	for (int i = 0; i < PAIRS; i++) {
		if (c)
			*failed |= region_cycles_read(c, &start) || region_cycles_read(c, &stop);
		asm volatile("" : "+r"(sum) : "r"(stop - start));
	}
	return perf_get(fd).value - n;
}

/* Return: instructions of a pair, the minimum of ten runs as interrupts add some. */
static uint64_t cost_of_pair(int fd, const struct region_cycles *c, bool *failed)
{
	uint64_t pairs = UINT64_MAX, empty = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		const uint64_t n = count_pairs(fd, c, failed), e = count_pairs(fd, NULL, failed);

		pairs = n < pairs ? n : pairs;
		empty = e < empty ? e : empty;
	}
	return pairs > empty ? (pairs - empty + PAIRS / 2) / PAIRS : 0;
}

/* QEMU's instructions are ticks of the host's clock, unless it runs with -icount. */
static bool counts_instructions(int fd)
{
	uint64_t less = UINT64_MAX, more = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		const uint64_t l = count_work(fd, 10000), m = count_work(fd, 20000);

		less = l < less ? l : less;
		more = m < more ? m : more;
	}
	note("10000 iterations of two instructions: %lu instructions", more - less);
	return more - less == 20000;
}

/*
 * GCC 14 makes about 70 instructions of a pair of reads from the counter "cycle", and about 95 from
 * another one; other compilers may need some more. read(2) needs thousands.
 */
static void test_cost(void)
{
	const char *test = "pair_from_user_space_takes_at_most_120_instructions";
	struct region_cycles c = open_cycles("opens_for_cost");
	int fd = open_instructions(false);
	const char *reason = region_slow(&c.region);
	uint64_t fast = 0, slow;
	bool failed = false;

	if (!counts_instructions(fd) || reason) {
		skip(test, reason ?: "an instruction is not counted as one (QEMU without -icount)");
	} else {
		fast = cost_of_pair(fd, &c, &failed);
		c.region.direct = false;
		slow = cost_of_pair(fd, &c, &failed);
		note("a pair takes %lu instructions, by read(2) %lu; counter %u of the page", fast,
		     slow, c.region.page[0]->index);
		check(!failed && fast && fast <= 120 && slow > 4 * fast, "%s", test);
	}
	close(fd);
	region_cycles_close(&c);
}

int main(void)
{
	begin();
	test_bounds(true);
	test_bounds(false);
	test_refusals();
	test_lost_counter();
	test_cost();
	return end();
}
