// SPDX-License-Identifier: GPL-2.0-only
#include "user_page.h"

/*
 * If it started from 0, and is not armed: the value then shows when another event's sample is due.
 * A free-running counter never starts from 0.
 */
static bool shows_only_own(const struct sbi_pmu_counters *c, unsigned int idx)
{
	return c->state[idx] == SBI_PMU_RUNNING &&
	       (!has_counter(c->backend.inv->free_running, idx) ||
		has_counter(c->world_readable, idx));
}

static bool is_readable(const struct sbi_pmu_counters *c, const struct sbi_pmu_event *event)
{
	return event->user_read && event->active && event->counter != SBI_PMU_NO_COUNTER &&
	       (!event->reset_on_start || shows_only_own(c, event->counter)) &&
	       c->backend.inv->info[event->counter].kind != SBI_PMU_COUNTER_FIRMWARE;
}

/**
 * sbi_pmu_user_page_possible() - can the event's counter ever be read from user space?
 * @inv: the counters
 * @candidates: those that can count the event
 * @readable: counters that can be opened to user space, as in scounteren
 */
bool sbi_pmu_user_page_possible(const struct sbi_pmu_inventory *inv, u64 candidates, u32 readable)
{
	unsigned int i;

	for_each_counter(i, candidates)
		if (inv->info[i].kind != SBI_PMU_COUNTER_FIRMWARE &&
		    readable & SBI_PMU_CSR_BIT(inv->info[i].csr))
			return true;
	return false;
}

/**
 * sbi_pmu_user_page_mapped() - decide who may read the counter of an event that is mapped
 * @event: the event
 * @own: the task that maps it is the task that it counts
 * @sees_all: the task that maps it may see what other tasks count
 *
 * The page does not tell its readers apart, and on another thread's CPU the read traps or returns
 * another counter: after another task has mapped the event, nobody reads its counter.
 * Context: any, one call at a time for an event; if it counts, sbi_pmu_event_set_user_read() must
 * follow.
 */
void sbi_pmu_user_page_mapped(struct sbi_pmu_event *event, bool own, bool sees_all)
{
	if (own)
		event->reset_on_start = !sees_all;
	else
		WRITE_ONCE(event->mapped_by_other, true);
	WRITE_ONCE(event->mapped, !event->mapped_by_other);
}

/**
 * sbi_pmu_user_page() - work out an event's mmap page
 * @c: this CPU's
 * @event: the event, accounted
 * @readable: counters that can be opened to user space, as in scounteren
 *
 * Programs sign-extend the low @width bits of the value and add the difference to what was counted
 * at @base. With less than 64 bits that is wrong past the middle or the end of the range. So a
 * value in the upper half is extended and goes on from -1 to 0; one in the lower half is taken as
 * it is. Either is right for half of the range; sbi_pmu_counters_poll_narrow() comes before.
 * Context: interrupts disabled.
 */
struct sbi_pmu_user_page sbi_pmu_user_page(const struct sbi_pmu_counters *c,
					   const struct sbi_pmu_event *event, u32 readable)
{
	const struct sbi_pmu_counter_info *info;
	struct sbi_pmu_user_page page = { .width = 64 };

	/* An event that counts and cannot be read must be read by read(2). */
	page.by_kernel = event->active || READ_ONCE(event->mapped_by_other);
	if (!is_readable(c, event))
		return page;
	info = &c->backend.inv->info[event->counter];
	if (!(readable & SBI_PMU_CSR_BIT(info->csr)))
		return page;
	page.by_kernel = false;
	page.csr = info->csr;
	page.base = event->prev;
	if (event->prev & BIT_ULL(info->width - 1)) {
		page.base |= ~GENMASK_ULL(info->width - 1, 0);
		page.width = info->width;
	}
	return page;
}
