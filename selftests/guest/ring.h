/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampling events: the ring buffer of records, loads to sample, and the limits of the kernel. */
#ifndef RING_H
#define RING_H

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "harness.h"

/* Fields of every sample */
#define SAMPLE_BASE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

/* 512 KiB hold one second of samples at the highest rate that the tests allow. */
#define RING_PAGES	128

struct ring {
	int fd;				/* or a negative errno */
	struct perf_event_mmap_page *page;	/* the records follow */
	uint64_t sample_type;
};

/* Branches, if the sample has them; else zero. */
struct record {
	uint16_t misc;
	uint64_t ip, period;
	uint64_t branches;
	struct perf_branch_entry branch[64];
};

static inline size_t ring_bytes(void)
{
	return (size_t)RING_PAGES * sysconf(_SC_PAGESIZE);
}

static inline struct ring ring_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	struct ring ring = {};

	attr->sample_type |= SAMPLE_BASE;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	ring.sample_type = attr->sample_type;
	ring.fd = perf_try(attr, pid, cpu, group);
	if (ring.fd < 0)
		return ring;
	ring.page = mmap(NULL, ring_bytes() + sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			 MAP_SHARED, ring.fd, 0);
	if (ring.page == MAP_FAILED) {
		int error = errno;

		close(ring.fd);
		ring.fd = -error;
	}
	return ring;
}

/* Sample an event of the PMU under test. */
static inline struct ring ring_sample(uint64_t config, uint64_t period, pid_t pid, int cpu)
{
	struct perf_event_attr attr = event(config);

	attr.sample_period = period;
	return ring_open(&attr, pid, cpu, -1);
}

static inline void ring_close(struct ring *ring)
{
	if (ring->fd < 0)
		return;
	munmap(ring->page, ring_bytes() + sysconf(_SC_PAGESIZE));
	close(ring->fd);
	ring->fd = -1;
}

struct ring_totals {
	uint64_t samples, weight;	/* weight: sum of their periods */
	uint64_t throttled, lost;	/* records */
	uint64_t last;			/* time of the last sample */
};

/*
 * Read all records, and call @look, if any, for each sample, whose fields are in the order of enum
 * perf_event_sample_format. Records are whole words, and may continue at the buffer's beginning.
 */
static inline struct ring_totals ring_look(struct ring *ring, void (*look)(const struct record *r))
{
	const uint64_t *data = (const void *)((const char *)ring->page + sysconf(_SC_PAGESIZE));
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const size_t words = ring_bytes() / 8;
	uint64_t tail = ring->page->data_tail;
	struct ring_totals s = {};

	while (tail != head) {
		uint64_t word[7 + sizeof(((struct record *)0)->branch) / 8] = {};
		struct perf_event_header header;
		struct record r;

		memcpy(&header, &data[tail / 8 % words], sizeof(header));
		for (unsigned int i = 0; i < ARRAY_SIZE(word) && i < header.size / 8U; i++)
			word[i] = data[(tail / 8 + i) % words];
		tail += header.size;
		s.throttled += header.type == PERF_RECORD_THROTTLE;
		s.lost += header.type == PERF_RECORD_LOST;
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		r = (struct record){ .misc = header.misc, .ip = word[1], .period = word[4] };
		if (ring->sample_type & PERF_SAMPLE_BRANCH_STACK) {
			r.branches = word[5];
			if (r.branches > ARRAY_SIZE(r.branch))
				r.branches = ARRAY_SIZE(r.branch);
			memcpy(r.branch, &word[6], sizeof(r.branch));
		}
		s.samples++;
		s.weight += r.period;
		s.last = word[3];
		if (look)
			look(&r);
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return s;
}

/* Read and discard all records. */
static inline struct ring_totals ring_drain(struct ring *ring)
{
	return ring_look(ring, NULL);
}

/* ---- loads ---- */

static inline void spin_load(void)
{
	work(2000);
}

/* One TLB miss for each page: the kernel flushes the TLB when the protection changes. */
static inline void touch_load(void)
{
	enum { PAGES = 256, SIZE = 4096 };
	static char *pages;
	unsigned int sum = 0;

	if (!pages)
		pages = mmap(NULL, PAGES * SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (pages == MAP_FAILED || mprotect(pages, PAGES * SIZE, PROT_READ) ||
	    mprotect(pages, PAGES * SIZE, PROT_READ | PROT_WRITE)) {
		perror("# pages");
		exit(1);
	}
	for (unsigned int i = 0; i < PAGES; i++)
		sum += __atomic_load_n(&pages[i * SIZE], __ATOMIC_RELAXED);
	if (sum)
		note("pages that were never written are not zero");
}

/* Call @load again and again for @ms. Return: how often. */
static inline uint64_t run_load(unsigned int ms, void (*load)(void))
{
	const uint64_t end = now_ns() + ms * 1000000ULL;
	uint64_t times = 0;

	for (; now_ns() < end; times++)
		load();
	return times;
}

/* What an event did while a load ran */
struct sampled {
	int fd;				/* as perf_try() returned it; it is closed */
	struct reading count;		/* at the end */
	struct ring_totals totals;
	uint64_t loads;			/* how often the load ran */
};

/* Sample @attr while @load runs, and call @look, if any, for each sample. */
static inline struct sampled sample_load(struct perf_event_attr attr, pid_t pid, int cpu,
					 unsigned int ms, void (*load)(void),
					 void (*look)(const struct record *r))
{
	struct sampled s = {};
	struct ring ring;

	attr.disabled = 1;
	ring = ring_open(&attr, pid, cpu, -1);
	s.fd = ring.fd;
	if (ring.fd < 0)
		return s;
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	s.loads = run_load(ms, load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	s.count = perf_get(ring.fd);
	s.totals = ring_look(&ring, look);
	ring_close(&ring);
	return s;
}

/* Return: how many events of @attr occur in a second of @load, 0 if it does not open. */
static inline uint64_t per_second(struct perf_event_attr attr, void (*load)(void))
{
	uint64_t count;
	int fd;

	attr.read_format = READ_TIMES;
	fd = perf_try(&attr, 0, -1, -1);
	if (fd < 0)
		return 0;
	run_load(200, load);
	count = perf_get(fd).value;
	close(fd);
	return count * 5;
}

/* ---- the PMU under test and the kernel's limits ---- */

/* Return: whether the PMU samples by overflow interrupt, and not by timer. */
static inline bool has_overflow_irq(void)
{
	char text[16];

	return pmu_text("caps/overflow", text, sizeof(text)) && strcmp(text, "timer") &&
	       strcmp(text, "none");
}

/*
 * Return: whether overflow interrupts of the event are late.
 *
 * In QEMU, cycles and instructions are ticks of the host's clock, but QEMU schedules their
 * overflow in nanoseconds. With 2.4 ticks per ns the interrupt is late by that factor, and later
 * on a busy host. It is on time where a tick is a ns (the lab's qfix), and always for TLB misses.
 */
static inline bool is_overflow_late(uint64_t config)
{
	static int late = -1;
	char compatible[32];

	if (is_slow_kernel())
		return true;
	read_text("/sys/firmware/devicetree/base/compatible", compatible, sizeof(compatible));
	if (config == DTLB_MISSES || strcmp(compatible, "riscv-virtio"))
		return false;
	if (late < 0) {
		const int fd = open_event(CYCLES, 0, -1, -1);
		struct reading r;

		run_load(50, spin_load);
		r = perf_get(fd);
		close(fd);
		late = r.value > r.running + r.running / 50;
		note("%.3f cycles per ns: overflow interrupts are %s",
		     (double)r.value / (r.running ?: 1), late ? "late" : "on time");
	}
	return late;
}

#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define MAX_TIME	"/proc/sys/kernel/perf_cpu_time_max_percent"

static char saved_rate[16], saved_time[16];

/* The rate can be written only while the CPU time limit is not 0. */
static inline bool set_max_rate(const char *rate)
{
	return write_text(MAX_TIME, "25") & write_text(MAX_RATE, rate) & write_text(MAX_TIME, "0");
}

/* Also keep the kernel from lowering the rate: emulated interrupts take long. */
static inline void limits_raise(void)
{
	if (!read_text(MAX_RATE, saved_rate, sizeof(saved_rate)) ||
	    !read_text(MAX_TIME, saved_time, sizeof(saved_time)))
		perror("# limits");
	set_max_rate("100000");
}

static inline void limits_restore(void)
{
	set_max_rate(saved_rate);
	write_text(MAX_TIME, saved_time);
}

#endif
