/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * region.h - count events in a region of a program, with any Linux perf PMU. This one file is all
 * that is needed: copy it.
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
 * For cycles only, in place of rdcycle: region_cycles_open(), region_cycles_read(), at the end.
 *
 * The events are one group of the calling thread: all count at the same time, or none does. Where
 * the kernel allows it, counters are read from user space, without a system call; elsewhere by one
 * read(2), with the same result. Functions return 0 or a negative errno; region_why() has the text.
 */
#ifndef SBI_PMU_REGION_H
#define SBI_PMU_REGION_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGION_EVENTS	16

/* A group at one moment, in the layout of read(2): ns enabled, ns on counters, counts */
struct region_moment {
	uint64_t n, enabled, running, count[REGION_EVENTS];
};

/* A group of events of one thread, and the start of the current region */
struct region {
	unsigned int n;                   /* events; 0 if not open */
	char name[REGION_EVENTS + 1][64]; /* as given to region_open() */
	int fd[REGION_EVENTS];            /* the first is the group's leader */
	volatile struct perf_event_mmap_page *page[REGION_EVENTS]; /* or NULL */
	bool direct;                /* clear it to use read(2) only */
	bool begun, begun_directly; /* in a region; its start was read from user space */
	volatile uintptr_t *owner;  /* the thread, or 0 in a child of fork() */
	struct region_moment start;
	char why[256]; /* text of the last error of region_open() */
};

/* What was counted in one or more regions; clear it before the first */
struct region_sum {
	uint64_t count[REGION_EVENTS];
	uint64_t enabled, running; /* ns in the regions; of these the group counted */
	uint64_t regions;
	uint64_t direct; /* regions read without a system call */
	uint64_t scaled; /* regions with estimated counts; 0: all are exact */
};

/* ---- user-space reads ---- */

/* Tests define their own counters and clock. */
#ifdef REGION_COUNTER
#define REGION_CAN_DIRECT	true
#elif defined(__riscv) && __riscv_xlen == 64
#define REGION_CAN_DIRECT	true
#define REGION_COUNTER(n)	region_csr(n)
#define REGION_CLOCK()		region_csr(1)

/* The CSR number is part of the instruction, hence the switch. 0: cycle, 1: time, 2: instret. */
static inline uint64_t region_csr(unsigned int n)
{
	uint64_t value = 0;

#define REGION_CSR(n)	\
	case n:	\
		__asm__ __volatile__("csrr %0, %1" : "=r"(value) : "i"(0xc00 + (n))); \
		break
#define REGION_CSR4(n)	\
	REGION_CSR(n); REGION_CSR((n) + 1); REGION_CSR((n) + 2); REGION_CSR((n) + 3)
#define REGION_CSR16(n)	\
	REGION_CSR4(n); REGION_CSR4((n) + 4); REGION_CSR4((n) + 8); REGION_CSR4((n) + 12)
	switch (n) {
		REGION_CSR16(0);
		REGION_CSR16(16);
	}
	return value;
}
#else
#define REGION_CAN_DIRECT	false
#define REGION_COUNTER(n)	((uint64_t)(n))
#define REGION_CLOCK()		((uint64_t)0)
#endif

/* The calling thread, not 0, without a call */
#define region_thread()		((uintptr_t)__builtin_thread_pointer())

/* Stop the compiler from moving reads across this line. */
#define region_barrier()	__asm__ __volatile__("" ::: "memory")

/* A counter of @width bits is signed, see linux/perf_event.h. */
#define region_sign_extend(value, width) \
	((uint64_t)((int64_t)((uint64_t)(value) << (64 - (width))) >> (64 - (width))))

/* The times of a running group: those in the page plus the time since then. */
static inline void region_read_times(const volatile struct perf_event_mmap_page *page,
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
 * Read one event by the sequence lock of linux/perf_event.h. A compiler barrier is enough: the
 * kernel writes the page on the CPU of this thread. Return: false if only the kernel can read it.
 */
static inline bool region_read_page(const volatile struct perf_event_mmap_page *page,
				    uint64_t *count, struct region_moment *times)
{
	uint32_t lock, index, width;

	do {
		lock = page->lock;
		region_barrier();
		index = page->index;
		width = page->pmc_width;
		/* Without the clock the running time is unknown. Index 0: on no counter now. */
		if (!page->cap_user_rdpmc || !page->cap_user_time || index - 1 > 31 ||
		    width - 1 > 63)
			return false;
		*count = page->offset + region_sign_extend(REGION_COUNTER(index - 1), width);
		if (times)
			region_read_times(page, times);
		region_barrier();
	} while (lock & 1 || page->lock != lock);
	return true;
}

/* ---- begin and end ---- */

/* Read by read(2). -ENODATA: a pinned group has lost its counters. */
static inline int region_read_kernel(const struct region *r, struct region_moment *now)
{
	const ssize_t size = read(r->fd[0], now, sizeof(*now));

	return !size ? -ENODATA : size == (ssize_t)((3 + r->n) * sizeof(uint64_t)) ? 0 : -EIO;
}

/* Return: 1 if the group was read from user space, 0 if by read(2), or a negative errno. */
static inline int region_read(const struct region *r, struct region_moment *now)
{
	unsigned int i = 0;

	while (r->direct && i < r->n && r->page[i] &&
	       region_read_page(r->page[i], &now->count[i], i ? NULL : now))
		i++;
	return i == r->n ? 1 : region_read_kernel(r, now);
}

/* May the caller use the events? Not another thread, or a child of fork(). No system call. */
static inline int region_check_owner(const struct region *r)
{
	if (!r->n || !*r->owner)
		return -ENODEV;
	return *r->owner == region_thread() ? 0 : -EPERM;
}

static inline int region_begin(struct region *r)
{
	int how = region_check_owner(r);

	if (how || r->begun)
		return how ? how : -EBUSY;
	/* Before the counters are read, so that this store is not counted. */
	r->begun = true;
	how = region_read(r, &r->start);
	r->begun = how >= 0;
	r->begun_directly = how == 1;
	return how < 0 ? how : 0;
}

/*
 * Add the difference of two moments to @sum. Enabled and running advance by the same clock, so they
 * differ if the group was off the counters. A region may be shorter than a tick of that clock.
 */
static inline int region_add_difference(unsigned int n, const struct region_moment *start,
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
	for (unsigned int i = 0; i < n; i++)
		sum->count[i] += !scaled ? now->count[i] - start->count[i] :
					   (uint64_t)((double)(now->count[i] - start->count[i]) /
						      running * enabled);
	sum->enabled += enabled;
	sum->running += running;
	sum->regions++;
	sum->direct += direct;
	sum->scaled += scaled;
	return 0;
}

/* End a region and add its counts to @sum, which an error leaves as it was. */
static inline int region_end(struct region *r, struct region_sum *sum)
{
	struct region_moment now;
	int how = region_check_owner(r);

	if (how || !r->begun)
		return how ? how : -EINVAL;
	how = region_read(r, &now);
	r->begun = false;
	return how < 0 ?
		       how :
		       region_add_difference(r->n, &r->start, &now, how && r->begun_directly, sum);
}

/* ---- event names, as perf(1) writes them ---- */

/* Tests define their own. */
#ifndef REGION_SYSFS
#define REGION_SYSFS	"/sys/bus/event_source/devices"
#endif

/* Write the error text about the event that is being opened. Return: the error. */
#define region_fail(r, error, format, ...) \
	(snprintf((r)->why, sizeof((r)->why), "event '%s': " format, (r)->name[(r)->n], \
		  ##__VA_ARGS__), error)

/* Read the first line of a file of @pmu. Return: false if it is missing, empty or a directory. */
static inline bool region_read_sysfs(char line[256], const char *pmu, const char *dir,
				     const char *name)
{
	char path[512];
	FILE *f;

	*line = '\0';
	snprintf(path, sizeof(path), "%s/%s/%s%s", REGION_SYSFS, pmu, dir, name);
	f = strchr(name, '/') ? NULL : fopen(path, "re");
	if (f && fgets(line, 256, f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	return *line;
}

/* Set a field of @pmu such as "unit=1" or "bit" (1). format/ has its bits, such as "config:0-7". */
static inline int region_parse_field(struct region *r, struct perf_event_attr *attr,
				     const char *pmu, char *field)
{
	char *text = strchr(field, '='), *end = field, line[256] = "config:0-63";
	unsigned int low = 64, high = 64;
	uint64_t value = 1, mask;

	errno = 0;
	if (text) {
		*text++ = '\0';
		value = strtoull(text, &end, 0);
	}
	if (text && (*text < '0' || *text > '9' || *end || errno))
		return region_fail(r, -EINVAL, "'%s' is not a number", text);
	if (strcmp(field, "config") && !region_read_sysfs(line, pmu, "format/", field))
		return region_fail(r, -ENOENT, "PMU %s has no '%s': see %s/%s", pmu, field,
				   REGION_SYSFS, pmu);
	if (sscanf(line, "config:%u-%u", &low, &high) == 1)
		high = low;
	mask = low > high || high > 63 || strchr(line, ',') ? 0 : ~0ULL >> (63 - (high - low));
	if (value > mask)
		return region_fail(r, -ERANGE, "no space for %s in field '%s' (%.60s)",
				   text ? text : "1", field, line);
	attr->config = (attr->config & ~(mask << low)) | value << low;
	return 0;
}

/* Parse comma-separated fields, and of @events the name of one. */
static inline int region_parse_terms(struct region *r, struct perf_event_attr *attr,
				     const char *pmu, char *terms, bool events)
{
	char *term, *rest, line[256];
	int error = 0;

	for (; !error && (term = strtok_r(terms, ",", &rest)); terms = NULL)
		error = events && !strchr(term, '=') &&
					region_read_sysfs(line, pmu, "events/", term) ?
				region_parse_terms(r, attr, pmu, line, false) :
				region_parse_field(r, attr, pmu, term);
	return error;
}

/* Events of perf core, in the order of the kernel's numbers: ten of hardware, then of software */
#define REGION_GENERAL	\
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", \
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles", \
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations"

/* Also cache events, and raw events */
static inline bool region_parse_generic(struct perf_event_attr *attr, const char *name)
{
	static const char * const names[] = { REGION_GENERAL };
	static const char * const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					       "iTLB",      "branch",    "node" };
	static const char * const what[] = { "-loads",        "-load-misses", "-stores",
					     "-store-misses", "-prefetches",  "-prefetch-misses" };
	unsigned int i;
	int n = 0;

	for (i = 0; i < 15 && strcmp(name, names[i]); i++)
		;
	attr->type = i < 10 ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config = i < 10 ? i : i - 10;
	if (i < 15)
		return true;
	attr->type = PERF_TYPE_HW_CACHE;
	for (i = 0; i < 7 * 6; i++) {
		const size_t length = strlen(caches[i / 6]);

		attr->config = i / 6 | i % 6 / 2 << 8 | i % 2 << 16;
		if (!strncmp(name, caches[i / 6], length) && !strcmp(name + length, what[i % 6]))
			return true;
	}
	attr->type = PERF_TYPE_RAW;
	return strspn(name + 1, "0123456789abcdefABCDEF") <= 16 &&
	       sscanf(name, "r%llx%n", &attr->config, &n) == 1 && !name[n];
}

/* Parse the name of the next event: "name", "r1a3" or "pmu/terms/", and modes such as ":u". */
static inline int region_parse(struct region *r, struct perf_event_attr *attr)
{
	char text[64], line[256], *terms, *modes;
	const char *pmu = text;
	int error;

	memcpy(text, r->name[r->n], sizeof(text));
	terms = strchr(text, '/');
	modes = terms ? strchr(terms + 1, '/') : strchr(text, ':');
	if (!*text || (terms && !modes))
		return region_fail(r, -EINVAL, "the name is empty, or a / is missing at the end");
	if (modes)
		*modes++ = '\0';
	if (terms)
		*terms++ = '\0';
	if (modes && terms && *modes == ':')
		modes++;
	if (terms || !region_parse_generic(attr, text)) {
		/* Without a PMU it is an event of "cpu", or of sbi_pmu beside another driver. */
		if (!terms) {
			terms = text;
			pmu = region_read_sysfs(line, "cpu", "events/", text) ? "cpu" : "sbi_pmu";
			if (!region_read_sysfs(line, pmu, "events/", text))
				return region_fail(r, -ENOENT, "no PMU has this event");
		}
		if (*pmu == '.' || !*pmu || !region_read_sysfs(line, pmu, "type", ""))
			return region_fail(r, -ENOENT, "there is no PMU '%s'", pmu);
		attr->type = strtoul(line, NULL, 10);
		attr->config = 0;
		error = region_parse_terms(r, attr, pmu, terms, true);
		if (error)
			return error;
	}
	modes = modes ? modes : text + strlen(text);
	if (modes[strspn(modes, "ukhD")])
		return region_fail(r, -EINVAL, "unknown mode: modes are u, k, h (hypervisor), D");
	/* As perf does: exclude the modes that are not named, unless none is. D: always counts. */
	attr->pinned = !!strchr(modes, 'D');
	if (strpbrk(modes, "ukh")) {
		attr->exclude_user = !strchr(modes, 'u');
		attr->exclude_kernel = !strchr(modes, 'k');
		attr->exclude_hv = !strchr(modes, 'h');
	}
	return 0;
}

/* ---- open and close ---- */

/* Open the next event of the group; its name is there. */
static inline int region_add_event(struct region *r)
{
	const unsigned int i = r->n;
	struct perf_event_attr attr;
	void *page;
	int error;

	memset(&attr, 0, sizeof(attr));
	error = i < REGION_EVENTS ? region_parse(r, &attr) :
				    region_fail(r, -E2BIG, "a group has at most %d events", i);
	if (error)
		return error;
	if (attr.pinned && i)
		return region_fail(r, -EINVAL, "write :D after the first event: it is for all");
	attr.size = sizeof(attr);
	/* The leader starts disabled: region_open() enables the whole group at once. */
	attr.disabled = !i;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	r->fd[i] =
		syscall(SYS_perf_event_open, &attr, 0, -1, i ? r->fd[0] : -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd[i] < 0 && (errno == EACCES || errno == EPERM))
		return region_fail(r, -errno,
				   "not allowed: lower kernel.perf_event_paranoid, or :u");
	if (r->fd[i] < 0)
		return region_fail(r, -errno, "%s (%s)",
				   errno == EINVAL && i ? "does not fit in the group" :
							  "this machine cannot count it",
				   strerror(errno));
	/* Without the page, read(2) is used. */
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, r->fd[i], 0);
	r->page[i] = (struct perf_event_mmap_page *)(page == MAP_FAILED ? NULL : page);
	r->n++;
	return 0;
}

/* Close the events. Also for a region that did not open, and the copy of a child of fork(). */
static inline void region_close(struct region *r)
{
	const size_t size = sysconf(_SC_PAGESIZE);

	for (unsigned int i = 0; i < r->n; i++) {
		if (r->page[i] && *r->owner)
			munmap((void *)r->page[i], size);
		close(r->fd[i]);
	}
	if (r->owner)
		munmap((void *)r->owner, size);
	memset(r, 0, sizeof(*r) - sizeof(r->why)); /* it is the last member, and stays */
}

/*
 * Open @events, names separated by commas, as one group of this thread. @r need not be initialised.
 * After an error nothing stays open, and region_why() says which event failed and what to do.
 */
static inline int region_open(struct region *r, const char *events)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error = 0;

	memset(r, 0, sizeof(*r));
	r->direct = REGION_CAN_DIRECT;
	/* fork() clears the page: a child has a copy of @r, but cannot use the events. */
	r->owner = (volatile uintptr_t *)(page == MAP_FAILED ? NULL : page);
	if (!r->owner || madvise(page, size, MADV_WIPEONFORK))
		error = region_fail(r, -errno, "cannot map a page of memory");
	else
		*r->owner = region_thread();
	for (size_t n; !error; events += n + 1) {
		bool inside = false;

		/* A comma between slashes belongs to the event. */
		for (n = 0; events[n] && (inside || events[n] != ','); n++)
			inside ^= events[n] == '/';
		snprintf(r->name[r->n], sizeof(r->name[0]), "%.*s", (int)n, events);
		error = n < sizeof(r->name[0]) ?
				region_add_event(r) :
				region_fail(r, -ENAMETOOLONG, "the name is too long");
		if (!events[n])
			break;
	}
	if (!error && ioctl(r->fd[0], PERF_EVENT_IOC_ENABLE, 0))
		error = region_fail(r, -errno, "cannot be enabled");
	if (error)
		region_close(r);
	return error;
}

/* What an error means and what to do; the text is valid until the next call for @r. */
static inline const char *region_why(const struct region *r, int error)
{
	if (!r->n && *r->why)
		return r->why;
	switch (-error) {
	case ENODEV:
		return "not open in this process: call region_open(), also after fork()";
	case EPERM:
		return "opened by another thread: call region_open() in each thread";
	case EBUSY:
		return "a region has begun already: call region_end() first";
	case EINVAL:
		return "no region has begun: call region_begin() first";
	case ENODATA:
		return "the group did not count: other events had the counters; use fewer";
	case ERANGE:
		return "a count or a time decreased: measure the region again";
	case EIO:
		return "read(2) of the group failed: open it again";
	}
	return strerror(-error);
}

/* Why read(2) would be used now; NULL if user-space reads work. */
static inline const char *region_slow(const struct region *r)
{
	if (!REGION_CAN_DIRECT)
		return "user-space reads need 64-bit RISC-V";
	if (!r->direct)
		return "user-space reads are turned off";
	if (region_check_owner(r))
		return region_why(r, region_check_owner(r));
	for (unsigned int i = 0; i < r->n; i++) {
		if (!r->page[i])
			return "a page cannot be mapped: raise kernel.perf_event_mlock_kb";
		if (!r->page[i]->cap_user_rdpmc)
			return "only the kernel can read it: see kernel.perf_user_access";
		if (!r->page[i]->cap_user_time)
			return "the kernel gives no access to its clock";
		if (!r->page[i]->index)
			return "not on a counter now: other events use the counters";
	}
	return NULL;
}

/* ---- cycles only ---- */

/* Its only event is "cycles:D", or "cycles:uD" if only user mode is counted. */
struct region_cycles {
	struct region region;
};

/* The event is pinned: never multiplexed, so each value is exact, or the read fails (-ENODATA). */
static inline int region_cycles_open(struct region_cycles *c)
{
	int error = region_open(&c->region, "cycles:D");

	return error == -EACCES || error == -EPERM ? region_open(&c->region, "cycles:uD") : error;
}

/* Not inline: it is a table of 32 instructions. */
static __attribute__((__noinline__, __unused__)) uint64_t region_counter(unsigned int n)
{
	return REGION_COUNTER(n);
}

/* If the fast way cannot read them */
static __attribute__((__noinline__, __unused__)) int region_cycles_read_slow(const struct region *r,
									     uint64_t *count)
{
	struct region_moment now;
	int how = region_check_owner(r);

	how = how ? how : region_read(r, &now);
	if (how >= 0)
		*count = now.count[0];
	return how < 0 ? how : 0;
}

/* Read the cycles since region_cycles_open(), as region_read_page() with few instructions. */
static inline int region_cycles_read(const struct region_cycles *c, uint64_t *count)
{
	const struct region *r = &c->region;
	/* Not volatile, which costs instructions: the barriers are enough. */
	const struct perf_event_mmap_page *page = (const struct perf_event_mmap_page *)r->page[0];
	uint32_t lock, index, width;
	uint64_t now;

	if (!r->direct || !page || *r->owner != region_thread())
		return region_cycles_read_slow(r, count);
	lock = page->lock;
	region_barrier();
	index = page->index;
	width = page->pmc_width;
	if (!page->cap_user_rdpmc || index - 1 > 31 || width - 1 > 63)
		return region_cycles_read_slow(r, count);
	/* Index 1 is the CSR "cycle": its read needs no switch. */
	now = index == 1 ? REGION_COUNTER(0) : region_counter(index - 1);
	now = page->offset + region_sign_extend(now, width);
	region_barrier();
	if (page->lock != lock)
		return region_cycles_read_slow(r, count);
	*count = now;
	return 0;
}

static inline void region_cycles_close(struct region_cycles *c)
{
	region_close(&c->region);
}

#endif
