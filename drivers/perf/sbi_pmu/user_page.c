// SPDX-License-Identifier: GPL-2.0-only
#include "user_page.h"

/*
 * May the event's counter be read now? An event that must not show what others counted
 * starts from 0: not before that, nor while the counter is armed, since the value then
 * shows when another event's sample is due.
 */
static bool is_readable(const struct sbi_pmu_counters *c, const struct sbi_pmu_event *event)
{
	return event->user_read && event->active && event->counter != SBI_PMU_NO_COUNTER &&
	       (!event->reset_on_start || c->state[event->counter] == SBI_PMU_RUNNING) &&
	       c->backend.inv->info[event->counter].kind != SBI_PMU_COUNTER_FIRMWARE;
}

/**
 * sbi_pmu_user_page() - work out an event's mmap page
 * @c: this CPU's
 * @event: the event, accounted
 * @readable: counters that can be opened to user space, as in scounteren
 *
 * perf programs sign-extend the low @width bits of the value and add the difference to what
 * was counted at @base. For a counter of less than 64 bits that is wrong after the value
 * has crossed the middle or the end of its range in the wrong direction. So a value in the
 * upper half is extended and goes on from -1 to 0; one in the lower half is taken as it
 * is. Either is right for at least half of the range, and by then the counter has been
 * accounted again (sbi_pmu_counters_poll_narrow()).
 *
 * Context: interrupts disabled.
 */
struct sbi_pmu_user_page sbi_pmu_user_page(const struct sbi_pmu_counters *c,
					   const struct sbi_pmu_event *event, u32 readable)
{
	const struct sbi_pmu_counter_info *info;
	struct sbi_pmu_user_page page = { .width = 64 };

	if (!is_readable(c, event))
		return page;
	info = &c->backend.inv->info[event->counter];
	if (!(readable & SBI_PMU_CSR_BIT(info->csr)))
		return page;
	page.csr = info->csr;
	page.base = event->prev;
	if (event->prev & BIT_ULL(info->width - 1)) {
		page.base |= ~GENMASK_ULL(info->width - 1, 0);
		page.width = info->width;
	}
	return page;
}
