// SPDX-License-Identifier: GPL-2.0-only
/*
 * bursts - ten tasks that run for less than a period at a time are sampled as often as others, and
 * the timer that samples them does not expire while they sleep. Single bursts are tested on the
 * host (test_sampling.c).
 *
 * As in the test sample, samples are compared with the count of the same event in the same run.
 * In the lab instructions are QEMU's clock: a host that does not run QEMU for longer than a burst
 * would change the result.
 */
#include "ring.h"
#include "tracepoint.h"

/* A period is about PERIOD_US of work. */
enum { CPU = 0, RUN_MS = 1000, PERIOD_US = 500, TASKS = 10 };

static uint64_t period;

/* Run for some us, then sleep, one task in three each for other times. */
static void run_bursts(unsigned int i, int start)
{
	static const unsigned int on[] = { 500, 100, 900 }, off[] = { 1500, 2000, 1100 };
	const struct timespec sleep = { .tv_nsec = off[i % 3] * 1000 };
	uint64_t end, now;
	char byte;

	pin(CPU);
	if (read(start, &byte, 1) < 0)
		_exit(1);
	end = now_ns() + RUN_MS * 1000000ULL;
	while ((now = now_ns()) < end) {
		while (now_ns() < now + on[i % 3] * 1000)
			work(100);
		nanosleep(&sleep, NULL);
	}
	_exit(0);
}

/* Cycles of user mode, if counters can filter */
static struct ring open_sampler(pid_t pid)
{
	struct perf_event_attr attr = event(CYCLES);

	attr.sample_period = period;
	attr.exclude_kernel = isa_has("sscofpmf");
	return ring_open(&attr, pid, -1, -1);
}

static pid_t own_pid;
static uint64_t others;		/* samples that are not of the task */

static void look(const struct record *r)
{
	others += r->pid != (uint32_t)own_pid;
}

static void test_bursts(void)
{
	uint64_t samples = 0, weight = 0, count = 0, lost = 0, expired;
	const int expiries = open_expiries("sample_timer", CPU);
	struct ring ring[TASKS];
	pid_t pid[TASKS];
	int start[2];

	if (!check(expiries >= 0 && !pipe(start), "tracepoint_of_timer_opens"))
		return;
	for (unsigned int i = 0; i < TASKS; i++) {
		pid[i] = fork();
		if (!pid[i])
			run_bursts(i, start[0]);
		ring[i] = open_sampler(pid[i]);
	}
	expired = perf_get(expiries).value;
	if (write(start[1], "0123456789", TASKS) != TASKS)
		perror("# start");
	for (unsigned int i = 0; i < TASKS; i++) {
		struct ring_totals s = {};

		waitpid(pid[i], NULL, 0);
		own_pid = pid[i];
		if (!check(ring[i].fd >= 0, "sampling_event_of_task_%u_opens", i))
			continue;
		count += perf_get(ring[i].fd).value;
		s = ring_look(&ring[i], look);
		lost += s.lost;
		samples += s.samples;
		weight += s.weight;
		ring_close(&ring[i]);
	}
	expired = perf_get(expiries).value - expired;
	note("%lu samples, %lu periods; weights %lu, count %lu; %lu expiries", samples,
	     count / period, weight, count, expired);
	check(samples && samples * 10 >= count / period * 7, "most_periods_have_a_sample");
	check(within(weight, count, 5), "sample_weights_add_up_to_count");
	/*
	 * An expiry without a sample: at the begin, when the rate is not known; when the rate
	 * changes; when the task is in the kernel, for a tenth of the time.
	 */
	check(expired && expired <= samples + samples / 5 + 5 * TASKS,
	      "timer_expires_for_samples_only");
	check(!lost && !others, "samples_are_of_the_task");
}

int main(void)
{
	begin();
	if (has_overflow_irq()) {
		skip("most_periods_have_a_sample", "samples are not taken by timer");
		return end();
	}
	limits_raise();
	period = per_second(event(CYCLES), spin_load) / (1000000 / PERIOD_US) ?: 1;
	note("period %lu", period);
	test_bursts();
	limits_restore();
	return end();
}
