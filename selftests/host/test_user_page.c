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
			      follows(width, half) && follows(width, half + 1) &&
			      follows(width, all),
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

/* What the page says now. */
static struct sbi_pmu_user_page page_of(const struct tracked *t)
{
	return sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
}

/* The page of an event that has never counted must not send programs to read(2). */
static void test_new_event(void)
{
	struct tracked *t = &cpu.tracked[0];

	boot(1, 0, 64);
	tracked_open_idx(t, RAW, 1);
	t->event.mapped = false;
	check(!page_of(t).by_kernel && !page_of(t).csr, "user_page.has_count_before_start");
	tracked_add_start(t);
	check(page_of(t).by_kernel && !page_of(t).csr, "user_page.by_kernel_while_unmapped");
	tracked_stop(t);
	check(!page_of(t).by_kernel && !page_of(t).csr, "user_page.has_count_after_stop");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Whether the counter of an event can ever be read, as it is decided at open. */
static void test_possible(void)
{
	struct tracked *t = &cpu.tracked[0], *fw = &cpu.tracked[1];
	const u32 open = SBI_PMU_CSR_BIT(CSR_CYCLE) | SBI_PMU_CSR_BIT(CSR_CYCLE + 3);

	boot(2, 2, 64);
	tracked_open_idx(t, RAW, 1);
	tracked_open_idx(fw, FW + 5, 0);
	check(sbi_pmu_user_page_possible(&cpu.inv, t->event.candidates, open),
	      "user_page.possible_if_a_counter_can_be_opened");
	check(!sbi_pmu_user_page_possible(&cpu.inv, t->event.candidates,
					  SBI_PMU_CSR_BIT(CSR_CYCLE)),
	      "user_page.not_possible_if_no_counter_can_be_opened");
	check(!sbi_pmu_user_page_possible(&cpu.inv, fw->event.candidates, ~0U),
	      "user_page.not_possible_for_firmware_event");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* A task maps the event while it counts. */
static void map(struct tracked *t, bool own, bool sees_all)
{
	sbi_pmu_user_page_mapped(&t->event, own, sees_all);
	sbi_pmu_event_set_user_read(&cpu.counters, &t->event);
	cpu_enable();
}

static void test_who_maps(void)
{
	struct tracked *t = &cpu.tracked[0];

	boot(1, 0, 64);
	tracked_open_idx(t, RAW, 1);
	t->event.mapped = false;
	tracked_add_start(t);
	map(t, true, true);
	check(page_of(t).csr && !t->event.reset_on_start, "user_page.readable_by_its_task");
	map(t, true, false);
	check(page_of(t).csr && !page_of(t).base && t->event.reset_on_start,
	      "user_page.reset_if_mapped_without_rights");
	map(t, false, true);
	check(!page_of(t).csr && page_of(t).by_kernel && t->event.reset_on_start,
	      "user_page.not_readable_after_other_task_maps");
	tracked_stop(t);
	check(page_of(t).by_kernel, "user_page.by_kernel_when_stopped_after_other_task_maps");
	tracked_start(t);
	map(t, true, true);
	check(!page_of(t).csr && page_of(t).by_kernel,
	      "user_page.not_readable_by_its_task_after_other_task_maps");
	sbi_pmu_counters_offline(&cpu.counters);
}

void test_user_page(void)
{
	test_width();
	test_readable();
	test_new_event();
	test_possible();
	test_who_maps();
}
