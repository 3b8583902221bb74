// SPDX-License-Identifier: GPL-2.0-only
#include "overflow_scan.h"

/* Does an event on counter @idx wait for the end of its period in this way? */
bool sbi_pmu_counter_samples(const struct sbi_pmu_counters *c, unsigned int idx,
			     enum sbi_pmu_sampling how)
{
	const struct sbi_pmu_event *event;

	list_for_each_entry(event, &c->events[idx], node)
		if (event->active && event->sampling == how)
			return true;
	return false;
}

/* Armed counters on which an event waits for the overflow. */
struct sbi_pmu_mask sbi_pmu_counters_sampling(const struct sbi_pmu_counters *c)
{
	const struct sbi_pmu_mask armed = sbi_pmu_mask_and(c->in[SBI_PMU_ARMED], &c->plan.busy);
	struct sbi_pmu_mask sampling = {};
	unsigned int i;

	sbi_pmu_for_each_counter(i, &armed)
		if (sbi_pmu_counter_samples(c, i, SBI_PMU_BY_INTERRUPT))
			sbi_pmu_mask_set(&sampling, i);
	return sampling;
}

/* Armed counters whose bit is set in @scountovf. */
struct sbi_pmu_mask sbi_pmu_counters_overflow_set(const struct sbi_pmu_counters *c, u32 scountovf)
{
	struct sbi_pmu_mask which = {};
	unsigned int i;

	sbi_pmu_for_each_counter(i, &c->in[SBI_PMU_ARMED])
		if (scountovf & SBI_PMU_CSR_BIT(c->backend.inv->info[i].csr))
			sbi_pmu_mask_set(&which, i);
	return which;
}

/*
 * Has counter @idx, which has just been accounted, overflowed since it was armed? An armed
 * counter starts in the upper half of its range, and leaves it by an overflow only.
 */
static bool has_wrapped(const struct sbi_pmu_counters *c, unsigned int idx)
{
	const struct sbi_pmu_event *event;

	list_for_each_entry(event, &c->events[idx], node)
		if (event->active)
			return !(event->prev & BIT_ULL(c->backend.inv->info[idx].width - 1));
	return false;
}

static struct sbi_pmu_mask wrapped_among(const struct sbi_pmu_counters *c,
					 const struct sbi_pmu_mask *among)
{
	struct sbi_pmu_mask wrapped = {};
	unsigned int i;

	sbi_pmu_for_each_counter(i, among)
		if (has_wrapped(c, i))
			sbi_pmu_mask_set(&wrapped, i);
	return wrapped;
}

static void update_all(struct sbi_pmu_counters *c, const struct sbi_pmu_mask *which)
{
	unsigned int i;

	sbi_pmu_for_each_counter(i, which)
		sbi_pmu_counter_update(c, i);
}

/**
 * sbi_pmu_counters_stop_overflowed() - stop the counters that have overflowed
 * @c: this CPU's, disabled
 * @scountovf: read that CSR
 *
 * With snapshot all counters are stopped by one call. Then, and in a VM, the values show
 * which have overflowed: scountovf is not virtualised, and KVM does not clear the overflow
 * bits in the shared memory.
 *
 * Context: interrupts disabled.
 * Return: those that have overflowed; their events are accounted.
 */
struct sbi_pmu_mask sbi_pmu_counters_stop_overflowed(struct sbi_pmu_counters *c,
						     u32 (*scountovf)(void))
{
	const struct sbi_pmu_mask sampling = sbi_pmu_counters_sampling(c);
	struct sbi_pmu_mask overflowed;

	if (sbi_pmu_backend_stop_saves(&c->backend)) {
		sbi_pmu_counters_stop_all(c);
		return wrapped_among(c, &sampling);
	}
	if (c->backend.in_vm) {
		update_all(c, &sampling);
		overflowed = wrapped_among(c, &sampling);
	} else {
		overflowed = sbi_pmu_counters_overflow_set(c, scountovf());
	}
	sbi_pmu_counters_stop(c, &overflowed);
	return overflowed;
}

/**
 * sbi_pmu_counters_lost_irqs() - find counters whose overflow interrupt was lost
 * @c: this CPU's
 * @sampling: sbi_pmu_counters_sampling()
 *
 * A counter that had wrapped at the last call, too, is not merely about to interrupt. That
 * it was started again between the calls does not matter: QEMU 7.2 misses an overflow
 * that comes before the call to start the counter returns.
 *
 * Context: interrupts disabled.
 */
struct sbi_pmu_mask sbi_pmu_counters_lost_irqs(struct sbi_pmu_counters *c,
					       const struct sbi_pmu_mask *sampling)
{
	const struct sbi_pmu_mask before = c->wrapped;

	update_all(c, sampling);
	c->wrapped = wrapped_among(c, sampling);
	return sbi_pmu_mask_and(before, &c->wrapped);
}

/**
 * sbi_pmu_counters_poll_ns() - when the timer should look at sampling events again
 * @c: this CPU's; events that are sampled by timer have just been accounted
 * @elapsed: ns since this was asked last
 *
 * Return: ns, 0 if no event is sampled by timer.
 */
u64 sbi_pmu_counters_poll_ns(struct sbi_pmu_counters *c, u64 elapsed)
{
	struct sbi_pmu_event *event;
	u64 first = 0, ns;
	unsigned int i;

	sbi_pmu_for_each_counter(i, &c->plan.busy) {
		list_for_each_entry(event, &c->events[i], node) {
			if (!event->active || event->sampling != SBI_PMU_BY_TIMER)
				continue;
			ns = sbi_pmu_period_poll_ns(&event->period, elapsed);
			if (!first || ns < first)
				first = ns;
		}
	}
	return first ? sbi_pmu_poll_ns_clamp(first) : 0;
}
