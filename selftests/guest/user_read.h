/* SPDX-License-Identifier: GPL-2.0-only */
/* Read counters from user space, by the protocol in include/uapi/linux/perf_event.h. */
#ifndef USER_READ_H
#define USER_READ_H

#include <sys/mman.h>

#include "harness.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

enum { UID_NOBODY = 65534 };

/*
 * Read CSR 0xc00 + @n: cycle, time, instret, hpmcounter3 and so on. The CSR number is part of
 * the instruction.
 */
static inline uint64_t read_counter(unsigned int n)
{
	uint64_t value = 0;

#ifdef __riscv
#define ONE(i)	case i: asm volatile("csrr %0, 0xc00 + " #i : "=r"(value)); break
	switch (n) {
	ONE(0); ONE(1); ONE(2); ONE(3); ONE(4); ONE(5); ONE(6); ONE(7);
	ONE(8); ONE(9); ONE(10); ONE(11); ONE(12); ONE(13); ONE(14); ONE(15);
	ONE(16); ONE(17); ONE(18); ONE(19); ONE(20); ONE(21); ONE(22); ONE(23);
	ONE(24); ONE(25); ONE(26); ONE(27); ONE(28); ONE(29); ONE(30); ONE(31);
	}
#undef ONE
#else
	(void)n;
#endif
	return value;
}

typedef volatile struct perf_event_mmap_page page_t;

/* An event and its page, NULL if it is not open or cannot be mapped */
struct mapped {
	int fd;
	page_t *page;
};

static inline page_t *map_event(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static inline void unmap_event(page_t *page)
{
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

static inline struct mapped open_mapped(struct perf_event_attr attr, pid_t pid, int cpu)
{
	struct mapped m = { .fd = perf_try(&attr, pid, cpu, -1) };

	m.page = m.fd < 0 ? NULL : map_event(m.fd);
	return m;
}

static inline void close_mapped(struct mapped m)
{
	if (m.page)
		unmap_event(m.page);
	close(m.fd);
}

/**
 * struct user_read - a count read from user space
 * @value: the count
 * @source: NOT_READABLE: the page forbids it and @value is not valid; NO_COUNTER: the event has
 *	no counter now, @value is from the page alone; COUNTER: it is the page's plus the CSR's
 */
struct user_read {
	uint64_t value;
	enum { NOT_READABLE, NO_COUNTER, COUNTER } source;
};

static inline struct user_read user_read_event(page_t *page)
{
	unsigned int seq, index, shift;
	struct user_read r;
	uint64_t count;

	do {
		seq = page->lock;
		__sync_synchronize();
		index = page->cap_user_rdpmc ? page->index : 0;
		r.source = !page->cap_user_rdpmc ? NOT_READABLE : index ? COUNTER : NO_COUNTER;
		r.value = page->offset;
		if (index) {
			shift = 64 - page->pmc_width;
			count = read_counter(index - 1);
			r.value += (uint64_t)((int64_t)(count << shift) >> shift);
		}
		__sync_synchronize();
	} while (page->lock != seq);
	return r;
}

/**
 * struct comparison - result of many compare_reads() calls
 * @rounds: comparisons
 * @wrong: user-space reads that were not between two reads by read(2)
 * @no_counter: reads while the event had no counter
 * @counter: reads of a counter
 */
struct comparison {
	unsigned int rounds, wrong, no_counter, counter;
};

/* Only the first wrong read of a process is printed. */
static inline void compare_reads(struct mapped m, struct comparison *c)
{
	static bool printed;
	const uint64_t before = perf_get(m.fd).value;
	const struct user_read r = user_read_event(m.page);
	const uint64_t after = perf_get(m.fd).value;

	c->rounds++;
	c->counter += r.source == COUNTER;
	c->no_counter += r.source == NO_COUNTER;
	if (r.source == NOT_READABLE || (r.value >= before && r.value <= after))
		return;
	c->wrong++;
	if (!printed)
		note("read(2) %lu, user space %lu (%s), read(2) %lu", before, r.value,
		     r.source == COUNTER ? "counter" : "no counter", after);
	printed = true;
}

/*
 * Others count the same event on this CPU. What this program reads must be its own: a counter has
 * no more than its event counted. Return: whether that is so, and there was a counter.
 */
static inline bool has_only_own_counts(struct mapped m)
{
	unsigned int read = 0, more = 0;

	for (unsigned int i = 0; m.page && i < 300; i++) {
		const unsigned int index = m.page->cap_user_rdpmc ? m.page->index : 0;
		const uint64_t raw = index ? read_counter(index - 1) : 0;

		read += index != 0;
		more += raw > perf_get(m.fd).value;
		usleep(1000);
	}
	if (more)
		note("the counter was greater than the count of the event %u times", more);
	return read && !more;
}

#endif
