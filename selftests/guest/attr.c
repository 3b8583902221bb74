// SPDX-License-Identifier: GPL-2.0-only
/*
 * attr - what driver, firmware and perf core make together of a perf_event_attr: it opens, or is
 * refused with the documented errno. What the driver refuses whatever the machine is, is tested on
 * the host (test_event.c).
 */
#include "overcommit.h"

/* An expected result is an errno or one of these; see is_possible_not_in_lab(). */
enum { OPENS = 0, MAY_OPEN = -1, NOT_IN_LAB = -2 };

#define EVENT(event, ...) ((struct perf_event_attr){ .config = (event), ##__VA_ARGS__ })

static bool can_filter, has_hypervisor;

static const struct {
	const char *name;
	int expected;
	struct perf_event_attr attr;
} rows[] = {
	{ "raw_selector_0", NOT_IN_LAB, EVENT(0) },
	{ "raw_selector_unknown", NOT_IN_LAB, EVENT(0xdeadbeef) },
	{ "raw_selector_48_bits", NOT_IN_LAB, EVENT((1ULL << 48) - 1) },
	{ "raw_selector_49_bits", NOT_IN_LAB, EVENT(1ULL << 48) },
	{ "raw_selector_56_bits", NOT_IN_LAB, EVENT((1ULL << 56) - 1) },
	{ "general_event_10", MAY_OPEN, EVENT(STANDARD(10)) },
	{ "last_cache_event", MAY_OPEN, EVENT(STANDARD(0x10035)) },
	{ "firmware_event_0", OPENS, EVENT(FIRMWARE(0)) },
	{ "firmware_event_21", OPENS, EVENT(FIRMWARE(21)) },
	{ "first_implementation_event", NOT_IN_LAB, EVENT(FIRMWARE(256)) },
	{ "last_implementation_event", NOT_IN_LAB, EVENT(FIRMWARE(65534)) },
	{ "first_platform_event", NOT_IN_LAB, EVENT(CONFIG(3, 0)) },
	{ "last_platform_event", NOT_IN_LAB, EVENT(~0ULL) },
	/* Fields that perf core passes on */
	{ "config1", EINVAL, EVENT(CYCLES, .config1 = 1) },
	{ "config3", EINVAL, EVENT(CYCLES, .config3 = 1) },
#ifdef PERF_ATTR_SIZE_VER9
	{ "config4", EINVAL, EVENT(CYCLES, .config4 = 1) },
#endif
	{ "firmware_event_sample_period", EOPNOTSUPP, EVENT(FIRMWARE(5), .sample_period = 1) },
	{ "firmware_event_sample_period_exclude_guest", EOPNOTSUPP,
	  EVENT(FIRMWARE(5), .sample_period = 1, .exclude_guest = 1) },
	{ "branch_stack", EOPNOTSUPP,
	  EVENT(CYCLES, .sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY) },
	{ "precise_ip", EOPNOTSUPP, EVENT(CYCLES, .precise_ip = 1) },
	{ "aux_output", EOPNOTSUPP, EVENT(CYCLES, .aux_output = 1) },
};

/* @fd is what perf_try() returned. The result becomes the last part of the name. */
static void check_open(const char *name, int expected, int fd)
{
	const int error = fd < 0 ? -fd : 0;

	note("%s: %s", name, error ? strerror(error) : "opened");
	if (fd >= 0)
		close(fd);
	if (expected == MAY_OPEN)
		check(!error || error == ENOENT, "%s_opens_or_enoent", name);
	else if (expected == NOT_IN_LAB)
		check(is_possible_not_in_lab(error), "%s_opens_or_enoent", name);
	else
		check(error == expected, "%s_%s", name, !expected ? "opens" :
		      expected == EINVAL ? "einval" : "eopnotsupp");
}

static void test_rows(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = rows[i].attr;

		if (!is_wanted(rows[i].name))
			continue;
		attr.type = pmu.type;
		check_open(rows[i].name, rows[i].expected, perf_try(&attr, 0, -1, -1));
	}
}

/* ---- perf's general and cache events ---- */

/* @config as an event of PMU @type, 0 for perf's own types */
#define EXTENDED(type, config)	((uint64_t)(type) << PERF_PMU_TYPE_SHIFT | (config))

/* Return: 0 if the event opens, else the errno. */
static int open_errno(unsigned int type, uint64_t config)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	int fd = perf_try(&attr, 0, -1, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/*
 * Perf's event @config (general or cache) is the SBI event @idx: opening it by the PMU's own type,
 * by perf's type with the PMU's type in config (extended), and by perf's type alone (plain) has
 * the same result. In shared mode plain events are the built-in driver's.
 */
static bool is_same_event(unsigned int type, uint64_t config, uint64_t idx)
{
	int own = open_errno(pmu.type, STANDARD(idx));
	int extended = open_errno(type, EXTENDED(pmu.type, config));
	int plain = pmu.exclusive ? open_errno(type, config) : own;

	if ((!own || own == ENOENT) && extended == own && plain == own)
		return true;
	note("type %u config %#lx: own %d, extended %d, plain %d", type, config, own, extended,
	     plain);
	return false;
}

static void test_generic(void)
{
	bool all = true;

	for (uint64_t config = 0; config < PERF_COUNT_HW_MAX; config++)
		all &= is_same_event(PERF_TYPE_HARDWARE, config, config + 1);
	check(all && !open_errno(PERF_TYPE_HARDWARE, EXTENDED(pmu.type, 0)),
	      "general_events_are_sbi_events");
	all = true;
	for (uint64_t i = 0; i < 7 * 3 * 2; i++) {
		uint64_t id = i / 6, op = i / 2 % 3, result = i % 2;

		all &= is_same_event(PERF_TYPE_HW_CACHE, id | op << 8 | result << 16,
				     0x10000 | id << 3 | op << 1 | result);
	}
	check(all, "cache_events_are_sbi_events");
}

/* Return: the event_idx that events/@name in sysfs has, or 0. */
static unsigned int named_idx(const char *name)
{
	char file[80], terms[64];
	unsigned int idx;

	snprintf(file, sizeof(file), "events/%s", name);
	return pmu_text(file, terms, sizeof(terms)) &&
	       sscanf(terms, "event=0x%x,firmware=0x1", &idx) == 1 ? idx : 0;
}

/*
 * In shared mode each cache event that can be counted has a name, and no other: perf's own
 * names, in lower case, are those of the built-in driver's events.
 */
static void test_cache_names(void)
{
	static const char *const caches[] = {
		"l1-dcache", "l1-icache", "llc", "dtlb", "itlb", "branch", "node",
	};
	static const char *const kinds[] = {
		"loads", "load-misses", "stores", "store-misses", "prefetches", "prefetch-misses",
	};
	unsigned int names = 0;
	bool all = true;

	if (pmu.exclusive) {
		skip("cache_events_that_open_have_names", "perf's own names are this PMU's");
		return;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(caches) * ARRAY_SIZE(kinds); i++) {
		const unsigned int id = i / ARRAY_SIZE(kinds), kind = i % ARRAY_SIZE(kinds);
		const unsigned int idx = 0x10000 | id << 3 | kind;
		const bool opens = !open_errno(pmu.type, STANDARD(idx));
		char name[64];

		snprintf(name, sizeof(name), "hw_%s-%s", caches[id], kinds[kind]);
		names += opens;
		if (named_idx(name) == (opens ? idx : 0))
			continue;
		note("%s: event %#x, should be %#x", name, named_idx(name), opens ? idx : 0);
		all = false;
	}
	note("%u of %zu cache events can be counted", names,
	     ARRAY_SIZE(caches) * ARRAY_SIZE(kinds));
	check(all && (names || !getenv("lab_case")), "cache_events_that_open_have_names");
}

/* ---- filters ---- */

/* Return: 0 or the negative errno that the documentation has for these filters. */
static int expected_with_filters(const struct perf_event_attr *attr, bool firmware)
{
	bool filter = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
		      attr->exclude_host;

	if (attr->exclude_idle || (attr->exclude_host && !has_hypervisor))
		return -filter_errno(attr);
	if (!filter && !(attr->exclude_guest && has_hypervisor))
		return OPENS;
	if (can_filter && !firmware)
		return OPENS;
	return -filter_errno(attr);
}

static void test_filters(const char *name, uint64_t config, bool firmware)
{
	bool all = true;

	for (unsigned int bits = 0; bits < 64; bits++) {
		struct perf_event_attr attr = {
			.type = pmu.type,
			.config = config,
			.exclude_user = bits & 1,
			.exclude_kernel = bits >> 1 & 1,
			.exclude_hv = bits >> 2 & 1,
			.exclude_idle = bits >> 3 & 1,
			.exclude_host = bits >> 4 & 1,
			.exclude_guest = bits >> 5 & 1,
		};
		int expected = expected_with_filters(&attr, firmware);
		int fd = perf_try(&attr, 0, -1, -1);
		int got = fd < 0 ? fd : OPENS;

		if (fd >= 0)
			close(fd);
		if (got == expected)
			continue;
		note("exclude guest %u host %u idle %u hv %u kernel %u user %u: %d, not %d",
		     bits >> 5 & 1, bits >> 4 & 1, bits >> 3 & 1, bits >> 2 & 1, bits >> 1 & 1,
		     bits & 1, got, expected);
		all = false;
	}
	note("64 combinations of exclude_*; counters %s filter, %s H extension",
	     can_filter ? "can" : "cannot", has_hypervisor ? "with" : "without");
	check(all, "%s_has_documented_result_for_each_filter", name);
}

int main(void)
{
	begin();
	can_filter = has_mode_filters();
	has_hypervisor = isa_has("h");
	test_rows();
	test_generic();
	test_cache_names();
	test_filters("hardware_event", CYCLES, false);
	test_filters("firmware_event", FIRMWARE(4), true);
	return end();
}
