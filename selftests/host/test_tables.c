// SPDX-License-Identifier: GPL-2.0-only
/* test_tables: XiangShan's event tables, and the choice of one. */
#include "test.h"

/* A table's name as part of a result's name */
const char *id_of(const char *name)
{
	static char id[32];
	unsigned int i;

	for (i = 0; name[i] && i < sizeof(id) - 1; i++)
		id[i] = name[i] == '-' ? '_' : name[i];
	id[i] = '\0';
	return id;
}

/* Each counter takes only events with the tag of its unit. */
static bool can_by_tag(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	return idx >= 3 + 8 * (code->data >> 8 & 3) && idx < 11 + 8 * (code->data >> 8 & 3);
}

static bool name_right(const struct sbi_pmu_table *table, const struct sbi_pmu_name *name)
{
	const struct sbi_pmu_caps xiangshan = {
		.vendor = &units_vendor, .vendor_data = (void *)table->bits,
	};
	const struct perf_event_attr attr = { .config = name->config };
	struct sbi_pmu_support support = {};
	struct sbi_pmu_event_code code;
	struct sbi_pmu_mask window;

	if (sbi_pmu_event_encode(&xiangshan, &attr, true, &code) ||
	    code.unit == SBI_PMU_UNIT_ANY || (code.data >> 8 & 3) != code.unit - 1)
		return false;
	window = sbi_pmu_selector_candidates(&cpu.inv, code.unit);
	cpu_probe(&code, &window, &support);
	return sbi_pmu_mask_weight(&support.can) == (code.unit == SBI_PMU_UNIT_CACHE ? 5 : 8) &&
	       sbi_pmu_mask_empty(&support.cannot);
}

static void test_names(const struct sbi_pmu_table *table)
{
	unsigned int twice = 0, wrong = 0;

	boot(29, 0, 64);
	fakesbi.can = can_by_tag;
	for (unsigned int i = 0; i < table->total; i++) {
		wrong += !name_right(table, &table->names[i]);
		for (unsigned int j = 0; j < i; j++)
			twice += !strcmp(table->names[i].name, table->names[j].name) ||
				 table->names[i].config == table->names[j].config;
	}
	/* dtlb_load and dtlb_load_miss are other names of two events, in some tables. */
	if (sbi_pmu_table_config(table, "dtlb_ld_access"))
		twice -= 2;
	note("table %s: %u names, %u twice, %u not on their unit's counters", table->name,
	     table->total, twice, wrong);
	check(table->total > 200 && !twice && !wrong, "tables.%s_names_unique_and_countable",
	      id_of(table->name));
	sbi_pmu_counters_offline(&cpu.counters);
}

#define CONFIG(unit, data)	((u64)(unit) << 56 | (data))

/* Contents of the selector, made by hand from the core's documents */
static const struct { const char *table, *name; u64 config; } known[] = {
	{ "user-guide", "front_bubble", CONFIG(1, 0x15) },
	{ "user-guide", "cycles_memory", CONFIG(3, 0x1dc76) },
	{ "user-guide", "l2_access", 0 },
	{ "user-guide", "conflicta", 0 },
	{ "user-guide", "icache_miss_cnt", 0 },
	{ "v2r2-2025", "front_bubble", CONFIG(1, 0x15) },
	{ "v2r2-2025", "fetch_latency_bound", CONFIG(1, 0x16) },
	{ "v2r2-2025", "rob_commitinstr", CONFIG(2, 0x33) },
	{ "v2r2-2025", "cycles_memory", CONFIG(3, 0x1e077) },
	{ "v2r2-2025", "cycles_backend", CONFIG(2, 0xf43c0ec3aULL) },
	{ "v2r2-2025", "inst_spec_recovery", CONFIG(2, 0x40000001805ULL) },
	{ "v2r2-2025", "l2_access", CONFIG(4, 0x10840a41d04405ULL) },
	{ "v2r2-2025", "l1d_load", CONFIG(3, 0x1084000651805bULL) },
	{ "v2r2-2025", "l1d_load_miss", CONFIG(3, 0x10840001503807ULL) },
	{ "v2r2-2025", "dtlb_load_miss", CONFIG(3, 0x10840001303005ULL) },
	{ "v2r2-2025", "slice3_l2_cache_inv", 0 },
	{ "v2r2-2025", "ibuffer_full", 0 },
	{ "v2r2-2026", "rob_commitinstr", CONFIG(2, 0x35) },
	{ "v2r2-2026", "cycles_memory", CONFIG(3, 0x22889) },
	{ "v2r2-2026", "cycles_backend", CONFIG(2, 0xfc3e0f43cULL) },
	{ "v2r2-2026", "l2_access", CONFIG(4, 0x10840e82906007ULL) },
	{ "v2r2-2026", "l2_miss_rd", CONFIG(4, 0x108410c3208410ULL) },
	{ "v2r2-2026", "l1d_load_miss", CONFIG(3, 0x1084000771c069ULL) },
	{ "v2r2-2026", "dtlb_load_miss", CONFIG(3, 0x79) },
	{ "v2r2-2026", "itlb_miss", CONFIG(1, 0x39) },
	{ "v2r2-2026", "l1d_write_dcache_miss", 0 },
	{ "v3", "cycles_memory", CONFIG(3, 0x21c86) },
	{ "v3", "l1d_prefetch", CONFIG(3, 0x10840001703c07ULL) },
	{ "v3", "br_mis_pred", CONFIG(2, 0x3f) },
	{ "v3", "rob_commitinstr", CONFIG(2, 0x33) },
	{ "v3", "ibuffer_full", 0 },
	{ "v3", "bpinstr", 0 },
};

static void test_known(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++) {
		const struct sbi_pmu_table *table = sbi_pmu_table_find(known[i].table);
		u64 config = table ? sbi_pmu_table_config(table, known[i].name) : ~0ULL;

		if (config != known[i].config)
			note("%s is %#llx", known[i].name, (unsigned long long)config);
		check(config == known[i].config, "tables.%s_config_of_%s", id_of(known[i].table),
		      known[i].name);
	}
}

/* Standard events, made by hand from the device trees in dts/; 0: none */
static const struct {
	const char *table;
	u32 idx;
	u64 config;
} standards[] = {
	{ "user-guide", SBI_PMU_HW_CPU_CYCLES, CONFIG(3, 0x1dc76) },
	{ "user-guide", SBI_PMU_HW_CACHE_REFERENCES, 0 },
	{ "v2r2-2025", SBI_PMU_HW_BRANCH_INSTRUCTIONS, CONFIG(1, 0x21) },
	{ "v3", SBI_PMU_HW_INSTRUCTIONS, CONFIG(2, 0x33) },
	{ "v3", SBI_PMU_HW_CACHE_REFERENCES, CONFIG(4, 0x10840e82906007ULL) },
	{ "v3", SBI_PMU_HW_BRANCH_INSTRUCTIONS, CONFIG(2, 0x3e) },
	{ "v3", SBI_PMU_HW_BUS_CYCLES, 0 },
	{ "v3", 0x10000, CONFIG(3, 0x1084000731b065ULL) },
	{ "v3", 0x10028, 0 },
};

static void test_standards(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(standards); i++) {
		const u64 config = sbi_pmu_table_standard(sbi_pmu_table_find(standards[i].table),
							  standards[i].idx);

		if (config != standards[i].config)
			note("it is %#llx", (unsigned long long)config);
		check(config == standards[i].config, "tables.%s_standard_event_%x",
		      id_of(standards[i].table), standards[i].idx);
	}
}

#define BOSC	0x86f

/* The fields of a name, whether it is shown or not. */
static const struct sbi_pmu_name *find_name(const struct sbi_pmu_table *table, const char *name)
{
	for (unsigned int i = 0; i < table->total; i++)
		if (!strcmp(table->names[i].name, name))
			return &table->names[i];
	return NULL;
}

/* Events of two units with a fault in all tables; later RTL has mended the second. */
static void test_withheld(const struct sbi_pmu_table *table)
{
	static const char *const names[] = { "ibuffer_full", "ptw_l2_hit" };
	static const u32 units[] = { SBI_PMU_UNIT_FRONTEND, SBI_PMU_UNIT_MEMORY };
	unsigned int wrong = 0, shown = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		const struct sbi_pmu_name *name = find_name(table, names[i]);

		wrong += !name || !name->withheld || sbi_pmu_table_config(table, names[i]) ||
			 FIELD_GET(SBI_PMU_CFG_UNIT, name->config) != units[i];
	}
	for (unsigned int i = 0; i < table->total; i++)
		shown += !!sbi_pmu_table_config(table, table->names[i].name);
	check(!wrong && shown + sbi_pmu_table_withheld(table) == table->total,
	      "tables.%s_withheld_names_are_kept_apart", id_of(table->name));
}

static const struct {
	const char *name, *wish;
	struct sbi_pmu_core core;
	int ret;
	const char *table;	/* NULL: none */
	bool why;		/* is there a reason for the log? */
} choices[] = {
	{ "other_core", "auto", { .arch = 1, .vendor = 0x5b7 }, 0, NULL, false },
	{ "other_core_of_vendor", "auto", { .arch = 1, .vendor = BOSC },
	  0, NULL, false },
	{ "v3", "auto", { .arch = 25, .vendor = BOSC, .smcntrpmf = true },
	  0, "v3", true },
	{ "v2_of_2026_or_v3", "auto", { .arch = 25, .vendor = BOSC }, 0, NULL, true },
	{ "older_core", "auto", { .arch = 25 }, 0, NULL, true },
	{ "older_core_by_devicetree", "auto", { .arch = 25, .stated = "v2r2-2025" },
	  0, "v2r2-2025", true },
	{ "devicetree_before_ids", "auto",
	  { .arch = 25, .vendor = BOSC, .stated = "user-guide" },
	  0, "user-guide", true },
	{ "unknown_table_in_devicetree", "auto",
	  { .arch = 25, .vendor = BOSC, .stated = "v9" }, 0, NULL, true },
	{ "off", "off", { .arch = 25, .stated = "v3" }, 0, NULL, false },
	{ "parameter", "v2r2-2025", { .arch = 25, .stated = "v3" }, 0, "v2r2-2025", true },
	{ "parameter_on_other_core", "v3", { .arch = 1 }, 0, "v3", true },
	{ "unknown_parameter", "v4", { .arch = 25 }, -EINVAL, NULL, true },
	{ "empty_parameter", "", { .arch = 25 }, -EINVAL, NULL, true },
};

static void test_choices(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(choices); i++) {
		const char *want = choices[i].table;
		struct sbi_pmu_choice choice;
		int ret = sbi_pmu_table_choose(choices[i].wish, &choices[i].core, &choice);

		note("%s: %s (%s)", choices[i].name, choice.table ? choice.table->name : "none",
		     choice.why ?: "no reason");
		check(ret == choices[i].ret && !choice.table == !want &&
		      (!want || !strcmp(choice.table->name, want)) &&
		      (choice.why || !choices[i].why) && (!choice.why || choices[i].why),
		      "tables.choice_%s", choices[i].name);
	}
}

void test_tables(void)
{
	const struct sbi_pmu_table *table;
	unsigned int n;

	for (n = 0; (table = sbi_pmu_table_nth(n)); n++) {
		test_names(table);
		test_withheld(table);
	}
	check(n == 4, "tables.there_are_4");
	test_known();
	test_standards();
	test_choices();
}
