// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_region: how region.h reads mmap pages that the kernel changes meanwhile, how it adds up
 * regions, and parses names. Counters, clock and sysfs are the test's.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

static u64 read_counter(unsigned int n);
static u64 now_clock;

#define REGION_COUNTER(n)	read_counter(n)
#define REGION_CLOCK()		now_clock
#define REGION_SYSFS		sysfs
static char sysfs[40] = "/tmp/test_region.XXXXXX";
#include "../../include/sbi_pmu/region.h"

/* ---- pages ---- */

enum { EVENTS = 2 };

static struct perf_event_mmap_page page[EVENTS];
static u64 counter[32];
static void (*interrupt)(void);
static unsigned int reads;

/* Run an interrupt that is pending, once, then read the counter. */
static u64 read_counter(unsigned int n)
{
	void (*handler)(void) = interrupt;

	reads++;
	interrupt = NULL;
	if (handler)
		handler();
	return counter[n];
}

static void reset_pages(void)
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

static bool page_reads_as(u64 want)
{
	u64 count = 0;
	bool read = region_read_page(&page[0], &count, NULL);

	if (!read || count != want)
		note("%s, count %lu", read ? "read" : "not read", count);
	return read && count == want;
}

/* Drivers start a counter at a negative value; the page's offset makes up for that. */
static void test_offset(void)
{
	reset_pages();
	page[0].pmc_width = 48;
	page[0].offset = 100 + (1LL << 47);
	counter[3] = 1ULL << 47;
	check(page_reads_as(100), "region.page_count_at_start");
	counter[3] += 17;
	check(page_reads_as(117), "region.page_count_below_zero");
	counter[3] = 3;
	check(page_reads_as(103 + (1ULL << 47)), "region.page_count_past_zero");
	counter[3] = 0xffff000000000007;
	check(page_reads_as(107 + (1ULL << 47)), "region.page_count_without_upper_bits");
}

/* Another event gets counter 3, which then reads 0; ours continues on counter 9. */
static void move_to_counter_9(void)
{
	counter[3] = 0;
	counter[9] = 7;
	page[0].lock += 2;
	page[0].index = 10;
	page[0].offset = 1000;
}

static void switch_out(void)
{
	counter[3] = 0;
	page[0].lock += 2;
	page[0].index = 0;
}

static void finish_write(void)
{
	move_to_counter_9();
	page[0].lock--;
}

/* Leave the lock odd, as it is while the kernel writes; the next read finishes the write. */
static void begin_write(void)
{
	page[0].lock++;
	page[0].offset = 12345;
	interrupt = finish_write;
}

static void test_sequence(void)
{
	u64 count;

	reset_pages();
	page[0].offset = 500;
	counter[3] = 50;
	interrupt = move_to_counter_9;
	check(page_reads_as(1007) && reads == 2, "region.page_reread_after_counter_change");

	reset_pages();
	interrupt = switch_out;
	check(!region_read_page(&page[0], &count, NULL), "region.page_not_read_after_switch_out");

	reset_pages();
	counter[3] = 50;
	interrupt = begin_write;
	check(page_reads_as(1007) && reads == 3, "region.page_reread_until_write_ends");
}

static void test_unreadable(void)
{
	static const struct {
		const char *what;
		bool rdpmc, time, can;
		unsigned int index, width;
	} pages[] = {
		{ "refuses_no_permission", false, true, false, 4, 64 },
		{ "refuses_no_clock", true, false, false, 4, 64 },
		{ "refuses_index_0", true, true, false, 0, 64 },
		{ "accepts_index_32", true, true, true, 32, 64 },
		{ "refuses_index_33", true, true, false, 33, 64 },
		{ "refuses_width_0", true, true, false, 4, 0 },
		{ "refuses_width_65", true, true, false, 4, 65 },
	};
	u64 count;

	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		reset_pages();
		page[0].cap_user_rdpmc = pages[i].rdpmc;
		page[0].cap_user_time = pages[i].time;
		page[0].index = pages[i].index;
		page[0].pmc_width = pages[i].width;
		check(region_read_page(&page[0], &count, NULL) == pages[i].can, "region.page_%s",
		      pages[i].what);
	}
}

static void test_times(void)
{
	struct region_moment now;

	reset_pages();
	page[0].time_enabled = 5000;
	page[0].time_running = 3000;
	page[0].time_shift = 10;
	page[0].time_mult = 100 << 10;	/* 10 MHz */
	page[0].time_offset = -100000;
	now_clock = 1007;
	region_read_times(&page[0], &now);
	note("enabled %lu ns, running %lu ns", now.enabled, now.running);
	check(now.enabled == 5700 && now.running == 3700, "region.times_700_ns_after_start");

	/* Years of a fast clock: the product needs more than 64 bits. */
	now_clock = 1ULL << 60;
	page[0].time_mult = 1 << 10;
	page[0].time_offset = -(now_clock - 9);
	region_read_times(&page[0], &now);
	note("enabled %lu ns", now.enabled);
	check(now.enabled == 5009 && now.running == 3009, "region.times_of_large_clock_value");

	/* A 32-bit clock that has wrapped since time_cycles. */
	reset_pages();
	page[0].cap_user_time_short = 1;
	page[0].time_mask = 0xffffffff;
	page[0].time_cycles = 0x1fffffff0;
	page[0].time_offset = -0x1fffffff0;
	now_clock = 0x10;
	region_read_times(&page[0], &now);
	note("enabled %#lx ns", now.enabled);
	check(now.enabled == 0x20, "region.times_of_clock_that_wrapped");
}

/* ---- difference of two moments ---- */

static const struct {
	const char *test;
	u64 enabled, running, start; /* at the start */
	u64 enabled_now, running_now, now;
	bool direct;
	int error;
	u64 count;
	bool scaled;
} differences[] = {
	{ "always_running", 100, 100, 7, 200, 200, 57, true, 0, 50, false },
	{ "not_running_before", 500, 100, 7, 600, 200, 57, true, 0, 50, false },
	{ "half_running_scales", 100, 100, 0, 300, 200, 50, true, 0, 100, true },
	{ "half_running_by_read_scales", 100, 100, 0, 300, 200, 50, false, 0, 100, true },
	{ "running_count_0", 100, 100, 1, 200, 200, 1, false, 0, 0, false },
	{ "within_clock_tick", 100, 100, 1, 100, 100, 5, true, 0, 4, false },
	{ "within_clock_tick_count_0", 100, 100, 1, 100, 100, 1, true, 0, 0, false },
	{ "within_clock_tick_by_read", 100, 100, 1, 100, 100, 5, false, 0, 4, false },
	{ "within_clock_tick_by_read_count_0_refused", 100, 100, 1, 100, 100, 1, false, -ENODATA, 0, false },
	{ "never_running_refused", 100, 50, 1, 200, 50, 1, false, -ENODATA, 0, false },
	{ "count_decreased_refused", 100, 100, 9, 200, 200, 8, true, -ERANGE, 0, false },
	{ "running_above_enabled_refused", 100, 100, 0, 200, 201, 8, true, -ERANGE, 0, false },
	{ "time_decreased_refused", 100, 100, 0, 99, 99, 8, true, -ERANGE, 0, false },
	{ "count_wraps_at_64_bits", 0, 0, ~0ULL, 9, 9, 4, true, 0, 5, false },
	{ "count_above_53_bits_exact", 0, 0, 0, 9, 9, (1ULL << 60) + 1, true, 0, (1ULL << 60) + 1, false },
};

static void test_differences(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(differences); i++) {
		const struct region_moment start = {
			1, differences[i].enabled, differences[i].running, { differences[i].start },
		};
		const struct region_moment now = {
			1, differences[i].enabled_now, differences[i].running_now,
			{ differences[i].now },
		};
		struct region_sum sum = { .count = { 1000 }, .regions = 5 };
		int error = region_add_difference(1, &start, &now, differences[i].direct, &sum);

		note("count %lu (%d)", sum.count[0] - 1000, error);
		check(error == differences[i].error &&
		      sum.count[0] == 1000 + differences[i].count &&
		      sum.regions == (error ? 5 : 6) && sum.scaled == differences[i].scaled,
		      "region.difference_%s", differences[i].test);
	}
}

/* ---- begin and end ---- */

static uintptr_t owner;

/* A region that is open, with our pages, and reads @fd where they cannot be used. */
static struct region make_region(int fd)
{
	struct region r = {
		.n = EVENTS, .fd = { fd }, .direct = true, .owner = &owner,
	};

	for (unsigned int i = 0; i < EVENTS; i++)
		r.page[i] = &page[i];
	owner = region_thread();
	return r;
}

static void advance(u64 ticks)
{
	now_clock += ticks;
	counter[3] += 2 * ticks;
	counter[4] += 3 * ticks;
}

static void test_user_space_reads(void)
{
	struct region_sum sum = {};
	struct region r = make_region(-1);
	bool right = true;

	reset_pages();
	for (unsigned int i = 0; i < 10; i++) {
		right &= !region_begin(&r);
		advance(100);
		right &= !region_end(&r, &sum);
		advance(1000);
	}
	note("counts %lu, %lu", sum.count[0], sum.count[1]);
	check(right && sum.regions == 10 && sum.direct == 10 && !sum.scaled &&
	      sum.count[0] == 2000 && sum.count[1] == 3000 && sum.enabled == 1000,
	      "region.sum_of_ten_regions");
	check(!region_slow(&r), "region.slow_is_null_for_user_space_reads");
	page[1].index = 0;
	note("%s", region_slow(&r) ?: "no reason");
	check(region_slow(&r), "region.slow_explains_missing_counter");
	check(region_begin(&r) == -EIO && region_end(&r, &sum) == -EINVAL && sum.regions == 10,
	      "region.begin_fails_if_read_fails");
}

/* Queue what the next read(2) of the group returns. */
static void queue_read(int fd, u64 enabled, u64 running, u64 count)
{
	const u64 words[] = { EVENTS, enabled, running, count, 10 * count };

	if (write(fd, words, sizeof(words)) != sizeof(words))
		perror("write");
}

static void test_kernel_reads(void)
{
	struct region_sum sum = {};
	struct region r;
	int ends[2];

	/* Like the file of an event, such a socket gives one message for one read. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return skip("region.kernel_reads", "no socket pairs of type SOCK_SEQPACKET");
	r = make_region(ends[0]);
	reset_pages();
	queue_read(ends[1], 400, 100, 50);
	check(!region_begin(&r), "region.begins_by_user_space_read");
	page[1].index = 0;
	check(!region_end(&r, &sum) && sum.count[0] == 200 && sum.count[1] == 2000 &&
	      sum.scaled == 1 && !sum.direct, "region.ends_by_kernel_read_and_scales");
	queue_read(ends[1], 400, 100, 50);
	queue_read(ends[1], 500, 200, 60);
	check(!region_begin(&r) && !region_end(&r, &sum) && sum.count[0] == 210 &&
	      sum.scaled == 1 && sum.regions == 2, "region.both_ends_by_kernel_read");
	close(ends[0]);
	close(ends[1]);
}

/* ---- cycles only ---- */

static struct region_cycles make_cycles(int fd)
{
	struct region_cycles c = { .region = make_region(fd) };

	c.region.n = 1;
	reset_pages();
	page[0].index = 1;
	page[0].offset = 1000;
	counter[0] = 5;
	return c;
}

static void test_cycles_from_user_space(void)
{
	struct region_cycles c = make_cycles(-1);
	u64 count = 0;

	check(!region_cycles_read(&c, &count) && count == 1005 && reads == 1,
	      "region.cycles_from_cycle_csr");
	page[0].pmc_width = 48;
	counter[0] = (1ULL << 48) - 5;
	check(!region_cycles_read(&c, &count) && count == 995, "region.cycles_of_narrow_counter");
	interrupt = move_to_counter_9;
	reads = 0;
	check(!region_cycles_read(&c, &count) && count == 1007 && reads == 2,
	      "region.cycles_read_again_if_page_changed");
	check(!region_cycles_read(&c, &count) && count == 1007, "region.cycles_from_hpm_counter");
	page[0].cap_user_rdpmc = 0;
	page[0].index = 1;
	count = 7;
	check(region_cycles_read(&c, &count) == -EIO && count == 7,
	      "region.cycles_not_read_without_permission");
	page[0].cap_user_rdpmc = 1;
	page[0].pmc_width = 0;
	check(region_cycles_read(&c, &count) == -EIO && count == 7,
	      "region.cycles_of_width_0_not_read");
}

static void test_cycles_by_kernel(void)
{
	const u64 words[] = { 1, 400, 400, 77 };
	struct region_cycles c;
	u64 count = 0;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return skip("region.cycles_by_kernel", "no socket pairs of type SOCK_SEQPACKET");
	c = make_cycles(ends[0]);
	page[0].index = 0;
	if (write(ends[1], words, sizeof(words)) != sizeof(words))
		perror("write");
	check(!region_cycles_read(&c, &count) && count == 77 && !reads,
	      "region.cycles_by_read_if_not_on_a_counter");
	page[0].index = 1;
	c.region.direct = false;
	if (write(ends[1], words, sizeof(words)) != sizeof(words))
		perror("write");
	check(!region_cycles_read(&c, &count) && count == 77 && !reads,
	      "region.cycles_by_read_if_direct_is_false");
	close(ends[0]);
	close(ends[1]);
}

/* ---- event names ---- */

static void make_sysfs(void)
{
	static const struct { const char *pmu, *dir, *file, *content; } files[] = {
		{ "cpu", ".", "type", "4" },
		{ "cpu", "format", "event", "config:0-55" },
		{ "cpu", "format", "event0", "config:0-9" },
		{ "cpu", "format", "unit", "config:56-58" },
		{ "cpu", "format", "bit", "config:63" },
		{ "cpu", "format", "whole", "config:0-63" },
		{ "cpu", "format", "other_word", "config1:0-7" },
		{ "cpu", "format", "far", "config:60-64" },
		{ "cpu", "format", "split", "config:0-7,32" },
		{ "cpu", "events", "front_bubble", "event0=0x15,unit=0x1" },
		{ "cpu", "events", "loop", "loop" },
		{ "sbi_pmu", ".", "type", "12" },
		{ "sbi_pmu", "format", "event", "config:0-15" },
		{ "sbi_pmu", "events", "front_bubble", "event=0x20" },
		{ "sbi_pmu", "events", "here_only", "event=0x30" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++)
		write_pmu_file(sysfs, files[i].pmu, files[i].dir, files[i].file, files[i].content);
}

enum { U = 1, K = 2, H = 4, ALL = U | K | H, PINNED = 8 };

#define FRONT_BUBBLE	(0x15 | 1ULL << 56)

/* An error, or type, config and modes of a name that is accepted */
static const struct {
	const char *name;
	int error;
	u32 type;
	u64 config;
	int modes;
} names[] = {
	{ "cycles", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ALL },
	{ "instructions:u", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, U },
	{ "branches:uk", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, U | K },
	{ "stalled-cycles-backend", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  ALL },
	{ "ref-cycles", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, ALL },
	{ "cycles:", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ALL },
	{ "cycles:uD", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, U | PINNED },
	{ "page-faults", 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, ALL },
	{ "cpu-migrations", 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, ALL },
	{ "L1-dcache-loads", 0, PERF_TYPE_HW_CACHE, 0, ALL },
	{ "dTLB-load-misses", 0, PERF_TYPE_HW_CACHE, 0x10003, ALL },
	{ "node-prefetch-misses:k", 0, PERF_TYPE_HW_CACHE, 0x10206, K },
	{ "branch-store-misses", 0, PERF_TYPE_HW_CACHE, 0x10105, ALL },
	{ "rFF:h", 0, PERF_TYPE_RAW, 0xff, H },
	{ "rffffffffffffffff", 0, PERF_TYPE_RAW, ~0ULL, ALL },
	{ "front_bubble:u", 0, 4, FRONT_BUBBLE, U },
	{ "here_only", 0, 12, 0x30, ALL },
	{ "sbi_pmu/front_bubble/", 0, 12, 0x20, ALL },
	{ "cpu/front_bubble/u", 0, 4, FRONT_BUBBLE, U },
	{ "cpu/front_bubble/:k", 0, 4, FRONT_BUBBLE, K },
	{ "cpu/front_bubble,unit=3/", 0, 4, 0x15 | 3ULL << 56, ALL },
	{ "cpu/event0=0x15,unit=1/", 0, 4, FRONT_BUBBLE, ALL },
	{ "cpu/bit/", 0, 4, 1ULL << 63, ALL },
	{ "cpu/whole=0xffffffffffffffff/", 0, 4, ~0ULL, ALL },
	{ "sbi_pmu/config=7/", 0, 12, 7, ALL },
	{ .name = "", .error = -EINVAL }, { .name = "cycles:x", .error = -EINVAL },
	{ .name = "nothing_here", .error = -ENOENT }, { .name = "rxyz", .error = -ENOENT },
	{ .name = "r", .error = -ENOENT }, { .name = "r1ffffffffffffffff", .error = -ENOENT },
	{ .name = "event=1", .error = -ENOENT }, { .name = "..", .error = -ENOENT },
	{ .name = "cpu/front_bubble", .error = -EINVAL }, { .name = "cpu/", .error = -EINVAL },
	{ .name = "/cycles/", .error = -ENOENT }, { .name = "../cycles/", .error = -ENOENT },
	{ .name = "nopmu/x/", .error = -ENOENT }, { .name = "cpu/nothing/", .error = -ENOENT },
	{ .name = "cpu/nothing=1/", .error = -ENOENT }, { .name = "cpu/loop/", .error = -ENOENT },
	{ .name = "cpu/event0=/", .error = -EINVAL }, { .name = "cpu/event0=-1/", .error = -EINVAL },
	{ .name = "cpu/event0=1z/", .error = -EINVAL },
	{ .name = "cpu/event0=0x400/", .error = -ERANGE },
	{ .name = "cpu/whole=0x10000000000000000/", .error = -EINVAL },
	{ .name = "cpu/other_word=1/", .error = -ERANGE }, { .name = "cpu/far=1/", .error = -ERANGE },
	{ .name = "cpu/split=1/", .error = -ERANGE },
	{ .name = "cpu/front_bubble/x", .error = -EINVAL },
};

static void test_names(void)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		struct perf_event_attr attr = {};
		struct region r = {};
		int error, modes;

		snprintf(r.name[0], sizeof(r.name[0]), "%s", names[i].name);
		error = region_parse(&r, &attr);
		modes = (attr.exclude_user ? 0 : U) | (attr.exclude_kernel ? 0 : K) |
			(attr.exclude_hv ? 0 : H) | (attr.pinned ? PINNED : 0);
		if (error == names[i].error && (error ? !!strstr(r.why, names[i].name) :
		    attr.type == names[i].type && attr.config == names[i].config &&
		    modes == names[i].modes))
			continue;
		note("'%s': type %u, config %#llx, modes %d (%d, %s)", names[i].name,
		     attr.type, attr.config, modes, error, r.why);
		wrong++;
	}
	check(!wrong, "region.names_are_accepted_or_refused");
}

/* Wrong names are refused before the kernel is asked for an event. */
static void test_open(void)
{
	struct perf_event_attr attr = {};
	struct region r;
	int error = region_open(&r, "nothing_here,cycles");

	note("%s", region_why(&r, error));
	check(error == -ENOENT && strstr(region_why(&r, error), "'nothing_here': no PMU has"),
	      "region.open_explains_unknown_event");
	check(region_begin(&r) == -ENODEV && !r.owner, "region.begin_fails_after_failed_open");
	error = region_open(&r, "cpu/event0=1,unit=x/,cycles");
	check(error == -EINVAL && strstr(region_why(&r, error), "'x' is not a number"),
	      "region.list_splits_outside_slashes");
	error = region_open(&r, "a_name_of_so_many_letters_that_nobody_would_ever_have_one_as_this");
	check(error == -ENAMETOOLONG, "region.open_refuses_long_name");
	memset(&r, 0, sizeof(r));
	r.n = 1;
	memcpy(r.name[1], "cycles:D", sizeof("cycles:D"));
	check(region_add_event(&r) == -EINVAL && !region_parse(&r, &attr) && attr.pinned,
	      "region.pinned_member_refused");
}

void test_region(void)
{
	if (check(mkdtemp(sysfs), "region.sysfs_directory_created")) {
		make_sysfs();
		test_names();
		test_open();
		remove_tree(sysfs);
	}
	test_offset();
	test_sequence();
	test_unreadable();
	test_times();
	test_differences();
	test_user_space_reads();
	test_kernel_reads();
	test_cycles_from_user_space();
	test_cycles_by_kernel();
}
