// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_region: names of events in a sysfs of our own, pages that change while they
 * are read, and what is between two moments.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char sysfs[32] = "/tmp/test_region.XXXXXX";
static u64 read_counter(unsigned int n);
static u64 now_clock;

#define REGION_SYSFS		sysfs
#define REGION_COUNTER(n)	read_counter(n)
#define REGION_CLOCK()		now_clock
#include "../../include/sbi_pmu/region.h"

/* ---- names ---- */

static void put(const char *pmu, const char *folder, const char *name, const char *line)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", sysfs, pmu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", sysfs, pmu, folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s%s", sysfs, pmu, folder, name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%s\n", line) < 0 || fclose(f))
		perror(path);
}

static void drop(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char inner[512];

	while (dir && (entry = readdir(dir))) {
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		if (*entry->d_name != '.')
			drop(inner);
	}
	if (dir)
		closedir(dir);
	remove(path);
}

static bool make_sysfs(void)
{
	if (!mkdtemp(sysfs))
		return false;
	put("cpu", "", "type", "4");
	put("cpu", "format/", "event", "config:0-55");
	put("cpu", "format/", "event0", "config:0-9");
	put("cpu", "format/", "unit", "config:56-58");
	put("cpu", "format/", "bit", "config:63");
	put("cpu", "format/", "split", "config:0-7,32-35,63");
	put("cpu", "format/", "whole", "config1:0-63");
	put("cpu", "format/", "second", "config2:4-7");
	put("cpu", "format/", "third", "config3:0-7");
	put("cpu", "format/", "odd", "config:9-2");
	put("cpu", "format/", "far", "config:60-64");
	put("cpu", "format/", "none", "config:");
	put("cpu", "events/", "front_bubble", "event0=0x15,unit=0x1");
	put("cpu", "events/", "both", "event=0x10");
	put("cpu", "events/", "loop", "loop");
	put("other", "", "type", "12");
	put("other", "format/", "event", "config:0-15");
	put("other", "events/", "both", "event=0x20");
	put("other", "events/", "here_only", "event=0x30");
	put("other", "events/", "twice", "event=0x40");
	put("another", "", "type", "13");
	put("another", "events/", "twice", "config=0x50");
	put("broken", "", "type", "x");
	return true;
}

enum { U = 1, K = 2, H = 4, ALL = U | K | H };

static const struct {
	const char *name;
	int error;
	u32 type;
	u64 config, config1, config2;
	int modes;
} names[] = {
	{ "cycles", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, ALL },
	{ "instructions:u", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0, U },
	{ "branches:uk", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 0, U | K },
	{ "cycles:", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, ALL },
	{ "page-faults", 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, ALL },
	{ "L1-dcache-loads", 0, PERF_TYPE_HW_CACHE, 0, 0, 0, ALL },
	{ "dTLB-load-misses", 0, PERF_TYPE_HW_CACHE, 0x10003, 0, 0, ALL },
	{ "node-prefetch-misses:k", 0, PERF_TYPE_HW_CACHE, 0x10206, 0, 0, K },
	{ "branch-store-misses", 0, PERF_TYPE_HW_CACHE, 0x10105, 0, 0, ALL },
	{ "r1a3", 0, PERF_TYPE_RAW, 0x1a3, 0, 0, ALL },
	{ "rFF:h", 0, PERF_TYPE_RAW, 0xff, 0, 0, H },
	{ "rffffffffffffffff", 0, PERF_TYPE_RAW, ~0ULL, 0, 0, ALL },
	{ "front_bubble", 0, 4, 0x15 | 1ULL << 56, 0, 0, ALL },
	{ "front_bubble:u", 0, 4, 0x15 | 1ULL << 56, 0, 0, U },
	{ "here_only", 0, 12, 0x30, 0, 0, ALL },
	{ "both", 0, 4, 0x10, 0, 0, ALL },
	{ "other/both/", 0, 12, 0x20, 0, 0, ALL },
	{ "cpu/front_bubble/", 0, 4, 0x15 | 1ULL << 56, 0, 0, ALL },
	{ "cpu/front_bubble/u", 0, 4, 0x15 | 1ULL << 56, 0, 0, U },
	{ "cpu/front_bubble/:k", 0, 4, 0x15 | 1ULL << 56, 0, 0, K },
	{ "cpu/front_bubble,unit=3/", 0, 4, 0x15 | 3ULL << 56, 0, 0, ALL },
	{ "cpu/event0=0x15,unit=1/", 0, 4, 0x15 | 1ULL << 56, 0, 0, ALL },
	{ "cpu/bit/", 0, 4, 1ULL << 63, 0, 0, ALL },
	{ "cpu/split=0x1fff/", 0, 4, 0xffULL | 0xfULL << 32 | 1ULL << 63, 0, 0, ALL },
	{ "cpu/split=0xa5/", 0, 4, 0xa5, 0, 0, ALL },
	{ "cpu/whole=0xffffffffffffffff/", 0, 4, 0, ~0ULL, 0, ALL },
	{ "cpu/second=9,event=1/", 0, 4, 1, 0, 0x90, ALL },
	{ "another/config=7,config2=8/", 0, 13, 7, 0, 8, ALL },
	{ "another/twice/", 0, 13, 0x50, 0, 0, ALL },
	{ "twice", .error = -EINVAL },
	{ "", .error = -EINVAL },
	{ "nothing_here", .error = -ENOENT },
	{ "cycles:x", .error = -EINVAL },
	{ "rxyz", .error = -ENOENT },
	{ "r", .error = -ENOENT },
	{ "r1ffffffffffffffff", .error = -ENOENT },
	{ "event=1", .error = -EINVAL },
	{ "..", .error = -ENOENT },
	{ "cpu/front_bubble", .error = -EINVAL },
	{ "cpu/", .error = -EINVAL },
	{ "/cycles/", .error = -ENOENT },
	{ "../cycles/", .error = -ENOENT },
	{ "nopmu/x/", .error = -ENOENT },
	{ "broken/config=1/", .error = -ENOENT },
	{ "cpu/nothing/", .error = -ENOENT },
	{ "cpu/nothing=1/", .error = -ENOENT },
	{ "cpu/loop/", .error = -ENOENT },
	{ "cpu/event0=/", .error = -EINVAL },
	{ "cpu/event0=-1/", .error = -EINVAL },
	{ "cpu/event0=1z/", .error = -EINVAL },
	{ "cpu/event0=0x400/", .error = -ERANGE },
	{ "cpu/split=0x2000/", .error = -ERANGE },
	{ "cpu/whole=0x10000000000000000/", .error = -EINVAL },
	{ "cpu/third=1/", .error = -EINVAL },
	{ "cpu/odd=1/", .error = -EINVAL },
	{ "cpu/far=1/", .error = -EINVAL },
	{ "cpu/none=1/", .error = -EINVAL },
	{ "cpu/front_bubble/x", .error = -EINVAL },
};

static void test_names(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		struct region_event e = {};
		int error, modes;

		snprintf(e.name, sizeof(e.name), "%s", names[i].name);
		error = region_parse(&e);
		modes = (e.attr.exclude_user ? 0 : U) | (e.attr.exclude_kernel ? 0 : K) |
			(e.attr.exclude_hv ? 0 : H);
		if (names[i].error)
			check(error == names[i].error && strstr(e.why, names[i].name),
			      "refused (%d): %s", error, e.why);
		else
			check(!error && e.attr.type == names[i].type &&
			      e.attr.config == names[i].config &&
			      e.attr.config1 == names[i].config1 &&
			      e.attr.config2 == names[i].config2 && modes == names[i].modes,
			      "%s is type %u, config %#llx %#llx %#llx, modes %d (%d%s)",
			      names[i].name, e.attr.type, e.attr.config, e.attr.config1,
			      e.attr.config2, modes, error, e.why);
	}
}

static void test_list(void)
{
	static const struct { const char *list; size_t n; } rows[] = {
		{ "a,b", 1 }, { "a", 1 }, { "", 0 }, { ",a", 0 }, { "p/x,y=1/,b", 8 },
		{ "p/x,y/:u,b", 8 }, { "p/x,y", 5 },
	};
	unsigned int right = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		right += region_word(rows[i].list) == rows[i].n;
	check(right == ARRAY_SIZE(rows), "lists of events (%u)", right);
}

/* What open() says before it asks the kernel for anything. */
static void test_open_refuses(void)
{
	struct region r;
	int error = region_open(&r, "nothing_here,cycles");
	const char *why = region_why(&r, error);

	check(error == -ENOENT &&
	      !strcmp(why, "event 'nothing_here': not known to any PMU: see perf list"),
	      "open says why: %s", why);
	check(region_begin(&r) == -ENODEV, "what was not opened does not begin");
	error = region_open(&r,
			    "a_name_of_so_many_letters_that_nobody_would_ever_have_one_as_long_as_this");
	check(error == -ENAMETOOLONG && !r.here, "a long name: %s", region_why(&r, error));
}

/* ---- pages ---- */

enum { EVENTS = 2 };

static struct perf_event_mmap_page page[EVENTS];
static u64 counter[32];
static void (*disturb)(void);
static unsigned int reads;

/* What happens between two instructions happens here, once. */
static u64 read_counter(unsigned int n)
{
	void (*now)(void) = disturb;

	reads++;
	disturb = NULL;
	if (now)
		now();
	return counter[n];
}

static void pages_reset(void)
{
	memset(page, 0, sizeof(page));
	memset(counter, 0, sizeof(counter));
	for (unsigned int i = 0; i < EVENTS; i++) {
		page[i].cap_user_rdpmc = 1;
		page[i].cap_user_time = 1;
		page[i].pmc_width = 64;
		page[i].index = i + 4;
		page[i].time_mult = 1;
	}
	now_clock = 0;
	reads = 0;
}

static void test_width(void)
{
	static const struct { u64 raw; unsigned int width; s64 value; } rows[] = {
		{ 0, 64, 0 }, { ~0ULL, 64, -1 }, { 1ULL << 63, 64, INT64_MIN },
		{ 5, 48, 5 }, { (1ULL << 48) - 1, 48, -1 }, { 1ULL << 47, 48, -(1LL << 47) },
		{ (1ULL << 47) - 1, 48, (1LL << 47) - 1 }, { 0xffff000000000007, 48, 7 },
		{ 1, 1, -1 }, { 0x80000000, 32, INT32_MIN },
	};
	unsigned int right = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		right += (s64)region_widen(rows[i].raw, rows[i].width) == rows[i].value;
	check(right == ARRAY_SIZE(rows), "counters of 1 to 64 bits (%u)", right);
}

/* Is it read, and is this the count? */
static bool counted(u64 want)
{
	u64 count = 0;
	bool read = region_page(&page[0], &count, NULL);

	if (!read || count != want)
		printf("# %s, count %lu\n", read ? "read" : "not read", count);
	return read && count == want;
}

/* A counter that starts below zero, as drivers do it: what counts is the way from there. */
static void test_offset(void)
{
	pages_reset();
	page[0].pmc_width = 48;
	page[0].offset = 100 + (1LL << 47);
	counter[3] = 1ULL << 47;
	check(counted(100), "at its start");
	counter[3] += 17;
	check(counted(117), "17 later");
	counter[3] = 3;
	check(counted(103 + (1ULL << 47)), "past zero");
}

/* The counter is given to somebody else: 0 is read, and the page is another. */
static void taken_away(void)
{
	counter[3] = 0;
	counter[9] = 7;
	page[0].lock += 2;
	page[0].index = 10;
	page[0].offset = 1000;
}

static void switched_out(void)
{
	counter[3] = 0;
	page[0].lock += 2;
	page[0].index = 0;
}

static void other_half(void)
{
	taken_away();
	page[0].lock--;
}

static void half_written(void)
{
	page[0].lock++;
	page[0].offset = 12345;
	disturb = other_half;
}

/* An odd number while it is written; the writer goes on when it is looked at again. */
static void test_sequence(void)
{
	u64 count;

	pages_reset();
	page[0].offset = 500;
	counter[3] = 50;
	disturb = taken_away;
	check(counted(1007) && reads == 2,
	      "taken away while it is read: read again where it is now");

	pages_reset();
	disturb = switched_out;
	check(!region_page(&page[0], &count, NULL), "off the counters meanwhile: not read");

	pages_reset();
	counter[3] = 50;
	disturb = half_written;
	check(counted(1007) && reads == 3, "written meanwhile: read until it is done");
}

static void test_not_direct(void)
{
	u64 count;

	pages_reset();
	page[0].cap_user_rdpmc = 0;
	check(!region_page(&page[0], &count, NULL), "not allowed");
	pages_reset();
	page[0].cap_user_time = 0;
	check(!region_page(&page[0], &count, NULL), "no clock");
	pages_reset();
	page[0].index = 0;
	check(!region_page(&page[0], &count, NULL), "index 0");
	page[0].index = 33;
	check(!region_page(&page[0], &count, NULL), "an index that no CSR has");
	page[0].index = 32;
	check(region_page(&page[0], &count, NULL), "the last that one has");
	page[0].pmc_width = 0;
	check(!region_page(&page[0], &count, NULL), "no width");
	page[0].pmc_width = 65;
	check(!region_page(&page[0], &count, NULL), "too wide");
}

static void test_times(void)
{
	struct region_moment now;

	pages_reset();
	page[0].time_enabled = 5000;
	page[0].time_running = 3000;
	page[0].time_shift = 10;
	page[0].time_mult = 100 << 10;	/* 10 MHz */
	page[0].time_offset = -100000;
	now_clock = 1007;
	region_times(&page[0], &now);
	check(now.enabled == 5700 && now.running == 3700, "700 ns after its start (%lu, %lu)",
	      now.enabled, now.running);

	/* Years of a fast clock: the product needs more than 64 bits. */
	now_clock = 1ULL << 60;
	page[0].time_mult = 1 << 10;
	page[0].time_offset = -(now_clock - 9);
	region_times(&page[0], &now);
	check(now.enabled == 5009 && now.running == 3009, "late (%lu)", now.enabled);

	/* A clock of 32 bits that has gone around since time_cycles. */
	pages_reset();
	page[0].cap_user_time_short = 1;
	page[0].time_mask = 0xffffffff;
	page[0].time_cycles = 0x1fffffff0;
	page[0].time_offset = -0x1fffffff0;
	now_clock = 0x10;
	region_times(&page[0], &now);
	check(now.enabled == 0x20, "around (%#lx)", now.enabled);
}

/* ---- between two moments ---- */

static const struct {
	const char *what;
	struct region_moment start, now;
	bool direct;
	int error;
	u64 count;
	bool scaled;
} betweens[] = {
	{ "all the time", { 1, 100, 100, { 7 } }, { 1, 200, 200, { 57 } }, true, 0, 50, false },
	{ "after an absence", { 1, 500, 100, { 7 } }, { 1, 600, 200, { 57 } }, true, 0, 50,
	  false },
	{ "half the time", { 1, 100, 100, { 0 } }, { 1, 300, 200, { 50 } }, true, 0, 100, true },
	{ "half the time, by read(2)", { 1, 100, 100, { 0 } }, { 1, 300, 200, { 50 } }, false, 0,
	  100, true },
	{ "nothing of it", { 1, 100, 100, { 1 } }, { 1, 200, 200, { 1 } }, false, 0, 0, false },
	{ "within a tick of the clock", { 1, 100, 100, { 1 } }, { 1, 100, 100, { 5 } }, true, 0, 4,
	  false },
	{ "the same, and nothing", { 1, 100, 100, { 1 } }, { 1, 100, 100, { 1 } }, true, 0, 0,
	  false },
	{ "the same by read(2)", { 1, 100, 100, { 1 } }, { 1, 100, 100, { 5 } }, false, 0, 4,
	  false },
	{ "the same by read(2), and nothing", { 1, 100, 100, { 1 } }, { 1, 100, 100, { 1 } },
	  false, -ENODATA, 0, false },
	{ "never", { 1, 100, 50, { 1 } }, { 1, 200, 50, { 1 } }, false, -ENODATA, 0, false },
	{ "backwards", { 1, 100, 100, { 9 } }, { 1, 200, 200, { 8 } }, true, -ERANGE, 0, false },
	{ "more than always", { 1, 100, 100, { 0 } }, { 1, 200, 201, { 8 } }, true, -ERANGE, 0,
	  false },
	{ "time backwards", { 1, 100, 100, { 0 } }, { 1, 99, 99, { 8 } }, true, -ERANGE, 0, false },
	{ "around 64 bits", { 1, 0, 0, { ~0ULL } }, { 1, 9, 9, { 4 } }, true, 0, 5, false },
	{ "more than 53 bits, exact", { 1, 0, 0, { 0 } }, { 1, 9, 9, { (1ULL << 60) + 1 } }, true,
	  0, (1ULL << 60) + 1, false },
};

static void test_between(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(betweens); i++) {
		struct region_sum sum = { .count = { 1000 }, .regions = 5 };
		int error = region_between(1, &betweens[i].start, &betweens[i].now,
					   betweens[i].direct, &sum);

		check(error == betweens[i].error && sum.count[0] == 1000 + betweens[i].count &&
		      sum.regions == (error ? 5 : 6) && sum.scaled == betweens[i].scaled,
		      "counted %s: %lu (%d)", betweens[i].what, sum.count[0] - 1000, error);
	}
}

/* ---- begin and end ---- */

static char here = 1;

static struct region pretend(int fd)
{
	struct region r = { .n = EVENTS, .fd = { fd }, .direct = true, .here = &here };

	for (unsigned int i = 0; i < EVENTS; i++)
		r.page[i] = &page[i];
	r.owner = pthread_self();
	return r;
}

static void pass(u64 ticks)
{
	now_clock += ticks;
	counter[3] += 2 * ticks;
	counter[4] += 3 * ticks;
}

static void test_direct(void)
{
	struct region_sum sum = {};
	struct region r = pretend(-1);
	bool right = true;

	pages_reset();
	for (unsigned int i = 0; i < 10; i++) {
		right &= !region_begin(&r);
		pass(100);
		right &= !region_end(&r, &sum);
		pass(1000);
	}
	check(right && sum.regions == 10 && sum.direct == 10 && !sum.scaled &&
	      sum.count[0] == 2000 && sum.count[1] == 3000 && sum.enabled == 1000,
	      "ten regions are added up (%lu, %lu)", sum.count[0], sum.count[1]);
	check(!region_slow(&r), "and nothing is said against direct reads");
	page[1].index = 0;
	check(region_slow(&r), "until there is: %s", region_slow(&r));
	check(region_begin(&r) == -EIO && region_end(&r, &sum) == -EINVAL && sum.regions == 10,
	      "a file that cannot be read: no region");
}

/* What the kernel would say to read(2). */
static void say(int fd, u64 enabled, u64 running, u64 count)
{
	const u64 words[] = { EVENTS, enabled, running, count, 10 * count };

	if (write(fd, words, sizeof(words)) != sizeof(words))
		perror("write");
}

static void test_mixed(void)
{
	struct region_sum sum = {};
	struct region r;
	int ends[2];

	/* As a file of events, it gives one answer to one read. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return;
	r = pretend(ends[0]);
	pages_reset();
	say(ends[1], 400, 100, 50);
	check(!region_begin(&r), "begins directly");
	page[1].index = 0;
	check(!region_end(&r, &sum) && sum.count[0] == 200 && sum.count[1] == 2000 &&
	      sum.scaled == 1 && !sum.direct, "ends off the counters, by read(2): scaled");
	say(ends[1], 400, 100, 50);
	say(ends[1], 500, 200, 60);
	check(!region_begin(&r) && !region_end(&r, &sum) && sum.count[0] == 210 &&
	      sum.scaled == 1 && sum.regions == 2, "both ends by read(2)");
	page[1].index = 5;
	r.direct = false;
	say(ends[1], 400, 100, 50);
	say(ends[1], 500, 100, 50);
	check(!region_begin(&r) && region_end(&r, &sum) == -ENODATA && sum.regions == 2,
	      "%s", region_why(&r, -ENODATA));
	check(!strcmp(region_slow(&r), "direct reads are turned off"), "as was asked for");
	close(ends[0]);
	close(ends[1]);
}

static void *elsewhere(void *r)
{
	struct region_sum sum = {};

	return (void *)(intptr_t)(region_begin(r) == -EPERM && region_end(r, &sum) == -EPERM);
}

static void test_misuse(void)
{
	struct region_sum sum = {};
	struct region r = pretend(-1);
	void *right = NULL;
	pthread_t other;

	pages_reset();
	check(region_end(&r, &sum) == -EINVAL, "end first: %s", region_why(&r, -EINVAL));
	region_begin(&r);
	pass(10);
	check(region_begin(&r) == -EBUSY, "begin twice: %s", region_why(&r, -EBUSY));
	pass(10);
	check(!region_end(&r, &sum) && sum.count[0] == 40, "and the first begin holds");
	check(region_end(&r, &sum) == -EINVAL && sum.regions == 1, "end twice");
	if (!pthread_create(&other, NULL, elsewhere, &r))
		pthread_join(other, &right);
	check(right, "in another thread: %s", region_why(&r, -EPERM));
	here = 0;
	check(region_begin(&r) == -ENODEV && region_slow(&r), "after fork(): %s",
	      region_why(&r, -ENODEV));
	here = 1;
}

void test_region(void)
{
	if (check(make_sysfs(), "a sysfs of our own in %s", sysfs)) {
		test_names();
		test_open_refuses();
		drop(sysfs);
	}
	test_list();
	test_width();
	test_offset();
	test_sequence();
	test_not_direct();
	test_times();
	test_between();
	test_direct();
	test_mixed();
	test_misuse();
}
