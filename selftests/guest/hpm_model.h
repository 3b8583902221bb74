/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * twin.h - for tests on QEMU's model of XiangShan's counters: which table it has,
 * what is programmed, and an event's rate beside the one it must have.
 */
#ifndef TWIN_H
#define TWIN_H

#include <math.h>
#include <setjmp.h>

#include "../qemu/xiangshan-hpm/model.h"
#include "ring.h"

static const char *const unit_names[XS_UNITS] = { "any", "frontend", "backend", "memory", "cache" };

/* Events are 1.5 % apart; what is off by less than half of that is the right one. */
#define TWIN_OFF	0.005

/* A CSR's number is part of the instruction. */
#define TWIN_CSR(n)								\
	case n:									\
		asm volatile("csrr %0, %1" : "=r"(value) : "i"(XS_MIRROR + (n)));	\
		break
#define TWIN_CSRS(n)	TWIN_CSR(n); TWIN_CSR((n) + 1); TWIN_CSR((n) + 2); TWIN_CSR((n) + 3)

/* mhpmevent of counter @n on this CPU; of 0 the number of the table. */
static inline uint64_t twin_mirror(unsigned int n)
{
	uint64_t value = 0;

	switch (n) {
	TWIN_CSR(0);
	TWIN_CSR(3);
	TWIN_CSRS(4);
	TWIN_CSRS(8);
	TWIN_CSRS(12);
	TWIN_CSRS(16);
	TWIN_CSRS(20);
	TWIN_CSRS(24);
	TWIN_CSRS(28);
	}
	return value;
}

static sigjmp_buf twin_none;

static inline void twin_illegal(int sig)
{
	(void)sig;
	siglongjmp(twin_none, 1);
}

/* The table of the model, NULL if there is no model. */
static inline const struct xs_table *twin_table(void)
{
	uint64_t number = 0;

	signal(SIGILL, twin_illegal);
	if (!sigsetjmp(twin_none, 1))
		number = twin_mirror(0);
	signal(SIGILL, SIG_DFL);
	return number && number <= XS_TABLES ? &xs_tables[number - 1] : NULL;
}

/* Counters of this CPU whose selectors are set to exactly @event. */
static inline uint32_t twin_programmed(uint64_t event)
{
	uint32_t counters = 0;

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		if ((twin_mirror(i) & XS_SELECTORS) == event)
			counters |= 1U << i;
	return counters;
}

/* An event that is 1 in every cycle, of the memory unit. */
static inline uint64_t twin_cycles(const struct xs_table *table)
{
	return XS_TAG(XS_MEMORY) | XS_EVENT(table->walker, 0) | XS_EVENT(table->walker + 1, 1);
}

/**
 * struct twin_seen - an event as it was measured
 * @off: by how much its rate is off; 1: it did not open
 * @where: counters that were set to it, and to nothing else
 */
struct twin_seen {
	double off;
	uint32_t where;
};

/* A group's values. */
struct twin_group {
	uint64_t n;
	uint64_t value[XS_COUNTERS];
};

static inline struct twin_group twin_read(int leader)
{
	struct twin_group group = {};

	if (read(leader, &group, sizeof(group)) < 0)
		perror("read");
	return group;
}

/* What a group counts in @turns of work. */
static inline struct twin_group twin_counted(int leader, uint64_t turns)
{
	struct twin_group before = twin_read(leader), after;

	work(turns);
	after = twin_read(leader);
	for (unsigned int i = 0; i < ARRAY_SIZE(after.value); i++)
		after.value[i] -= before.value[i];
	return after;
}

/*
 * Measure @attr's event, which adds @expected in XS_PERIOD cycles and has its
 * selectors set to @event. Another load on the machine may come between the reads of
 * the two counters, so what is off is measured again, for longer.
 */
static inline struct twin_seen twin_measure(const struct xs_table *table,
					    struct perf_event_attr attr, uint64_t event,
					    unsigned int expected)
{
	struct perf_event_attr cycles = attr;
	struct twin_seen seen = { .off = 1 };
	struct twin_group counted = {};
	int leader, fd;

	cycles.config = twin_cycles(table);
	cycles.read_format = PERF_FORMAT_GROUP;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_try(&cycles, 0, -1, -1);
	fd = perf_try(&attr, 0, -1, leader);
	for (int i = 0; fd >= 0 && seen.off > TWIN_OFF && i < 6; i++) {
		double must;

		counted = twin_counted(leader, 500000ULL << 2 * i);
		must = (double)counted.value[0] * expected / XS_PERIOD;
		seen.off = counted.value[0] ? fabs(counted.value[1] - must) / (must ?: 1) : 1;
	}
	seen.where = twin_programmed(event);
	if (seen.off > TWIN_OFF)
		printf("# 0x%llx: %d, %d; %lu in %lu cycles, must be %u in %d\n",
		       (unsigned long long)attr.config, leader, fd, counted.value[1],
		       counted.value[0], expected, XS_PERIOD);
	close(fd);
	close(leader);
	return seen;
}

/* Overflow interrupts of CPU 0. */
static inline uint64_t twin_interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	uint64_t n = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "sbi_pmu") && sscanf(line, "%*[^:]: %lu", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/*
 * Overflows come when they are due. Time is cycles, but for what firmware takes and
 * for the handling of samples, which is long if the host is busy; if it is busy for
 * more than a period, two samples are one.
 */
static inline void twin_sample(const char *name, struct perf_event_attr attr, unsigned int expected)
{
	const double rate = (double)expected / XS_PERIOD;
	const bool by_interrupt = pmu_interrupts(pmu.name);
	uint64_t due = 0, interrupts = 0;
	struct seen seen = {};
	struct reading r;
	struct ring ring;

	attr.sample_period = rate * 10000000; /* 100 a second */
	/* Where the host was away one sample stands for several periods: look again. */
	for (int tries = 0; tries < 3 && !within(seen.samples, due, 10); tries++) {
		interrupts = twin_interrupts();
		ring = ring_open(&attr, 0, -1, -1);
		if (!check(ring.fd >= 0, "%s: a sampling event opens (%d)", name, ring.fd))
			return;
		/* Half a second, however fast the host is. */
		do {
			work(2000000);
			r = perf_get(ring.fd);
		} while (r.running < 500 * 1000 * 1000UL && r.running);
		seen = ring_drain(&ring);
		due = r.value / attr.sample_period;
		ring_close(&ring);
		interrupts = twin_interrupts() - interrupts;
	}
	check(within(r.value, r.running * rate, 20), "%s: sampled, it counts (%lu in %lu ns)", name,
	      r.value, r.running);
	check(seen.samples > 20 && seen.samples <= due + 1 && within(seen.weight, r.value, 10),
	      "%s: %lu samples of %llu, %lu in all; %lu were due", name, seen.samples,
	      (unsigned long long)attr.sample_period, seen.weight, due);
	/* The driver finds what did not interrupt, too, and would hide it. */
	check(!by_interrupt || slow_kernel() ||
	      (within(seen.samples, due, 10) && interrupts >= seen.samples * 3 / 4),
	      "%s: as many as periods, by %lu interrupts", name, interrupts);
}

#endif
