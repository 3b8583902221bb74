/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * region.h - count events in a region of one's own code, on any Linux perf PMU.
 *
 *	struct region r;
 *	struct region_sum sum = {};
 *	int error = region_open(&r, "cycles,instructions,cpu/front_bubble/");
 *
 *	if (error)
 *		errx(1, "%s", region_why(&r, error));
 *	region_begin(&r);
 *	work();
 *	error = region_end(&r, &sum);		... sum.count[0..2], if it is 0
 *	region_close(&r);
 *
 * The events are one group of the calling thread: they count together or not at
 * all. Counters are read from user space where the kernel allows it, by one
 * read(2) of the group elsewhere; the numbers mean the same. If the group did not
 * count all the time, the sum says that it is an estimate; if it did not count at
 * all, that is an error. Errors are negative errnos; region_why() has the words.
 *
 * Where reads are direct, begin and end make no system call and no allocation.
 * Events are read one after another and in the same order at both ends, so each
 * is counted over a stretch of the same length, some tens of instructions later
 * than that of the event before. What begin and end cost is in the counts: an
 * empty region tells how much.
 */
#ifndef SBI_PMU_REGION_H
#define SBI_PMU_REGION_H

#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "region_name.h"

#define REGION_EVENTS	16

/* A group at one moment, as read(2) gives it: counts, and ns since it was opened. */
struct region_moment {
	uint64_t n;
	uint64_t enabled;
	uint64_t running;
	uint64_t count[REGION_EVENTS];
};

/**
 * struct region - events of one thread, and where the region began
 * @n: how many events; 0 if it is not open
 * @name: each as it was asked for
 * @fd: each; the first is the group's
 * @page: what the kernel tells of each, for direct reads
 * @direct: read directly when that can be done. Clear it to have read(2) only.
 * @begun: between begin and end
 * @begun_directly: and how it was read
 * @here: says 1, but nothing in a child of fork(): the events are not of it
 * @owner: the thread whose events they are
 * @start: what was read at begin
 * @why: why it was not opened, or is not read directly
 */
struct region {
	unsigned int n;
	char name[REGION_EVENTS][64];
	int fd[REGION_EVENTS];
	volatile struct perf_event_mmap_page *page[REGION_EVENTS];
	bool direct;
	bool begun;
	bool begun_directly;
	volatile char *here;
	pthread_t owner;
	struct region_moment start;
	char why[256];
};

/**
 * struct region_sum - what was counted in regions; all zero before the first
 * @count: of each event; estimated in regions where the group did not always count
 * @enabled: ns of this thread's time in regions
 * @running: and how long the group counted
 * @regions: how many
 * @direct: of these, read without a system call
 * @scaled: of these, estimated. Not 0: @count is no exact number.
 */
struct region_sum {
	uint64_t count[REGION_EVENTS];
	uint64_t enabled;
	uint64_t running;
	uint64_t regions;
	uint64_t direct;
	uint64_t scaled;
};

/* ---- direct reads ---- */

/* Tests have counters of their own. */
#ifdef REGION_COUNTER
#define REGION_CAN_DIRECT	true
#elif defined(__riscv) && __riscv_xlen == 64
#define REGION_CAN_DIRECT	true
#define REGION_COUNTER(n)	region_csr(n)
#define REGION_CLOCK()		region_csr(1)

/* The number of a CSR is part of the instruction. 0 is cycle, 1 time, 2 instret. */
static inline uint64_t region_csr(unsigned int n)
{
	uint64_t value = 0;

#define REGION_CSR(n)	\
	case n:	\
		__asm__ __volatile__("csrr %0, %1" : "=r"(value) : "i"(0xc00 + (n))); \
		break
#define REGION_CSRS(n)	\
	REGION_CSR(n); REGION_CSR((n) + 1); REGION_CSR((n) + 2); REGION_CSR((n) + 3)
	switch (n) {
	REGION_CSRS(0); REGION_CSRS(4); REGION_CSRS(8); REGION_CSRS(12);
	REGION_CSRS(16); REGION_CSRS(20); REGION_CSRS(24); REGION_CSRS(28);
	}
	return value;
}
#else
#define REGION_CAN_DIRECT	false
#define REGION_COUNTER(n)	((uint64_t)(n))
#define REGION_CLOCK()		((uint64_t)0)
#endif

/* The compiler must not move what is read across it. */
#define region_barrier()	__asm__ __volatile__("" ::: "memory")

/* A counter of @width bits: the upper half of its range is below zero. */
static inline uint64_t region_widen(uint64_t value, unsigned int width)
{
	return (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
}

/* Times of a group that counts now: the page has those of its last start. */
static inline void region_times(const volatile struct perf_event_mmap_page *page,
				struct region_moment *now)
{
	const unsigned int shift = page->time_shift;
	uint64_t mult = page->time_mult, clock = REGION_CLOCK(), since;

	if (page->cap_user_time_short)
		clock = page->time_cycles + ((clock - page->time_cycles) & page->time_mask);
	since = page->time_offset + (clock >> shift) * mult +
		((clock & ((1ULL << shift) - 1)) * mult >> shift);
	now->enabled = page->time_enabled + since;
	now->running = page->time_running + since;
}

/*
 * One event by its page, as linux/perf_event.h asks for; false if only the kernel
 * can tell. The kernel writes a page on the CPU of its thread, between two
 * instructions of it, so ordering the compiler is enough. A counter that has been
 * taken away since the index was read gives nonsense (0 with sbi_pmu), but then
 * the page has been written, and it is read anew.
 */
static inline bool region_page(const volatile struct perf_event_mmap_page *page, uint64_t *count,
			       struct region_moment *times)
{
	uint32_t lock, index, width;

	do {
		lock = page->lock;
		region_barrier();
		index = page->index;
		width = page->pmc_width;
		/* Without the clock nobody knows whether the group was always counting. */
		if (!page->cap_user_rdpmc || !page->cap_user_time)
			return false;
		/* 0: not on a counter now. */
		if (index - 1 > 31 || width - 1 > 63)
			return false;
		*count = page->offset + region_widen(REGION_COUNTER(index - 1), width);
		if (times)
			region_times(page, times);
		region_barrier();
	} while (lock & 1 || page->lock != lock);
	return true;
}

/* All events, and the times of the first: a group counts as one. */
static inline bool region_pages(const struct region *r, struct region_moment *now)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (!r->page[i] || !region_page(r->page[i], &now->count[i], i ? NULL : now))
			return false;
	return true;
}

/* ---- begin and end ---- */

/* 1 if it was read directly, 0 if by read(2). */
static inline int region_now(const struct region *r, struct region_moment *now)
{
	const ssize_t size = (3 + r->n) * sizeof(uint64_t);

	if (r->direct && region_pages(r, now))
		return 1;
	return read(r->fd[0], now, sizeof(*now)) == size && now->n == r->n ? 0 : -EIO;
}

/*
 * Another thread, or a child of fork(), has the object but not the events. Neither
 * question is a system call.
 */
static inline int region_mine(const struct region *r)
{
	if (!r->n || !*r->here)
		return -ENODEV;
	return pthread_equal(r->owner, pthread_self()) ? 0 : -EPERM;
}

static inline int region_begin(struct region *r)
{
	int how = region_mine(r);

	if (how)
		return how;
	if (r->begun)
		return -EBUSY;
	/* First, lest what follows count. */
	r->begun = true;
	how = region_now(r, &r->start);
	r->begun = how >= 0;
	r->begun_directly = how == 1;
	return how < 0 ? how : 0;
}

/*
 * What is between two moments. A group that was on the counters at both ends may
 * have been off them in between; enabled and running then differ, and they are
 * exact enough to tell: both advance by the same clock, so unless it was off their
 * difference stays as it is. A region may be shorter than a tick of that clock.
 */
static inline int region_between(unsigned int n, const struct region_moment *start,
				 const struct region_moment *now, bool direct,
				 struct region_sum *sum)
{
	const uint64_t enabled = now->enabled - start->enabled;
	const uint64_t running = now->running - start->running;
	const bool scaled = enabled != running;
	bool counted = direct;

	for (unsigned int i = 0; i < n; i++) {
		if ((int64_t)(now->count[i] - start->count[i]) < 0)
			return -ERANGE;
		counted |= now->count[i] != start->count[i];
	}
	if ((int64_t)running < 0 || running > enabled)
		return -ERANGE;
	if (!running && (enabled || !counted))
		return -ENODATA;
	for (unsigned int i = 0; i < n; i++) {
		const uint64_t count = now->count[i] - start->count[i];

		sum->count[i] += scaled ? (uint64_t)((double)count / running * enabled) : count;
	}
	sum->enabled += enabled;
	sum->running += running;
	sum->regions++;
	sum->direct += direct;
	sum->scaled += scaled;
	return 0;
}

/* Adds the region to @sum, or leaves @sum alone and says what is wrong. */
static inline int region_end(struct region *r, struct region_sum *sum)
{
	struct region_moment now;
	int how = region_mine(r);

	if (how)
		return how;
	if (!r->begun)
		return -EINVAL;
	how = region_now(r, &now);
	r->begun = false;
	if (how < 0)
		return how;
	return region_between(r->n, &r->start, &now, how && r->begun_directly, sum);
}

/* ---- open and close ---- */

/* Takes one event off a list: commas within slashes are of the event. */
static inline size_t region_word(const char *list)
{
	bool inside = false;
	size_t n;

	for (n = 0; list[n] && (inside || list[n] != ','); n++)
		inside ^= list[n] == '/';
	return n;
}

/* What to do where the kernel says no. */
static inline int region_refused(struct region_event *e, bool first, int error)
{
	const bool modes = e->attr.exclude_user || e->attr.exclude_kernel;
	char level[16] = "?";

	if (error == EACCES || error == EPERM) {
		region_line(level, sizeof(level), "/proc/sys/kernel/perf_event_paranoid");
		return region_says(e, -error,
				   "not allowed: kernel.perf_event_paranoid is %s; lower it%s",
				   level, modes ? "" : ", or count user mode only, with :u");
	}
	if (error == EINVAL && !first)
		return region_says(e, -error, "does not fit in a group with those before it");
	if (error == EINVAL || error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
		return region_says(e, -error, "this machine cannot count it%s (%s)",
				   modes ? " by mode; try without :u, :k" : "", strerror(error));
	return region_says(e, -error, "%s", strerror(error));
}

/* The next event of the group; what it is called is in @e. */
static inline int region_add(struct region *r, struct region_event *e)
{
	const unsigned int i = r->n;
	void *page;
	int error;

	if (i == REGION_EVENTS)
		return region_says(e, -E2BIG, "a group has at most %d events", REGION_EVENTS);
	memset(&e->attr, 0, sizeof(e->attr));
	error = region_parse(e);
	if (error)
		return error;
	e->attr.size = sizeof(e->attr);
	/* All begin to count at once, see region_open(). */
	e->attr.disabled = !i;
	e->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			      PERF_FORMAT_TOTAL_TIME_RUNNING;
	r->fd[i] = syscall(SYS_perf_event_open, &e->attr, 0, -1, i ? r->fd[0] : -1,
			   PERF_FLAG_FD_CLOEXEC);
	if (r->fd[i] < 0)
		return region_refused(e, !i, errno);
	/* Not to have the page is no error: read(2) is left. */
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, r->fd[i], 0);
	r->page[i] = (struct perf_event_mmap_page *)(page == MAP_FAILED ? NULL : page);
	memcpy(r->name[i], e->name, sizeof(e->name));
	r->n++;
	return 0;
}

/*
 * A child of fork() has a copy of the object, but neither the events nor their
 * pages; this page tells it so.
 */
static inline int region_mark(struct region *r)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	void *here = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (here == MAP_FAILED)
		return -errno;
	r->here = (volatile char *)here;
	*r->here = 1;
	return madvise(here, size, MADV_WIPEONFORK) ? -errno : 0;
}

/* By the thread whose events they are, or by a child of fork() for its copy. */
static inline void region_close(struct region *r)
{
	const size_t size = sysconf(_SC_PAGESIZE);

	for (unsigned int i = 0; i < r->n; i++) {
		if (r->page[i] && *r->here)
			munmap((void *)r->page[i], size);
		close(r->fd[i]);
	}
	if (r->here)
		munmap((void *)r->here, size);
	memset(r, 0, sizeof(*r));
}

/* Each of @events, to the group; they are there or it is an error. */
static inline int region_add_all(struct region *r, struct region_event *e, const char *events)
{
	int error = 0;

	do {
		size_t n = region_word(events);

		snprintf(e->name, sizeof(e->name), "%.*s", (int)n, events);
		error = n < sizeof(e->name) ? region_add(r, e) :
			region_says(e, -ENAMETOOLONG, "its name is too long");
		events += n;
	} while (!error && *events++);
	return error;
}

/*
 * Opens @events, with commas in between, as one group of this thread. Nothing is
 * left open if one of them is refused; region_why() says which, and what to do.
 */
static inline int region_open(struct region *r, const char *events)
{
	struct region_event e;
	int error;

	memset(r, 0, sizeof(*r));
	memset(&e, 0, sizeof(e));
	r->owner = pthread_self();
	r->direct = REGION_CAN_DIRECT;
	error = region_mark(r);
	if (error)
		snprintf(e.why, sizeof(e.why), "no memory to mark: %s", strerror(-error));
	else
		error = region_add_all(r, &e, events);
	if (!error && ioctl(r->fd[0], PERF_EVENT_IOC_ENABLE, 0))
		error = region_says(&e, -errno, "cannot be enabled: %s", strerror(errno));
	if (!error)
		return 0;
	region_close(r);
	memcpy(r->why, e.why, sizeof(r->why));
	return error;
}

/* What an error of any of these functions means, and what to do. */
static inline const char *region_why(const struct region *r, int error)
{
	if (!r->n && *r->why)
		return r->why;
	switch (error) {
	case -ENODEV:
		return "not open in this process: after fork() a child opens its own";
	case -EPERM:
		return "the events are of another thread: each opens its own";
	case -EBUSY:
		return "begin after begin: end comes first";
	case -EINVAL:
		return "end without begin";
	case -ENODATA:
		return "the group did not count in this region: other events have the counters";
	case -ERANGE:
		return "a count or a time went backwards";
	case -EIO:
		return "the kernel cannot read the group";
	default:
		return strerror(-error);
	}
}

/* Why a region would be read by read(2) now; NULL if it would not. */
static inline const char *region_slow(struct region *r)
{
	const char *why = NULL;
	unsigned int i;

	if (!REGION_CAN_DIRECT)
		return "direct reads are for 64-bit RISC-V";
	if (!r->direct)
		return "direct reads are turned off";
	if (region_mine(r))
		return region_why(r, region_mine(r));
	for (i = 0; i < r->n && !why; i++) {
		if (!r->page[i])
			why = "no room for its page: see kernel.perf_event_mlock_kb";
		else if (!r->page[i]->cap_user_rdpmc)
			why = "only the kernel reads it: see kernel.perf_user_access";
		else if (!r->page[i]->cap_user_time)
			why = "the kernel does not show its clock";
		else if (!r->page[i]->index)
			why = "not on a counter now";
	}
	if (!why)
		return NULL;
	snprintf(r->why, sizeof(r->why), "event '%s': %s", r->name[i - 1], why);
	return r->why;
}

#endif
