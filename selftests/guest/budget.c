// SPDX-License-Identifier: GPL-2.0-only
/*
 * budget - what samples cost: SBI calls for an overflow and for a context switch,
 * by the driver's own account and by the kernel's tracepoint.
 */
#include "ring.h"
#include "witness.h"

enum { WARM_UP = 50, ROUNDS = 1000, MAX_EVENTS = 2 };

static const uint64_t codes[MAX_EVENTS] = { CODE_CYCLES, CODE_INSTRUCTIONS };

static int type;

/* start and stop calls that this CPU has made, as debugfs has them. */
static uint64_t start_stop(void)
{
	FILE *f = fopen("/sys/kernel/debug/sbi_pmu/calls", "r");
	char line[512];
	uint64_t n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		uint64_t start, stop;
		int cpu;

		if (sscanf(line, "%d %*u %*u %*u %lu %lu", &cpu, &start, &stop) == 3 &&
		    cpu == WITNESS_CPU)
			n = start + stop;
	}
	if (f)
		fclose(f);
	return n;
}

/* The number that @format finds in the first line of a file that has @word. */
static uint64_t found(const char *path, const char *word, const char *format)
{
	FILE *f = fopen(path, "r");
	char line[512];
	uint64_t n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, word) && sscanf(line, format, &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* Overflows that this CPU has served: by interrupt, and those whose interrupt was lost. */
static uint64_t overflows(void)
{
	return found("/proc/interrupts", "sbi_pmu", "%*[^:]: %lu") +
	       found("/sys/kernel/debug/sbi_pmu/overflow", "0 ", "0 %lu");
}

static int open_sampler(unsigned int i, uint64_t period, pid_t pid, int cpu, struct ring *ring)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = STANDARD(codes[i]),
		.sample_period = period,
	};

	*ring = ring_open(&attr, pid, cpu, -1);
	return ring->fd;
}

/* What was asked for a second; codes go at the same pace in QEMU. */
static uint64_t second_of(unsigned int i)
{
	struct perf_event_attr attr = { .type = type, .config = STANDARD(codes[i]) };
	int fd = perf_try(&attr, 0, -1, -1);
	uint64_t n = 0;

	busy(200, spin_load);
	if (fd < 0 || read(fd, &n, sizeof(n)) != sizeof(n))
		return 0;
	close(fd);
	return n * 5;
}

/* ---- overflows: a CPU's events, which stay while tasks come and go ---- */

/*
 * An overflow costs one call that stops what has overflowed, and one that starts
 * each of these. QEMU sometimes says that a counter has overflowed which has not
 * (its two share a timer); it is started again and gives no sample.
 */
static void test_overflow(unsigned int n)
{
	uint64_t calls, served, samples = 0;
	struct ring ring[MAX_EVENTS];
	struct tally before, seen;
	bool open = true;

	for (unsigned int i = 0; i < n; i++)
		open &= open_sampler(i, second_of(i) / 200, -1, WITNESS_CPU, &ring[i]) >= 0;
	open &= witness_open();
	if (!check(open, "%u sampling events of a CPU open", n))
		return;
	busy(200, spin_load);
	for (unsigned int i = 0; i < n; i++)
		ring_drain(&ring[i]);
	before = seen_since((struct tally){});
	calls = start_stop();
	served = overflows();
	busy(3000, spin_load);
	served = overflows() - served;
	calls = start_stop() - calls;
	seen = seen_since(before);
	for (unsigned int i = 0; i < n; i++) {
		samples += ring_drain(&ring[i]).samples;
		ring_close(&ring[i]);
	}
	witness_close();

	check(samples > 20 && served + served / 20 + 2 >= samples / n,
	      "%lu overflows gave %lu samples", served, samples);
	check(calls >= samples && calls <= (1 + n) * served + served / 20 + 2,
	      "%u events: SBI calls for each, %u at most (%lu, %.3f)", n, 1 + n, calls,
	      (double)calls / (served ?: 1));
	check(within(seen.calls, calls, 3), "and the tracepoint saw no others (%lu)", seen.calls);
}

/* ---- switches: two tasks, each with its events ---- */

/* No overflow falls in. */
#define LONG_PERIOD	1000000000000000ULL

static bool open_all(unsigned int n, uint64_t period)
{
	struct ring ring;
	bool open = true;

	for (unsigned int i = 0; i < n; i++)
		open &= open_sampler(i, period, 0, -1, &ring) >= 0;
	return open;
}

/* Closed when the process ends. */
static bool play(unsigned int n, int rounds, int in, int out, bool first)
{
	char c = 0;

	if (rounds == WARM_UP && !open_all(n, LONG_PERIOD))
		return false;
	while (rounds--) {
		if (first && write(out, &c, 1) != 1)
			return false;
		if (read(in, &c, 1) != 1)
			return false;
		if (!first && write(out, &c, 1) != 1)
			return false;
	}
	return true;
}

static bool pong(unsigned int n, int in, int out)
{
	return play(n, WARM_UP, in, out, false) && play(n, ROUNDS, in, out, false);
}

/* Return: whether both were there to the end. What was seen goes through @to. */
static bool ping(unsigned int n, int in, int out, int to)
{
	struct tally before, seen;
	bool whole;

	if (!play(n, WARM_UP, in, out, true))
		return false;
	before = seen_since((struct tally){});
	whole = play(n, ROUNDS, in, out, true);
	seen = seen_since(before);
	return whole && write(to, &seen, sizeof(seen)) == sizeof(seen);
}

static void test_switch(unsigned int n)
{
	int there[2], back[2], result[2];
	struct tally seen = {};
	bool open = !pipe(there) && !pipe(back) && !pipe(result) && witness_open();
	pid_t first, second;

	first = fork();
	if (!first)
		_exit(!ping(n, back[0], there[1], result[1]));
	second = fork();
	if (!second)
		_exit(!pong(n, there[0], back[1]));
	close(result[1]);
	close(there[1]);
	close(back[1]);
	open &= read(result[0], &seen, sizeof(seen)) == sizeof(seen);
	close(there[0]);
	close(back[0]);
	close(result[0]);
	waitpid(first, NULL, 0);
	waitpid(second, NULL, 0);
	witness_close();
	check(open && seen.switches >= 2 * ROUNDS,
	      "two tasks with %u sampling events each switch (%lu times)", n, seen.switches);
	/* One task's out and the other's in is one switch. */
	check(seen.calls && seen.calls <= (n + 1) * seen.switches + seen.switches / 20,
	      "at most %u SBI calls a switch (%lu, %.3f)", n + 1, seen.calls,
	      (double)seen.calls / (seen.switches ?: 1));
}

/* By timer, nothing is ever stopped. */
static void test_timer(void)
{
	struct ring ring;
	uint64_t calls, samples;

	check(open_sampler(0, second_of(0) / 200, -1, WITNESS_CPU, &ring) >= 0,
	      "a sampling event of a CPU opens");
	busy(200, spin_load);
	ring_drain(&ring);
	calls = start_stop();
	busy(2000, spin_load);
	calls = start_stop() - calls;
	samples = ring_drain(&ring).samples;
	ring_close(&ring);
	check(samples > 20 && !calls, "by timer: no SBI calls for %lu samples (%lu)", samples,
	      calls);
}

int main(void)
{
	type = find_pmu() ? pmu.type : -1;
	ktap_plan(-1);
	pin(WITNESS_CPU);
	limits_lift();
	if (pmu_interrupts(pmu.name)) {
		test_overflow(1);
		test_overflow(2);
		test_switch(1);
		test_switch(2);
	} else {
		test_timer();
	}
	limits_restore();
	return end();
}
