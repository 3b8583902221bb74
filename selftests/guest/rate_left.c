// SPDX-License-Identifier: GPL-2.0-only
/*
 * rate_left - perf core lowers kernel.perf_event_max_sample_rate, for all users and until root
 * resets it, where a sample takes long. An ordinary user's events must not make samples look long:
 * neither many equal ones, which share a counter, nor one for each of many threads.
 */
#include <pthread.h>

#include "ring.h"

/* As many events as sample at once leave a hart some time, whatever their phases are. */
enum { PERIODS_PER_S = 500, SETTLE_MS = 1000, RUN_MS = 1600, THREADS = 1000, MAX_EVENTS = 512 };

/* Have perf core lower the rate from here on. */
static void set_rate(const char *rate)
{
	set_max_rate(rate);
	write_text(MAX_TIME, "25");
}

/* Return: the rate that is left after @load with so many equal events of this task. */
static int rate_after(unsigned int events, bool inherit, void (*load)(void))
{
	struct perf_event_attr attr = event(CYCLES);
	int fds[MAX_EVENTS], rate;

	attr.sample_period = per_second(attr, spin_load) / PERIODS_PER_S;
	/* Have perf core's average, of some 128 samples, forget what was before. */
	set_rate("1000");
	fds[0] = perf_try(&attr, 0, -1, -1);
	run_load(SETTLE_MS, spin_load);
	close(fds[0]);
	set_rate("100000");
	attr.inherit = inherit;
	for (unsigned int n = 0; n < events; n++)
		fds[n] = perf_try(&attr, 0, -1, -1);
	run_load(RUN_MS, load);
	rate = read_number(MAX_RATE);
	note("%u equal events%s: %d samples a second are left", events,
	     inherit ? ", inherited by threads" : "", rate);
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

int main(void)
{
	int one;

	begin();
	limits_raise();
	one = rate_after(1, false, spin_load);
	one = one * 8 / 10;
	check(rate_after(64, false, spin_load) >= one, "equal_events_leave_it");
	check(rate_after(MAX_EVENTS, false, spin_load) >= one, "many_equal_events_leave_it");
	check(rate_after(1, true, run_threads) >= one, "thousand_threads_leave_it");
	limits_restore();
	return end();
}
