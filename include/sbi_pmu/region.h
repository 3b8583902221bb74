/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * region.h - count events in a region of a program, with any Linux perf PMU. This one file
 * is all that is needed: copy it.
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
 * The events are one group of the calling thread: all count at the same time, or none
 * does. Where the kernel allows it, counters are read from user space without a system
 * call; elsewhere one read(2) reads the group. Both give the same numbers. If other
 * events used the counters for a part of the time, the counts are estimates and
 * sum.scaled is not 0; if the group did not count at all, region_end() returns an error.
 * Errors are negative errnos; region_why() has the text.
 *
 * With user-space reads, region_begin() and region_end() make no system call and
 * allocate nothing. Events are read one after another, in the same order at both ends:
 * each is counted for the same length of code, but begins and ends some tens of
 * instructions after the previous one. The counts include the cost of region_begin() and
 * region_end(): measure an empty region to know it.
 *
 * For cycles only, in place of rdcycle, there is a shorter way:
 *
 *	struct region_cycles c;
 *	uint64_t start, end;
 *	int error = region_cycles_open(&c);
 *
 *	if (error)
 *		errx(1, "%s", region_why(&c.region, error));
 *	error = region_cycles_read(&c, &start);
 *	work();
 *	error = error ? error : region_cycles_read(&c, &end);	... end - start, if it is 0
 */
#ifndef SBI_PMU_REGION_H
#define SBI_PMU_REGION_H

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdarg.h>
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

/**
 * struct region_moment - a group at one moment, in the layout of read(2)
 * @n: number of events
 * @enabled: ns that the group has been enabled
 * @running: ns that the group has been on counters
 * @count: of each event
 */
struct region_moment {
	uint64_t n;
	uint64_t enabled;
	uint64_t running;
	uint64_t count[REGION_EVENTS];
};

/**
 * struct region - a group of events of one thread, and the start of the current region
 * @n: number of events; 0 if not open
 * @name: of each event, as it was given to region_open()
 * @fd: of each event; the first is the group leader
 * @page: each event's mmap page for user-space reads, NULL if it could not be mapped
 * @direct: allow user-space reads. Clear it to use read(2) only.
 * @begun: region_begin() succeeded and region_end() was not called yet
 * @begun_directly: @start was read from user space
 * @owner: points to the thread that opened the events, or to 0 in a child of fork(), which
 *	   has no access to the events
 * @start: what region_begin() read
 * @why: text of the last error of region_open() or region_slow()
 */
struct region {
	unsigned int n;
	char name[REGION_EVENTS][64];
	int fd[REGION_EVENTS];
	volatile struct perf_event_mmap_page *page[REGION_EVENTS];
	bool direct;
	bool begun;
	bool begun_directly;
	volatile uintptr_t *owner;
	struct region_moment start;
	char why[256];
};

/**
 * struct region_sum - what was counted in one or more regions; clear it before the first
 * @count: of each event; estimated for regions in which the group counted only partly
 * @enabled: ns that this thread spent in the regions
 * @running: ns of these in which the group counted
 * @regions: number of regions
 * @direct: number of regions that were read from user space, without a system call
 * @scaled: number of regions with estimated counts; 0 means that @count is exact
 */
struct region_sum {
	uint64_t count[REGION_EVENTS];
	uint64_t enabled;
	uint64_t running;
	uint64_t regions;
	uint64_t direct;
	uint64_t scaled;
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
#define REGION_CSRS(n)	\
	REGION_CSR(n); REGION_CSR((n) + 1); REGION_CSR((n) + 2); REGION_CSR((n) + 3)
	switch (n) {
		REGION_CSRS(0);
		REGION_CSRS(4);
		REGION_CSRS(8);
		REGION_CSRS(12);
		REGION_CSRS(16);
		REGION_CSRS(20);
		REGION_CSRS(24);
		REGION_CSRS(28);
	}
	return value;
}
#else
#define REGION_CAN_DIRECT	false
#define REGION_COUNTER(n)	((uint64_t)(n))
#define REGION_CLOCK()		((uint64_t)0)
#endif

/*
 * The calling thread, not 0: on RISC-V the register of the thread pointer, as pthread_self()
 * is a function call.
 */
#ifdef __riscv
static inline uintptr_t region_thread(void)
{
	uintptr_t thread;

	__asm__("mv %0, tp" : "=r"(thread));
	return thread;
}
#else
static inline uintptr_t region_thread(void)
{
	return (uintptr_t)pthread_self();
}
#endif

/* Stop the compiler from moving reads across this line. */
#define region_barrier()	__asm__ __volatile__("" ::: "memory")

/* Sign-extend a counter value of @width bits, as linux/perf_event.h requires. */
static inline uint64_t region_sign_extend(uint64_t value, unsigned int width)
{
	return (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
}

/* Compute the times of a running group: the times in the page plus the time since then. */
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
 * Read one event through its mmap page, by the sequence lock of linux/perf_event.h.
 * A compiler barrier is enough: the kernel writes the page on the CPU of this thread,
 * between two of its instructions. If the counter was taken away after the index was
 * read, its value is wrong (0 with sbi_pmu); the kernel has then written the page, and
 * the loop reads again.
 * Return: false if only the kernel can read the event now.
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
		/* Without the clock the running time is unknown, and so is scaling. */
		if (!page->cap_user_rdpmc || !page->cap_user_time)
			return false;
		/* Index 0: not on a counter now. */
		if (index - 1 > 31 || width - 1 > 63)
			return false;
		*count = page->offset + region_sign_extend(REGION_COUNTER(index - 1), width);
		if (times)
			region_read_times(page, times);
		region_barrier();
	} while (lock & 1 || page->lock != lock);
	return true;
}

/* Read all events, and the times of the first: they are the same for the whole group. */
static inline bool region_read_pages(const struct region *r, struct region_moment *now)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (!r->page[i] || !region_read_page(r->page[i], &now->count[i], i ? NULL : now))
			return false;
	return true;
}

/* ---- begin and end ---- */

/* Read the group by read(2). Return: 0, -ENODATA for a pinned group without counters, or -EIO. */
static inline int region_read_kernel(const struct region *r, struct region_moment *now)
{
	const ssize_t size = read(r->fd[0], now, sizeof(*now));

	if (!size)
		return -ENODATA;
	return size == (ssize_t)((3 + r->n) * sizeof(uint64_t)) && now->n == r->n ? 0 : -EIO;
}

/* Read the group. Return: 1 if from user space, 0 if by read(2), or a negative errno. */
static inline int region_read(const struct region *r, struct region_moment *now)
{
	if (r->direct && region_read_pages(r, now))
		return 1;
	return region_read_kernel(r, now);
}

/*
 * Check that the caller may use the events: not another thread, not a child of fork().
 * This makes no system call. Return: 0, -ENODEV or -EPERM.
 */
static inline int region_check_owner(const struct region *r)
{
	if (!r->n || !*r->owner)
		return -ENODEV;
	return *r->owner == region_thread() ? 0 : -EPERM;
}

/**
 * region_begin() - begin a region
 * @r: open, and not in a region
 *
 * Return: 0, -EBUSY if a region has begun already, -EPERM in another thread than
 * region_open(), -ENODEV if not open or in a child of fork(), -ENODATA if a pinned group has
 * lost its counters, -EIO if read(2) failed.
 */
static inline int region_begin(struct region *r)
{
	int how = region_check_owner(r);

	if (how)
		return how;
	if (r->begun)
		return -EBUSY;
	/* Before the counters are read, so that this store is not counted. */
	r->begun = true;
	how = region_read(r, &r->start);
	r->begun = how >= 0;
	r->begun_directly = how == 1;
	return how < 0 ? how : 0;
}

/*
 * Add the difference of two moments to @sum. Between two user-space reads the group may
 * have been off the counters; enabled and running then differ. Both advance by the same
 * clock, so their difference changes only while the group is off the counters. A region
 * may be shorter than one tick of that clock.
 * Return: 0, -ERANGE if a value decreased, -ENODATA if the group did not count.
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

/**
 * region_end() - end a region and add its counts to a sum
 * @r: a region has begun
 * @sum: not changed on an error
 *
 * Return: 0, -EINVAL if no region has begun, -ENODATA if the group did not count in the
 * region, -ERANGE if a count or a time decreased, -EPERM, -ENODEV or -EIO as
 * region_begin(). A region that has begun is ended by any result except -EPERM and
 * -ENODEV.
 */
static inline int region_end(struct region *r, struct region_sum *sum)
{
	struct region_moment now;
	int how = region_check_owner(r);

	if (how)
		return how;
	if (!r->begun)
		return -EINVAL;
	how = region_read(r, &now);
	r->begun = false;
	if (how < 0)
		return how;
	return region_add_difference(r->n, &r->start, &now, how && r->begun_directly, sum);
}

/*
 * ---- event names ----
 *
 * As perf(1) writes them: "cycles", "dTLB-load-misses", "r1a3", "front_bubble",
 * "cpu/front_bubble/", "cpu/event0=0x15,unit=1/u", "instructions:u", "cycles:D". These
 * functions return 0 or a negative errno and write the reason to struct region_event,
 * unless their comment says otherwise.
 */

/* The directory that describes the PMUs. Tests define their own. */
#ifndef REGION_SYSFS
#define REGION_SYSFS	"/sys/bus/event_source/devices"
#endif

/**
 * struct region_event - an event name and the attributes to open it with
 * @name: as the user wrote it
 * @attr: type, config words and exclude bits come from the name; the rest is not changed
 * @why: text of the last error
 */
struct region_event {
	char name[64];
	struct perf_event_attr attr;
	char why[256];
};

static inline int region_fail(struct region_event *e, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Write the error text that region_why() returns. Return: @error. */
static inline int region_fail(struct region_event *e, int error, const char *fmt, ...)
{
	int n = snprintf(e->why, sizeof(e->why), "event '%s': ", e->name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->why + n, sizeof(e->why) - n, fmt, ap);
	va_end(ap);
	return error;
}

/* Read the first line of a file. Return: false if it is missing, empty or a directory. */
static inline bool region_read_line(char *line, size_t size, const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	if (!fgets(line, size, f))
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return *line;
}

/* Read the first line of a file of @pmu; @dir is "", "events/" or "format/". */
static inline bool region_read_sysfs(char *line, size_t size, const char *pmu, const char *dir,
				     const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s%s", REGION_SYSFS, pmu, dir, name);
	return region_read_line(line, size, path);
}

/* Return: whether all of @text is a number without a sign, then in @value. */
static inline bool region_parse_number(const char *text, int base, uint64_t *value)
{
	char *rest;

	errno = 0;
	*value = strtoull(text, &rest, base);
	return *text && strchr("0123456789abcdefABCDEF", *text) && !*rest && !errno;
}

/*
 * Write @value to the bits that the sysfs @format names, for example "config1:0-7,32";
 * the first range gets the lowest bits.
 * Return: -EINVAL for a wrong format, -ERANGE for a value with too many bits; no text.
 */
static inline int region_set_field(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	unsigned int low, high, digit = 0;
	__u64 *word;
	int n;

	if (sscanf(format, "config%1u", &digit) == 1 ? digit > 2 : strncmp(format, "config:", 7))
		return -EINVAL;
	word = digit == 2 ? &attr->config2 : digit ? &attr->config1 : &attr->config;
	for (format = strchr(format, ':'); format && *format; format += n) {
		n = 0;
		if (sscanf(format, "%*1[:,]%u%n-%u%n", &low, &n, &high, &n) < 2)
			high = low;
		if (!n || low > high || high > 63)
			return -EINVAL;
		*word = (*word & ~((~0ULL >> (63 - (high - low))) << low)) |
			(value & (~0ULL >> (63 - (high - low)))) << low;
		value = high - low == 63 ? 0 : value >> (high - low + 1);
	}
	return value ? -ERANGE : 0;
}

/* Set one field: one in format/ of @pmu, or a whole config word, which every PMU has. */
static inline int region_parse_field(struct region_event *e, const char *pmu, const char *field,
				     const char *value)
{
	uint64_t number;
	char line[256];
	int error;

	if (!region_parse_number(value, 0, &number))
		return region_fail(e, -EINVAL, "'%s' is not a number", value);
	if (!strcmp(field, "config") || !strcmp(field, "config1") || !strcmp(field, "config2"))
		snprintf(line, sizeof(line), "%s:0-63", field);
	else if (!region_read_sysfs(line, sizeof(line), pmu, "format/", field))
		return region_fail(e, -ENOENT,
				   "PMU %s has no '%s': see events/ and format/ in %s/%s", pmu,
				   field, REGION_SYSFS, pmu);
	error = region_set_field(&e->attr, line, number);
	if (error == -ERANGE)
		return region_fail(e, error, "no space for %s in field '%s' (%s)", value, field,
				   line);
	if (error)
		return region_fail(e, error, "cannot parse the format of field '%s': %s", field,
				   line);
	return 0;
}

/* Parse comma-separated terms: "name" if @names, "field=number", "field" (sets it to 1). */
static inline int region_parse_terms(struct region_event *e, const char *pmu, char *terms,
				     bool names)
{
	char *term, *value, *rest, line[256];
	int error = 0;

	while (!error && (term = strtok_r(terms, ",", &rest))) {
		terms = NULL;
		value = strchr(term, '=');
		if (value)
			*value++ = '\0';
		if (strchr(term, '/'))
			error = region_fail(e, -EINVAL, "'%s' is not a name", term);
		else if (!value && names &&
			 region_read_sysfs(line, sizeof(line), pmu, "events/", term))
			error = region_parse_terms(e, pmu, line, false);
		else
			error = region_parse_field(e, pmu, term, value ? value : "1");
	}
	return error;
}

/* Set the type of @pmu, then what @terms say. */
static inline int region_parse_pmu(struct region_event *e, const char *pmu, char *terms)
{
	uint64_t type;
	char line[32];

	if (!*pmu || *pmu == '.' || !region_read_sysfs(line, sizeof(line), pmu, "type", "") ||
	    !region_parse_number(line, 10, &type))
		return region_fail(e, -ENOENT, "there is no PMU '%s': see %s", pmu, REGION_SYSFS);
	e->attr.type = type;
	return region_parse_terms(e, pmu, terms, true);
}

/* Set type and config of an event of the perf core. Return: false for any other name. */
static inline bool region_parse_generic(struct perf_event_attr *attr, const char *name)
{
	static const struct {
		const char *name;
		uint32_t type, config;
	} generic[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
		{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
		{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
		{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
		{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
		{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
		  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
		{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
		{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
		{ NULL, 0, 0 },
	};

	for (unsigned int i = 0; generic[i].name; i++) {
		if (strcmp(name, generic[i].name))
			continue;
		attr->type = generic[i].type;
		attr->config = generic[i].config;
		return true;
	}
	return false;
}

/* The same for cache events such as "dTLB-load-misses"; tables in the kernel's order. */
static inline bool region_parse_cache(struct perf_event_attr *attr, const char *name)
{
	static const char * const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node", NULL,
	};
	static const char * const what[] = {
		"-loads",      "-load-misses",     "-stores", "-store-misses",
		"-prefetches", "-prefetch-misses", NULL,
	};

	for (unsigned int c = 0; caches[c]; c++)
		for (unsigned int w = 0; what[w]; w++) {
			size_t n = strlen(caches[c]);

			if (strncmp(name, caches[c], n) || strcmp(name + n, what[w]))
				continue;
			attr->type = PERF_TYPE_HW_CACHE;
			attr->config = c | w / 2 << 8 | w % 2 << 16;
			return true;
		}
	return false;
}

/* Find the PMU with an event of this name: "cpu" first, else the only one that has it. */
static inline int region_find_pmu(struct region_event *e, const char *event, char *pmu, size_t size)
{
	DIR *dir = opendir(REGION_SYSFS);
	struct dirent *entry;
	unsigned int found = 0;
	char line[256];

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.' ||
		    !region_read_sysfs(line, sizeof(line), entry->d_name, "events/", event))
			continue;
		snprintf(pmu, size, "%s", entry->d_name);
		found++;
		if (!strcmp(pmu, "cpu")) {
			found = 1;
			break;
		}
	}
	if (dir)
		closedir(dir);
	if (found > 1)
		return region_fail(e, -EINVAL, "several PMUs have this event: write %s/%s/", pmu,
				   event);
	return found ? 0 : region_fail(e, -ENOENT, "no PMU has this event: see perf list");
}

/* Parse a name without a PMU. */
static inline int region_parse_name(struct region_event *e, char *name)
{
	char pmu[256];
	uint64_t raw;
	int error;

	if (region_parse_generic(&e->attr, name) || region_parse_cache(&e->attr, name))
		return 0;
	if (*name == 'r' && region_parse_number(name + 1, 16, &raw)) {
		e->attr.type = PERF_TYPE_RAW;
		e->attr.config = raw;
		return 0;
	}
	if (!*name)
		return region_fail(e, -EINVAL, "the name is empty");
	if (strchr(name, '='))
		return region_fail(e, -EINVAL, "a field needs a PMU: write pmu/%s/", name);
	error = region_find_pmu(e, name, pmu, sizeof(pmu));
	return error ? error : region_parse_pmu(e, pmu, name);
}

/* Exclude the modes that are not named, as perf does, unless none is. D: never multiplex. */
static inline int region_parse_modes(struct region_event *e, const char *modes)
{
	if (!*modes)
		return 0;
	if (modes[strspn(modes, "ukhD")])
		return region_fail(e, -EINVAL,
				   "unknown mode: modes are u, k, h (user, kernel, hypervisor), D");
	e->attr.pinned = !!strchr(modes, 'D');
	if (!strpbrk(modes, "ukh"))
		return 0;
	e->attr.exclude_user = !strchr(modes, 'u');
	e->attr.exclude_kernel = !strchr(modes, 'k');
	e->attr.exclude_hv = !strchr(modes, 'h');
	return 0;
}

/**
 * region_parse() - parse an event name
 * @e: its name is parsed into its attributes
 *
 * Parse "name", "r1a3" or "pmu/terms/", and modes such as ":u" after it.
 *
 * Return: 0 or a negative errno, with the text in @e.
 */
static inline int region_parse(struct region_event *e)
{
	char text[sizeof(e->name)], *terms, *modes;
	int error;

	snprintf(text, sizeof(text), "%s", e->name);
	terms = strchr(text, '/');
	modes = terms ? strchr(terms + 1, '/') : strchr(text, ':');
	if (terms && !modes)
		return region_fail(e, -EINVAL, "a / is missing at the end");
	if (modes)
		*modes++ = '\0';
	if (modes && terms && *modes == ':')
		modes++;
	if (terms)
		*terms++ = '\0';
	error = terms ? region_parse_pmu(e, text, terms) : region_parse_name(e, text);
	return error ? error : region_parse_modes(e, modes ? modes : "");
}

/* ---- open and close ---- */

/**
 * region_word() - length of the first event in a list
 * @list: events, separated by commas
 *
 * Return: the number of characters before the first comma that is not between slashes,
 * or the length of the list.
 */
static inline size_t region_word(const char *list)
{
	bool inside = false;
	size_t n;

	for (n = 0; list[n] && (inside || list[n] != ','); n++)
		inside ^= list[n] == '/';
	return n;
}

/* Write why perf_event_open(2) failed. Return: the negative errno. */
static inline int region_fail_open(struct region_event *e, bool first, int error)
{
	const bool modes = e->attr.exclude_user || e->attr.exclude_kernel;
	char level[16] = "?";

	if (error == EACCES || error == EPERM) {
		region_read_line(level, sizeof(level), "/proc/sys/kernel/perf_event_paranoid");
		return region_fail(e, -error,
				   "not allowed: kernel.perf_event_paranoid is %s; lower it%s",
				   level, modes ? "" : ", or count user mode only, with :u");
	}
	if (error == EINVAL && !first)
		return region_fail(e, -error,
				   "does not fit in the group: open a second region for it");
	if (error == EINVAL || error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
		return region_fail(e, -error, "this machine cannot count it%s (%s)",
				   modes ? " with a mode; try without :u, :k, :h" : "",
				   strerror(error));
	return region_fail(e, -error, "%s", strerror(error));
}

/* Parse the name in @e and open it as the next event of the group. */
static inline int region_add_event(struct region *r, struct region_event *e)
{
	const unsigned int i = r->n;
	void *page;
	int error;

	if (i == REGION_EVENTS)
		return region_fail(e, -E2BIG, "a group has at most %d events", REGION_EVENTS);
	memset(&e->attr, 0, sizeof(e->attr));
	error = region_parse(e);
	if (error)
		return error;
	if (e->attr.pinned && i)
		return region_fail(e, -EINVAL, "write :D after the first event: it is for all");
	e->attr.size = sizeof(e->attr);
	/* The leader starts disabled: region_open() enables the whole group at once. */
	e->attr.disabled = !i;
	e->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			      PERF_FORMAT_TOTAL_TIME_RUNNING;
	r->fd[i] = syscall(SYS_perf_event_open, &e->attr, 0, -1, i ? r->fd[0] : -1,
			   PERF_FLAG_FD_CLOEXEC);
	if (r->fd[i] < 0)
		return region_fail_open(e, !i, errno);
	/* Without the page, read(2) is used. */
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, r->fd[i], 0);
	r->page[i] = (struct perf_event_mmap_page *)(page == MAP_FAILED ? NULL : page);
	memcpy(r->name[i], e->name, sizeof(e->name));
	r->n++;
	return 0;
}

/*
 * Map a page that holds the calling thread and that fork() clears in the child: the child
 * has a copy of struct region, but cannot use the events and has no mmap pages.
 */
static inline int region_map_owner(struct region *r)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return -errno;
	r->owner = (volatile uintptr_t *)page;
	*r->owner = region_thread();
	return madvise(page, size, MADV_WIPEONFORK) ? -errno : 0;
}

/**
 * region_close() - close the events and free what region_open() allocated
 * @r: opened by this thread; in a child of fork(), the child's copy
 *
 * A region whose region_open() failed may be closed, too.
 */
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
	memset(r, 0, sizeof(*r));
}

/* Open all events of a list. */
static inline int region_add_events(struct region *r, struct region_event *e, const char *events)
{
	int error = 0;

	do {
		size_t n = region_word(events);

		snprintf(e->name, sizeof(e->name), "%.*s", (int)n, events);
		error = n < sizeof(e->name) ? region_add_event(r, e) :
					      region_fail(e, -ENAMETOOLONG,
							  "the name has more than %zu characters",
							  sizeof(e->name) - 1);
		events += n;
	} while (!error && *events++);
	return error;
}

/**
 * region_open() - open events as one group of this thread
 * @r: need not be initialised
 * @events: names as perf(1) writes them, separated by commas; at most REGION_EVENTS
 *
 * Return: 0, or a negative errno, of perf_event_open(2) or for a wrong name. Then nothing
 * stays open, and region_why() says which event failed and what to do.
 */
static inline int region_open(struct region *r, const char *events)
{
	struct region_event e;
	int error;

	memset(r, 0, sizeof(*r));
	memset(&e, 0, sizeof(e));
	r->direct = REGION_CAN_DIRECT;
	error = region_map_owner(r);
	if (error)
		snprintf(e.why, sizeof(e.why), "cannot map a page of memory: %s", strerror(-error));
	else
		error = region_add_events(r, &e, events);
	if (!error && ioctl(r->fd[0], PERF_EVENT_IOC_ENABLE, 0))
		error = region_fail(&e, -errno, "cannot be enabled: %s", strerror(errno));
	if (!error)
		return 0;
	region_close(r);
	memcpy(r->why, e.why, sizeof(r->why));
	return error;
}

/**
 * region_why() - text for an error
 * @r: the region that the function was called with
 * @error: what region_open(), region_begin() or region_end() returned
 *
 * Return: what happened and what to do. The text is valid until the next call for @r.
 */
static inline const char *region_why(const struct region *r, int error)
{
	if (!r->n && *r->why)
		return r->why;
	switch (error) {
	case -ENODEV:
		return "not open in this process: call region_open(), also in a child of fork()";
	case -EPERM:
		return "opened by another thread: call region_open() in each thread";
	case -EBUSY:
		return "a region has begun already: call region_end() first";
	case -EINVAL:
		return "no region has begun: call region_begin() first";
	case -ENODATA:
		return "the group did not count: other events used the counters; use fewer events";
	case -ERANGE:
		return "a count or a time decreased: measure the region again";
	case -EIO:
		return "read(2) of the group failed: close the region and open it again";
	default:
		return strerror(-error);
	}
}

/**
 * region_slow() - explain why read(2) would be used now
 * @r: open
 *
 * Return: the reason, valid until the next call for @r; NULL if user-space reads work.
 */
static inline const char *region_slow(struct region *r)
{
	const char *why = NULL;
	unsigned int i;

	if (!REGION_CAN_DIRECT)
		return "user-space reads need 64-bit RISC-V";
	if (!r->direct)
		return "user-space reads are turned off";
	if (region_check_owner(r))
		return region_why(r, region_check_owner(r));
	for (i = 0; i < r->n && !why; i++) {
		if (!r->page[i])
			why = "its page cannot be mapped: raise kernel.perf_event_mlock_kb";
		else if (!r->page[i]->cap_user_rdpmc)
			why = "only the kernel can read it: see kernel.perf_user_access";
		else if (!r->page[i]->cap_user_time)
			why = "the kernel gives no access to its clock";
		else if (!r->page[i]->index)
			why = "not on a counter now: other events use the counters";
	}
	if (!why)
		return NULL;
	snprintf(r->why, sizeof(r->why), "event '%s': %s", r->name[i - 1], why);
	return r->why;
}

/* ---- cycles only ---- */

/**
 * struct region_cycles - the cycles of one thread
 * @region: its only event is cycles; for region_why() and region_slow(). Its name is
 *	    "cycles:uD" if only user mode is counted.
 */
struct region_cycles {
	struct region region;
};

/**
 * region_cycles_open() - count the cycles of this thread
 * @c: need not be initialised
 *
 * The event is pinned: it is never multiplexed, so that each value is exact. A user who may
 * not count the kernel gets the cycles of user mode.
 *
 * Return: 0, or a negative errno; then region_why() of @c->region says what to do.
 */
static inline int region_cycles_open(struct region_cycles *c)
{
	struct region *r = &c->region;
	int error = region_open(r, "cycles:D");

	if (error != -EACCES && error != -EPERM)
		return error;
	if (!region_open(r, "cycles:uD"))
		return 0;
	snprintf(r->why, sizeof(r->why),
		 "no counter can leave out the kernel: lower kernel.perf_event_paranoid");
	return error;
}

/* Read a counter that need not be "cycle". Not inline: it is a table of 32 instructions. */
static __attribute__((__noinline__, __unused__)) uint64_t region_counter(unsigned int n)
{
	return REGION_COUNTER(n);
}

/* Read cycles that are not on a counter now, or again, or by read(2), or say why not. */
static __attribute__((__noinline__, __unused__)) int region_cycles_read_slow(const struct region *r,
									     uint64_t *count)
{
	struct region_moment now;
	int error = region_check_owner(r);

	if (error)
		return error;
	if (r->direct && r->page[0] && region_read_page(r->page[0], count, NULL))
		return 0;
	error = region_read_kernel(r, &now);
	if (!error)
		*count = now.count[0];
	return error;
}

/**
 * region_cycles_read() - read the cycles of this thread
 * @c: open
 * @count: cycles since region_cycles_open(); the difference of two values is the cost of what
 *	   is between them. Not changed on an error.
 *
 * If the counter can be read from user space, this takes about as many instructions as the
 * lines below, and a dozen more if it is another one than "cycle". Else it is a system call.
 *
 * Return: 0, -EPERM in another thread than region_cycles_open(), -ENODEV if not open or in a
 * child of fork(), -ENODATA if another pinned event has taken the counter (then close and
 * open again), -EIO if read(2) failed.
 */
static inline int region_cycles_read(const struct region_cycles *c, uint64_t *count)
{
	const struct region *r = &c->region;
	/* Not volatile, which costs instructions: the barriers are enough. */
	const struct perf_event_mmap_page *page = (const struct perf_event_mmap_page *)r->page[0];
	uint32_t lock, index, width;
	uint64_t now;

	if (!r->direct || !page || *r->owner != region_thread())
		return region_cycles_read_slow(r, count);
	/* As region_read_page(). Index 1 is the CSR "cycle": its read needs no switch. */
	lock = page->lock;
	region_barrier();
	index = page->index;
	width = page->pmc_width;
	if (!page->cap_user_rdpmc || index - 1 > 31 || width - 1 > 63)
		return region_cycles_read_slow(r, count);
	now = index == 1 ? REGION_COUNTER(0) : region_counter(index - 1);
	now = page->offset + region_sign_extend(now, width);
	region_barrier();
	if (page->lock != lock)
		return region_cycles_read_slow(r, count);
	*count = now;
	return 0;
}

/**
 * region_cycles_close() - stop counting and free what region_cycles_open() allocated
 * @c: opened by this thread; in a child of fork(), the child's copy
 */
static inline void region_cycles_close(struct region_cycles *c)
{
	region_close(&c->region);
}

#endif
