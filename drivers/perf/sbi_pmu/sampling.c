// SPDX-License-Identifier: GPL-2.0-only
#include "sampling.h"

/*
 * Minimum of events that is programmed to an overflow, so that the interrupted task makes
 * progress between two interrupts. A period that ends before counts in full.
 */
#define MIN_PERIOD	16

/*
 * An event that counts one privilege mode only may always overflow shortly before the
 * hart leaves that mode, and would interrupt again at once. Each deferred sample doubles
 * the minimum, up to this many times.
 */
#define MAX_BACKOFF	20

/* Bounds of the time after which the timer reads the counter again (ns) */
#define MIN_POLL_NS	100000
#define MAX_POLL_NS	10000000

/* The event counted @events more. */
void sbi_pmu_period_count(struct sbi_pmu_period *p, u64 events)
{
	p->left -= events;
	p->since_sample += events;
	p->since_poll += events;
}

/* After how many events the counter is to overflow; never 0. */
u64 sbi_pmu_period_to_overflow(const struct sbi_pmu_period *p)
{
	const s64 min = (s64)MIN_PERIOD << p->deferred;

	return p->left > min ? p->left : min;
}

/**
 * sbi_pmu_period_sampled() - begin a new period, as a sample is taken
 * @p: the period, which is over
 * @period: length of the new one, not 0
 *
 * The new period begins where the last one that is over has ended.
 *
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

/**
 * sbi_pmu_period_poll_ns() - when the timer should read the counter again
 * @p: the period
 * @elapsed: ns since this was asked last
 *
 * Return: ns to the end of the period if events go on at the rate since the last look, within
 * bounds.
 */
u64 sbi_pmu_period_poll_ns(struct sbi_pmu_period *p, u64 elapsed)
{
	const u64 seen = p->since_poll;
	u64 ns = MAX_POLL_NS;

	p->since_poll = 0;
	if (p->left <= 0)
		ns = (u64)MIN_POLL_NS << p->deferred;
	else if (seen && elapsed && elapsed <= MAX_POLL_NS &&
		 (u64)p->left < seen * (MAX_POLL_NS / elapsed + 1))
		ns = p->left * elapsed / seen;
	return ns < MIN_POLL_NS ? MIN_POLL_NS : ns > MAX_POLL_NS ? MAX_POLL_NS : ns;
}
