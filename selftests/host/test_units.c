// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_units: XiangShan's selectors, and the counters that each unit has. Values are made by
 * hand from the core's documents.
 */
#include "test.h"

#define UNIT(n)		((u64)(n) << 56)
#define OPS(a, b, c)	((u64)(a) << 40 | (u64)(b) << 45 | (u64)(c) << 50)
#define EVENTS(a, b, c, d) \
	((u64)(a) | (u64)(b) << 10 | (u64)(c) << 20 | (u64)(d) << 30)

static const u8 bits[SBI_PMU_UNITS] = { 8, 6, 7, 8, 7 };
static const struct sbi_pmu_caps xiangshan = {
	.vendor = &units_vendor,
	.vendor_data = (void *)bits,
};

struct selector {
	u64 config;
	int ret;
	u32 unit;
	u32 idx;
	u64 data;
};

static const struct selector selectors[] = {
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
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(3, 0, 0), -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(5, 0, 0), -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 6, 0), -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 8, 0), -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 0, 7), -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(0, 0, 16), -EINVAL, 0, 0, 0 },
	{ EVENTS(1, 2, 0, 0) | OPS(0, 0, 16), -EINVAL, 0, 0, 0 },
	/* no such unit; reserved bits */
	{ UNIT(5) | 1, -EINVAL, 0, 0, 0 },
	{ UNIT(7) | 1, -EINVAL, 0, 0, 0 },
	{ 1ULL << 55 | UNIT(1) | 1, -EINVAL, 0, 0, 0 },
	{ 1ULL << 59 | UNIT(1) | 1, -EINVAL, 0, 0, 0 },
	{ 1ULL << 61 | 1, -EINVAL, 0, 0, 0 },
	/* the unit in the upper bits of an event, as documents have it */
	{ 0x133, 0, 2, RAW, 0x133 },
	{ UNIT(2) | 0x133, 0, 2, RAW, 0x133 },
	{ EVENTS(0x226, 0x227, 0, 0), 0, 3, RAW, EVENTS(0x226, 0x27, 0, 0) },
	{ EVENTS(0, 0, 0, 0x301), 0, 4, RAW, EVENTS(0x300, 0, 0, 1) },
	/* a second unit */
	{ UNIT(1) | 0x133, -EINVAL, 0, 0, 0 },
	{ UNIT(2) | EVENTS(0x133, 0x226, 0, 0), -EINVAL, 0, 0, 0 },
	{ EVENTS(0x133, 0x226, 0, 0), -EINVAL, 0, 0, 0 },
	{ UNIT(4) | EVENTS(1, 2, 3, 0x204), -EINVAL, 0, 0, 0 },
	/* hardware uses only the lower bits of an index: 6 in the frontend */
	{ UNIT(1) | 0x3f, 0, 1, RAW, 0x3f },
	{ UNIT(1) | 0x40, -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 2, 0x40, 0), -EINVAL, 0, 0, 0 },
	{ UNIT(2) | 0x80, -EINVAL, 0, 0, 0 },
	{ UNIT(3) | 0xff, 0, 3, RAW, 0x2ff },
	/* counts nothing */
	{ 0, -EINVAL, 0, 0, 0 },
	{ UNIT(2), -EINVAL, 0, 0, 0 },
	{ UNIT(2) | 0x100, -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 0, 0, 0) | OPS(1, 0, 0), -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 2, 0, 0) | OPS(4, 4, 1), -EINVAL, 0, 0, 0 },
	{ UNIT(1) | EVENTS(1, 0, 2, 0) | OPS(1, 0, 0), 0, 1, RAW,
	  EVENTS(1, 0, 2, 0) | OPS(1, 0, 0) },
	{ UNIT(1) | EVENTS(0, 0, 0, 1) | OPS(0, 2, 4), 0, 1, RAW_V2,
	  EVENTS(0, 0, 0, 1) | OPS(0, 2, 4) },
};

static void test_encode(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(selectors); i++) {
		const struct selector *s = &selectors[i];
		const struct perf_event_attr attr = { .config = s->config };
		struct sbi_pmu_event_code code;
		int ret = sbi_pmu_event_encode(&xiangshan, &attr, true, &code);

		check(ret == s->ret && (ret || (code.idx == s->idx && code.data == s->data &&
						code.unit == s->unit)),
		      "units.selector_%llx", (unsigned long long)s->config);
	}
}

/* Other types of event are as without vendor support. */
static void test_encode_others(void)
{
	struct perf_event_attr attr = { .config = 1ULL << 62 | SBI_PMU_HW_CPU_CYCLES };
	struct sbi_pmu_event_code code;

	check(!sbi_pmu_event_encode(&xiangshan, &attr, true, &code) &&
		      code.idx == SBI_PMU_HW_CPU_CYCLES && !code.unit,
	      "units.standard_event_has_no_unit");
	attr.config |= UNIT(1);
	check(sbi_pmu_event_encode(&xiangshan, &attr, true, &code) == -EINVAL,
	      "units.standard_event_with_unit_is_einval");
}

/* Device trees choose counters by the tag; events that are not raw count on each. */
static bool can_by_tag(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	const unsigned int nth = fakesbi.ctr[idx].info & 0x1f;
	const unsigned int tag = code->data >> 8 & 3;

	if (code->idx != RAW && code->idx != RAW_V2)
		return true;
	return nth >= 3 + 8 * tag && nth < 11 + 8 * tag;
}

/* hpmcounter3 to 31, with indices in reverse order */
static void boot_reversed(void)
{
	memset(&fakesbi, 0, sizeof(fakesbi));
	fakesbi_add(0, CSR_CYCLE, 64);
	fakesbi_add(2, CSR_INSTRET, 64);
	for (unsigned int n = 3; n < 32; n++)
		fakesbi_add(63 - n, CSR_CYCLE + n, 64);
	cpu_boot(true);
}

static void test_windows(void)
{
	static const struct {
		u32 unit, first, last;
	} units[] = {
		{ SBI_PMU_UNIT_FRONTEND, 3, 10 },
		{ SBI_PMU_UNIT_BACKEND, 11, 18 },
		{ SBI_PMU_UNIT_MEMORY, 19, 26 },
		{ SBI_PMU_UNIT_CACHE, 27, 31 },
	};
	u64 any;

	boot_reversed();
	for (unsigned int i = 0; i < ARRAY_SIZE(units); i++) {
		u64 window = sbi_pmu_selector_candidates(&cpu.inv, units[i].unit);
		bool right = true;

		for (unsigned int n = 3; n < 32; n++)
			right &= has_counter(window, 63 - n) ==
				 (n >= units[i].first && n <= units[i].last);
		check(right && hweight64(window) == units[i].last - units[i].first + 1,
		      "units.unit_%u_has_its_csrs_at_any_index", units[i].unit);
	}
	any = sbi_pmu_selector_candidates(&cpu.inv, SBI_PMU_UNIT_ANY);
	check(hweight64(any) == 31, "units.no_unit_has_all_counters");
	sbi_pmu_counters_offline(&cpu.counters);

	boot(4, 0, 64);
	any = sbi_pmu_selector_candidates(&cpu.inv, SBI_PMU_UNIT_BACKEND);
	check(!any, "units.unit_without_counters");
	sbi_pmu_counters_offline(&cpu.counters);
}

static struct sbi_pmu_event_code event_of(u32 unit, unsigned int index)
{
	const struct perf_event_attr attr = { .config = UNIT(unit) | index };
	struct sbi_pmu_event_code code = {};

	if (sbi_pmu_event_encode(&xiangshan, &attr, true, &code))
		check(false, "units.encode_unit_%u_event_%u", unit, index);
	return code;
}

static bool fits(struct sbi_pmu_plan *plan, u32 unit, unsigned int index)
{
	const struct sbi_pmu_event_code code = event_of(unit, index);
	const u64 can = cpu_candidates(&code);

	return sbi_pmu_plan_add(plan, &cpu.inv, &code, can);
}

/* Each unit's counters limit a group, even if firmware would accept more. */
static void test_groups(const char *name,
			bool (*can)(const struct sbi_pmu_event_code *code, unsigned int idx))
{
	static const unsigned int counters[] = { 0, 8, 8, 8, 5 };
	struct sbi_pmu_plan *plan = calloc(1, sizeof(*plan));
	unsigned int fit = 0;

	boot_reversed();
	fakesbi.can = can;
	for (unsigned int unit = 1; unit <= 4; unit++)
		for (unsigned int i = 1; i <= counters[unit]; i++)
			fit += fits(plan, unit, i);
	note("%u events fit in a group", fit);
	check(fit == 29, "units.group_uses_all_counters_%s", name);
	for (unsigned int unit = 1; unit <= 4; unit++)
		check(!fits(plan, unit, counters[unit] + 1) && fits(plan, unit, counters[unit]),
		      "units.group_full_for_unit_%u_%s", unit, name);
	sbi_pmu_counters_offline(&cpu.counters);
	free(plan);
}

/* An event of the frontend, and one of no unit with the same selector */
static void test_shared(void)
{
	struct tracked *a = &cpu.tracked[0], *b = a + 1, *c = a + 2;

	boot_reversed();
	tracked_open(a, event_of(SBI_PMU_UNIT_ANY, 5));
	tracked_open(b, event_of(SBI_PMU_UNIT_FRONTEND, 5));
	tracked_open(c, event_of(SBI_PMU_UNIT_BACKEND, 5));
	check(tracked_add_start(a) && tracked_add_start(b) && tracked_add_start(c),
	      "units.same_selector_of_two_units_starts");
	/* Counter 32 is the first; it is hpmcounter31. */
	note("counters %u %u %u", a->event.counter, b->event.counter, c->event.counter);
	check(a->event.counter == 32 && b->event.counter == 53 && c->event.counter == 45,
	      "units.each_event_on_its_unit");
	cpu_run(7);
	check(is_count_right(a) && is_count_right(b) && is_count_right(c) && b->reported,
	      "units.events_of_all_units_count");
	tracked_del(a);
	sbi_pmu_counters_release_idle(&cpu.counters);
	check(tracked_add_start(a) && a->event.counter == 53,
	      "units.idle_counter_of_same_selector_is_reused");
	sbi_pmu_counters_offline(&cpu.counters);
	check(is_all_released() && !fakesbi.broken, "units.nothing_left");
}

/* Firmware without raw v2 takes 48 bits: sums of two events, not of four. */
static void test_narrow_raw(void)
{
	const struct perf_event_attr two = { .config = UNIT(2) | 0x40000001805ULL };
	const struct perf_event_attr four = { .config = UNIT(4) | 0x10840a41d04405ULL };
	struct sbi_pmu_event_code code;
	u64 can;

	boot_reversed();
	fakesbi.quirks = QUIRK(NO_RAW_V2);
	fakesbi.can = can_by_tag;
	check(!sbi_pmu_event_encode(&xiangshan, &two, true, &code), "units.sum_of_two_encoded");
	can = cpu_candidates(&code);
	check(hweight64(can) == 8, "units.sum_of_two_has_counters_without_raw_v2");
	check(!sbi_pmu_event_encode(&xiangshan, &four, true, &code), "units.sum_of_four_encoded");
	can = cpu_candidates(&code);
	check(!can, "units.sum_of_four_has_no_counters_without_raw_v2");
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_units(void)
{
	test_encode();
	test_encode_others();
	test_windows();
	test_groups("firmware_checks_tags", can_by_tag);
	test_groups("firmware_takes_any", NULL);
	test_shared();
	test_narrow_raw();
}
