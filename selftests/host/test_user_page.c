// SPDX-License-Identifier: GPL-2.0-only
/* test_user_page: contents of an event's mmap page, and how a program uses them. */
#include "test.h"

static struct sbi_pmu_user_page page_at(unsigned int width, u64 value)
{
	struct tracked *t = &cpu.tracked[0];

	boot(1, 0, width);
	tracked_open_idx(t, RAW, 1);
	tracked_add_start(t);
	t->event.prev = value;
	return sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
}

/* A program that read its page at @value may read the counter for half of its range. */
static bool follows(unsigned int width, u64 value)
{
	const u64 most = 1ULL << (width - 1), mask = GENMASK_ULL(width - 1, 0);
	const struct sbi_pmu_user_page page = page_at(width, value);
	const unsigned int shift = 64 - page.width;
	const u64 now = (value + most) & mask;

	return page.csr && (u64)((s64)(now << shift) >> shift) - page.base == most &&
	       (u64)((s64)(value << shift) >> shift) == page.base;
}

static void test_width(void)
{
	for (unsigned int width = SBI_PMU_MIN_WIDTH; width <= 64; width++) {
		const u64 half = 1ULL << (width - 1), all = GENMASK_ULL(width - 1, 0);

		check(follows(width, 0) && follows(width, 1) && follows(width, half - 1) &&
		      follows(width, half) && follows(width, half + 1) && follows(width, all),
		      "user_page.valid_for_half_range_%u_bits", width);
	}
	check(page_at(28, 0xf0000001).width == 64, "user_page.lower_half_not_extended");
}

static void test_readable(void)
{
	struct tracked *t = &cpu.tracked[0], *fw = &cpu.tracked[1];
	struct sbi_pmu_user_page page;

	boot(2, 2, 64);
	tracked_open_idx(t, RAW, 1);
	tracked_open_idx(fw, FW + 5, 0);
	page = sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
	check(!page.csr && page.width == 64 && !page.base, "user_page.none_without_counter");
	tracked_add_start(t);
	tracked_add_start(fw);
	page = sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
	check(page.csr == cpu.inv.info[t->event.counter].csr, "user_page.shows_csr");
	page = sbi_pmu_user_page(&cpu.counters, &t->event, ~SBI_PMU_CSR_BIT(page.csr));
	check(!page.csr, "user_page.none_if_not_openable");
	page = sbi_pmu_user_page(&cpu.counters, &fw->event, ~0U);
	check(!page.csr, "user_page.none_for_firmware_counter");
	t->event.reset_on_start = true;
	tracked_stop(t);
	page = sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
	check(!page.csr, "user_page.none_while_stopped");
	tracked_start(t);
	page = sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
	check(!page.csr, "user_page.none_before_reset");
	cpu_enable();
	page = sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
	check(page.csr && !page.base, "user_page.shown_after_reset");
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_user_page(void)
{
	test_width();
	test_readable();
}
