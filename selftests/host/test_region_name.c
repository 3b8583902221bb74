// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_region_name: how region.h parses event names, with a sysfs directory made by
 * the test, and what region_open() says about wrong names.
 */
#include <unistd.h>

#include "test.h"
#include "test_region.h"

static char sysfs[40] = "/tmp/test_region_name.XXXXXX";

#define REGION_SYSFS	sysfs
#include "../../include/sbi_pmu/region.h"

/* ---- a sysfs directory ---- */

static bool make_sysfs(void)
{
	if (!mkdtemp(sysfs))
		return false;
	write_pmu_file(sysfs, "cpu", ".", "type", "4");
	write_pmu_file(sysfs, "cpu", "format", "event", "config:0-55");
	write_pmu_file(sysfs, "cpu", "format", "event0", "config:0-9");
	write_pmu_file(sysfs, "cpu", "format", "unit", "config:56-58");
	write_pmu_file(sysfs, "cpu", "format", "bit", "config:63");
	write_pmu_file(sysfs, "cpu", "format", "split", "config:0-7,32-35,63");
	write_pmu_file(sysfs, "cpu", "format", "whole", "config1:0-63");
	write_pmu_file(sysfs, "cpu", "format", "second", "config2:4-7");
	write_pmu_file(sysfs, "cpu", "format", "third", "config3:0-7");
	write_pmu_file(sysfs, "cpu", "format", "odd", "config:9-2");
	write_pmu_file(sysfs, "cpu", "format", "far", "config:60-64");
	write_pmu_file(sysfs, "cpu", "format", "none", "config:");
	write_pmu_file(sysfs, "cpu", "events", "front_bubble", "event0=0x15,unit=0x1");
	write_pmu_file(sysfs, "cpu", "events", "both", "event=0x10");
	write_pmu_file(sysfs, "cpu", "events", "loop", "loop");
	write_pmu_file(sysfs, "other", ".", "type", "12");
	write_pmu_file(sysfs, "other", "format", "event", "config:0-15");
	write_pmu_file(sysfs, "other", "events", "both", "event=0x20");
	write_pmu_file(sysfs, "other", "events", "here_only", "event=0x30");
	write_pmu_file(sysfs, "other", "events", "twice", "event=0x40");
	write_pmu_file(sysfs, "another", ".", "type", "13");
	write_pmu_file(sysfs, "another", "events", "twice", "config=0x50");
	write_pmu_file(sysfs, "broken", ".", "type", "x");
	return true;
}

/* ---- names ---- */

enum { U = 1, K = 2, H = 4, ALL = U | K | H, PINNED = 8 };

#define FRONT_BUBBLE	(0x15 | 1ULL << 56)

static const struct {
	const char *test;
	const char *name;
	u32 type;
	u64 config, config1, config2;
	int modes;
} accepted[] = {
	{ "generic", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, ALL },
	{ "generic_user", "instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0,
	  U },
	{ "generic_user_and_kernel", "branches:uk", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 0, U | K },
	{ "generic_empty_mode", "cycles:", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0,
	  ALL },
	{ "generic_pinned", "cycles:D", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0,
	  ALL | PINNED },
	{ "generic_pinned_user", "cycles:uD", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0,
	  U | PINNED },
	{ "software", "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, ALL },
	{ "cache_loads", "L1-dcache-loads", PERF_TYPE_HW_CACHE, 0, 0, 0, ALL },
	{ "cache_load_misses", "dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003, 0, 0, ALL },
	{ "cache_prefetch_misses_kernel", "node-prefetch-misses:k", PERF_TYPE_HW_CACHE, 0x10206, 0,
	  0, K },
	{ "cache_store_misses", "branch-store-misses", PERF_TYPE_HW_CACHE, 0x10105, 0, 0, ALL },
	{ "raw", "r1a3", PERF_TYPE_RAW, 0x1a3, 0, 0, ALL },
	{ "raw_hypervisor", "rFF:h", PERF_TYPE_RAW, 0xff, 0, 0, H },
	{ "raw_64_bits", "rffffffffffffffff", PERF_TYPE_RAW, ~0ULL, 0, 0, ALL },
	{ "sysfs", "front_bubble", 4, FRONT_BUBBLE, 0, 0, ALL },
	{ "sysfs_user", "front_bubble:u", 4, FRONT_BUBBLE, 0, 0, U },
	{ "sysfs_only_pmu_with_it", "here_only", 12, 0x30, 0, 0, ALL },
	{ "sysfs_prefers_cpu", "both", 4, 0x10, 0, 0, ALL },
	{ "pmu_other_than_cpu", "other/both/", 12, 0x20, 0, 0, ALL },
	{ "pmu_event", "cpu/front_bubble/", 4, FRONT_BUBBLE, 0, 0, ALL },
	{ "pmu_event_user", "cpu/front_bubble/u", 4, FRONT_BUBBLE, 0, 0, U },
	{ "pmu_event_kernel_with_colon", "cpu/front_bubble/:k", 4, FRONT_BUBBLE, 0, 0, K },
	{ "pmu_event_field_overridden", "cpu/front_bubble,unit=3/", 4, 0x15 | 3ULL << 56, 0, 0,
	  ALL },
	{ "pmu_fields", "cpu/event0=0x15,unit=1/", 4, FRONT_BUBBLE, 0, 0, ALL },
	{ "pmu_field_of_one_bit", "cpu/bit/", 4, 1ULL << 63, 0, 0, ALL },
	{ "pmu_field_in_three_ranges", "cpu/split=0x1fff/", 4, 0xffULL | 0xfULL << 32 | 1ULL << 63,
	  0, 0, ALL },
	{ "pmu_field_in_first_range", "cpu/split=0xa5/", 4, 0xa5, 0, 0, ALL },
	{ "pmu_field_of_64_bits", "cpu/whole=0xffffffffffffffff/", 4, 0, ~0ULL, 0, ALL },
	{ "pmu_field_in_config2", "cpu/second=9,event=1/", 4, 1, 0, 0x90, ALL },
	{ "pmu_config_words", "another/config=7,config2=8/", 13, 7, 0, 8, ALL },
	{ "pmu_event_config_word", "another/twice/", 13, 0x50, 0, 0, ALL },
};

static const struct {
	const char *test;
	const char *name;
	int error;
} refused[] = {
	{ "event_of_two_pmus", "twice", -EINVAL },
	{ "empty_name", "", -EINVAL },
	{ "unknown_event", "nothing_here", -ENOENT },
	{ "unknown_mode", "cycles:x", -EINVAL },
	{ "raw_not_hexadecimal", "rxyz", -ENOENT },
	{ "raw_without_digits", "r", -ENOENT },
	{ "raw_of_65_bits", "r1ffffffffffffffff", -ENOENT },
	{ "field_without_pmu", "event=1", -EINVAL },
	{ "parent_directory", "..", -ENOENT },
	{ "pmu_without_closing_slash", "cpu/front_bubble", -EINVAL },
	{ "pmu_without_terms", "cpu/", -EINVAL },
	{ "empty_pmu", "/cycles/", -ENOENT },
	{ "parent_directory_as_pmu", "../cycles/", -ENOENT },
	{ "unknown_pmu", "nopmu/x/", -ENOENT },
	{ "pmu_type_not_a_number", "broken/config=1/", -ENOENT },
	{ "unknown_event_of_pmu", "cpu/nothing/", -ENOENT },
	{ "unknown_field", "cpu/nothing=1/", -ENOENT },
	{ "event_that_names_itself", "cpu/loop/", -ENOENT },
	{ "field_without_value", "cpu/event0=/", -EINVAL },
	{ "negative_value", "cpu/event0=-1/", -EINVAL },
	{ "value_not_a_number", "cpu/event0=1z/", -EINVAL },
	{ "value_too_large", "cpu/event0=0x400/", -ERANGE },
	{ "value_too_large_for_ranges", "cpu/split=0x2000/", -ERANGE },
	{ "value_of_65_bits", "cpu/whole=0x10000000000000000/", -EINVAL },
	{ "format_of_unknown_word", "cpu/third=1/", -EINVAL },
	{ "format_range_reversed", "cpu/odd=1/", -EINVAL },
	{ "format_beyond_bit_63", "cpu/far=1/", -EINVAL },
	{ "format_without_bits", "cpu/none=1/", -EINVAL },
	{ "unknown_mode_of_pmu_event", "cpu/front_bubble/x", -EINVAL },
};

static void test_accepted(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(accepted); i++) {
		struct region_event e = {};
		int error, modes;

		snprintf(e.name, sizeof(e.name), "%s", accepted[i].name);
		error = region_parse(&e);
		modes = (e.attr.exclude_user ? 0 : U) | (e.attr.exclude_kernel ? 0 : K) |
			(e.attr.exclude_hv ? 0 : H) | (e.attr.pinned ? PINNED : 0);
		note("'%s': type %u, config %#llx %#llx %#llx, modes %d (%d%s)", e.name,
		     e.attr.type, e.attr.config, e.attr.config1, e.attr.config2, modes, error,
		     e.why);
		check(!error && e.attr.type == accepted[i].type &&
		      e.attr.config == accepted[i].config &&
		      e.attr.config1 == accepted[i].config1 &&
		      e.attr.config2 == accepted[i].config2 && modes == accepted[i].modes,
		      "region_name.accepts_%s", accepted[i].test);
	}
}

static void test_refused(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		struct region_event e = {};
		int error;

		snprintf(e.name, sizeof(e.name), "%s", refused[i].name);
		error = region_parse(&e);
		note("%s (%d)", e.why, error);
		check(error == refused[i].error && strstr(e.why, refused[i].name),
		      "region_name.refuses_%s", refused[i].test);
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
	note("%u of %zu lists", right, ARRAY_SIZE(rows));
	check(right == ARRAY_SIZE(rows), "region_name.list_splits_outside_slashes");
}

/* Only the first event of a group can be pinned. */
static void test_pinned_member(void)
{
	struct region r = { .n = 1 };
	struct region_event e = { .name = "cycles:D" };
	int error = region_add_event(&r, &e);

	note("%s (%d)", e.why, error);
	check(error == -EINVAL && strstr(e.why, "after the first event"),
	      "region_name.refuses_pinned_member");
}

/* Wrong names are refused before the kernel is asked for an event. */
static void test_open(void)
{
	struct region r;
	int error = region_open(&r, "nothing_here,cycles");
	const char *why = region_why(&r, error);

	note("%s", why);
	check(error == -ENOENT &&
	      !strcmp(why, "event 'nothing_here': no PMU has this event: see perf list"),
	      "region_name.open_explains_unknown_event");
	check(region_begin(&r) == -ENODEV, "region_name.begin_fails_after_failed_open");
	error = region_open(&r,
			    "a_name_of_so_many_letters_that_nobody_would_ever_have_one_as_long_as_this");
	note("%s", region_why(&r, error));
	check(error == -ENAMETOOLONG && !r.owner, "region_name.open_refuses_long_name");
}

void test_region_name(void)
{
	note("sysfs in %s", sysfs);
	if (check(make_sysfs(), "region_name.sysfs_directory_created")) {
		test_accepted();
		test_refused();
		test_pinned_member();
		test_open();
		remove_tree(sysfs);
	}
	test_list();
}
