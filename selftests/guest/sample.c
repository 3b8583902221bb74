// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample - samples come at the requested rate, their weights add up to the count, and they are
 * where the program was.
 *
 * QEMU's counters follow the clock of its host, which may be busy. So periods are derived from
 * a rate that was just measured, and samples are compared with the count of the same event in
 * the same run. If QEMU does not run for longer than a period, one sample stands for several:
 * tests of the number of samples are repeated, as a driver that drops samples always does.
 */
#include "hotspot.h"
#include "ring.h"

static bool interrupts;		/* samples by overflow interrupt, not by timer */

static const char *name_of(uint64_t config)
{
	return config == CYCLES ? "cycles" :
	       config == INSTRUCTIONS ? "instructions" : "dtlb_misses";
}

/* Run in the kernel and in user space. */
static void mixed_load(void)
{
	for (unsigned int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	work(500000);
}

static void (*load_of(uint64_t config))(void)
{
	return config == DTLB_MISSES ? touch_load : spin_load;
}

/* Return: an event with the period for @hz samples a second of its load, 0 if it does not count. */
static struct perf_event_attr sampler(uint64_t config, unsigned int hz)
{
	struct perf_event_attr attr = event(config);

	attr.sample_period = per_second(attr, load_of(config)) / hz;
	return attr;
}

/* What the functions that look at samples have found: add_*() below. */
static struct {
	uint64_t right, light, heavy;
} seen;

/* Do the weights of the samples add up to the count? */
static bool adds_up(const struct sampled *s)
{
	return within(s->totals.weight, s->count.value, 5);
}

/* ---- a fixed period ---- */

/* There are never more samples than periods; fewer where an overflow is found late. */
static bool has_enough_samples(uint64_t config, const struct sampled *s, uint64_t period)
{
	const uint64_t due = s->count.value / period, n = s->totals.samples;

	if (interrupts && !is_overflow_late(config))
		return within(n, due, 10);
	return n <= due + 1 && n >= due / (interrupts ? 5 : 8);
}

/* What follows the clock has 400 periods; with snapshot a fifth is not counted in the lab. */
static bool counts_half_of_events(uint64_t config, const struct sampled *s,
				  const struct sampled *before, uint64_t period)
{
	const uint64_t periods = s->count.value / period;

	if (config == DTLB_MISSES)
		return periods > 40 &&
		       s->count.value * before->loads > before->count.value * s->loads / 2;
	return periods > 200;
}

static void test_period(uint64_t config)
{
	const struct perf_event_attr attr = sampler(config, 200);
	const uint64_t period = attr.sample_period;
	const char *what = name_of(config);
	struct sampled before, s;

	if (!period) {
		/* A machine without programmable counters has no overflow interrupt either. */
		if (check(config == DTLB_MISSES && !interrupts,
			  "%s_are_missing_only_without_overflow_interrupt", what))
			skip("dtlb_misses_samples_match_periods",
			     "no counter can count dTLB misses");
		return;
	}
	before = sample_load(event(config), 0, -1, 200, load_of(config), NULL);
	do
		s = sample_load(attr, 0, -1, 2000, load_of(config), NULL);
	while (try_again(what, counts_half_of_events(config, &s, &before, period) &&
			 has_enough_samples(config, &s, period)));
	note("%s: weights %lu, count %lu, %lu loads; %lu samples, %lu periods", what,
	     s.totals.weight, s.count.value, s.loads, s.totals.samples, s.count.value / period);
	note("%s: lost %lu, throttled %lu; not sampled: count %lu, %lu loads", what, s.totals.lost,
	     s.totals.throttled, before.count.value, before.loads);
	check(adds_up(&s), "%s_sample_weights_add_up_to_count", what);
	check(has_enough_samples(config, &s, period), "%s_samples_match_periods", what);
	check(!s.totals.lost && !s.totals.throttled, "%s_samples_are_not_lost_or_throttled", what);
	check(counts_half_of_events(config, &s, &before, period), "%s_count_while_sampled", what);
}

/* ---- addresses ---- */

static void add_function(const struct record *r)
{
	seen.light += r->ip / 4096 == (uintptr_t)light / 4096 ? r->period : 0;
	seen.heavy += r->ip / 4096 == (uintptr_t)heavy / 4096 ? r->period : 0;
}

/* light() must have a quarter of the instructions, or its share of the time. */
static void test_hotspot(uint64_t config)
{
	const struct perf_event_attr attr = sampler(config, 1000);
	const char *what = name_of(config);
	bool right, third;
	struct sampled s;

	do {
		double share, due;

		memset(&seen, 0, sizeof(seen));
		light_ns = heavy_ns = 0;
		s = sample_load(attr, 0, -1, 2000, hotspot_load, add_function);
		share = 100. * seen.light / (seen.light + seen.heavy ?: 1);
		due = config == INSTRUCTIONS ? 25 : light_percent_of_time();
		right = seen.light && share >= due - 5 && share <= due + 5;
		/* The rest is the kernel, and what the program does around the two functions. */
		third = (seen.light + seen.heavy) * 3 >= s.totals.weight;
		note("%s: fd %d, light() has %.1f %%, due: %.1f %%; both %.1f %%; %lu samples",
		     what, s.fd, share, due,
		     100. * (seen.light + seen.heavy) / (s.totals.weight ?: 1), s.totals.samples);
	} while (try_again(what, right && third));
	check(right, "%s_hotspot_shares_match_work", what);
	check(third && s.totals.samples, "%s_hotspot_functions_have_a_third_of_all", what);
}

/* ---- modes ---- */

static void add_user(const struct record *r)
{
	seen.right += !(r->ip >> 63) &&
		      (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
}

static void add_kernel(const struct record *r)
{
	seen.right += r->ip >> 63 &&
		      (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

static void test_mode(bool user)
{
	const char *mode = user ? "user" : "kernel";
	const uint64_t least = is_slow_kernel() ? 5 : 20;
	struct perf_event_attr attr = sampler(CYCLES, 500);
	uint64_t n = 0;
	struct sampled s;

	attr.exclude_kernel = user;
	attr.exclude_user = !user;
	memset(&seen, 0, sizeof(seen));
	/* On a busy host the timer expires in the other mode, and waits longer and longer. */
	do {
		s = sample_load(attr, 0, -1, 1000, mixed_load, user ? add_user : add_kernel);
		n += s.totals.samples;
	} while (s.fd >= 0 && try_again(mode, n > least));
	note("%s only: %d, %lu samples, %lu of them in that mode; %llu periods", mode, s.fd, n,
	     seen.right, s.count.value / attr.sample_period);
	/* With this errno, perf record samples the CPU clock in place of cycles. */
	if (s.fd == -ENOENT) {
		attr.sample_period = 0;
		check(perf_try(&attr, 0, -1, -1) == -ENOENT && !has_mode_filters(),
		      "%s_only_is_refused_for_counting_and_sampling", mode);
		return;
	}
	check(n > least && seen.right == n, "%s_only_samples_are_all_in_%s_mode", mode, mode);
}

/* ---- throttling ---- */

/* 10000 samples a second are due, 250 allowed: perf core stops it until the next tick. */
static void test_throttle(void)
{
	const struct perf_event_attr attr = sampler(CYCLES, 10000);
	const bool limited = set_max_rate("250");
	uint64_t end, ns, allowed;
	struct ring_totals s;

	do {
		ns = now_ns();
		s = sample_load(attr, 0, -1, 2000, spin_load, NULL).totals;
		end = now_ns();
		ns = end - ns;
		allowed = ns * 250 / 1000000000 * 12 / 10;
	} while (try_again("throttling", s.samples <= allowed && s.last > end - ns / 10));
	set_max_rate("100000");
	note("%lu samples in %lu ms, %lu allowed, the last one %lu ms before the end", s.samples,
	     ns / 1000000, allowed, (end - s.last) / 1000000);
	check(limited && s.throttled && s.samples && s.samples <= allowed,
	      "throttling_limits_samples");
	check(s.last > end - ns / 10, "throttled_event_samples_until_end");
}

int main(void)
{
	begin();
	interrupts = has_overflow_irq();
	note("samples by %s", interrupts ? "overflow interrupt" : "timer");
	limits_raise();

	test_period(CYCLES);
	test_period(INSTRUCTIONS);
	test_period(DTLB_MISSES);
	test_hotspot(CYCLES);
	test_hotspot(INSTRUCTIONS);
	test_mode(true);
	test_mode(false);
	test_throttle();

	limits_restore();
	return end();
}
