// SPDX-License-Identifier: GPL-2.0-only
/* test_inventory: sets of counters, descriptions of counters, differences of values. */
#include "test.h"

static void test_masks(void)
{
	u64 m = BIT_ULL(31) | BIT_ULL(32) | BIT_ULL(63);
	unsigned int i, n = 0, sum = 0;

	for_each_counter(i, m)
	{
		m = 0;
		n++;
		sum += i;
	}
	check(n == 3 && sum == 31 + 32 + 63, "inventory.set_is_read_once");
	m = BIT_ULL(63);
	check(has_counter(m, 63) && !has_counter(m, 0) && !has_counter(~0ULL, 64) &&
		      !has_counter(~0ULL, ~0U),
	      "inventory.no_counter_is_in_no_set");
	check(first_counter(m) == 63 && first_counter(0) == SBI_PMU_NO_COUNTER,
	      "inventory.first_of_none_is_no_counter");
}

static void test_delta(void)
{
	struct sbi_pmu_counter_info ctr = { .width = 32 };
	u64 d = 0;

	check(!sbi_pmu_counter_delta(&ctr, 0xfffffff0, 0x10, &d) && d == 0x20,
	      "inventory.delta_32_bits_wrap");
	ctr.width = 63;
	check(!sbi_pmu_counter_delta(&ctr, ~0ULL >> 1, 2, &d) && d == 3,
	      "inventory.delta_63_bits_wrap");
	check(!sbi_pmu_counter_delta(&ctr, 2, 1, &d) && d == ~0ULL >> 1,
	      "inventory.delta_63_bits_nearly_full_range");
	ctr.width = 64;
	check(!sbi_pmu_counter_delta(&ctr, ~0ULL, 4, &d) && d == 5, "inventory.delta_64_bits_wrap");
	d = 77;
	check(sbi_pmu_counter_delta(&ctr, 100, 99, &d) == -ERANGE && d == 77,
	      "inventory.delta_backwards_is_erange");
	check(!sbi_pmu_counter_delta(&ctr, 0, (1ULL << 63) - 1, &d) && d == (1ULL << 63) - 1,
	      "inventory.delta_64_bits_below_half_range");
	check(sbi_pmu_counter_delta(&ctr, 0, 1ULL << 63, &d) == -ERANGE,
	      "inventory.delta_half_range_is_backwards");
	ctr.width = 1;
	check(!sbi_pmu_counter_delta(&ctr, 1, 0, &d) && d == 1, "inventory.delta_1_bit");
}

static struct sbi_pmu_counter_info decode(unsigned long csr, unsigned int width, unsigned int limit)
{
	return sbi_pmu_counter_info_decode(FIELD_PREP(SPEC_INFO_WIDTH, width - 1UL) | csr, limit);
}

static void test_decode(void)
{
	const unsigned long reserved = (unsigned long)~0ULL >> 1 & ~(unsigned long)GENMASK(17, 0);
	struct sbi_pmu_counter_info ctr;

	check(decode(CSR_TIME, 64, 64).kind == SBI_PMU_COUNTER_NONE,
	      "inventory.time_is_no_counter");
	check(decode(0x123, 64, 64).kind == SBI_PMU_COUNTER_NONE &&
		      decode(CSR_HPMCOUNTER31 + 1, 64, 64).kind == SBI_PMU_COUNTER_NONE &&
		      decode(CSR_CYCLE - 1, 64, 64).kind == SBI_PMU_COUNTER_NONE,
	      "inventory.other_csrs_are_no_counters");
	check(decode(CSR_CYCLE, 64, 64).kind == SBI_PMU_COUNTER_FIXED &&
		      decode(CSR_INSTRET, 64, 64).kind == SBI_PMU_COUNTER_FIXED &&
		      decode(CSR_INSTRET + 1, 64, 64).kind == SBI_PMU_COUNTER_PROGRAMMABLE &&
		      decode(CSR_HPMCOUNTER31, 64, 64).kind == SBI_PMU_COUNTER_PROGRAMMABLE,
	      "inventory.cycle_instret_and_hpm_are_counters");
	check(decode(CSR_HPMCOUNTER31, 1, 64).width == 1 &&
		      decode(CSR_HPMCOUNTER31, 48, 64).width == 48 &&
		      decode(CSR_HPMCOUNTER31, 64, 64).width == 64,
	      "inventory.decode_width_is_field_plus_1");
	check(decode(CSR_HPMCOUNTER31, 64, 48).width == 48 &&
		      decode(CSR_HPMCOUNTER31, 40, 48).width == 40,
	      "inventory.decode_width_limit");
	ctr = sbi_pmu_counter_info_decode((unsigned long)SPEC_INFO_FIRMWARE, 48);
	check(ctr.kind == SBI_PMU_COUNTER_FIRMWARE && ctr.width == 64 && !ctr.csr,
	      "inventory.decode_firmware_counter_has_64_bits");
	ctr = sbi_pmu_counter_info_decode(reserved | 47UL << 12 | CSR_HPMCOUNTER31, 64);
	check(ctr.kind == SBI_PMU_COUNTER_PROGRAMMABLE && ctr.width == 48 &&
		      ctr.csr == CSR_HPMCOUNTER31,
	      "inventory.decode_ignores_reserved_bits");
}

static struct sbi_pmu_counter_info firmware_counter(void)
{
	return sbi_pmu_counter_info_decode(SPEC_INFO_FIRMWARE, 64);
}

static u64 wrap_of(unsigned int width, unsigned int other)
{
	struct sbi_pmu_inventory inv = {};

	sbi_pmu_inventory_add(&inv, 3, decode(CSR_CYCLE + 3, width, 64));
	sbi_pmu_inventory_add(&inv, 4, decode(CSR_CYCLE + 4, other, 64));
	sbi_pmu_inventory_add(&inv, 9, firmware_counter());
	return sbi_pmu_inventory_wrap_ns(&inv);
}

static void test_wrap_ns(void)
{
	const struct sbi_pmu_inventory none = {};
	unsigned int bad = 0;

	check(!sbi_pmu_inventory_wrap_ns(&none), "inventory.wrap_never_without_counters");
	check(!wrap_of(64, 64), "inventory.wrap_never_with_64_bits");
	check(wrap_of(64, 40) == 1ULL << 33 && wrap_of(40, 64) == 1ULL << 33,
	      "inventory.wrap_of_narrowest_counter");
	note("%d bits: %llu ns", SBI_PMU_MIN_WIDTH,
	     (unsigned long long)wrap_of(SBI_PMU_MIN_WIDTH, 40));
	check(wrap_of(SBI_PMU_MIN_WIDTH, 40) > 1000000, "inventory.wrap_takes_over_a_ms");
	/* Events of that time are at most half of the range. */
	for (unsigned int w = SBI_PMU_MIN_WIDTH; w < 64; w++)
		bad += wrap_of(w, 64) * SBI_PMU_EVENTS_PER_NS != 1ULL << (w - 1);
	check(!bad, "inventory.wrap_is_half_range_at_each_width");
}

static void test_inventory_add(void)
{
	struct sbi_pmu_inventory inv = {}, other = {};

	sbi_pmu_inventory_add(&inv, 3, decode(CSR_CYCLE + 3, 27, 64));
	sbi_pmu_inventory_add(&inv, 4, decode(CSR_CYCLE + 4, 26, 64));
	check(SBI_PMU_MIN_WIDTH == 27 && hweight64(inv.programmable) == 1 && inv.narrow == 1 &&
		      inv.info[4].kind == SBI_PMU_COUNTER_NONE,
	      "inventory.narrow_counter_is_not_added");
	sbi_pmu_inventory_add(&inv, 5, decode(CSR_CYCLE + 3, 64, 64));
	check(hweight64(inv.programmable) == 1 && inv.narrow == 1 && inv.without_csr == 1,
	      "inventory.one_counter_for_each_csr");
	sbi_pmu_inventory_add(&inv, 1, decode(CSR_TIME, 64, 64));
	sbi_pmu_inventory_add(&inv, 2, (struct sbi_pmu_counter_info){});
	check(inv.info[1].kind == SBI_PMU_COUNTER_NONE && inv.without_csr == 1,
	      "inventory.time_is_not_added");
	sbi_pmu_inventory_add(&inv, 6, decode(CSR_CYCLE - 1, 64, 64));
	check(inv.info[6].kind == SBI_PMU_COUNTER_NONE && inv.without_csr == 2,
	      "inventory.unknown_csrs_are_counted");
	sbi_pmu_inventory_add(&inv, 0, decode(CSR_CYCLE, 64, 64));
	sbi_pmu_inventory_add(&inv, 63, firmware_counter());
	sbi_pmu_inventory_add(&inv, 62, firmware_counter());
	check(hweight64(inv.fixed) == 1 && hweight64(inv.firmware) == 2,
	      "inventory.add_fixed_and_firmware");
	other = sbi_pmu_inventory_all(&inv) ? inv : other;
	check(sbi_pmu_inventory_equal(&inv, &other), "inventory.equal_to_copy");
	other.info[3].width = 28;
	check(!sbi_pmu_inventory_equal(&inv, &other), "inventory.not_equal_by_width");
	other = inv;
	other.info[63].kind = SBI_PMU_COUNTER_NONE;
	check(!sbi_pmu_inventory_equal(&inv, &other), "inventory.not_equal_by_kind");
	other = inv;
	other.info[3].csr++;
	check(!sbi_pmu_inventory_equal(&inv, &other), "inventory.not_equal_by_csr");
	check(sbi_pmu_inventory_hardware(&inv) == (BIT(0) | BIT(3)),
	      "inventory.hardware_is_fixed_and_programmable");
}

void test_inventory(void)
{
	test_masks();
	test_delta();
	test_decode();
	test_wrap_ns();
	test_inventory_add();
}
