// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cores: cores with a table of events, on firmware with the rows of boards (boards.tsv): which
 * events have names, what counts as a standard event. Numbers are written here by hand.
 */
#include "test.h"

/* Cores whose boards have no tree; they get the rows of another one. */
static const struct core_ids bullet_0d = { 0x489, 0x8000000000000307, 0xd0000000 };
static const struct core_ids like_it = { 0x489, 0x8000000000000f07, 0xd0000000 };
static const struct core_ids p650 = { 0x489, 0x8000000000000308, 0x90000000 };
static const struct core_ids rocket = { 0, 1, 0x20181004 };
static const struct core_ids ax45 = { 0x31e, 0x8000000000008a45, 0x500 };
static const struct core_ids c906_or_c910 = { 0x5b7, 0, 0 };
static const struct core_ids c908 = { 0x5b7, 0x8000000009140d00, 0x50000 };
static const struct core_ids a210 = { 0x5b7, 0x8000000009140d00, 0x100d000 };
static const struct core_ids a210_c920 = { 0x5b7, 0x80000000090c0d00, 0x100d000 };
static const struct core_ids like_c908 = { 0x5b7, 0x8000000009140d00, 0x200000 };
static const struct core_ids c930 = { 0x5b7, 0x8000000009201600, 0x10000 };
static const struct core_ids c950 = { 0x5b7, 0x8000000009241600, 0 };
static const struct core_ids boom = { 0, 2, 0x20181004 };
static const struct core_ids v100 = { 0x710, 0x8000000058000002, 0x4c4d900 };
static const struct core_ids a100 = { 0x710, 0x8000000041000002, 0x10000000d5686200 };
static const struct core_ids x61 = { 0x710, 0x8000000058000009, 0 };
static const struct core_ids unknown = {};

static bool is_text(const char *path, const char *text)
{
	const char *got = perf_sysfs(path);

	if (!got == !text && (!got || !strcmp(got, text)))
		return true;
	note("%s: %s", path, got ?: "not there");
	return false;
}

/* An event of each board: NULL, it has no name; and what the log says */
static const struct {
	const char *board;
	const struct core_ids *ids; /* NULL: the board's */
	const char *table, *event, *config, *log;
} names[] = {
	{ "k1", NULL, "x60", "alu_inst", "event=0x24,firmware=0x0", "firmware takes 164 of 164" },
	{ "k1", NULL, "x60", "l2_store_stall", "event=0xbd,firmware=0x0", "SpacemiT X60: events by table x60 of 20" },
	{ "th1520", NULL, "c900", "inst_fp", "event=0x2a,firmware=0x0", "C920: branches are conditional ones only" },
	{ "sg2044", NULL, "c900", "inst_fp", "event=0x2a,firmware=0x0", "firmware takes 42 of 42" },
	{ "d1", NULL, "c906", "inst_store", "event=0xb,firmware=0x0", "firmware takes 12 of 26" },
	{ "th1520", &c906_or_c910, "c906", "lsu_spec_fail", NULL, "T-Head C906: no device tree names a core" },
	{ "jh7110", NULL, "u74", "branch_direction_misprediction", "event=0x2001,firmware=0x0",
	  "firmware takes 35 of 35" },
	{ "fu740", NULL, "u74", "fp_interlock", "event=0x40001,firmware=0x0", "firmware takes 34 of 35" },
	{ "eic7700", NULL, "p550", "pte_cache_hit", "event=0x10002,firmware=0x0", "firmware takes " },
	{ "eic7700", NULL, "p550", "longlatency_interlock", NULL, "SiFive P550" },
	{ "th1520", &ax45, "ax45", "cycle_count", "event=0x10,firmware=0x0", "Andes AX45" },
	{ "fu740", &bullet_0d, "bullet-0d", "replay", "event=0x10001,firmware=0x0", "SiFive 7 series" },
	{ "fu740", &p650, "p650", "icache_miss", "event=0x102,firmware=0x0", "SiFive P650" },
	{ "fu740", &rocket, "rocket", "exception_taken", "event=0x100,firmware=0x0", "Rocket: events by" },
	{ "fu740", &boom, "boom", "branch_misprediction", "event=0x201,firmware=0x0", "firmware takes 10 of 11" },
	{ "k1", &c908, "c908", "inst_branch", "event=0x36,firmware=0x0", "firmware takes 16 of 16" },
	{ "k1", &c930, "c930", "uop_ret", "event=0x17,firmware=0x0", "firmware takes 142 of 142" },
	{ "k1", &c950, "c950", "uop_ret", "event=0x17,firmware=0x0", "XuanTie C950" },
	{ "k1", &a210, "c908", "l1_icache_miss", "event=0x2,firmware=0x0", "T-Head C908" },
	{ "sg2044", &a210_c920, "c900", "inst_branch", "event=0x7,firmware=0x0", "firmware takes 42 of 42" },
	{ "k3-made-up", NULL, "x100", "issued_inst", "event=0x2d,firmware=0x0", "firmware takes 35 of 35" },
	{ "k3-made-up", &v100, "x100", "stall_frontend", "event=0x4,firmware=0x0", "SpacemiT X100" },
	{ "k3-made-up", &a100, "a100", "load_inst", "event=0x2d,firmware=0x0", "firmware takes 22 of 22" },
	{ "k1", &x61, NULL, "br_inst", NULL, NULL },
	{ "th1520", &like_c908, NULL, "inst_fp", NULL, NULL },
	{ "fu740", &like_it, NULL, "exception_taken", NULL, NULL },
	{ "th1520", &unknown, NULL, "inst_fp", NULL, NULL },
};

static void test_names(void)
{
	char path[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		boot_board(names[i].board, names[i].ids, NULL);
		snprintf(path, sizeof(path), "events/%s", names[i].event);
		check(is_text("caps/event_table", names[i].table) && is_text(path, names[i].config) &&
		      host_logged("no device tree names a core") == (names[i].ids == &c906_or_c910) &&
		      (names[i].log ? host_logged(names[i].log) : !host_logged("events by table")),
		      "cores.%s_%s", names[i].table ?: names[i].ids == &like_c908 ? "like_c908" : "no_table",
		      names[i].event);
		/* The model of a board without filters minds the events of another core. */
		unload_unchecked();
	}
	boot_board("fu740", &rocket, NULL);
	check(is_text("format/set", "config:0-7") && is_text("format/bits", "config:8-55"),
	      "cores.fields_of_a_selector");
	boot_board("k1", NULL, NULL);
	check(is_text("format/set", NULL) && is_text("caps/slots", NULL), "cores.no_fields_elsewhere");
	boot_board("k1", &c930, NULL);
	check(is_text("caps/slots", "0x00000008"), "cores.slots_where_formulas_need_them");
}

#define HW(event)	PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event

/* What counts as a standard event; with firmware_map=1, if @map */
static const struct {
	const char *board, *what;
	bool map;
	u32 type;
	u64 config;
	int error;
	u32 idx;
	u64 data;
} standards[] = {
	{ "k1", "branches", false, HW(BRANCH_INSTRUCTIONS), 0, RAW, 60 },
	{ "k1", "branches", true, HW(BRANCH_INSTRUCTIONS), 0, 5, 0 },
	{ "k1", "cache_misses_that_firmware_lacks", false, HW(CACHE_MISSES), 0, RAW, 0xb9 },
	{ "k1", "cache_misses_that_firmware_lacks", true, HW(CACHE_MISSES), -ENOENT, 0, 0 },
	{ "k1", "frontend_stalls_that_firmware_has", false, HW(STALLED_CYCLES_FRONTEND), 0, 8, 0 },
	{ "th1520", "bus_cycles", false, HW(BUS_CYCLES), -ENOENT, 0, 0 },
	{ "th1520", "bus_cycles", true, HW(BUS_CYCLES), 0, 7, 0 },
	{ "th1520", "cache_misses", false, HW(CACHE_MISSES), 0, RAW, 0x11 },
	{ "th1520", "branch_misses", false, HW(BRANCH_MISSES), 0, RAW, 6 },
	{ "th1520", "L2_loads", false, PERF_TYPE_HW_CACHE, 2, 0, RAW, 0x10 },
	{ "duo", "L2_loads", false, PERF_TYPE_HW_CACHE, 2, -ENOENT, 0, 0 },
	{ "d1", "cache_misses_without_that_row", false, HW(CACHE_MISSES), -ENOENT, 0, 0 },
	{ "d1", "instruction_cache_loads", false, PERF_TYPE_HW_CACHE, 1, 0, RAW, 1 },
	{ "jh7110", "branch_misses_of_one_kind", false, HW(BRANCH_MISSES), 0, 6, 0 },
	{ "eic7700", "branch_misses_of_both_kinds", false, HW(BRANCH_MISSES), 0, RAW, 0x6001 },
	{ "eic7700", "branch_misses_of_one_kind", true, HW(BRANCH_MISSES), 0, 6, 0 },
	{ "sg2044", "ref_cycles_without_selector", false, HW(REF_CPU_CYCLES), -ENOENT, 0, 0 },
	{ "fu740", "unified_tlb_is_no_cache", false, PERF_TYPE_HW_CACHE, 0x10002, -ENOENT, 0, 0 },
};

/* By perf's type and by our own, which is that of the files in events/ */
static void test_standards(void)
{
	int at;

	for (unsigned int i = 0; i < ARRAY_SIZE(standards); i++) {
		const struct perf_event_attr attr = {
			.type = standards[i].type, .config = standards[i].config,
		};

		boot_board(standards[i].board, NULL, standards[i].map ? "firmware_map=1" : NULL);
		check(opens_as(attr, standards[i].error, standards[i].idx, standards[i].data, 0, &at),
		      "cores.%s_%s%s", standards[i].board, standards[i].what,
		      standards[i].map ? "_by_firmware" : "");
	}
	boot_board("k1", NULL, NULL);
	check(opens_as(*ATTR(STANDARD_EVENT(5)), 0, RAW, 60, 0, &at) && perf_sysfs("events/branches"),
	      "cores.own_type_is_right_too");
	check(is_text("caps/replaced_events", "branches=br_inst branch-misses=br_mispred") &&
	      host_logged("2 standard events, which firmware of such cores maps wrongly"),
	      "cores.says_what_is_replaced");
	boot_board("k1", NULL, "firmware_map=1");
	check(is_text("caps/replaced_events", "none"), "cores.says_that_nothing_is_replaced");
	boot_board("jh7110", NULL, "firmware_map=1");
	check(!host_logged("may count only a part"), "cores.says_nothing_of_what_is_left_to_firmware");
	boot(&(struct machine){ .hpm = 16, .quirks = KVM, .vendor = 0x5b7 });
	check(is_text("caps/event_table", "c906") && is_text("caps/replaced_events", "none"),
	      "cores.guest_leaves_standard_events_to_its_host");
	boot_board("th1520", NULL, NULL);
	check(!perf_sysfs("events/bus-cycles") && perf_sysfs("events/stalled-cycles-frontend"),
	      "cores.refused_events_are_not_listed");
	boot_board("sg2042", NULL, NULL);
	check(!open_errno(ATTR(0x10)) && strstr(host_debugfs("events"), "\n0x20000 0x10 3-18\n"),
	      "cores.L2_events_are_on_the_first_16_counters");
	boot_board("jh7110", NULL, NULL);
	check(host_logged("branch-misses: firmware may count only a part of them"),
	      "cores.says_what_counts_a_part");
}

/* SpacemiT K3: two kinds of cores, and two counters for one event each */
static void test_k3(void)
{
	int at;

	boot_board("k3-made-up", NULL, NULL);
	check(is_text("events/issued_inst", "event=0x2d,firmware=0x0") &&
	      is_text("events/load_inst", NULL) &&
	      !strcmp(perf_sysfs_of(perf_core.pmus[1], "events/load_inst") ?: "",
		      "event=0x2d,firmware=0x0") &&
	      host_logged("SpacemiT A100: events by table a100"),
	      "cores.k3_kinds_have_their_own_names");
	check(opens_as(*ATTR(0x1e), 0, RAW, 0x1e, 0, &at) && at == 17 &&
	      opens_as(*GENERAL(1, .exclude_kernel = 1), 0, RAW, 0x1f, SPEC_CFG_SINH, &at) && at == 18 &&
	      opens_as(*ATTR(0x2d), 0, RAW, 0x2d, 0, &at) && at < 17,
	      "cores.k3_cycles_and_instructions_have_own_counters");
}

/* A name costs three SBI calls at load, whatever the number of counters; few events cost more. */
static void test_calls(void)
{
	unsigned long without, with;

	boot_board("k1", &x61, NULL);
	without = all_calls();
	boot_board("k1", NULL, NULL);
	with = all_calls();
	note("SBI calls at load: %lu with a table of 164 events, %lu without", with, without);
	check(with - without < 164 * 3 + 8 * 3 * 20, "cores.calls_of_names_are_bounded");
}

CAN(is_standard, code->idx < RAW)

static void stray(void)		{ fakesbi.stray = 4; }
static void always_stray(void)	{ fakesbi.stray = 1; }

/* Firmware that may take any counter is asked again; in shared mode that takes too long. */
static void test_strays(void)
{
	struct machine m = { .hpm = 29, .quirks = OPENSBI_NEW, .vendor = rocket.vendor,
			     .arch = rocket.arch, .mimpid = rocket.mimpid, .prepare = stray };

	fakesbi_seed(1);
	boot(&m);
	check(host_logged("firmware takes 35 of 35"), "cores.wrong_answers_lose_no_name");
	m.prepare = always_stray;
	check(!boot(&m) && host_logged("firmware takes 0 of 35"), "cores.wrong_answers_end");
	fakesbi.stray = 0;
	m.prepare = NULL;
	m.other = "cpu";
	m.can = is_standard;
	boot(&m);
	note("SBI calls at load in shared mode: %lu", all_calls());
	check(all_calls() < 6000, "cores.names_that_firmware_refuses_take_few_calls");
}

void test_cores(void)
{
	test_names();
	test_standards();
	test_k3();
	test_calls();
	test_strays();
}
