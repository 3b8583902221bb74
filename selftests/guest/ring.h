/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampling events: the ring buffer of records, loads to sample, and the limits of the kernel. */
#ifndef RING_H
#define RING_H

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "harness.h"

enum { CODE_CYCLES = 1, CODE_INSTRUCTIONS = 2, CODE_DTLB_MISSES = 0x10019 };

/* Fields of every sample. PERF_SAMPLE_READ and PERF_SAMPLE_CALLCHAIN are optional. */
#define SAMPLE_BASE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

/* 512 KiB hold one second of samples at the highest rate that the tests allow. */
#define RING_PAGES	128

/**
 * struct ring - an open event
 * @fd: file descriptor, or a negative errno
 * @page: first page of the mapping; the records follow
 * @sample_type: of the open event
 */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t sample_type;
};

/* A record. Fields that are not in sample_type are zero. */
struct record {
	uint32_t type;
	uint16_t misc;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period;
	uint64_t values;	/* length of the group read */
	uint64_t value[4];
	uint64_t frames;	/* length of the call chain */
	uint64_t frame[4];
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

static inline void ring_close(struct ring *ring)
{
	if (ring->fd < 0)
		return;
	munmap(ring->page, ring_bytes() + sysconf(_SC_PAGESIZE));
	close(ring->fd);
	ring->fd = -1;
}

/* Copy from the ring buffer; the data may continue at its beginning. */
static inline void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	char *bytes = to;

	for (size_t i = 0; i < size; i++)
		bytes[i] = data[(at + i) % ring_bytes()];
}

static inline uint64_t ring_read_word(const struct ring *ring, uint64_t *at)
{
	uint64_t word;

	ring_copy(ring, *at, &word, sizeof(word));
	*at += sizeof(word);
	return word;
}

/*
 * Read a count and as many words; store the first @max of them.
 * Return: the count.
 */
static inline uint64_t ring_read_words(const struct ring *ring, uint64_t *at, uint64_t *to,
				       size_t max)
{
	const uint64_t n = ring_read_word(ring, at);

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t word = ring_read_word(ring, at);

		if (i < max)
			to[i] = word;
	}
	return n;
}

/* Parse the fields of a sample in the order of enum perf_event_type. */
static inline void ring_read_sample(const struct ring *ring, uint64_t at, struct record *r)
{
	uint64_t ids;

	r->ip = ring_read_word(ring, &at);
	ids = ring_read_word(ring, &at);
	r->pid = ids;
	r->tid = ids >> 32;
	r->time = ring_read_word(ring, &at);
	r->period = ring_read_word(ring, &at);
	if (ring->sample_type & PERF_SAMPLE_READ)
		r->values = ring_read_words(ring, &at, r->value, ARRAY_SIZE(r->value));
	if (ring->sample_type & PERF_SAMPLE_CALLCHAIN)
		r->frames = ring_read_words(ring, &at, r->frame, ARRAY_SIZE(r->frame));
}

/* Take the next record. Return: false if the ring buffer is empty. */
static inline bool ring_next(struct ring *ring, struct record *r)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t tail = ring->page->data_tail;
	struct perf_event_header header;

	if (head == tail)
		return false;
	ring_copy(ring, tail, &header, sizeof(header));
	*r = (struct record){ .type = header.type, .misc = header.misc };
	if (r->type == PERF_RECORD_SAMPLE)
		ring_read_sample(ring, tail + sizeof(header), r);
	__atomic_store_n(&ring->page->data_tail, tail + header.size, __ATOMIC_RELEASE);
	return true;
}

/**
 * struct ring_totals - totals of the records that were read
 * @samples: number of samples
 * @weight: sum of their periods: the number of events that they stand for
 * @throttled: THROTTLE records
 * @unthrottled: UNTHROTTLE records
 * @lost: LOST records
 * @last: time of the last sample
 */
struct ring_totals {
	uint64_t samples;
	uint64_t weight;
	uint64_t throttled, unthrottled;
	uint64_t lost;
	uint64_t last;
};

static inline void totals_add(struct ring_totals *s, const struct record *r)
{
	s->throttled += r->type == PERF_RECORD_THROTTLE;
	s->unthrottled += r->type == PERF_RECORD_UNTHROTTLE;
	s->lost += r->type == PERF_RECORD_LOST;
	if (r->type != PERF_RECORD_SAMPLE)
		return;
	s->samples++;
	s->weight += r->period;
	s->last = r->time;
}

/* Read and discard all records. */
static inline struct ring_totals ring_drain(struct ring *ring)
{
	struct ring_totals s = {};
	struct record r;

	while (ring_next(ring, &r))
		totals_add(&s, &r);
	return s;
}

/* Return: whether @b is not 0 and @a differs from it by at most @percent. */
static inline bool within(uint64_t a, uint64_t b, unsigned int percent)
{
	const uint64_t off = a > b ? a - b : b - a;

	return b && off * 100 <= b * percent;
}

/* ---- loads ---- */

static inline void spin_load(void)
{
	work(2000);
}

/*
 * Cause one TLB miss per page. QEMU's TLB grows until all pages fit, so change the protection
 * of the pages, for which the kernel flushes the TLB.
 */
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

/* Call @load again and again for @ms. */
static inline void run_load(unsigned int ms, void (*load)(void))
{
	const uint64_t end = now_ns() + ms * 1000000ULL;

	while (now_ns() < end)
		load();
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

static inline bool file_get(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	bool ok = f && fgets(text, size, f);

	if (f)
		fclose(f);
	if (ok)
		text[strcspn(text, "\n")] = 0;
	return ok;
}

static inline bool file_put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0;

	if (f && fclose(f))
		ok = false;
	if (!ok)
		note("cannot write %s to %s", text, path);
	return ok;
}

/* Return: whether the PMU samples by overflow interrupt, and not by timer. */
static inline bool has_overflow_irq(const char *name)
{
	char path[128], text[16] = "";

	snprintf(path, sizeof(path), PMU_DEVICES "%s/caps/overflow", name);
	return file_get(path, text, sizeof(text)) && strcmp(text, "timer") &&
	       strcmp(text, "none");
}

/*
 * Return: whether overflow interrupts of the event are late.
 *
 * In QEMU, cycles and instructions are ticks of the host's clock, but QEMU schedules their
 * overflow in nanoseconds. With 2.4 ticks per ns the interrupt is late by that factor, and later
 * on a busy host. It is on time where a tick is a ns (the lab's qfix), and always for TLB misses.
 */
static inline bool is_overflow_late(uint64_t code)
{
	static int late = -1;
	char compatible[32] = "";

	if (is_slow_kernel())
		return true;
	file_get("/sys/firmware/devicetree/base/compatible", compatible, sizeof(compatible));
	if (code == CODE_DTLB_MISSES || strcmp(compatible, "riscv-virtio"))
		return false;
	if (late < 0) {
		struct perf_event_attr attr = {
			.type = pmu.type,
			.config = STANDARD(CODE_CYCLES),
			.read_format = READ_TIMES,
		};
		int fd = perf_try(&attr, 0, -1, -1);
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

/*
 * Raise the maximum sample rate, and keep the kernel from lowering it: emulated interrupts take
 * long. The rate can be written only while the CPU time limit is not 0.
 */
static inline void limits_raise(void)
{
	if (!file_get(MAX_RATE, saved_rate, sizeof(saved_rate)) ||
	    !file_get(MAX_TIME, saved_time, sizeof(saved_time)))
		perror("# limits");
	file_put(MAX_TIME, "25");
	file_put(MAX_RATE, "100000");
	file_put(MAX_TIME, "0");
}

static inline bool set_max_rate(const char *rate)
{
	return file_put(MAX_TIME, "25") & file_put(MAX_RATE, rate) & file_put(MAX_TIME, "0");
}

static inline void limits_restore(void)
{
	file_put(MAX_TIME, "25");
	file_put(MAX_RATE, saved_rate);
	file_put(MAX_TIME, saved_time);
}

#endif
