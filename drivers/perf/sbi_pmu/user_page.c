// SPDX-License-Identifier: GPL-2.0-only
/* What programs can read now: set the mmap pages of events, and scounteren. */
#include "counters.h"

static bool can_be_read(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e)
{
	const struct sbi_pmu_counter *c = e->counter;

	if (!e->user_read || !e->counts || !c || c->info->kind == SBI_PMU_COUNTER_FIRMWARE ||
	    !(cpu->pmu->openable & SBI_PMU_CSR_BIT(c->info->csr)))
		return false;
	/*
	 * Where the value must show nothing of others, it has started from 0, which free-running
	 * counters never do. And none is armed: it shows when another event's sample is due.
	 */
	return !e->reset_on_start || cpu->open_to_all & SBI_PMU_CSR_BIT(c->info->csr) ||
	       (c->state == SBI_PMU_RUNNING && !(cpu->free_running & c->bit));
}

/*
 * Set the words of which perf core makes the mmap page of an event that has just been accounted:
 * hw.prev_count, and hw.idx: the width, for ctr_get_width(), or -1, so that cap_user_rdpmc is 0.
 * The flag PERF_EVENT_FLAG_USER_READ_CNT does not change: perf core counts the events of a context
 * that have it, as they come and as they leave.
 *
 * Programs sign-extend the low bits of the value, as many as the width says, and add the difference
 * to what was counted at prev_count. With less than 64 bits that is wrong past the middle or the
 * end of the range. So for a value in the upper half the real width is published, with a base that
 * is sign-extended: a wrap goes from -1 to 0. For one in the lower half width 64 is published, and
 * nothing is extended. Either is right for the next half of the range, and before that
 * sbi_pmu_counters_update_narrow() publishes again.
 * Context: on its CPU, interrupts disabled.
 */
void sbi_pmu_user_page_publish(struct sbi_pmu_event *e)
{
	struct sbi_pmu_cpu *cpu = this_sbi_pmu_cpu(e->event->pmu);
	const bool shown = can_be_read(cpu, e);
	const u8 shown_before = e->shown;
	struct hw_perf_event *hwc = &e->event->hw;
	const struct sbi_pmu_counter_info *info;
	int width = 64;
	u64 base = 0;

	if (shown) {
		info = e->counter->info;
		base = e->prev;
		if (sbi_pmu_in_upper_half(info, base)) {
			base |= ~info->mask;
			width = info->width;
		}
		e->published |= SBI_PMU_CSR_BIT(info->csr);
		WRITE_ONCE(e->shown, info->csr - CSR_CYCLE + 1);
	} else {
		WRITE_ONCE(e->shown, 0);
	}
	cpu->shown_changed |= e->shown != shown_before;
	local64_set(&hwc->prev_count, base);
	/* An event that counts and cannot be read must be read by read(2). */
	hwc->idx = !shown && (e->active || READ_ONCE(e->mapped_by_other)) ? -1 : width - 1;
}

/* Open to programs what the running task may read. Context: on the CPU, interrupts disabled. */
void sbi_pmu_write_scounteren(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_event *e;
	u32 open = cpu->open_to_all;
	unsigned int i;

	for_each_counter(i, cpu->busy)
		hlist_for_each_entry(e, &cpu->counter[i].events, node)
			/* The task may have called exec() since it mapped the event. */
			if (e->user_read && e->shown && READ_ONCE(e->mm) == current->mm)
				open |= BIT(e->shown - 1);
	cpu->shown_changed = false;
	if (open == cpu->scounteren)
		return;
	cpu->scounteren = open;
	sbi_pmu_csr_open(open);
}
