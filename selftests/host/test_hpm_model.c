// SPDX-License-Identifier: GPL-2.0-only
/* test_hpm_model: arithmetic of the model of XiangShan's counters for QEMU. */
#include "../qemu/xiangshan-hpm/model.h"
#include "test.h"

/* Can a test that allows 1 % distinguish these rates? */
static bool are_distinct(unsigned int a, unsigned int b)
{
	return a * 1000 > b * 1015 || b * 1000 > a * 1015;
}

static unsigned int rate(const struct xs_table *table, unsigned int unit, unsigned int field)
{
	return xs_sum(table, unit, XS_TAG(unit) | XS_EVENT(field, 0));
}

/* Is the rate of an index distinct within its unit, and from the same index of other units? */
static bool is_unique(const struct xs_table *table, unsigned int unit, unsigned int i)
{
	const unsigned int mine = rate(table, unit, i);
	bool ok = mine > 0;

	for (unsigned int other = 0; other < table->events[unit]; other++)
		ok &= other == i || are_distinct(mine, rate(table, unit, other));
	for (unsigned int other = XS_FRONTEND; other < XS_UNITS; other++)
		ok &= other == unit || are_distinct(mine, rate(table, other, i));
	return ok;
}

static void test_rates(const struct xs_table *table)
{
	unsigned int wrong = 0, n = 0;

	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		for (unsigned int i = 1; i < table->events[unit]; i++, n++) {
			if (is_unique(table, unit, i))
				continue;
			note("unit %u index %u: %u", unit, i, rate(table, unit, i));
			wrong++;
		}
	}
	note("table %s: %u events", table->name, n);
	check(n > 250 && !wrong, "hpm_model.%s_rates_are_distinct", id_of(table->name));
}

/* By table and unit, the width of a selector's index. */
static void test_indices(void)
{
	static const u8 widths[XS_TABLES][XS_UNITS] = {
		{ 0, 6, 8, 7, 6 },
		{ 0, 6, 7, 7, 6 },
		{ 0, 6, 7, 8, 7 },
		{ 0, 5, 7, 8, 7 },
	};
	unsigned int wrong = 0;

	for (unsigned int t = 0; t < XS_TABLES; t++) {
		for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
			const struct xs_table *table = &xs_tables[t];
			const unsigned int n = table->events[unit], w = 1U << widths[t][unit];

			wrong += xs_index(table, unit, n - 1) != n - 1;
			wrong += xs_index(table, unit, w + n - 1) != n - 1;
			wrong += xs_index(table, unit, 0x300 + n - 1) != n - 1;
			wrong += xs_index(table, unit, n) != 0 || n >= w || n <= w / 2;
			wrong += xs_index(table, unit, w - 1) != (n == w ? w - 1 : 0);
		}
	}
	check(!wrong, "hpm_model.selector_ignores_upper_bits_and_past_end");
}

/* The largest index of a unit's events in the driver's table */
static unsigned int largest_index(const struct sbi_pmu_table *table, unsigned int unit)
{
	unsigned int index, largest = 0;

	for (unsigned int i = 0; i < table->total; i++) {
		index = FIELD_GET(SBI_PMU_CFG_EVENT0, table->names[i].config);
		if (FIELD_GET(SBI_PMU_CFG_UNIT, table->names[i].config) == unit && index > largest)
			largest = index;
	}
	return largest;
}

/* An event past the end of the model's table would be tested as one that never counts. */
static void test_all_events(const struct xs_table *table)
{
	const struct sbi_pmu_table *names = sbi_pmu_table_find(table->name);
	unsigned int wrong = 0;

	for (unsigned int unit = XS_FRONTEND; unit < XS_CACHE; unit++)
		wrong += table->events[unit] != largest_index(names, unit) + 1;
	/* The last one is not connected; the user guide has events of an older cache. */
	wrong += table->events[XS_CACHE] < largest_index(names, XS_CACHE);
	check(!wrong, "hpm_model.%s_has_all_events", id_of(table->name));
}

static void test_units_of_table(void)
{
	static const u8 first[] = { 3, 11, 19, 27, 32 };
	bool ok = true;

	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		u32 counters = 0;

		for (unsigned int i = first[unit - 1]; i < first[unit]; i++) {
			ok &= xs_unit_of(i) == unit;
			counters |= 1U << i;
		}
		ok &= xs_counters_of(unit) == counters;
	}
	check(ok, "hpm_model.counters_of_units");
}

static void test_joins(void)
{
	static const struct {
		u8 op, a, b, want;
	} joins[] = {
		{ XS_OR, 1, 1, 1 },
		{ XS_OR, 1, 2, 3 },
		{ XS_OR, 3, 1, 3 },
		{ XS_OR, 0, 5, 5 },
		{ XS_AND, 6, 3, 2 },
		{ XS_AND, 5, 0, 0 },
		{ XS_XOR, 6, 3, 5 },
		{ XS_XOR, 7, 7, 0 },
		{ XS_ADD, 6, 3, 9 },
		{ XS_ADD, 32, 31, 63 },
		{ XS_ADD, 32, 32, 0 },
		{ XS_ADD, 63, 63, 62 },
		/* The lowest bit decides, for values that older cores accept. */
		{ 3, 6, 3, 2 },
		{ 5, 6, 3, 2 },
		{ 6, 6, 3, 5 },
		{ 8, 6, 3, 7 },
		{ 16, 6, 3, 7 },
	};
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(joins); i++)
		wrong += xs_combine(joins[i].op, joins[i].a, joins[i].b) != joins[i].want;
	check(!wrong, "hpm_model.operators");
}

/* (E0 op0 E1) op2 (E2 op1 E3), with each operator in each place */
static void test_tree(void)
{
	static const unsigned int ops[] = { XS_OR, XS_AND, XS_XOR, XS_ADD };
	const struct xs_table *table = &xs_tables[1];
	static const unsigned int e[] = { 60, 90, 77, 126 };
	unsigned int wrong = 0;

	for (unsigned int n = 0; n < 64 * XS_PERIOD; n++) {
		const unsigned int phase = n / 64, a = ops[n % 4], b = ops[n / 4 % 4];
		const unsigned int c = ops[n / 16 % 4];
		unsigned int v[4], want;
		u64 event = (u64)a << 40 | (u64)b << 45 | (u64)c << 50;

		for (unsigned int i = 0; i < 4; i++) {
			event |= (u64)e[i] << 10 * i;
			v[i] = xs_value(table, XS_MEMORY, e[i], phase);
		}
		want = xs_combine(c, xs_combine(a, v[0], v[1]), xs_combine(b, v[2], v[3]));
		wrong += xs_increment(table, XS_MEMORY, event, phase) != want;
	}
	check(!wrong, "hpm_model.operators_join_two_pairs");
}

static void test_written(void)
{
	static const struct {
		u64 old, new, want;
	} writes[] = {
		{ 0, ~0ULL, 0xfc0000ffffffffff },
		{ 0x10840000000000, ~0ULL, 0xfc1084ffffffffff },
		{ 0x10840000000000, 0x5, 0x5 },
		/* An illegal field keeps its value, the others of the same write change. */
		{ 0x10840000000000, 0x08430000000007, 0x08440000000007 },
		{ 0x04220000000000, 0x10600000000000, 0x10200000000000 },
		{ 0, 1ULL << 55, 0 },
		{ 0, 1ULL << 63 | 0x321, 1ULL << 63 | 0x321 },
	};
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(writes); i++) {
		const u64 got = xs_written(writes[i].old, writes[i].new);

		if (got == writes[i].want)
			continue;
		note("%u: 0x%llx", i, (unsigned long long)got);
		wrong++;
	}
	check(!wrong, "hpm_model.illegal_operator_keeps_old");
}

/* Selectors that count 1 in each cycle if the table is right, as in device trees. */
static void test_check_events(void)
{
	static const u64 walker[XS_TABLES] = { 0x1dc76, 0x1e077, 0x22889, 0x21c86 };
	static const u64 quarters[XS_TABLES] = { 0x1745c16c5a, 0xf43c0ec3a, 0xfc3e0f43c,
						 0xf43c0ec3a };
	static const u64 instructions[XS_TABLES] = { 81, 51, 53, 51 };
	unsigned int right[XS_TABLES] = {}, others = 0;

	for (unsigned int t = 0; t < XS_TABLES; t++) {
		for (unsigned int i = 0; i < XS_TABLES; i++) {
			const struct xs_table *table = &xs_tables[i];
			unsigned int ones = 0;

			for (unsigned int p = 0; p < XS_PERIOD; p++) {
				ones += xs_increment(table, XS_MEMORY, walker[t], p) == 1;
				ones += xs_increment(table, XS_BACKEND, quarters[t], p) == 1;
				ones += xs_increment(table, XS_BACKEND, instructions[t], p) == 1;
			}
			*(t == i ? &right[t] : &others) += ones == 3 * XS_PERIOD;
		}
	}
	check(right[0] && right[1] && right[2] && right[3] && !others,
	      "hpm_model.check_events_of_own_table_only");
}

/* Compare computed counts and times of overflow with counting each cycle. */
static void test_pace(void)
{
	unsigned int wrong = 0;

	srandom(5);
	for (unsigned int n = 0; n < 2000; n++) {
		const struct xs_table *table = &xs_tables[n % XS_TABLES];
		const unsigned int unit = 1 + n / 4 % 4, ops[] = { XS_OR, XS_AND, XS_XOR, XS_ADD };
		const u64 event = ((u64)random() << 31 ^ random()) % (1ULL << 40) |
				  XS_OP(ops[random() % 4], 0) | XS_OP(ops[random() % 4], 2);
		const unsigned int pressure = xs_pressure(XS_PRESSURE(unit, n / 16 % 4), unit);
		const struct xs_pace pace = xs_pace_of(table, unit, event, pressure);
		const u64 from = random(), to = from + random() % 1000;
		u64 counted = 0, t = from;

		while (t < to)
			counted += xs_increment(table, unit, event, t++ % XS_PERIOD) << pressure;
		wrong += xs_before(&pace, to) - xs_before(&pace, from) != counted;
		if (!counted)
			continue;
		t = xs_reached(&pace, from, counted);
		wrong += t > to || xs_before(&pace, t) - xs_before(&pace, from) < counted;
		wrong += xs_before(&pace, t - 1) - xs_before(&pace, from) >= counted;
	}
	check(!wrong, "hpm_model.pace_equals_counting_each_cycle");
}

void test_hpm_model(void)
{
	test_units_of_table();
	test_indices();
	test_joins();
	test_tree();
	test_written();
	test_check_events();
	test_pace();
	for (unsigned int t = 0; t < XS_TABLES; t++) {
		test_all_events(&xs_tables[t]);
		test_rates(&xs_tables[t]);
	}
}
