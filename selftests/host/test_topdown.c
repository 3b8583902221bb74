// SPDX-License-Identifier: GPL-2.0-only
/* test_topdown: sbi-topdown's shares, computed by hand; what it prints; how it finds events. */
#include "../../tools/sbi-topdown/topdown.h"
#include "test.h"

#define XUANTIE		td_model_of("c930")
#define XIANGSHAN	td_model_of("v2r2-2025")

#define X(name, level) EV_##name,
enum { TD_EVENTS_xiangshan(X) N_EVENTS };
#undef X

/* Counts of 1000 cycles, in the order of the events */
static struct td_report plain = {
	.what = "all 4 CPUs", .table = "v2r2", .seconds = 12.5,
	.sample = {
		.enabled = 1000, .running = 1000, .n_events = N_EVENTS, .slots = 6,
		.count = {
			[EV_cycles] = 1000, [EV_instructions] = 3000, [EV_front_bubble] = 600,
			[EV_inst_spec_recovery] = 3600, [EV_fetch_latency_bound] = 40,
			[EV_br_mis_pred] = 30, [EV_total_flush] = 10, [EV_exec_stall_cycle] = 500,
			[EV_memstall_store] = 50, [EV_memstall_any_load] = 250,
			[EV_memstall_l1miss] = 200, [EV_memstall_l2miss] = 120,
			[EV_memstall_l3miss] = 30,
		},
	},
};

static char text[65536];

/* Call a function that prints to "out", and keep its output in text. */
#define PRINTED(call) do {					\
		FILE *out = fmemopen(text, sizeof(text), "w");	\
		call;						\
		fclose(out);					\
	} while (0)

/* Does the text contain @what? */
static bool has(const char *what)
{
	if (strstr(text, what))
		return true;
	note("no '%s' in:\n%s", what, text);
	return false;
}

/* Are these the shares in CSV? */
static bool shares_are(const struct td_report *report, const char *shares)
{
	PRINTED(td_show_csv(out, report));
	return has(shares);
}

/* The part of a report that has the events of a level. */
static struct td_report up_to(unsigned int n_events)
{
	struct td_report less = plain;

	less.sample.n_events = n_events;
	memset(&less.sample.count[n_events], 0, (N_EVENTS - n_events) * sizeof(u64));
	return less;
}

static void test_shares(void)
{
	struct td_report r = plain;

	/*
	 * 6000 slots: 3000 retired; 600 empty; 3600 - 3000 wasted; 1800 left for the backend.
	 * Latency 40 of 1000 cycles, bandwidth .1 - .04; 30 and 10 of 40 flushes of .1;
	 * memory 250 + 50; L1 50, L2 80, L3 90, DRAM 30, stores 50; core 500 - 300.
	 */
	check(shares_are(&r, "12.500000,0,1.0000,0.500000,0.100000,0.040000,0.060000,0.100000,0.07") &&
	      has("0.100000,0.075000,0.025000,0.300000,0.300000,0.050000,0.080000,0.090000,") &&
	      has("0.090000,0.030000,0.050000,0.200000,1000,3000,600,"), "topdown.level3_shares");
	r.sample.slots = 8;
	check(shares_are(&r, "0,0.375000,0.075000,0.040000,0.035000,0.075000,0.056250,0.018750,0.475000,"),
	      "topdown.shares_of_8_slots");
	r = up_to(EV_memstall_l3miss);
	check(shares_are(&r, ",0.050000,0.080000,0.120000,,0.050000,0.200000,1000,"),
	      "topdown.level3_without_l3miss");
	r = up_to(td_events_of_level(XIANGSHAN, 2));
	check(shares_are(&r, ",0.300000,,,,,,0.200000,1000,"), "topdown.level2_shares");
	r = up_to(td_events_of_level(XIANGSHAN, 1));
	check(shares_are(&r, "0,0.500000,0.100000,,,0.100000,,,0.300000,,,,,,,,1000,3000,600,3600,,"),
	      "topdown.level1_shares");
	/* All retire, and more: no remainder is negative; without flushes none is divided. */
	memset(r.sample.count, 0, sizeof(r.sample.count));
	r.sample.n_events = N_EVENTS;
	r.sample.count[EV_cycles] = 100;
	r.sample.count[EV_instructions] = 700;
	r.sample.count[EV_fetch_latency_bound] = 50;
	check(shares_are(&r, "0,1.166667,0.000000,0.500000,0.000000,0.000000,0.000000,0.000000,0.000000,"),
	      "topdown.no_negative_shares");
	PRINTED(td_show_csv_head(out, XIANGSHAN));
	check(has("running,retiring,frontend_bound,fetch_latency,fetch_bandwidth,bad_speculation,") &&
	      has("bad_speculation,branch_mispredicts,machine_clears,backend_bound,memory_bound,") &&
	      has("memory_bound,l1_bound,l2_bound,l3_bound,mem_bound,store_bound,core_bound,cycles,"),
	      "topdown.csv_head");
}

/*
 * XuanTie's formulas, counts in the order of its events: of 8000 slots 2000 retire, 1200 - 8 * 50 are
 * empty, and 2800 - 2000 + 8 * 50 wasted; of 100 flushes 60 are of branches, 20 of memory order; 300 + 100
 * of 1000 cycles wait for memory, 80 of these for the L2, 120 for what is beyond.
 */
static struct td_report xuantie = {
	.what = "sh", .table = "c930", .seconds = 12.5,
	.sample = {
		.enabled = 1000, .running = 1000, .n_events = 16, .slots = 8,
		.count = { 1000, 2000, 1200, 50, 2800, 480, 60, 5, 5, 10, 8, 12, 300, 100, 80, 120 },
	},
};

static void test_xuantie(void)
{
	const unsigned int stores = 13;
	const struct td_style style = {};
	struct td_report r = xuantie;
	struct td_profile p;

	check(shares_are(&r, "0,1.0000,0.250000,0.100000,0.060000,0.040000,0.150000,0.090000,0.030000,") &&
	      has(",0.030000,0.500000,0.200000,0.050000,0.040000,0.060000,0.050000,0.300000,1000,2000,"),
	      "topdown.xuantie_level3_shares");
	PRINTED(td_show_summary(out, &r, &style));
	check(has("Top-down of sh, at 12 s, IPC 2.00, 1.00 GHz, table c930\n") &&
	      has("\n      L3 or DRAM          6.0 %") && has("Look at: Backend bound > Core bound\n") &&
	      !strstr(text, "Note"), "topdown.xuantie_text");
	check(td_find_bottleneck(&r, &p) && p.event == EV_CYCLES, "topdown.xuantie_core_bound_samples_cycles");
	r.sample.count[stores] = 600;
	r.sample.n_events = td_events_of_level(XUANTIE, 2);
	check(td_find_bottleneck(&r, &p) && !strcmp(p.label, "Memory bound") && p.event == stores &&
	      !strcmp(XUANTIE->events[stores].name, "topdown_backend_bound_memory_store"),
	      "topdown.xuantie_stores_are_sampled");
	r = xuantie;
	r.sample.slots = 4;
	check(shares_are(&r, "0,1.0000,0.500000,0.250000,0.120000,0.130000,0.250000,"),
	      "topdown.xuantie_shares_of_4_slots");
}

/*
 * SpacemiT's, counts as those of QEMU's model (model.h) in 4096 cycles. X100: of 16384 slots 4096 retire, 1024 are
 * wasted, and the rest is divided as 1024 to 1792; 16 * 13, 14 * 25 + 5 * 82, 30 * 25, 2 * 294 and 4 * 82 of 4096
 * cycles. A100: of 12288 slots 4096 retire; 16 * 9 and 14 * 35 of 4096 cycles, and 1024 to 2048.
 */
static void test_spacemit(void)
{
	struct td_report r = {
		.table = "x100",
		.sample = {
			.model = td_model_of("x100"), .enabled = 1, .running = 1, .n_events = 14, .slots = 4,
			.count = { 4096, 4096, 5120, 1024, 1792, 264, 520, 1536, 16, 14, 5, 32, 2, 4 },
		},
	};
	struct td_profile p;

	check(shares_are(&r, "1.0000,0.250000,0.016113,0.031738,0.093750,0.108398,0.062500,0.050781,0.01") &&
	      has(",0.011719,0.250000,0.050781,0.185547,0.013672,0.437500,0.406738,0.183105,0.143555,") &&
	      has(",0.143555,0.080078,0.030762,4096,4096,5120,1024,1792,264,"), "topdown.x100_level3_shares");
	check(td_find_bottleneck(&r, &p) && !strcmp(p.label, "L2") &&
	      !strcmp(r.sample.model->events[p.event].name, "l1d_read_miss") &&
	      td_events_of_level(r.sample.model, 2) == 14 && td_events_of_level(r.sample.model, 1) == 5,
	      "topdown.x100_loads_that_miss_are_sampled");
	/* Misses that overlap cost less than their sum, and a part is no larger than the whole. */
	r.sample.count[12] = 20;
	check(shares_are(&r, ",0.437500,0.437500,"), "topdown.x100_misses_that_overlap");
	r.sample = (struct td_sample){
		.model = td_model_of("a100"), .enabled = 1, .running = 1, .n_events = 6, .slots = 3,
		.count = { 4096, 4096, 16, 1024, 2048, 14 },
	};
	check(shares_are(&r, "1.0000,0.333333,0.035156,0.210503,0.119629,0.090875,0.421007,4096,"),
	      "topdown.a100_shares");
}

static void test_no_shares(void)
{
	const struct td_style style = {};
	struct td_report none = plain;

	none.sample.running = 989;
	PRINTED(check(!td_show_csv(out, &none), "topdown.no_shares_if_displaced"));
	check(has("0.9890,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n"), "topdown.no_counts_if_displaced");
	PRINTED(td_show_summary(out, &none, &style));
	check(has("all 4 CPUs: no numbers, other events had the counters for 1.1 % of the time"),
	      "topdown.reason_if_displaced");
	none.sample.running = 991;
	PRINTED(check(td_show_csv(out, &none), "topdown.shares_if_hardly_displaced"));
	memset(&none.sample, 0, sizeof(none.sample));
	PRINTED(check(!td_show_summary(out, &none, &style), "topdown.no_shares_without_cycles"));
	check(has("all 4 CPUs: no numbers, nothing ran"), "topdown.reason_in_summary");
}

static void test_summary(void)
{
	struct td_style style = {};
	struct td_report r = plain;

	PRINTED(td_show_summary(out, &plain, &style));
	check(has("Top-down of all 4 CPUs, at 12 s, IPC 3.00, 1.00 GHz, table v2r2\n") &&
	      has("\nRetiring                 50.0 %  Slots used by instr") &&
	      has("\n   Memory bound          30.0 %  ") && has("\n      DRAM                3.0 %  ") &&
	      has("Look at: Retiring\n") && !strstr(text, "Note"), "topdown.text");
	r = up_to(EV_memstall_l3miss);
	r.user_only = true;
	r.sample.count[EV_instructions] = 300;
	style.width = 74;
	PRINTED(td_show_summary(out, &r, &style));
	check(has("L3 or DRAM         12.0 %  #####...................................\n") && has("Note: no counter was left") &&
	      has("Note: user mode only"), "topdown.bars_and_notes");
	style.utf8 = true;
	style.width = 200;
	PRINTED(td_show_summary(out, &r, &style));
	check(has("L3 or DRAM         12.0 %  ████████····"), "topdown.bars_in_utf8");
}

static void test_bottleneck(void)
{
	struct td_report r = plain;
	struct td_profile p;

	r.sample.count[EV_instructions] = 300;
	check(td_find_bottleneck(&r, &p) && !strcmp(p.label, "Branch mispredicts") &&
	      p.event == EV_br_mis_pred && p.period == 1, "topdown.bottleneck");
	r.sample.count[EV_inst_spec_recovery] = 300;
	r.sample.count[EV_memstall_any_load] = 1000000;
	check(td_find_bottleneck(&r, &p) && !strcmp(p.label, "L1") &&
	      p.event == EV_memstall_any_load && p.period == 200, "topdown.bottleneck_of_level3");
	r.sample.n_events = td_events_of_level(XIANGSHAN, 2);
	r.sample.count[EV_memstall_store] = 5000000;
	r.seconds = 1;
	check(td_find_bottleneck(&r, &p) && !strcmp(p.label, "Memory bound") &&
	      p.event == EV_memstall_store && p.period == 5000, "topdown.more_stores_sample_stores");
	r.sample.running = 0;
	check(!td_find_bottleneck(&r, &p), "topdown.no_bottleneck_without_shares");
}

/* ---- events in sysfs ---- */

static char devices[32] = "/tmp/topdown.XXXXXX";

static bool refuses(unsigned int level, const char *error)
{
	struct td_set set = {};

	if (!td_find_events(&set, level) && strstr(set.error, error))
		return true;
	note("%s", *set.error ? set.error : "not refused");
	return false;
}

static void put(const char *dir, const char *file, const char *content)
{
	write_pmu_file(devices, "cpu", dir, file, content);
}

static void test_find(void)
{
	struct td_set set = {};
	char name[96];

	check(refuses(1, "sbi_pmu is not loaded"), "topdown.refuses_missing_pmu");
	put(".", "type", "4");
	check(refuses(1, "sbi_pmu is not loaded"), "topdown.refuses_pmu_of_other_driver");
	put("caps", "mode", "exclusive");
	check(refuses(1, "xiangshan=TABLE"), "topdown.refuses_missing_event_table");
	put("caps", "event_table", "v3");
	check(refuses(1, "no formulas for this core (event table v3)"), "topdown.refuses_missing_slots");
	put("caps", "slots", "0x40");
	check(refuses(1, "no formulas for this core (event table v3)"), "topdown.refuses_wrong_slots");
	put("caps", "slots", "0x00000008");
	put("format", "event", "config:0-55");
	put("format", "firmware", "config:62-63");
	put("format", "event0", "config:0-9");
	put("format", "op0", "config:40-44");
	put("events", "cycles", "event=0x1,firmware=0x1");
	put("events", "hw_instructions", "event=0x2,firmware=0x1");
	check(refuses(1, "no event front_bubble on this core (table v3)"),
	      "topdown.refuses_missing_event");
	put("events", "front_bubble", "event0=0x400");
	check(refuses(1, "no event front_bubble"), "topdown.refuses_value_outside_field");
	put("events", "front_bubble", "event0=0x15,op0");
	put("events", "inst_spec_recovery", "event0=0x5,op0=0x4");
	check(td_find_events(&set, 1) && set.attr[0].type == 4 && set.slots == 8 &&
	      set.attr[EV_cycles].config == 0x4000000000000001 &&
	      set.attr[EV_instructions].config == 0x4000000000000002 &&
	      set.attr[EV_front_bubble].config == 0x10000000015 &&
	      set.attr[EV_inst_spec_recovery].config == 0x40000000005, "topdown.finds_events");
	set.user_only = true;
	td_name_event(&set, EV_instructions, name);
	check(!strcmp(name, "cpu/hw_instructions/u"), "topdown.name_for_perf");
	check(refuses(2, "Level 1 is available"), "topdown.suggests_available_level");
	for (unsigned int i = td_events_of_level(XIANGSHAN, 1); i < EV_memstall_l3miss; i++)
		put("events", XIANGSHAN->events[i].name, "event=0x7");
	check(td_find_events(&set, 3) && set.n_events == EV_memstall_l3miss,
	      "topdown.level3_can_do_without_l3miss");
	put("caps", "event_table", "c930");
	for (unsigned int i = 1; i < td_events_of_level(XUANTIE, 2); i++)
		put("events", XUANTIE->events[i].name, "event=0x17");
	set = (struct td_set){};
	check(td_find_events(&set, 2) && set.model == XUANTIE && !strcmp(set.table, "c930") &&
	      set.attr[EV_RETIRED].config == 0x17, "topdown.finds_events_of_xuantie");
	check(refuses(3, "no event topdown_backend_bound_memory_load_l1_miss on this core (table c930)"),
	      "topdown.xuantie_has_no_spare_event");
	set = (struct td_set){ .pmu = "cpu_a100" };
	check(!td_find_events(&set, 1) && strstr(set.error, "no PMU cpu_a100"), "topdown.refuses_missing_other_pmu");
	for (unsigned int i = 0; i < td_events_of_level(td_model_of("a100"), 2); i++)
		write_pmu_file(devices, "cpu_a100", "events", td_model_of("a100")->events[i].name, "event=0x1e");
	write_pmu_file(devices, "cpu_a100", ".", "type", "9");
	write_pmu_file(devices, "cpu_a100", "caps", "mode", "exclusive");
	write_pmu_file(devices, "cpu_a100", "caps", "slots", "0x3");
	write_pmu_file(devices, "cpu_a100", "caps", "event_table", "a100");
	write_pmu_file(devices, "cpu_a100", "format", "event", "config:0-55");
	set = (struct td_set){ .pmu = "cpu_a100" };
	check(td_find_events(&set, 3) && set.model == td_model_of("a100") && set.n_events == 6 &&
	      set.attr[EV_CYCLES].type == 9 && set.attr[EV_CYCLES].config == 0x1e,
	      "topdown.finds_events_of_other_pmu");
}

void test_topdown(void)
{
	plain.sample.model = XIANGSHAN;
	xuantie.sample.model = XUANTIE;
	test_shares();
	test_xuantie();
	test_spacemit();
	test_no_shares();
	test_summary();
	test_bottleneck();
	td_devices = devices;
	if (check(mkdtemp(devices), "topdown.sysfs_directory_created"))
		test_find();
	check(remove_tree(devices), "topdown.sysfs_directory_removed");
}
