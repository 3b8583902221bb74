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

/* Return: the model's table, NULL if the machine is not the model. */
static inline const struct xs_table *hpm_find_table(void)
{
	uint64_t number = 0;

	signal(SIGILL, hpm_handle_sigill);
	if (!sigsetjmp(hpm_no_csr, 1))
		number = hpm_read_csr(0);
	signal(SIGILL, SIG_DFL);
	return number && number <= XS_TABLES ? &xs_tables[number - 1] : NULL;
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

/* Return: an event of the memory unit that adds 1 in every cycle. */
static inline uint64_t hpm_cycles_event(const struct xs_table *table)
{
	return XS_TAG(XS_MEMORY) | XS_EVENT(table->walker, 0) | XS_EVENT(table->walker + 1, 1);
}

/**
 * struct hpm_result - measurement of an event
 * @error: relative error of its rate; 1 if it did not open
 * @counters: mask of counters whose selectors were exactly this event
 */
struct hpm_result {
	double error;
	uint32_t counters;
};

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

/* Return: what a group counts while this task executes @iterations. */
static inline struct hpm_group hpm_count_work(int leader, uint64_t iterations)
{
	struct hpm_group before = hpm_read_group(leader), after;

	work(iterations);
	after = hpm_read_group(leader);
	for (unsigned int i = 0; i < ARRAY_SIZE(after.value); i++)
		after.value[i] -= before.value[i];
	return after;
}

/*
 * Measure the event of @attr, which sets the selectors to @event and adds @expected in XS_PERIOD
 * cycles. Other work on the host can delay the read of one of the two counters, so repeat a wrong
 * measurement with more work.
 */
static inline struct hpm_result hpm_measure(const struct xs_table *table,
					    struct perf_event_attr attr, uint64_t event,
					    unsigned int expected)
{
	struct perf_event_attr cycles = attr;
	struct hpm_result result = { .error = 1 };
	struct hpm_group counted = {};
	int leader, fd;

	cycles.config = hpm_cycles_event(table);
	cycles.read_format = PERF_FORMAT_GROUP;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_try(&cycles, 0, -1, -1);
	fd = perf_try(&attr, 0, -1, leader);
	for (int i = 0; fd >= 0 && result.error > HPM_TOLERANCE && i < 6; i++) {
		double right;

		counted = hpm_count_work(leader, 500000ULL << 2 * i);
		right = (double)counted.value[0] * expected / XS_PERIOD;
		result.error = counted.value[0] ?
			       fabs(counted.value[1] - right) / (right ?: 1) : 1;
	}
	result.counters = hpm_counters_with(event);
	if (result.error > HPM_TOLERANCE)
		note("0x%llx: fds %d, %d; %lu in %lu cycles, must be %u in %d",
		     (unsigned long long)attr.config, leader, fd, counted.value[1],
		     counted.value[0], expected, XS_PERIOD);
	close(fd);
	close(leader);
	return result;
}

/* One run of hpm_sample(). */
struct hpm_sampled {
	int fd;
	struct reading count;
	struct ring_totals seen;
	uint64_t due, interrupts;
};

/* Sample for half a second of the event's running time, however fast the host is. */
static inline struct hpm_sampled hpm_sample(struct perf_event_attr attr)
{
	struct hpm_sampled s = { .interrupts = interrupts_of("sbi_pmu") };
	struct ring ring = ring_open(&attr, 0, -1, -1);

	s.fd = ring.fd;
	if (ring.fd < 0)
		return s;
	do {
		work(2000000);
		s.count = perf_get(ring.fd);
	} while (s.count.running < 500 * 1000 * 1000UL && s.count.running);
	s.seen = ring_drain(&ring);
	s.due = s.count.value / attr.sample_period;
	ring_close(&ring);
	s.interrupts = interrupts_of("sbi_pmu") - s.interrupts;
	return s;
}

enum { HPM_OPENS, HPM_COUNTS, HPM_ADDS_UP, HPM_INTERRUPTS, HPM_SAMPLING_TESTS };

static const char *const hpm_sampling_tests[HPM_SAMPLING_TESTS] = {
	[HPM_OPENS] = "sampling_event_opens",
	[HPM_COUNTS] = "sampling_event_counts_at_its_rate",
	[HPM_ADDS_UP] = "samples_add_up_to_count",
	[HPM_INTERRUPTS] = "each_period_interrupts",
};

/* Skip test @name of a unit. */
static inline void hpm_skip(unsigned int unit, const char *name, const char *why)
{
	char full[80];

	snprintf(full, sizeof(full), "%s_%s", unit_names[unit], name);
	skip(full, why);
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
	const char *const *tests = hpm_sampling_tests, *name = unit_names[unit];
	struct hpm_sampled s = {};

	attr.sample_period = rate * 10000000; /* 100 per second */
	/* If the host was busy, one sample stands for several periods: repeat. */
	for (int tries = 0; tries < 3 && !within(s.seen.samples, s.due, 10); tries++) {
		s = hpm_sample(attr);
		if (s.fd < 0)
			break;
	}
	note("%s: sampling event %d, %lu in %lu ns", name, s.fd, s.count.value, s.count.running);
	if (!check(s.fd >= 0, "%s_%s", name, tests[HPM_OPENS]))
		return;
	check(within(s.count.value, s.count.running * rate, 20), "%s_%s", name,
	      tests[HPM_COUNTS]);
	note("%s: %lu samples of %llu stand for %lu; %lu were due, %lu interrupts", name,
	     s.seen.samples, (unsigned long long)attr.sample_period, s.seen.weight, s.due,
	     s.interrupts);
	check(s.seen.samples > 20 && s.seen.samples <= s.due + 1 &&
	      within(s.seen.weight, s.count.value, 10), "%s_%s", name,
	      tests[HPM_ADDS_UP]);
	/* Samples are not enough: the driver also finds overflows whose interrupt was lost. */
	if (!has_overflow_irq(pmu.name))
		hpm_skip(unit, tests[HPM_INTERRUPTS], "the driver samples by timer");
	else if (is_slow_kernel())
		hpm_skip(unit, tests[HPM_INTERRUPTS], "a debug kernel is too slow for it");
	else
		check(within(s.seen.samples, s.due, 10) &&
		      s.interrupts >= s.seen.samples * 3 / 4, "%s_%s", name,
		      tests[HPM_INTERRUPTS]);
}

#endif
