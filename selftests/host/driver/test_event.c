// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_event: which events are accepted, and what firmware is asked for. Values are made by hand
 * from perf's ABI, the SBI specification and the core's documents.
 */
#include "test.h"

#define SPACE(n)	((u64)(n) << 62)
#define UINH		SPEC_CFG_UINH
#define SINH		SPEC_CFG_SINH
#define VUINH		SPEC_CFG_VUINH
#define VSINH		SPEC_CFG_VSINH
#define MINH		SPEC_CFG_MINH

static const struct {
	u32 type;
	u64 config;
	int error;
	u32 idx;
	u64 data;
} encodings[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 1, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 2, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0, 3, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, 4, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 5, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, 6, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0, 7, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0, 8, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0, 9, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0, 10, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, -EINVAL, 0, 0 },
	{ PERF_TYPE_HARDWARE, 0xffffffff, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x00000, 0, 0x10000, 0 },
	{ PERF_TYPE_HW_CACHE, 0x10003, 0, 0x10019, 0 },	/* dTLB-load-misses */
	{ PERF_TYPE_HW_CACHE, 0x10103, 0, 0x1001b, 0 },	/* dTLB-store-misses */
	{ PERF_TYPE_HW_CACHE, 0x10004, 0, 0x10021, 0 },	/* iTLB-load-misses */
	{ PERF_TYPE_HW_CACHE, 0x10206, 0, 0x10035, 0 },	/* the last one */
	{ PERF_TYPE_HW_CACHE, 0x00007, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x00300, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x20000, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x1000000, -EINVAL, 0, 0 },
	{ OWN, 0x1234, 0, RAW, 0x1234 },
	{ OWN, 0xffffffffffff, 0, RAW, 0xffffffffffff },
	{ OWN, 0x1000000000000, 0, RAW_V2, 0x1000000000000 },
	{ OWN, 0xffffffffffffff, 0, RAW_V2, 0xffffffffffffff },
	{ OWN, 1ULL << 56, -EINVAL, 0, 0 },
	{ OWN, 1ULL << 58 | 1, -EINVAL, 0, 0 },
	{ OWN, 1ULL << 61, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 1, 0, 1, 0 },
	{ OWN, SPACE(1) | 10, 0, 10, 0 },
	{ OWN, SPACE(1) | 0x10035, 0, 0x10035, 0 },
	{ OWN, SPACE(1) | 0, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 11, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 0x10006, -EINVAL, 0, 0 },	/* operation 3 */
	{ OWN, SPACE(1) | 0x10038, -EINVAL, 0, 0 },	/* cache 7 */
	{ OWN, SPACE(1) | 0x20000, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 0xf0001, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 1ULL << 32 | 1, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 0, 0, FW, 0 },
	{ OWN, SPACE(2) | 21, 0, FW + 21, 0 },
	{ OWN, SPACE(2) | 22, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 255, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 256, 0, FW + 256, 0 },
	{ OWN, SPACE(2) | 65534, 0, FW + 65534, 0 },
	{ OWN, SPACE(2) | 65535, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 65536, -EINVAL, 0, 0 },
	{ OWN, SPACE(3) | 0, 0, FW + 65535, 0 },
	{ OWN, SPACE(3) | (SPACE(1) - 1), 0, FW + 65535, SPACE(1) - 1 },
};

static void test_encode(void)
{
	int at;

	boot(&(struct machine){ .quirks = QUIRK(NO_SNAPSHOT) });
	host.perfmon = true;
	for (unsigned int i = 0; i < ARRAY_SIZE(encodings); i++)
		check(opens_as((struct perf_event_attr){ .type = encodings[i].type,
							 .config = encodings[i].config },
			       encodings[i].error, encodings[i].idx, encodings[i].data, 0, &at),
		      "event.encode_type_%u_config_%llx", encodings[i].type, encodings[i].config);
}

CAN(has_no_stores, code->idx >> 16 != SPEC_TYPE_CACHE || (code->idx >> 1 & 3) != 1)

/* In shared mode each cache event that can be counted has a name, as perf's own are of the other PMU. */
static void test_cache_names(void)
{
	static const char *const caches[] = {
		"l1-dcache", "l1-icache", "llc", "dtlb", "itlb", "branch", "node",
	};
	static const char *const kinds[] = {
		"loads", "load-misses", "stores", "store-misses", "prefetches", "prefetch-misses",
	};
	char path[64], text[64];
	bool all = true;

	boot(&(struct machine){ .other = "cpu", .can = has_no_stores });
	for (unsigned int i = 0; i < ARRAY_SIZE(caches) * ARRAY_SIZE(kinds); i++) {
		const unsigned int id = i / ARRAY_SIZE(kinds), kind = i % ARRAY_SIZE(kinds);
		const char *got;

		snprintf(path, sizeof(path), "events/hw_%s-%s", caches[id], kinds[kind]);
		snprintf(text, sizeof(text), "event=%#x,firmware=0x1", 0x10000 | id << 3 | kind);
		got = perf_sysfs(path);
		all = all && (kind / 2 == 1 ? !got : got && !strcmp(got, text));
	}
	check(all, "event.cache_events_that_can_be_counted_have_names_if_shared");
}

/* Firmware that does not check a code uses it as an index into its memory. */
static void test_unsafe(void)
{
	static const struct {
		const char *firmware;
		struct machine machine;
		int nonstandard, platform;
		bool user;
	} machines[] = {
		{ "opensbi_1_5", { .impl_version = OPENSBI(1, 5) }, 0, 0 },
		{ "users_of_opensbi_1_5", { .impl_version = OPENSBI(1, 5) }, -EACCES, -EACCES, true },
		{ "opensbi_1_4", { .impl_version = OPENSBI(1, 4) }, -ENOENT, -ENOENT },
		{ "opensbi_shared", { .other = "cpu" }, 0, -ENOENT },
		{ "rustsbi_shared", { .impl = 4, .other = "cpu" }, 0, 0 },
	};
	int at;

	for (unsigned int i = 0; i < ARRAY_SIZE(machines); i++) {
		boot(&machines[i].machine);
		host.perfmon = !machines[i].user;
		check(opens_as((struct perf_event_attr){ .type = OWN, .config = SPACE(2) | 256 },
			       machines[i].nonstandard, FW + 256, 0, 0, &at) &&
		      opens_as((struct perf_event_attr){ .type = OWN, .config = SPACE(3) | 5 },
			       machines[i].platform, FW + 65535, 5, 0, &at) &&
		      opens_as((struct perf_event_attr){ .type = OWN, .config = SPACE(2) | 21 },
			       0, FW + 21, 0, 0, &at),
		      "event.codes_that_are_unsafe_for_%s", machines[i].firmware);
	}
}

/* ---- XiangShan's selectors and names ---- */

#define UNIT(n)		((u64)(n) << 56)
#define OPS(a, b, c)	((u64)(a) << 40 | (u64)(b) << 45 | (u64)(c) << 50)
#define EVENTS(a, b, c, d) \
	((u64)(a) | (u64)(b) << 10 | (u64)(c) << 20 | (u64)(d) << 30)

static const struct {
	u64 config;
	int error;
	u32 unit;
	u32 idx;
	u64 data;
} selectors[] = {
	{ UNIT(1) | 0x15, 0, 1, RAW, 0x15 },
	{ UNIT(2) | 0x33, 0, 2, RAW, 0x133 },
	{ UNIT(3) | 0x7e, 0, 3, RAW, 0x27e },
	{ UNIT(4) | 0x30, 0, 4, RAW, 0x330 },
	{ 0x15, 0, 0, RAW, 0x15 },
	/* four states of the reorder buffer; micro-ops and recovery; L2 accesses */
	{ UNIT(2) | 0xf43c0ec3aULL, 0, 2, RAW, 0xf43c0ed3aULL },
	{ UNIT(2) | 0x40000001805ULL, 0, 2, RAW, 0x40000001905ULL },
	{ UNIT(4) | 0x10840a41d04405ULL, 0, 4, RAW_V2, 0x10840a41d04705ULL },
	{ UNIT(3) | 0x1084000651805bULL, 0, 3, RAW_V2, 0x1084000651825bULL },
	/* all legal operators; op2 is beyond 48 bits, op1 is not */
	{ UNIT(1) | EVENTS(1, 2, 3, 4) | OPS(1, 2, 4), 0, 1, RAW_V2,
	  EVENTS(1, 2, 3, 4) | OPS(1, 2, 4) },
	{ UNIT(1) | EVENTS(1, 2, 3, 4) | OPS(4, 4, 0), 0, 1, RAW,
	  EVENTS(1, 2, 3, 4) | OPS(4, 4, 0) },
	{ UNIT(1) | EVENTS(1, 2, 3, 4) | OPS(0, 0, 1), 0, 1, RAW_V2,
	  EVENTS(1, 2, 3, 4) | OPS(0, 0, 1) },
	/* illegal operators */
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(3, 0, 0), -EINVAL },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(5, 0, 0), -EINVAL },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 6, 0), -EINVAL },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 8, 0), -EINVAL },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 0, 7), -EINVAL },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 0, 16), -EINVAL },
	{ EVENTS(1, 2, 0, 0) | OPS(0, 0, 16), -EINVAL },
	/* no such unit; reserved bits */
	{ UNIT(5) | 1, -EINVAL }, { UNIT(7) | 1, -EINVAL },
	{ 1ULL << 55 | UNIT(1) | 1, -EINVAL },
	{ 1ULL << 59 | UNIT(1) | 1, -EINVAL },
	{ 1ULL << 61 | 1, -EINVAL },
	/* the unit in the upper bits of an event, as documents have it */
	{ 0x133, 0, 2, RAW, 0x133 },
	{ UNIT(2) | 0x133, 0, 2, RAW, 0x133 },
	{ EVENTS(0x226, 0x227, 0, 0), 0, 3, RAW, EVENTS(0x226, 0x27, 0, 0) },
	{ EVENTS(0, 0, 0, 0x301), 0, 4, RAW, EVENTS(0x300, 0, 0, 1) },
	/* a second unit */
	{ UNIT(1) | 0x133, -EINVAL },
	{ UNIT(2) | EVENTS(0x133, 0x226, 0, 0), -EINVAL },
	{ EVENTS(0x133, 0x226, 0, 0), -EINVAL },
	{ UNIT(4) | EVENTS(1, 2, 3, 0x204), -EINVAL },
	/* hardware uses only the lower bits of an index: 6 in the frontend */
	{ UNIT(1) | 0x3f, 0, 1, RAW, 0x3f },
	{ UNIT(1) | 0x40, -EINVAL },
	{ UNIT(1) | EVENTS(1, 2, 0x40, 0), -EINVAL },
	{ UNIT(2) | 0x80, -EINVAL },
	{ UNIT(3) | 0xff, 0, 3, RAW, 0x2ff },
	/* counts nothing */
	{ 0, -EINVAL }, { UNIT(2), -EINVAL }, { UNIT(2) | 0x100, -EINVAL },
	{ UNIT(1) | EVENTS(1, 0, 0, 0) | OPS(1, 0, 0), -EINVAL },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(4, 4, 1), -EINVAL },
	{ UNIT(1) | EVENTS(1, 0, 2, 0) | OPS(1, 0, 0), 0, 1, RAW,
	  EVENTS(1, 0, 2, 0) | OPS(1, 0, 0) },
	{ UNIT(1) | EVENTS(0, 0, 0, 1) | OPS(0, 2, 4), 0, 1, RAW_V2,
	  EVENTS(0, 0, 0, 1) | OPS(0, 2, 4) },
	/* other events have no unit */
	{ SPACE(1) | UNIT(1) | 1, -EINVAL },
};

static bool is_of_unit(int counter, u32 unit)
{
	return !unit || (counter >= 8 * (int)unit - 5 && counter < 8 * (int)unit + 3);
}

static const struct machine xiangshan = {
	.hpm = 29, .quirks = QUIRK(NO_SNAPSHOT), .params = { "xiangshan=v2r2-2026" },
};

static void test_selectors(void)
{
	int at;

	boot(&xiangshan);
	for (unsigned int i = 0; i < ARRAY_SIZE(selectors); i++)
		check(opens_as((struct perf_event_attr){ .type = OWN,
							 .config = selectors[i].config },
			       selectors[i].error, selectors[i].idx, selectors[i].data, 0, &at) &&
		      (selectors[i].error || is_of_unit(at, selectors[i].unit)),
		      "units.selector_%llx", selectors[i].config);
}

/* Device trees choose counters by the tag; events that are not raw count on each. */
static bool can_by_tag(const struct fakesbi_code *code, unsigned int idx)
{
	const u32 type = code->idx >> 16;

	return (type != SPEC_TYPE_RAW && type != SPEC_TYPE_RAW_V2) || idx < 3 || idx > 31 ||
	       is_of_unit(idx, (code->data >> 8 & 3) + 1);
}

/* Each unit's counters limit a group, even if firmware would accept more. */
static void test_units(const char *name,
		       bool (*can)(const struct fakesbi_code *code, unsigned int idx))
{
	static const unsigned int counters[] = { 0, 8, 8, 8, 5 };
	struct machine machine = xiangshan;
	struct perf_event *leader = NULL, *e;
	struct perf_event_attr attr = {};
	unsigned int fit = 0;
	int error;

	machine.can = can;
	boot(&machine);
	attr.type = TYPE;
	/* A selector without a unit counts anywhere, whatever is known of it with one. */
	open_errno(ATTR(UNIT(1) | 9));
	leader = open_raw(UNIT(1) | 1);
	for (unsigned int i = 2; i <= counters[1]; i++)
		open_member(leader, UNIT(1) | i);
	check(!can == !!open_member(leader, 9), "units.selector_without_unit_%s", name);
	perf_close(leader);
	leader = NULL;
	for (unsigned int unit = 1; unit <= 4; unit++) {
		for (unsigned int i = 1; i <= counters[unit]; i++) {
			attr.config = UNIT(unit) | i;
			e = perf_open(&attr, NULL, 0, leader, &error);
			leader = leader ?: e;
			fit += !!e;
		}
		attr.config = UNIT(unit) | (counters[unit] + 1);
		check(!perf_open(&attr, NULL, 0, leader, &error) && error == -EINVAL,
		      "units.group_full_for_unit_%u_%s", unit, name);
	}
	check(fit == 29 && leader->state == PERF_EVENT_STATE_ACTIVE,
	      "units.group_uses_all_counters_%s", name);
	perf_run(1000);
	check(is_right(leader), "units.group_counts_%s", name);
}

static const char *id_of(const char *name)
{
	static char id[32];

	snprintf(id, sizeof(id), "%s", name);
	for (char *c = id; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return id;
}

static unsigned int load_table(const char *table, bool all, bool delegated)
{
	static char setting[64];
	struct machine machine = { .hpm = 29, .delegated = delegated, .can = can_by_tag };

	snprintf(setting, sizeof(setting), "xiangshan=%s", table);
	machine.params[0] = setting;
	machine.params[1] = all ? "xiangshan_all=1" : delegated ? "backend=csr" : "backend=sbi";
	return boot(&machine);
}

static struct attribute **names(void)
{
	const struct attribute_group **g = perf_core.pmu->attr_update;

	while (strcmp((*g)->name, "events"))
		g++;
	return (*g)->attrs;
}

/* Each name is countable on the counters of its unit. That it is there once read.awk has looked at. */
static void test_table(const char *table)
{
	unsigned int found = 0, total = 0, withheld = 0;
	const char *line;

	load_table(table, true, false);
	line = strstr(host.log, "), ");
	while (line && sscanf(line, "), %u of %u names", &found, &total) != 2)
		line = strstr(line + 1, "), ");
	note("table %s: %u of %u names", table, found, total);
	check(found == total && total > 200, "tables.%s_names_countable", id_of(table));
	load_table(table, false, false);
	while (names()[withheld])
		withheld++;
	check(withheld < found && !perf_sysfs("events/ibuffer_full") &&
	      !perf_sysfs("events/ptw_l2_hit"), "tables.%s_withheld_names_are_kept_apart",
	      id_of(table));
}

/* Contents of the selector, made by hand from the core's documents */
static const struct {
	const char *table, *name, *text;
} known[] = {
	{ "user-guide", "front_bubble", "event0=0x15,unit=0x1" },
	{ "user-guide", "cycles_memory", "event0=0x76,event1=0x77,unit=0x3" },
	{ "user-guide", "l2_access", NULL },
	{ "user-guide", "conflicta", NULL },
	{ "user-guide", "icache_miss_cnt", NULL },
	{ "v2r2-2025", "front_bubble", "event0=0x15,unit=0x1" },
	{ "v2r2-2025", "fetch_latency_bound", "event0=0x16,unit=0x1" },
	{ "v2r2-2025", "rob_commitinstr", "event0=0x33,unit=0x2" },
	{ "v2r2-2025", "cycles_memory", "event0=0x77,event1=0x78,unit=0x3" },
	{ "v2r2-2025", "cycles_backend",
	  "event0=0x3a,event1=0x3b,event2=0x3c,event3=0x3d,unit=0x2" },
	{ "v2r2-2025", "inst_spec_recovery", "event0=0x5,event1=0x6,op0=0x4,unit=0x2" },
	{ "v2r2-2025", "l1d_load",
	  "event0=0x5b,event1=0x60,event2=0x65,op0=0x4,op1=0x4,op2=0x4,unit=0x3" },
	{ "v2r2-2025", "slice3_l2_cache_inv", NULL },
	{ "v2r2-2025", "ibuffer_full", NULL },
	{ "v2r2-2026", "rob_commitinstr", "event0=0x35,unit=0x2" },
	{ "v2r2-2026", "dtlb_load_miss", "event0=0x79,unit=0x3" },
	{ "v2r2-2026", "itlb_miss", "event0=0x39,unit=0x1" },
	{ "v2r2-2026", "l1d_write_dcache_miss", NULL },
	{ "v3", "cycles_memory", "event0=0x86,event1=0x87,unit=0x3" },
	{ "v3", "br_mis_pred", "event0=0x3f,unit=0x2" },
	{ "v3", "rob_commitinstr", "event0=0x33,unit=0x2" },
	{ "v3", "ibuffer_full", NULL },
	{ "v3", "bpinstr", NULL },
};

static void test_known(void)
{
	char path[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++) {
		const char *text;

		load_table(known[i].table, false, false);
		snprintf(path, sizeof(path), "events/%s", known[i].name);
		text = perf_sysfs(path);
		if (!check(!text == !known[i].text && (!text || !strcmp(text, known[i].text)),
			   "tables.%s_config_of_%s", id_of(known[i].table), known[i].name))
			note("it is %s", text ?: "not there");
	}
}

/* Standard events of counters that firmware does not program, from the device trees in dts/ */
static const struct {
	const char *table;
	u32 type;
	u64 config;
	u64 data; /* 0: there is none */
} standards[] = {
	{ "user-guide", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0 },
	{ "v2r2-2025", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x21 },
	{ "v3", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0x10840e82906307ULL },
	{ "v3", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x13e },
	{ "v3", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0 },
	{ "v3", PERF_TYPE_HW_CACHE, 0, 0x1084000731b265ULL },
	{ "v3", PERF_TYPE_HW_CACHE, 5, 0 },
};

CAN(only_fixed, false)

static void test_standards(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(standards); i++) {
		const struct perf_event_attr attr = {
			.type = standards[i].type, .config = standards[i].config,
		};
		struct perf_event *e;
		int error, at = -1;

		load_table(standards[i].table, false, true);
		unload();
		/* Firmware knows none of them. */
		fakesbi.can = only_fixed;
		check(!boot_again(), "tables.module_loads_where_firmware_knows_no_event_%u", i);
		e = perf_open(&attr, NULL, 0, NULL, &error);
		for (unsigned int c = 3; e && c < 32; c++)
			if ((fakesbi.ctr[c].event & SPEC_EVENT_SELECTOR) == standards[i].data)
				at = c;
		check(standards[i].data ? at >= 0 : error == -ENOENT, "tables.%s_standard_event_%x_%llx",
		      id_of(standards[i].table), standards[i].type, standards[i].config);
		if (e)
			perf_close(e);
	}
}

#define BOSC	0x86f

/* Which table is chosen */
static const struct {
	const char *name, *param;
	unsigned long arch, vendor;
	const char *stated;
	const char *isa;
	int error;
	const char *table;
	bool why; /* does the log say why there is none? */
} choices[] = {
	{ "other_core", "auto", 1, 0x5b7 },
	{ "other_core_of_vendor", "auto", 1, BOSC },
	{ "v3", "auto", 25, BOSC, NULL, " sscofpmf smcntrpmf ", 0, "v3" },
	{ "v2_of_2026_or_v3", "auto", 25, BOSC, NULL, NULL, 0, NULL, true },
	{ "older_core", "auto", 25, 0, NULL, NULL, 0, NULL, true },
	{ "older_core_with_smcntrpmf", "auto", 25, 0, NULL, " sscofpmf smcntrpmf ", 0, NULL, true },
	{ "older_core_by_devicetree", "auto", 25, 0, "v2r2-2025", NULL, 0, "v2r2-2025" },
	{ "devicetree_before_ids", "auto", 25, BOSC, "user-guide", NULL, 0, "user-guide" },
	{ "unknown_table_in_devicetree", "auto", 25, BOSC, "v9", NULL, 0, NULL, true },
	{ "off", "off", 25, 0, "v3" },
	{ "parameter", "v2r2-2025", 25, 0, "v3", NULL, 0, "v2r2-2025" },
	{ "parameter_on_other_core", "v3", 1, 0, NULL, NULL, 0, "v3" },
	{ "unknown_parameter", "v4", 25, 0, NULL, NULL, -EINVAL },
	{ "empty_parameter", "", 25, 0, NULL, NULL, -EINVAL },
};

static unsigned int chosen;

static void choose(void)	{ host.event_table = choices[chosen].stated; }

static void test_choices(void)
{
	for (chosen = 0; chosen < ARRAY_SIZE(choices); chosen++) {
		struct machine machine = {
			.hpm = 29, .arch = choices[chosen].arch, .vendor = choices[chosen].vendor,
			.isa = choices[chosen].isa, .prepare = choose,
		};
		char setting[64];
		const char *table;
		int error;

		snprintf(setting, sizeof(setting), "xiangshan=%s", choices[chosen].param);
		machine.params[0] = setting;
		error = boot(&machine);
		table = error ? NULL : perf_sysfs("caps/event_table");
		check(error == choices[chosen].error && !table == !choices[chosen].table &&
		      (!table || !strcmp(table, choices[chosen].table)) &&
		      host_logged("have no names, as it is not clear") == choices[chosen].why,
		      "tables.choice_%s", choices[chosen].name);
	}
}

/* ---- filters, and stand-ins for events ---- */

#define H	" sscofpmf h "

#define CYCLES(...)		{ .config = PERF_COUNT_HW_CPU_CYCLES, ##__VA_ARGS__ }
#define INSTRUCTIONS(...)	{ .config = PERF_COUNT_HW_INSTRUCTIONS, ##__VA_ARGS__ }
#define OF_RAW(code, ...)	{ .type = OWN, .config = code, ##__VA_ARGS__ }
#define ON(counter, code)	OF_RAW(code, .config2 = BIT(counter))
#define OF_FW(code, ...)	OF_RAW(SPACE(2) | (code), ##__VA_ARGS__)
#define OF_USER			.exclude_kernel = 1
#define OF_KERNEL		.exclude_user = 1
#define IGNORES			0x77 /* raw event */
#define X60			.vendor = 0x710, .arch = 0x8000000058000001, .can = is_not_fixed
#define X60_OTHER(function)	.vendor = 0x710, .arch = 0x8000000058000001, .can = function
#define X100			{ .vendor = 0x710, .arch = 0x8000000058000002 }
#define SMCNTRPMF		.can = is_not_fixed, .smcntrpmf = BIT(0) | BIT(2)
#define ONLY_CYCLE_FILTERS	.can = is_not_fixed, .smcntrpmf = BIT(0)

CAN(has_no_raw, is_not_fixed(code, idx) && code->idx != RAW)

static bool has_no_filter(const struct fakesbi_code *code)
{
	return code->idx == RAW && code->data == IGNORES;
}

static bool has_none(const struct fakesbi_code *code)	{ return code; }
static bool is_other(const struct fakesbi_code *code)	{ return is_not_fixed(code, 0); }
static void all_unfiltered(void)	{ fakesbi.unfiltered = has_none; }
static void fixed_obey(void)		{ fakesbi.unfiltered = is_other; }
static void left_filter(void)		{ fakesbi_harts[1].filter = SPEC_CFG_UINH; }
static void half_a_filter(void)		{ fakesbi.one_filter = SPEC_CFG_UINH; }

/* Index 3 has no counter, 4 has hpmcounter3. */
static void moved(void)
{
	memset(&fakesbi.ctr[3], 0, 2 * sizeof(*fakesbi.ctr));
	memset(&fakesbi.by_csr[3], 0, 2);
	fakesbi_add(4, SPEC_CSR_CYCLE + 3, 64);
}

static void no_uinh(void)	{ fakesbi.event_bits = ~SPEC_EVENT_UINH; }
static void unfiltered(void)	{ fakesbi.unfiltered = has_no_filter; }

/* The ISA string does not say what the hart can. */
static void unnamed(void)	{ fakesbi.sscofpmf = true; }

static const struct {
	const char *test;
	struct machine machine;
	struct perf_event_attr attr;
	int error;
	u32 idx;
	u64 data;
	u32 flags;
	int at; /* its counter, if it opens */
} filters[] = {
	{ "event.no_filter_no_flags", { .isa = H }, OF_RAW(5), 0, RAW, 5, 0, 3 },
	{ "event.exclude_user_sets_uinh_and_vuinh", { .isa = H },
	  OF_RAW(5, OF_KERNEL), 0, RAW, 5, UINH | VUINH, 3 },
	{ "event.exclude_kernel_sets_sinh_and_vsinh", { .isa = H },
	  OF_RAW(5, OF_USER), 0, RAW, 5, SINH | VSINH, 3 },
	{ "event.exclude_hv_sets_minh", { .isa = H },
	  OF_RAW(5, .exclude_hv = 1), 0, RAW, 5, MINH, 3 },
	{ "event.exclude_guest_sets_vuinh_and_vsinh", { .isa = H },
	  OF_RAW(5, .exclude_guest = 1), 0, RAW, 5, VUINH | VSINH, 3 },
	{ "event.exclude_host_sets_uinh_and_sinh", { .isa = H },
	  OF_RAW(5, .exclude_host = 1), 0, RAW, 5, UINH | SINH, 3 },
	{ "event.exclude_guest_needs_nothing_without_h", {},
	  OF_RAW(5, .exclude_guest = 1), 0, RAW, 5, 0, 3 },
	{ "event.exclude_user_without_h_sets_uinh", {}, OF_RAW(5, OF_KERNEL), 0, RAW, 5, UINH, 3 },
	{ "event.exclude_host_without_h_is_enoent", {}, OF_RAW(5, .exclude_host = 1), -ENOENT },
	{ "event.exclude_idle_is_enoent", {}, OF_RAW(5, .exclude_idle = 1), -ENOENT },
	{ "event.exclude_idle_with_h_is_enoent", { .isa = H },
	  OF_RAW(5, .exclude_idle = 1), -ENOENT },
	{ "event.exclude_user_without_filter_is_enoent", { .isa = "" },
	  OF_RAW(5, OF_KERNEL), -ENOENT },
	{ "event.exclude_user_without_filter_with_h_is_enoent", { .isa = " h " },
	  OF_RAW(5, OF_KERNEL), -ENOENT },
	{ "event.exclude_guest_without_filter_with_h_is_einval", { .isa = " h " },
	  OF_RAW(5, .exclude_guest = 1), -EINVAL },
	{ "event.exclude_kernel_and_guest_without_filter_with_h_is_einval", { .isa = " h " },
	  OF_RAW(5, OF_USER, .exclude_guest = 1), -EINVAL },
	{ "event.exclude_guest_without_filter_needs_nothing", { .isa = "" },
	  OF_RAW(5, .exclude_guest = 1), 0, RAW, 5, 0, 3 },
	{ "event.exclude_kernel_and_guest_without_filter_is_enoent", { .isa = "" },
	  OF_RAW(5, OF_USER, .exclude_guest = 1), -ENOENT },
	{ "event.filter_of_firmware_event_is_enoent", {}, OF_FW(5, OF_USER), -ENOENT },
	{ "event.exclude_guest_of_firmware_event_with_h_is_einval", { .isa = H },
	  OF_FW(5, .exclude_guest = 1), -EINVAL },
	/* what nothing here can do */
	{ "event.precise_event_is_eopnotsupp", { .isa = H },
	  OF_RAW(5, .precise_ip = 1), -EOPNOTSUPP },
	{ "event.branch_stack_is_eopnotsupp", { .isa = H },
	  OF_RAW(5, .sample_type = PERF_SAMPLE_BRANCH_STACK), -EOPNOTSUPP },
	{ "event.config1_is_einval", { .isa = H }, OF_RAW(5, .config1 = 1), -EINVAL },
	{ "event.upper_bits_of_config2_are_einval", { .isa = H },
	  OF_RAW(5, .config2 = 1ULL << 32 | BIT(3)), -EINVAL },
	{ "event.sampled_firmware_event_is_eopnotsupp", { .isa = H },
	  OF_FW(5, .sample_period = 100), -EOPNOTSUPP },
	{ "event.sampled_firmware_event_without_guests_is_eopnotsupp", { .isa = H },
	  OF_FW(5, .sample_period = 100, .exclude_guest = 1), -EOPNOTSUPP },
	/* cycles of one mode are counted by raw events of SpacemiT X60 */
	{ "stand_in.user_cycles_are_u_mode_cycle", { X60 },
	  CYCLES(OF_USER), 0, RAW, 0x22, SINH, 3 },
	{ "stand_in.kernel_cycles_are_s_mode_cycle", { X60 },
	  CYCLES(OF_KERNEL), 0, RAW, 0x21, UINH, 3 },
	{ "stand_in.user_cycles_are_sampled_by_it", { X60 },
	  CYCLES(OF_USER, .sample_period = 100000), 0, RAW, 0x22, SINH, 3 },
	{ "stand_in.all_cycles_stay_on_cycle", { X60 }, CYCLES(), 0, 1, 0, 0, 0 },
	{ "stand_in.what_has_none_is_refused_as_before", { X60 }, INSTRUCTIONS(OF_USER), -ENOENT },
	{ "stand_in.not_if_counters_count_cycles", { X60_OTHER(NULL) },
	  CYCLES(OF_USER), 0, 1, 0, SINH, 3 },
	{ "stand_in.refused_if_firmware_has_no_raw_events", { X60_OTHER(has_no_raw) },
	  CYCLES(OF_USER), -ENOENT },
	{ "stand_in.found_by_both_ids", { .vendor = 0x710, .arch = 1, .can = is_not_fixed },
	  CYCLES(OF_USER), -ENOENT },
	/* codes of raw events as the vendor's documents have them; events that ignore filters */
	{ "spacemit.code_of_manual", { X60 }, OF_RAW(4ULL << 56 | 8), 0, RAW, 8, 0, 3 },
	{ "spacemit.code_of_manual_on_x100", X100, OF_RAW(4ULL << 56 | 8), 0, RAW, 8, 0, 3 },
	{ "spacemit.code_of_manual_elsewhere_is_einval", {}, OF_RAW(4ULL << 56 | 8), -EINVAL },
	{ "spacemit.other_upper_byte_is_einval", { X60 }, OF_RAW(5ULL << 56 | 8), -EINVAL },
	{ "spacemit.code_without_upper_byte", { X60 }, OF_RAW(8), 0, RAW, 8, 0, 3 },
	{ "spacemit.l2_event_counts_without_filter", { X60 }, OF_RAW(0xb9), 0, RAW, 0xb9, 0, 3 },
	{ "spacemit.first_l2_event_of_user_is_enoent", { X60 }, OF_RAW(0xb8, OF_USER), -ENOENT },
	{ "spacemit.last_l2_event_of_kernel_is_enoent", { X60 }, OF_RAW(0xbd, OF_KERNEL), -ENOENT },
	{ "spacemit.l2_event_without_m_mode_is_enoent", { X60 },
	  OF_RAW(0xb9, .exclude_hv = 1), -ENOENT },
	{ "spacemit.l2_event_of_manual_of_user_is_enoent", { X60 },
	  OF_RAW(4ULL << 56 | 0xb9, OF_USER), -ENOENT },
	{ "spacemit.l2_event_with_upper_bits_is_enoent", { X60 }, OF_RAW(0x1b9, OF_USER), -ENOENT },
	{ "spacemit.event_before_l2_filters", { X60 },
	  OF_RAW(0xb7, OF_USER), 0, RAW, 0xb7, SINH, 3 },
	{ "spacemit.event_after_l2_filters", { X60 },
	  OF_RAW(0xbe, OF_USER), 0, RAW, 0xbe, SINH, 3 },
	{ "spacemit.same_code_of_x100_filters", X100,
	  OF_RAW(0xb9, OF_USER), 0, RAW, 0xb9, SINH, 3 },
	/* T-Head's one filter of all counters: firmware has no part in it */
	{ "filter.thead_filters_cycles", { THEAD }, CYCLES(OF_USER), 0, 1, 0, 0, 0 },
	{ "filter.thead_filters_others", { THEAD }, OF_RAW(5, OF_KERNEL), 0, RAW, 5, 0, 3 },
	{ "filter.thead_cannot_leave_out_m_mode", { THEAD },
	  OF_RAW(5, .exclude_hv = 1), 0, RAW, 5, 0, 3 },
	{ "filter.thead_is_tried", { THEAD, .prepare = all_unfiltered }, CYCLES(OF_USER), -ENOENT },
	{ "filter.thead_that_some_counters_ignore_is_enoent",
	  { THEAD, .can = is_not_fixed, .prepare = fixed_obey }, CYCLES(OF_USER), -ENOENT },
	{ "filter.thead_is_tried_for_each_event", { THEAD, .prepare = unfiltered },
	  OF_RAW(IGNORES, OF_USER), -ENOENT },
	{ "filter.thead_without_bit_of_a_mode_is_enoent", { THEAD, .prepare = half_a_filter },
	  CYCLES(OF_USER), -ENOENT },
	{ "filter.thead_shared_is_enoent", { THEAD, .other = "cpu" }, OF_RAW(5, OF_USER), -ENOENT },
	/* whether a filter works is tried */
	{ "filter.cycles_filter_on_cycle", { .quirks = OPENSBI_NEW, SMCNTRPMF },
	  CYCLES(OF_USER), 0, 1, 0, SINH, 0 },
	{ "filter.instructions_filter_on_instret", { .quirks = OPENSBI_NEW, SMCNTRPMF },
	  INSTRUCTIONS(OF_KERNEL), 0, 2, 0, UINH, 2 },
	{ "filter.each_fixed_counter_is_tried", { ONLY_CYCLE_FILTERS },
	  CYCLES(OF_USER), 0, 1, 0, SINH, 0 },
	{ "filter.instret_that_ignores_filters_is_enoent", { ONLY_CYCLE_FILTERS },
	  INSTRUCTIONS(OF_USER), -ENOENT },
	{ "filter.without_smcntrpmf_cycles_of_user_are_enoent", { .can = is_not_fixed },
	  CYCLES(OF_USER), -ENOENT },
	{ "filter.fixed_counters_filter_with_snapshot",
	  { SMCNTRPMF, .params = { "backend=snapshot" } },
	  CYCLES(OF_USER), 0, 1, 0, SINH, 0 },
	{ "filter.fixed_counters_filter_without_sscofpmf", { .isa = "", SMCNTRPMF },
	  CYCLES(OF_USER), 0, 1, 0, SINH, 0 },
	{ "filter.cycle_leaves_out_guests", { .isa = H, SMCNTRPMF },
	  CYCLES(.exclude_guest = 1), 0, 1, 0, VUINH | VSINH, 0 },
	{ "filter.cycle_without_filter_cannot_leave_out_guests", { .isa = H, .can = is_not_fixed },
	  CYCLES(.exclude_guest = 1), -EINVAL },
	{ "filter.firmware_that_ignores_flags_is_found_by_cycles",
	  { .quirks = QUIRK(NO_FILTER), SMCNTRPMF }, CYCLES(OF_USER), -ENOENT },
	{ "filter.firmware_that_ignores_flags_is_found_by_any_counter",
	  { .quirks = QUIRK(NO_FILTER) }, OF_RAW(5, OF_USER), -ENOENT },
	{ "filter.filters_work_though_isa_string_does_not_say_so",
	  { .isa = "", .prepare = unnamed }, OF_RAW(5, OF_USER), 0, RAW, 5, SINH, 3 },
	{ "filter.shared_mode_tries_other_events_than_cycles",
	  { .other = "cpu", .quirks = QUIRK(NO_FILTER) }, OF_RAW(5, OF_USER), -ENOENT },
	{ "filter.vm_filters", { .isa = "", .quirks = KVM, .prepare = unnamed },
	  CYCLES(OF_USER), 0, 1, 0, SINH, 0 },
	{ "filter.event_that_ignores_filters_is_enoent", { .prepare = unfiltered },
	  OF_RAW(IGNORES, OF_USER), -ENOENT },
	{ "filter.event_that_ignores_filters_is_enoent_if_shared",
	  { .other = "cpu", .prepare = unfiltered }, OF_RAW(IGNORES, OF_USER), -ENOENT },
	{ "filter.delegated_event_that_ignores_filters_is_enoent",
	  { .delegated = true, .prepare = unfiltered, .params = { "backend=csr" } },
	  OF_RAW(IGNORES, OF_USER), -ENOENT },
	{ "filter.delegated_counters_without_uinh_are_enoent",
	  { .delegated = true, .prepare = no_uinh, .params = { "backend=csr" } },
	  OF_RAW(5, OF_KERNEL), -ENOENT },
	{ "filter.event_that_ignores_filters_opens_without", { .prepare = unfiltered },
	  OF_RAW(IGNORES), 0, RAW, IGNORES, 0, 3 },
	{ "filter.other_events_filter", { .prepare = unfiltered },
	  OF_RAW(5, OF_USER), 0, RAW, 5, SINH, 3 },
	/* counterid_mask: by CSR, whatever index firmware has for it */
	{ "counterid_mask.sbi", { .params = { "backend=sbi" } }, ON(4, 5), 0, RAW, 5, 0, 4 },
	{ "counterid_mask.snapshot", { .params = { "backend=snapshot" } },
	  ON(4, 5), 0, RAW, 5, 0, 4 },
	{ "counterid_mask.csr", { .delegated = true, .params = { "backend=csr" } },
	  ON(4, 5), 0, RAW, 5, 0, 4 },
	{ "counterid_mask.vm", { .quirks = KVM }, ON(4, 5), 0, RAW, 5, 0, 4 },
	{ "counterid_mask.is_not_by_index", { .prepare = moved }, ON(3, 5), 0, RAW, 5, 0, 4 },
	{ "counterid_mask.no_counter_has_index", { .prepare = moved }, ON(4, 5), -ENOENT },
	{ "counterid_mask.cycle_is_no_raw_event", {}, ON(0, 5), -ENOENT },
	{ "counterid_mask.firmware_has_no_hardware_counter", {}, ON(0, SPACE(2) | 5), -ENOENT },
	{ "counterid_mask.cycle", {}, CYCLES(.config2 = BIT(0)), 0, 1, 0, 0, 0 },
	{ "counterid_mask.cycles_not_on_cycle", {}, CYCLES(.config2 = BIT(5)), 0, 1, 0, 0, 5 },
	{ "counterid_mask.cycles_not_on_instret", {}, CYCLES(.config2 = BIT(2)), -ENOENT },
	{ "counterid_mask.instret", {}, INSTRUCTIONS(.config2 = BIT(2)), 0, 2, 0, 0, 2 },
	{ "counterid_mask.stand_in", { X60 },
	  CYCLES(OF_USER, .config2 = BIT(5)), 0, RAW, 0x22, SINH, 5 },
};

static void test_filters(void)
{
	int at;

	for (unsigned int i = 0; i < ARRAY_SIZE(filters); i++) {
		boot(&filters[i].machine);
		/* Counters move while they are read. */
		host.read_ns = 1;
		check(opens_as(filters[i].attr, filters[i].error, filters[i].idx, filters[i].data,
			       filters[i].flags, &at) && (filters[i].error || at == filters[i].at),
		      "%s", filters[i].test);
	}
	boot(&(struct machine){ X60 });
	check(host_logged("cycles:u are counted by u_mode_cycle"), "stand_in.is_logged");
	boot(&(struct machine){ X60_OTHER(NULL) });
	check(!host_logged("are counted by u_mode_cycle"), "stand_in.is_not_logged_if_not_needed");
	boot(&(struct machine){ .quirks = QUIRK(NO_FILTER) });
	check(host_logged("programmable counters count in all modes"),
	      "filter.ignored_filters_are_logged");
	boot(&(struct machine){ ANDES, .quirks = QUIRK(NO_FILTER) });
	check(host_logged("programmable counters count in all modes"),
	      "filter.ignored_filters_of_andes_are_logged");
}

static void test_tried_once(void)
{
	struct perf_event *busy[2];
	unsigned long before;

	/* All counters are in use; what counts on them does not change the answer, nor loses. */
	boot(&(struct machine){ .hpm = 2, .prepare = unfiltered, .params = { "backend=sbi" } });
	busy[0] = open_raw(1);
	busy[1] = open_raw(2);
	perf_run(100);
	host.read_ns = 1;
	check(open_errno(ATTR(IGNORES, OF_USER)) == -ENOENT && !open_errno(ATTR(5, OF_USER)),
	      "filter.tried_on_a_counter_in_use");
	before = all_calls();
	check(open_errno(ATTR(IGNORES, OF_USER)) == -ENOENT &&
	      open_errno(ATTR(IGNORES, OF_KERNEL)) == -ENOENT && all_calls() == before,
	      "filter.an_event_is_tried_once");
	host.read_ns = 0;
	perf_run(100);
	check(perf_read(busy[0]) >= 200 * perf_model(busy[0])->rate && busy[1]->state ==
	      PERF_EVENT_STATE_ACTIVE, "filter.counts_go_on");

	/* Delegated ones stand still while the PMU is disabled, but for the one that is tried. */
	boot(&(struct machine){ .delegated = true, .prepare = unfiltered,
				.params = { "backend=csr" } });
	open_raw(1);
	host.read_ns = 1;
	check(open_errno(ATTR(IGNORES, OF_USER)) == -ENOENT,
	      "filter.delegated_event_is_tried_while_others_count");

	/* An event that does not happen while it is tried is believed to obey. */
	boot(&(struct machine){ .prepare = unfiltered });
	check(!open_errno(ATTR(IGNORES, OF_USER)), "filter.rare_event_is_believed");
}

/* While all programs may read cycle, it counts in all modes. */
static void test_world_readable(void)
{
	const struct perf_event_attr user = CYCLES(OF_USER), all = CYCLES();

	boot(&(struct machine){ SMCNTRPMF });
	host_sysctl("2");
	check(open_errno(&user) == -ENOENT && !open_errno(&all),
	      "filter.cycle_that_all_may_read_has_none");
	host_sysctl("1");
	check(!open_errno(&user), "filter.cycle_has_one_again");
}

/* Does the event wait for the filter, and has it counted all before? */
static bool waits(struct perf_event *e)
{
	return e->state == PERF_EVENT_STATE_INACTIVE && is_right(e);
}

static void test_one_filter(void)
{
	struct perf_event *user, *kernel, *all, *firmware;
	unsigned long before;

	boot(&(struct machine){});
	check(!host_logged("have one filter"), "one_filter.is_not_logged_where_each_has_its_own");
	boot(&(struct machine){ THEAD, .cpus = 2, .prepare = left_filter });
	check(host_logged("all counters of a CPU have one filter"), "one_filter.is_logged");
	check(!fakesbi_harts[1].filter, "one_filter.of_the_kernel_before_is_gone");
	user = open_raw(5);
	firmware = open_member(user, FIRMWARE_EVENT(1));
	check(!perf_open(ATTR(6, OF_USER), NULL, 0, user, &(int){ 0 }),
	      "one_filter.group_with_two_is_refused");
	perf_close(user);
	check(firmware, "one_filter.firmware_event_goes_with_any");
	firmware = open_raw(FIRMWARE_EVENT(1));
	check(perf_open(ATTR(5, OF_USER), NULL, 0, firmware, &(int){ 0 }),
	      "one_filter.any_goes_with_a_firmware_event");
	perf_close(firmware);

	user = open_attr(ATTR(5, OF_USER));
	check(open_member(user, FIRMWARE_EVENT(1)) &&
	      perf_open(ATTR(6, OF_USER), NULL, 0, user, &(int){ 0 }),
	      "one_filter.group_with_one_opens");
	kernel = open_attr(ATTR(5, OF_KERNEL));
	all = open_raw(5);
	take_turns(9);
	check(is_right(user) && is_right(kernel) && is_right(all) && perf_read(user) &&
	      perf_read(kernel) && perf_read(all), "one_filter.others_take_turns");
	perf_close(kernel);
	perf_close(all);
	perf_run(1000);
	perf_suspend(true);
	perf_run(1000);
	check(is_right(user), "one_filter.is_there_again_after_sleep");

	firmware = open_raw(FIRMWARE_EVENT(2));
	host_sysctl("2");
	check(user->hw.state & PERF_HES_STOPPED && !(firmware->hw.state & PERF_HES_STOPPED),
	      "one_filter.firmware_event_counts_on_when_it_ends");
	perf_interrupts();
	perf_run(1000);
	check(waits(user) && !fakesbi.filter && open_errno(ATTR(6, OF_USER)) == -ENOENT &&
	      !open_errno(ATTR(6)), "one_filter.none_while_all_may_read_cycle");
	host_sysctl("1");
	perf_rotate();
	perf_run(1000);
	check(user->state == PERF_EVENT_STATE_ACTIVE && is_right(user) && fakesbi.filter,
	      "one_filter.is_there_again_after_that");
	perf_close(user);
	perf_close(firmware);
	/* A CPU goes while its counters have it. */
	user = perf_open(ATTR(5, OF_USER), NULL, 1, NULL, &(int){ 0 });
	perf_hotplug(1, false);
	perf_close(user);
	perf_hotplug(1, true);
	user = perf_open(ATTR(5, OF_USER), NULL, 1, NULL, &(int){ 0 });
	perf_run(1000);
	check(is_right(user) && perf_read(user), "one_filter.is_set_again_when_cpu_comes_back");
	perf_close(user);
	check(!fakesbi.filter, "one_filter.ends_with_the_last_event");

	/* Two tasks, each with its own */
	user = perf_open(ATTR(5, OF_USER), &perf_core.task[0], -1, NULL, &(int){ 0 });
	kernel = perf_open(ATTR(5, OF_KERNEL), &perf_core.task[1], -1, NULL, &(int){ 0 });
	go_away(1000);
	before = all_calls();
	for (unsigned int n = 0; n < 10; n++) {
		perf_run(1000);
		go_away(1000);
	}
	check(is_right(user) && is_right(kernel) && perf_read(kernel), "one_filter.is_the_tasks");
	check(all_calls() == before, "one_filter.changes_without_calls");
	perf_reboot(SYS_RESTART);
}

void test_event(void)
{
	static const char *const tables[] = { "user-guide", "v2r2-2025", "v2r2-2026", "v3" };

	test_encode();
	test_cache_names();
	test_unsafe();
	test_selectors();
	test_units("firmware_checks_tags", can_by_tag);
	test_units("firmware_takes_any", NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(tables); i++)
		test_table(tables[i]);
	test_known();
	test_standards();
	test_choices();
	test_filters();
	test_tried_once();
	test_world_readable();
	test_one_filter();
}
