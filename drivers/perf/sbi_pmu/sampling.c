// SPDX-License-Identifier: GPL-2.0-only
#include "sampling.h"

/* Least events to an overflow, so that the task makes progress. A shorter period counts in full. */
#define MIN_PERIOD	16

/*
 * An event of one privilege mode may always overflow shortly before the hart leaves that mode, and
 * interrupt again at once. Each deferred sample doubles the minimum, up to a million (1 ms).
 */
#define MAX_BACKOFF	16

/* Time between two looks of the timer at an event (ns) */
#define MIN_POLL_NS	100000
#define MAX_POLL_NS	10000000

#define FIRST_POLL_NS	1000000 /* its rate is known after that */

/*
 * Least time to a look (ns): if the period ended when the task was switched out, the task is to
 * run its own code again before the sample is taken.
 */
#define SOON_NS		10000

/* After how many events the counter is to overflow; never 0. */
u64 sbi_pmu_period_to_overflow(const struct sbi_pmu_period *p)
{
	const s64 min = (s64)MIN_PERIOD << p->deferred;

	return p->left > min ? p->left : min;
}

/**
 * sbi_pmu_period_sampled() - begin a new period where the last one that is over has ended
 * @p: the period, which is over
 * @period: length of the new one, not 0
 * Return: the events that the sample stands for: all since the last sample.
 */
u64 sbi_pmu_period_sampled(struct sbi_pmu_period *p, u64 period)
{
	const u64 events = p->since_sample;

	p->left += (-(u64)p->left / period + 1) * period;
	p->since_sample = 0;
	p->deferred = 0;
	return events;
}

/* A sample is due, but in a privilege mode that the event excludes: it stays due. */
void sbi_pmu_period_defer(struct sbi_pmu_period *p)
{
	if (p->deferred < MAX_BACKOFF)
		p->deferred++;
}

void sbi_pmu_period_started(struct sbi_pmu_period *p, u64 now)
{
	p->since = now;
}

/* Its events up to now have been counted: add the time in which they were. */
void sbi_pmu_period_stopped(struct sbi_pmu_period *p, u64 now)
{
	const u64 ns = now - p->since;

	p->since = now;
	p->waited += ns;
	p->seen_ns += ns;
	/* Only the last milliseconds say what comes next. */
	while (p->seen_ns > MAX_POLL_NS) {
		p->seen_ns /= 2;
		p->seen /= 2;
	}
}

void sbi_pmu_period_looked(struct sbi_pmu_period *p, u64 now)
{
	sbi_pmu_period_stopped(p, now);
	p->waited = 0;
	p->seen_ns /= 2;
	p->seen /= 2;
}

/* At the rate of the last events, and a 16th more: a look that comes too early is wasted. */
static u64 to_end_ns(const struct sbi_pmu_period *p)
{
	u64 ns;

	if (p->left <= 0)
		return 0;
	if (!p->seen && p->waited < FIRST_POLL_NS)
		return FIRST_POLL_NS - p->waited;
	if (!p->seen || !p->seen_ns || (u64)p->left / p->seen > MAX_POLL_NS / p->seen_ns)
		return MAX_POLL_NS;
	ns = p->left * p->seen_ns / p->seen;
	return ns + ns / 16;
}

/**
 * sbi_pmu_period_due() - when the timer must look at an event that counts
 * @p: its period; it goes on after a stop, so that tasks of short bursts are looked at as often
 *
 * Two looks are some time of counting apart, more if the last ones came in the wrong mode.
 * Return: the time, on the clock of sbi_pmu_period_started().
 */
u64 sbi_pmu_period_due(const struct sbi_pmu_period *p)
{
	const u64 apart = (u64)MIN_POLL_NS << p->deferred;
	u64 ns = to_end_ns(p);

	if (p->waited + ns < apart)
		ns = apart - p->waited;
	if (ns > MAX_POLL_NS)
		ns = MAX_POLL_NS;
	return p->since + (ns < SOON_NS ? SOON_NS : ns);
}
