// SPDX-License-Identifier: GPL-2.0-only
#include "counters_overflow.h"

/* Does an event on counter @idx wait for the end of its period in this way? */
bool sbi_pmu_counter_samples(const struct sbi_pmu_counters *c, unsigned int idx,
			     enum sbi_pmu_sampling how)
{
	const struct sbi_pmu_event *event;

	hlist_for_each_entry(event, &c->events[idx], node)
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

/* Armed counters whose bit is set in @overflow, a value of scountovf or the like. */
struct sbi_pmu_mask sbi_pmu_counters_overflow_set(const struct sbi_pmu_counters *c, u32 overflow)
{
	struct sbi_pmu_mask which = {};
	unsigned int i;

	sbi_pmu_for_each_counter(i, &c->in[SBI_PMU_ARMED])
		if (overflow & SBI_PMU_CSR_BIT(c->backend.inv->info[i].csr))
			sbi_pmu_mask_set(&which, i);
	return which;
}

/* An armed counter starts in the upper half of its range, and leaves it by an overflow only. */
static bool has_wrapped(const struct sbi_pmu_counters *c, unsigned int idx)
{
	const struct sbi_pmu_event *event;

	hlist_for_each_entry(event, &c->events[idx], node)
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
 * sbi_pmu_counters_stop_for_samples() - stop all hardware counters while samples are taken
 * @c: this CPU's, disabled
 * @overflowed: counters that have overflowed
 *
 * Together, so that the events of a group do not differ by what is counted meanwhile. Firmware's
 * counters run on: they count firmware's work, and to read each would cost a call.
 * Context: interrupts disabled.
 * Return: @overflowed, and counters that have overflowed before they were stopped.
 */
struct sbi_pmu_mask sbi_pmu_counters_stop_for_samples(struct sbi_pmu_counters *c,
						      const struct sbi_pmu_mask *overflowed)
{
	const struct sbi_pmu_mask sampling = sbi_pmu_counters_sampling(c);
	const struct sbi_pmu_mask busy =
		sbi_pmu_mask_andnot(c->plan.busy, &c->backend.inv->firmware);
	const struct sbi_pmu_mask which = sbi_pmu_mask_or(busy, overflowed);
	struct sbi_pmu_mask wrapped;

	sbi_pmu_counters_stop(c, &which);
	wrapped = wrapped_among(c, &sampling);
	return sbi_pmu_mask_or(wrapped, overflowed);
}

/**
 * sbi_pmu_counters_stop_overflowed() - stop the counters, if any has overflowed
 * @c: this CPU's, disabled
 * @overflow: read the CSR of overflow bits
 * @csr: its number
 *
 * With snapshot one call stops all. Then, and in a VM, the values show which have overflowed:
 * scountovf is not virtualised, and KVM does not clear the overflow bits in the shared memory.
 * Context: interrupts disabled.
 * Return: those that have overflowed; their events are accounted.
 */
struct sbi_pmu_mask sbi_pmu_counters_stop_overflowed(struct sbi_pmu_counters *c,
						     u32 (*overflow)(unsigned int csr),
						     unsigned int csr)
{
	struct sbi_pmu_mask sampling, overflowed;

	if (sbi_pmu_backend_stop_saves(&c->backend)) {
		sampling = sbi_pmu_counters_sampling(c);
		sbi_pmu_counters_stop_all(c);
		return wrapped_among(c, &sampling);
	}
	if (c->backend.in_vm) {
		sampling = sbi_pmu_counters_sampling(c);
		update_all(c, &sampling);
		overflowed = wrapped_among(c, &sampling);
	} else {
		overflowed = sbi_pmu_counters_overflow_set(c, overflow(csr));
	}
	if (sbi_pmu_mask_empty(&overflowed))
		return overflowed;
	return sbi_pmu_counters_stop_for_samples(c, &overflowed);
}

/**
 * sbi_pmu_counters_lost_irqs() - find counters whose overflow interrupt was lost
 * @c: this CPU's
 * @sampling: sbi_pmu_counters_sampling()
 *
 * One that had wrapped at the last call, too, is not merely about to interrupt, even if started
 * again since: QEMU 7.2 misses an overflow that comes before the call to start it returns.
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
