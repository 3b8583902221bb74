/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sampling event and its ring of records, which the kernel writes and we read.
 */
#ifndef RING_H
#define RING_H

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "harness.h"

enum { CODE_CYCLES = 1, CODE_INSTRUCTIONS = 2, CODE_DTLB_MISSES = 0x10019 };

/* What records of ours always have; READ and CALLCHAIN are for those who ask. */
#define SAMPLE_BASE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

/* 512 KiB: a second of the highest rate allowed here, without anybody reading. */
#define RING_PAGES	128

/**
 * struct ring - an open event
 * @fd: negative: why it did not open
 * @page: first page of the mapping; the records follow
 * @sample_type: as it was opened
 */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t sample_type;
};

/* A record. Of what its sample_type does not ask for there is none. */
struct record {
	uint32_t type;
	uint16_t misc;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period;
	uint64_t values;	/* of the group */
	uint64_t value[4];
	uint64_t frames;	/* of the call chain */
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

/* Copy out of the ring, over its end if need be. */
static inline void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	char *bytes = to;

	for (size_t i = 0; i < size; i++)
		bytes[i] = data[(at + i) % ring_bytes()];
}

static inline uint64_t ring_word(const struct ring *ring, uint64_t *at)
{
	uint64_t word;

	ring_copy(ring, *at, &word, sizeof(word));
	*at += sizeof(word);
	return word;
}

/* Words with their number before them; as many as fit are kept. */
static inline uint64_t ring_words(const struct ring *ring, uint64_t *at, uint64_t *to, size_t max)
{
	const uint64_t n = ring_word(ring, at);

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t word = ring_word(ring, at);

		if (i < max)
			to[i] = word;
	}
	return n;
}

/* In the order that the kernel writes them. */
static inline void ring_sample(const struct ring *ring, uint64_t at, struct record *r)
{
	uint64_t ids;

	r->ip = ring_word(ring, &at);
	ids = ring_word(ring, &at);
	r->pid = ids;
	r->tid = ids >> 32;
	r->time = ring_word(ring, &at);
	r->period = ring_word(ring, &at);
	if (ring->sample_type & PERF_SAMPLE_READ)
		r->values = ring_words(ring, &at, r->value, ARRAY_SIZE(r->value));
	if (ring->sample_type & PERF_SAMPLE_CALLCHAIN)
		r->frames = ring_words(ring, &at, r->frame, ARRAY_SIZE(r->frame));
}

/* The next record. Return: false if there is none as yet. */
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
		ring_sample(ring, tail + sizeof(header), r);
	__atomic_store_n(&ring->page->data_tail, tail + header.size, __ATOMIC_RELEASE);
	return true;
}

/* What all records of a run come to. */
struct seen {
	uint64_t samples;
	uint64_t weight;	/* events that they stand for */
	uint64_t user, kernel;	/* samples, by what the record says */
	uint64_t throttled, unthrottled;
	uint64_t lost;		/* LOST records */
	uint64_t last;		/* time of the last sample */
};

static inline void seen_add(struct seen *s, const struct record *r)
{
	const unsigned int mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	s->throttled += r->type == PERF_RECORD_THROTTLE;
	s->unthrottled += r->type == PERF_RECORD_UNTHROTTLE;
	s->lost += r->type == PERF_RECORD_LOST;
	if (r->type != PERF_RECORD_SAMPLE)
		return;
	s->samples++;
	s->weight += r->period;
	s->user += mode == PERF_RECORD_MISC_USER;
	s->kernel += mode == PERF_RECORD_MISC_KERNEL;
	s->last = r->time;
}

static inline struct seen ring_drain(struct ring *ring)
{
	struct seen s = {};
	struct record r;

	while (ring_next(ring, &r))
		seen_add(&s, &r);
	return s;
}

/* ---- numbers ---- */

/* Do they differ by at most @percent of the second? */
static inline bool within(uint64_t a, uint64_t b, unsigned int percent)
{
	const uint64_t off = a > b ? a - b : b - a;

	return b && off * 100 <= b * percent;
}

/* ---- work for a time ---- */

static inline void spin_load(void)
{
	work(2000);
}

/*
 * A TLB miss for each page. QEMU's TLB grows until all pages fit; but a change of
 * so many pages' protection has the kernel flush it.
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
		puts("# pages that were never written are not empty");
}

static inline void busy(unsigned int ms, void (*load)(void))
{
	const uint64_t end = now_ns() + ms * 1000000ULL;

	while (now_ns() < end)
		load();
}

/* How many events of @attr a second of @load has, about; 0 if it cannot be counted. */
static inline uint64_t per_second(struct perf_event_attr attr, void (*load)(void))
{
	uint64_t count;
	int fd;

	attr.read_format = READ_TIMES;
	fd = perf_try(&attr, 0, -1, -1);
	if (fd < 0)
		return 0;
	busy(200, load);
	count = perf_get(fd).value;
	close(fd);
	return count * 5;
}

/* ---- the PMU under test, and the kernel's limits ---- */

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
		printf("# cannot write %s to %s\n", text, path);
	return ok;
}

/* Do counters of this PMU interrupt, or does a timer look at them? */
static inline bool pmu_interrupts(const char *name)
{
	char path[128], text[16] = "";

	snprintf(path, sizeof(path), PMU_DEVICES "%s/caps/overflow", name);
	return file_get(path, text, sizeof(text)) && !strcmp(text, "lcofi");
}

/*
 * QEMU's cycles and instructions are its host's ticks, but a timer in nanoseconds
 * says when they overflow: with 2.4 ticks to a ns it is that much late, and later
 * on a busy host. Where a tick is a ns (qfix) they overflow in time, and its TLB
 * misses overflow when they do.
 */
static inline bool pmu_is_late(uint64_t code)
{
	static int late = -1;
	char compatible[32] = "";

	if (slow_kernel())
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

		busy(50, spin_load);
		r = perf_get(fd);
		close(fd);
		late = r.value > r.running + r.running / 50;
		printf("# %.3f cycles a ns: overflows are %s\n",
		       (double)r.value / (r.running ?: 1), late ? "late" : "in time");
	}
	return late;
}

#define MAX_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define MAX_TIME	"/proc/sys/kernel/perf_cpu_time_max_percent"

static char usual_rate[16], usual_time[16];

/*
 * Emulated interrupts take long, and the kernel would lower the highest rate.
 * It may be written only while that guard is on, so the order matters.
 */
static inline void limits_lift(void)
{
	if (!file_get(MAX_RATE, usual_rate, sizeof(usual_rate)) ||
	    !file_get(MAX_TIME, usual_time, sizeof(usual_time)))
		perror("# limits");
	file_put(MAX_TIME, "25");
	file_put(MAX_RATE, "100000");
	file_put(MAX_TIME, "0");
}

/* Another highest rate for a while. */
static inline bool limit_rate(const char *rate)
{
	return file_put(MAX_TIME, "25") & file_put(MAX_RATE, rate) & file_put(MAX_TIME, "0");
}

static inline void limits_restore(void)
{
	file_put(MAX_TIME, "25");
	file_put(MAX_RATE, usual_rate);
	file_put(MAX_TIME, usual_time);
}

#endif
