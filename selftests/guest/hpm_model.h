/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hpm_model.h - for tests on QEMU's model of XiangShan's counters: find the model's table, read
 * mhpmevent, and compare an event's rate with the rate in the table.
 */
#ifndef HPM_MODEL_H
#define HPM_MODEL_H

#include <math.h>
#include <setjmp.h>

#include "../qemu/xiangshan-hpm/model.h"
#include "ring.h"

static const char *const unit_names[XS_UNITS] = { "any", "frontend", "backend", "memory", "cache" };

/* Rates differ by at least 1.5 %: within a third of that, a rate belongs to one event only. */
#define HPM_TOLERANCE	0.005

/* A CSR's number is part of the instruction. */
#define HPM_CSR(n)								\
	case n:									\
		asm volatile("csrr %0, %1" : "=r"(value) : "i"(XS_MIRROR + (n)));	\
		break
#define HPM_CSRS(n)	HPM_CSR(n); HPM_CSR((n) + 1); HPM_CSR((n) + 2); HPM_CSR((n) + 3)

/* Return: mhpmevent of counter @n on this CPU; for 0 the number of the table. */
static inline uint64_t hpm_read_csr(unsigned int n)
{
	uint64_t value = 0;

	switch (n) {
	HPM_CSR(0);
	HPM_CSR(3);
	HPM_CSRS(4);
	HPM_CSRS(8);
	HPM_CSRS(12);
	HPM_CSRS(16);
	HPM_CSRS(20);
	HPM_CSRS(24);
	HPM_CSRS(28);
	}
	return value;
}

static sigjmp_buf hpm_no_csr;

static inline void hpm_handle_sigill(int sig)
{
	(void)sig;
	siglongjmp(hpm_no_csr, 1);
}

/* The model's table, set by hpm_begin() */
static const struct xs_table *table;

/* Begin a program that needs the model. */
static inline void hpm_begin(void)
{
	volatile uint64_t number = 0;

	begin();
	pin(0);
	signal(SIGILL, hpm_handle_sigill);
	if (!sigsetjmp(hpm_no_csr, 1))
		number = hpm_read_csr(0);
	signal(SIGILL, SIG_DFL);
	table = number && number <= XS_TABLES ? &xs_tables[number - 1] : NULL;
	note("table of the model: %s", table ? table->name : "none");
	if (!check(table, "model_present"))
		exit(end());
}

static inline unsigned int hpm_counters_of(unsigned int unit)
{
	return __builtin_popcount(xs_counters_of(unit));
}

/* Return: mask of this CPU's counters whose selectors are exactly @event. */
static inline uint32_t hpm_counters_with(uint64_t event)
{
	uint32_t counters = 0;

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		if ((hpm_read_csr(i) & XS_SELECTORS) == event)
			counters |= 1U << i;
	return counters;
}

/* ---- rates ---- */

/* Values of a group, as read() returns them. */
struct hpm_group {
	uint64_t n;
	uint64_t value[XS_COUNTERS];
};

static inline struct hpm_group hpm_read_group(int leader)
{
	struct hpm_group group = {};

	if (read(leader, &group, sizeof(group)) < 0)
		perror("read");
	return group;
}

/* Return: what a group counts while @load runs. */
static inline struct hpm_group hpm_count(int leader, void (*load)(uint64_t), uint64_t iterations)
{
	struct hpm_group before = hpm_read_group(leader), after;

	load(iterations);
	after = hpm_read_group(leader);
	for (unsigned int i = 0; i < ARRAY_SIZE(after.value); i++)
		after.value[i] -= before.value[i];
	return after;
}

/*
 * Measure an event that sets the selectors to @event and adds @expected in XS_PERIOD cycles, beside
 * an event of the memory unit that adds 1 in every cycle. Other work on the host can delay the read
 * of one of the two counters, so repeat a wrong measurement with more work.
 *
 * Return: the relative error of its rate, 1 if it did not open; in @counters those whose selectors
 * were exactly this event.
 */
static inline double hpm_measure(struct perf_event_attr attr, uint64_t event, unsigned int expected,
				 uint32_t *counters)
{
	struct perf_event_attr cycles = attr;
	struct hpm_group counted = {};
	double error = 1;
	int leader, fd;

	cycles.config = XS_TAG(XS_MEMORY) | XS_EVENT(table->walker, 0) |
			XS_EVENT(table->walker + 1, 1);
	cycles.read_format = attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_try(&cycles, 0, -1, -1);
	fd = perf_try(&attr, 0, -1, leader);
	for (int i = 0; fd >= 0 && error > HPM_TOLERANCE && i < 6; i++) {
		double right;

		counted = hpm_count(leader, work, 500000ULL << 2 * i);
		right = (double)counted.value[0] * expected / XS_PERIOD;
		error = counted.value[0] ? fabs(counted.value[1] - right) / (right ?: 1) : 1;
	}
	*counters = hpm_counters_with(event);
	if (error > HPM_TOLERANCE)
		note("0x%llx: fds %d, %d; %lu in %lu cycles, must be %u in %d",
		     (unsigned long long)attr.config, leader, fd, counted.value[1],
		     counted.value[0], expected, XS_PERIOD);
	close(fd);
	close(leader);
	return error;
}

/* What was found of many events of a unit */
struct hpm_survey {
	unsigned int unit, n, wrong;
	double worst;
};

/* The event must count at the rate of @selectors, on counters of its unit. */
static inline void hpm_survey_add(struct hpm_survey *s, struct perf_event_attr attr,
				  uint64_t selectors)
{
	uint32_t counters;
	const double error = hpm_measure(attr, selectors, xs_sum(table, s->unit, selectors),
					 &counters);
	const bool placed = counters && !(counters & ~xs_counters_of(s->unit));

	s->n++;
	s->wrong += !placed || error > HPM_TOLERANCE;
	s->worst = error > s->worst ? error : s->worst;
	if (!placed || error > HPM_TOLERANCE)
		note("0x%llx: error %.3f %%, on counters 0x%x", (unsigned long long)attr.config,
		     100 * error, counters);
}

/* @what: events or names, for the name of the result */
static inline void hpm_survey_check(const struct hpm_survey *s, const char *what)
{
	note("%s: %u %s, %u wrong, error %.3f %% at most", unit_names[s->unit], s->n, what,
	     s->wrong, 100 * s->worst);
	check(!s->wrong && s->n, "%s_%s_count_at_their_rates", unit_names[s->unit], what);
}

/*
 * Return: whether the @n events of a group count in proportion to @sum. Other work on the host can
 * delay a read: repeat with more work.
 */
static inline bool hpm_is_group_right(int leader, unsigned int n, const unsigned int *sum)
{
	bool right = false;

	for (int i = 0; !right && i < 5; i++) {
		struct hpm_group counted = hpm_count(leader, work, 4000000ULL << 2 * i);

		right = counted.n == n && counted.value[0];
		for (unsigned int k = 0; k < n; k++)
			right &= within(counted.value[k] * sum[0], counted.value[0] * sum[k], 1);
	}
	return right;
}

/* Skip test @name of a unit. */
static inline void hpm_skip(unsigned int unit, const char *name, const char *why)
{
	char full[80];

	snprintf(full, sizeof(full), "%s_%s", unit_names[unit], name);
	skip(full, why);
}

/* ---- samples ---- */

/* Until the event has run for half a second, however fast the host is */
static inline struct sampled hpm_sample(struct perf_event_attr attr)
{
	struct ring ring = ring_open(&attr, 0, -1, -1);
	struct sampled s = { .fd = ring.fd };

	if (ring.fd < 0)
		return s;
	do {
		work(2000000);
		s.count = perf_get(ring.fd);
	} while (s.count.running < 500 * 1000 * 1000UL && s.count.running);
	s.totals = ring_drain(&ring);
	ring_close(&ring);
	return s;
}

/*
 * Overflows come when they are due. The counters count time (1 ns per cycle) except while firmware
 * runs; samples are handled late if the host is busy, and if that takes longer than a period, two
 * periods have one sample.
 */
static inline void hpm_test_sampling(unsigned int unit, struct perf_event_attr attr,
				     unsigned int expected)
{
	const double rate = (double)expected / XS_PERIOD;
	const char *name = unit_names[unit];
	uint64_t n, due, interrupts;
	struct sampled s;

	attr.sample_period = rate * 10000000; /* 100 per second */
	do {
		interrupts = interrupts_of("sbi_pmu");
		s = hpm_sample(attr);
		interrupts = interrupts_of("sbi_pmu") - interrupts;
		due = s.count.value / attr.sample_period;
		n = s.totals.samples;
	} while (try_again(name, within(n, due, 10)));
	note("%s: sampling event %d, %lu in %lu ns", name, s.fd, s.count.value, s.count.running);
	check(s.fd >= 0 && within(s.count.value, s.count.running * rate, 20),
	      "%s_sampling_event_counts_at_its_rate", name);
	note("%s: %lu samples of %llu stand for %lu; %lu were due, %lu interrupts", name, n,
	     (unsigned long long)attr.sample_period, s.totals.weight, due, interrupts);
	check(n > 20 && n <= due + 1 && within(s.totals.weight, s.count.value, 10),
	      "%s_samples_add_up_to_count", name);
	/* Samples are not enough: the driver also finds overflows whose interrupt was lost. */
	if (!has_overflow_irq())
		hpm_skip(unit, "each_period_interrupts", "the driver samples by timer");
	else if (is_slow_kernel())
		hpm_skip(unit, "each_period_interrupts", "a debug kernel is too slow for it");
	else
		check(within(n, due, 10) && interrupts >= n * 3 / 4, "%s_each_period_interrupts",
		      name);
}

#endif
