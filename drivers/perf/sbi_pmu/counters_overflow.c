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
u64 sbi_pmu_counters_sampling(const struct sbi_pmu_counters *c)
{
	const u64 armed = c->in[SBI_PMU_ARMED] & c->plan.busy;
	u64 sampling = 0;
	unsigned int i;

	for_each_counter(i, armed)
		if (sbi_pmu_counter_samples(c, i, SBI_PMU_BY_INTERRUPT))
			sampling |= BIT_ULL(i);
	return sampling;
}

/* Armed counters whose bit is set in @overflow, a value of scountovf or the like. */
u64 sbi_pmu_counters_overflow_set(const struct sbi_pmu_counters *c, u32 overflow)
{
	u64 which = 0;
	unsigned int i;

	for_each_counter(i, c->in[SBI_PMU_ARMED])
		if (overflow & SBI_PMU_CSR_BIT(c->backend.inv->info[i].csr))
			which |= BIT_ULL(i);
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

static u64 wrapped_among(const struct sbi_pmu_counters *c, u64 among)
{
	u64 wrapped = 0;
	unsigned int i;

	for_each_counter(i, among)
		if (has_wrapped(c, i))
			wrapped |= BIT_ULL(i);
	return wrapped;
}

static void update_all(struct sbi_pmu_counters *c, u64 which)
{
	unsigned int i;

	for_each_counter(i, which)
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
u64 sbi_pmu_counters_stop_for_samples(struct sbi_pmu_counters *c, u64 overflowed)
{
	const u64 sampling = sbi_pmu_counters_sampling(c);
	const u64 busy = (c->plan.busy & ~c->backend.inv->firmware);
	const u64 which = busy | overflowed;
	u64 wrapped;

	sbi_pmu_counters_stop(c, which);
	wrapped = wrapped_among(c, sampling);
	return wrapped | overflowed;
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
u64 sbi_pmu_counters_stop_overflowed(struct sbi_pmu_counters *c, u32 (*overflow)(unsigned int csr),
				     unsigned int csr)
{
	u64 sampling, overflowed;

	if (sbi_pmu_backend_stop_saves(&c->backend)) {
		sampling = sbi_pmu_counters_sampling(c);
		sbi_pmu_counters_stop_all(c);
		return wrapped_among(c, sampling);
	}
	if (c->backend.in_vm) {
		sampling = sbi_pmu_counters_sampling(c);
		update_all(c, sampling);
		overflowed = wrapped_among(c, sampling);
	} else {
		overflowed = sbi_pmu_counters_overflow_set(c, overflow(csr));
	}
	if (!overflowed)
		return overflowed;
	return sbi_pmu_counters_stop_for_samples(c, overflowed);
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
u64 sbi_pmu_counters_lost_irqs(struct sbi_pmu_counters *c, u64 sampling)
{
	const u64 before = c->wrapped;

	update_all(c, sampling);
	c->wrapped = wrapped_among(c, sampling);
	return before & c->wrapped;
}
