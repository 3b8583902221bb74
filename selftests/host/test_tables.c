// SPDX-License-Identifier: GPL-2.0-only
/* test_tables: XiangShan's event tables, and the choice of one. */
#include "test.h"

/* Each counter takes only what is tagged as its unit's. */
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
	struct sbi_pmu_support truth = {};
	struct sbi_pmu_event_code code;
	struct sbi_pmu_mask window;

	if (sbi_pmu_event_encode(&xiangshan, &attr, true, &code) ||
	    code.unit == SBI_PMU_UNIT_ANY || (code.data >> 8 & 3) != code.unit - 1)
		return false;
	window = sbi_pmu_selector_candidates(&cpu.inv, code.unit);
	sbi_pmu_support_probe_here(&cpu.counters, &code, &window, &truth);
	return sbi_pmu_mask_weight(&truth.can) == (code.unit == SBI_PMU_UNIT_CACHE ? 5 : 8) &&
	       sbi_pmu_mask_empty(&truth.cannot);
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
	check(table->total > 200 && !twice && !wrong,
	      "table %s: %u names, %u twice, %u not on their unit's counters", table->name,
	      table->total, twice, wrong);
	sbi_pmu_counters_offline(&cpu.counters);
}

#define CONFIG(unit, data)	((u64)(unit) << 56 | (data))

/* What the register must hold, put together by hand from the core's documents. */
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
	{ "v3", "bpinstr", 0 },
};

static void test_known(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(known); i++) {
		const struct sbi_pmu_table *table = sbi_pmu_table_find(known[i].table);
		u64 config = table ? sbi_pmu_table_config(table, known[i].name) : ~0ULL;

		check(config == known[i].config, "%s: %s is %#llx", known[i].table, known[i].name,
		      (unsigned long long)config);
	}
}

#define BOSC	0x86f

static const struct {
	const char *what, *wish;
	struct sbi_pmu_core core;
	int ret;
	const char *table;	/* NULL: none */
	bool said;		/* something, to the user */
} choices[] = {
	{ "another core", "auto", { .arch = 1, .vendor = 0x5b7 }, 0, NULL, false },
	{ "another core of that vendor", "auto", { .arch = 1, .vendor = BOSC },
	  0, NULL, false },
	{ "V3", "auto", { .arch = 25, .vendor = BOSC, .smcntrpmf = true },
	  0, "v3", true },
	{ "V2 of 2026, or V3", "auto", { .arch = 25, .vendor = BOSC }, 0, NULL, true },
	{ "an older core", "auto", { .arch = 25 }, 0, NULL, true },
	{ "an older core by its tree", "auto", { .arch = 25, .stated = "v2r2-2025" },
	  0, "v2r2-2025", true },
	{ "a tree that knows better", "auto",
	  { .arch = 25, .vendor = BOSC, .stated = "user-guide" },
	  0, "user-guide", true },
	{ "a tree from the future", "auto",
	  { .arch = 25, .vendor = BOSC, .stated = "v9" }, 0, NULL, true },
	{ "off", "off", { .arch = 25, .stated = "v3" }, 0, NULL, false },
	{ "asked for", "v2r2-2025", { .arch = 25, .stated = "v3" }, 0, "v2r2-2025", true },
	{ "asked for on another core", "v3", { .arch = 1 }, 0, "v3", true },
	{ "asked for what is not", "v4", { .arch = 25 }, -EINVAL, NULL, true },
	{ "asked for nothing", "", { .arch = 25 }, -EINVAL, NULL, true },
};

static void test_choices(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(choices); i++) {
		const char *want = choices[i].table;
		struct sbi_pmu_choice choice;
		int ret = sbi_pmu_table_choose(choices[i].wish, &choices[i].core, &choice);

		check(ret == choices[i].ret && !choice.table == !want &&
		      (!want || !strcmp(choice.table->name, want)) &&
		      (choice.why || !choices[i].said) && (!choice.why || choices[i].said),
		      "table of %s: %s (%s)", choices[i].what,
		      choice.table ? choice.table->name : "none", choice.why ?: "nothing to say");
	}
}

/* ---- the self check, with events of known rates ---- */

static u64 clock_now, clock_rate, stall;

/* The hart is held up before each read. */
static void hold_up(void)
{
	fakesbi_run(stall);
	clock_now += stall * clock_rate;
}

static int read_csr(unsigned int csr, u64 *value)
{
	hold_up();
	if (csr != CSR_CYCLE)
		return fakesbi_read_csr(csr, value);
	*value = clock_now;
	return 0;
}

static int read_no_cycles(unsigned int csr, u64 *value)
{
	hold_up();
	return csr == CSR_CYCLE ? -ENXIO : fakesbi_read_csr(csr, value);
}

static void wait(void)
{
	cpu_run(1000);
	clock_now += 1000 * clock_rate;
}

/* Raw selectors 64 apart are as frequent as each other, on this model. */
static int measure(u64 memory, u64 backend, struct sbi_pmu_check *m)
{
	const struct sbi_pmu_event_code code[] = {
		{ .idx = RAW, .data = memory, .unit = SBI_PMU_UNIT_MEMORY },
		{ .idx = RAW, .data = backend, .unit = SBI_PMU_UNIT_BACKEND },
	};
	const struct sbi_pmu_mask can[] = { cpu_candidates(&code[0]), cpu_candidates(&code[1]) };

	clock_rate = fakesbi_rate(&code[0]);
	return sbi_pmu_check_measure(&cpu.counters, code, can, wait, m);
}

static enum sbi_pmu_check_result result(u64 memory, u64 backend)
{
	struct sbi_pmu_check m;

	return measure(memory, backend, &m) ? -1 : (int)sbi_pmu_check_result(&m);
}

static void test_results(const char *clock)
{
	stall = 0;
	check(result(0x201, 0x241) == SBI_PMU_CHECK_PLAUSIBLE, "%s: both as often: right", clock);
	check(result(0x201, 0x243) == SBI_PMU_CHECK_WRONG, "%s: one not: wrong", clock);
	stall = 2;
	check(result(0x201, 0x241) == SBI_PMU_CHECK_PLAUSIBLE, "%s: held up a little: right", clock);
	check(result(0x201, 0x243) == SBI_PMU_CHECK_WRONG, "%s: and wrong", clock);
	for (stall = 10; stall <= 1000; stall *= 10)
		check(result(0x201, 0x241) == SBI_PMU_CHECK_UNCLEAR &&
		      result(0x201, 0x243) == SBI_PMU_CHECK_UNCLEAR,
		      "%s: held up by %lu in 1000 at each read: unclear", clock,
		      (unsigned long)stall);
	stall = 0;
}

static void test_measure(void)
{
	struct sbi_pmu_check m;

	boot(29, 0, 64);
	cpu.counters.backend.read_csr = read_csr;
	test_results("cycles");
	check(!measure(0x201, 0x241, &m) && m.cycles && m.least && m.least == m.most,
	      "the cycle counter is the clock");
	m.count[0] = m.least - m.least / 16;
	check(sbi_pmu_check_result(&m) == SBI_PMU_CHECK_PLAUSIBLE,
	      "a little less, for modes left out: right");
	m.count[1] = m.count[0] = m.least / 2;
	check(sbi_pmu_check_result(&m) == SBI_PMU_CHECK_WRONG, "both the same and not as many: wrong");
	m.count[1] = m.count[0] = m.most * 2;
	check(sbi_pmu_check_result(&m) == SBI_PMU_CHECK_WRONG, "nor too many: wrong");
	m = (struct sbi_pmu_check){};
	check(sbi_pmu_check_result(&m) == SBI_PMU_CHECK_WRONG, "nothing at all: wrong");

	cpu.counters.backend.read_csr = read_no_cycles;
	check(!measure(0x201, 0x241, &m) && !m.cycles && m.least, "or the first witness is");
	test_results("no cycles");
	check(quiet() && !fakesbi.broken, "all given back");
	fakesbi.refuse = 1;
	check(measure(0x201, 0x241, &m) < 0 && quiet(), "no counter: an error");
	fakesbi.refuse = 0;
	sbi_pmu_counters_offline(&cpu.counters);
}

static void test_witnesses(const struct sbi_pmu_table *table)
{
	const u64 memory = sbi_pmu_check_event(table, SBI_PMU_CHECK_MEMORY);
	const u64 backend = sbi_pmu_check_event(table, SBI_PMU_CHECK_BACKEND);

	check(FIELD_GET(SBI_PMU_CFG_UNIT, memory) == SBI_PMU_UNIT_MEMORY &&
	      FIELD_GET(SBI_PMU_CFG_UNIT, backend) == SBI_PMU_UNIT_BACKEND,
	      "table %s can be checked by two units", table->name);
}

void test_tables(void)
{
	const struct sbi_pmu_table *table;
	unsigned int n;

	for (n = 0; (table = sbi_pmu_table_nth(n)); n++) {
		test_names(table);
		test_witnesses(table);
	}
	check(n == 4, "%u tables", n);
	test_known();
	test_choices();
	test_measure();
}
