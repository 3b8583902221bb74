/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters read without a system call, as perf's header tells programs to.
 */
#ifndef DIRECT_H
#define DIRECT_H

#include <sys/mman.h>

#include "harness.h"

/* Counter @n of cycle, time, instret, hpmcounter3 and so on; the number is in the instruction. */
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
#endif
	return value;
}

typedef volatile struct perf_event_mmap_page page_t;

static inline page_t *map_event(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static inline void unmap_event(page_t *page)
{
	munmap((void *)page, sysconf(_SC_PAGESIZE));
}

/* How one read came about. */
struct direct {
	uint64_t value;
	enum { BY_KERNEL, TOLD, READ } how;	/* not at all; it has no counter now; it has */
};

static inline struct direct read_direct(page_t *page)
{
	unsigned int seq, index, shift;
	struct direct d;
	uint64_t count;

	do {
		seq = page->lock;
		__sync_synchronize();
		index = page->cap_user_rdpmc ? page->index : 0;
		d.how = !page->cap_user_rdpmc ? BY_KERNEL : index ? READ : TOLD;
		d.value = page->offset;
		if (index) {
			shift = 64 - page->pmc_width;
			count = read_counter(index - 1);
			d.value += (uint64_t)((int64_t)(count << shift) >> shift);
		}
		__sync_synchronize();
	} while (page->lock != seq);
	return d;
}

#endif
