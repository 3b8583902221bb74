// SPDX-License-Identifier: GPL-2.0-only
/*
 * rate_left - perf core lowers kernel.perf_event_max_sample_rate, for all users and until root
 * resets it, where a sample takes long. An ordinary user's events must not make samples look long:
 * neither many equal ones, which share a counter, nor one for each of many threads.
 */
#include <pthread.h>
#include <sys/prctl.h>

#include "ring.h"

/* As many events as sample at once leave a hart some of its time, whatever their phases are. */
enum { PERIOD_NS = 2000000, SETTLE_MS = 1000, RUN_MS = 1600, THREADS = 1000, MAX_EVENTS = 512 };

static int fds[MAX_EVENTS];

/* Let perf core's average, of some 128 handlers, forget what was before. */
static void forget(struct perf_event_attr *attr)
{
	int fd;

	set_max_rate("1000");
	write_text(MAX_TIME, "25");
	fd = perf_try(attr, 0, -1, -1);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	run_load(SETTLE_MS, spin_load);
	close(fd);
	set_max_rate("100000");
	write_text(MAX_TIME, "25");
}

/* Return: the rate that is left after @load with so many equal events. */
static int rate_after(unsigned int events, bool inherit, void (*load)(void))
{
	struct perf_event_attr attr = event(CYCLES);
	unsigned int n, active = 0;
	int rate;

	attr.sample_period = per_second(attr, spin_load) / (1000000000 / PERIOD_NS);
	attr.disabled = 1;
	forget(&attr);
	attr.inherit = inherit;
	for (n = 0; n < events; n++)
		fds[n] = perf_try(&attr, 0, -1, -1);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	run_load(RUN_MS, load);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (n = 0; n < events; n++)
		active += fds[n] >= 0 && perf_get(fds[n]).value;
	rate = read_number(MAX_RATE);
	note("%u equal events, of which %u counted: %d samples a second are left", events, active,
	     rate);
	close_events(fds, events);
	return rate;
}

static void *thread(void *unused)
{
	work(20000);
	return unused;
}

static void run_threads(void)
{
	static pthread_t threads[THREADS];
	unsigned int n;

	for (n = 0; n < THREADS && !pthread_create(&threads[n], NULL, thread, NULL); n++)
		;
	while (n)
		pthread_join(threads[--n], NULL);
}

/* All members sample at once, or never: at most as many as there are hardware counters. */
static void test_group(void)
{
	struct perf_event_attr attr = event(CYCLES);
	unsigned int n;

	attr.sample_period = 1000000;
	for (n = 0; n < MAX_EVENTS && (fds[n] = perf_try(&attr, 0, -1, n ? fds[0] : -1)) >= 0; n++)
		;
	note("a group of %u equal events that sample", n);
	check(n && n < 64 && fds[n] == -EINVAL, "group_that_never_samples_is_refused");
	close_events(fds, n);
}

int main(void)
{
	int one;

	begin();
	limits_raise();
	test_group();
	one = rate_after(1, false, spin_load);
	check(rate_after(64, false, spin_load) >= one * 8 / 10, "equal_events_leave_it");
	check(rate_after(512, false, spin_load) >= one * 8 / 10, "many_equal_events_leave_it");
	check(rate_after(1, true, run_threads) >= one * 8 / 10, "thousand_threads_leave_it");
	limits_restore();
	return end();
}
