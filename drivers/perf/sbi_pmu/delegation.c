// SPDX-License-Identifier: GPL-2.0-only
#include "delegation.h"

/* Bits of sireg2 that select the event */
#define SELECTOR	GENMASK_ULL(55, 0)
/* Filters that cores without the H extension have, too */
#define FILTERS		(HPMEVENT_SINH | HPMEVENT_UINH)
/* A counter keeps this value if it has the bits that are needed. */
#define PATTERN		BIT_ULL(SBI_PMU_MIN_WIDTH - 1)

static unsigned int number_of(const struct sbi_pmu_backend *be, unsigned int idx)
{
	return sbi_pmu_counter_number(&be->inv->info[idx]);
}

/* ---- what the counters can do ---- */

static bool reads_back(const struct sbi_pmu_delegated *d, unsigned int n, unsigned int csr,
		       u64 bits, u64 value)
{
	u64 kept;

	return !d->write(n, csr, value) && !d->read(n, csr, &kept) && (kept & bits) == value;
}

/* Can @bits be set and cleared in this register of a stopped counter? It is as before after. */
static bool keeps(const struct sbi_pmu_delegated *d, unsigned int n, unsigned int csr, u64 bits)
{
	u64 before;
	bool both;

	if (d->read(n, csr, &before))
		return false;
	both = reads_back(d, n, csr, bits, bits) && reads_back(d, n, csr, bits, 0);
	return !d->write(n, csr, before) && both;
}

/* Can all counters @bits be stopped and started? They are stopped after. */
static bool can_stop(const struct sbi_pmu_delegated *d, u32 bits)
{
	u32 stopped;

	if (d->start(bits) || d->stopped(&stopped) || stopped & bits)
		return false;
	return !d->stop(bits) && !d->stopped(&stopped) && (stopped & bits) == bits;
}

static const char *probe_programmable(struct sbi_pmu_backend *be, struct sbi_pmu_delegation *found)
{
	const struct sbi_pmu_delegated *d = be->delegated;
	unsigned int i;
	u64 value;

	found->filters = true;
	for_each_counter(i, be->inv->programmable) {
		const unsigned int n = number_of(be, i);

		if (d->read(n, CSR_SIREG, &value) || d->read(n, CSR_SIREG2, &value))
			return "a counter is not delegated";
		if (!keeps(d, n, CSR_SIREG, PATTERN))
			return "a delegated counter cannot be written";
		found->filters = found->filters && keeps(d, n, CSR_SIREG2, FILTERS);
	}
	return NULL;
}

static const char *probe_fixed(struct sbi_pmu_backend *be, struct sbi_pmu_delegation *found)
{
	const struct sbi_pmu_delegated *d = be->delegated;
	unsigned int i;
	u64 value;

	found->fixed_filters = true;
	for_each_counter(i, be->inv->fixed) {
		const unsigned int n = number_of(be, i);

		if (d->read(n, CSR_SIREG, &value))
			return "cycle or instret is not delegated";
		if (!keeps(d, n, CSR_SIREG, PATTERN))
			return "a delegated counter cannot be written";
		found->fixed_filters = found->fixed_filters && keeps(d, n, CSR_SIREG2, FILTERS);
	}
	return NULL;
}

/**
 * sbi_pmu_delegation_probe() - find out whether all hardware counters are delegated
 * @be: this CPU's; none of its counters is in use
 * @found: what they can do, filled in
 *
 * A counter that firmware does not delegate traps. Counters are as they were after: value, event,
 * running or not; but they miss what happens meanwhile.
 * Context: on the CPU, interrupts disabled.
 * Return: NULL, or in words for the log why they cannot be used.
 */
const char *sbi_pmu_delegation_probe(struct sbi_pmu_backend *be, struct sbi_pmu_delegation *found)
{
	const u64 hardware = sbi_pmu_inventory_hardware(be->inv);
	const struct sbi_pmu_delegated *d = be->delegated;
	const u32 bits = sbi_pmu_inventory_csr_bits(be->inv, hardware);
	const char *why = NULL;
	u32 before;

	memset(found, 0, sizeof(*found));
	if (!hardware)
		return "no hardware counters";
	if (d->stopped(&before))
		return "no Ssccfg, or firmware does not delegate counters";
	if (!can_stop(d, bits))
		why = "a counter is not delegated";
	if (!why)
		why = probe_programmable(be, found);
	if (!why)
		why = probe_fixed(be, found);
	/* can_stop() and probes may have ended anywhere. */
	d->stop(bits & before);
	d->start(bits & ~before);
	return why;
}

/* ---- selectors of standard events ---- */

/* Note that counter @n counts an event by @selector, unless others do so by another one. */
static void learn(struct sbi_pmu_delegation *found, u32 idx, unsigned int n, u64 selector)
{
	struct sbi_pmu_delegated_event *last = NULL;

	if (found->of_firmware)
		last = &found->event[found->of_firmware - 1];
	if (!last || last->idx != idx) {
		last = &found->event[found->of_firmware++];
		*last = (struct sbi_pmu_delegated_event){ .idx = idx, .selector = selector };
	}
	if (last->selector == selector)
		last->counters |= BIT(n);
}

/*
 * Have firmware configure an event on one of the counters in @mask, and read what it wrote.
 * The counter is started, since RustSBI does not release one that never ran.
 * Return: 0, -ENODATA if the selector cannot be read, or why firmware refuses.
 */
static int ask(struct sbi_pmu_backend *be, struct sbi_pmu_delegation *found,
	       const struct sbi_pmu_event_code *code, u64 mask)
{
	unsigned int got = SBI_PMU_NO_COUNTER;
	int ret = sbi_pmu_sbi_config(&be->sbi, mask, code, &got);
	u64 event = 0;

	if (!ret) {
		be->delegated->read(number_of(be, got), CSR_SIREG2, &event);
		event &= SELECTOR;
		if (event)
			learn(found, code->idx, number_of(be, got), event);
		else
			ret = -ENODATA;
		if (sbi_pmu_sbi_start(&be->sbi, got))
			ret = -EIO;
	}
	if (got < SBI_PMU_MAX_COUNTERS)
		sbi_pmu_sbi_release(&be->sbi, got);
	return ret;
}

/* Return: -ENODATA if a selector cannot be read, else 0. */
static int learn_event(struct sbi_pmu_backend *be, struct sbi_pmu_delegation *found, u32 idx)
{
	const struct sbi_pmu_event_code code = { .idx = idx };
	const u64 programmable = be->inv->programmable;
	unsigned int i;
	int ret;

	if (!programmable)
		return 0;
	ret = ask(be, found, &code, programmable);
	if (ret == -EOPNOTSUPP || ret == -EINVAL)
		return 0;
	for_each_counter(i, programmable)
		if (ask(be, found, &code, BIT_ULL(i)) == -ENODATA)
			return -ENODATA;
	return 0;
}

/* Reads that take long enough for a counter of cycles to move */
#define READS_TO_MOVE	16

static bool is_moving(struct sbi_pmu_backend *be, unsigned int idx)
{
	u64 first, now;

	if (be->read_csr(be->inv->info[idx].csr, &first))
		return false;
	for (unsigned int i = 0; i < READS_TO_MOVE; i++)
		if (!be->read_csr(be->inv->info[idx].csr, &now) && now != first)
			return true;
	return false;
}

/*
 * Firmware has configured counter @idx for cycles, or instructions, without M-mode. Does it count
 * on when S-mode has written the event and cleared it?
 *
 * QEMU forgets the event of a counter when 0 is written to all of mhpmevent, and S-mode cannot
 * clear the filter of M-mode (MINH) in it.
 */
static bool counts_cleared(struct sbi_pmu_backend *be, unsigned int idx, u64 selector)
{
	const struct sbi_pmu_delegated *d = be->delegated;
	const unsigned int n = number_of(be, idx);
	bool moving;

	/* Far from an overflow */
	if (d->write(n, CSR_SIREG, 0) || d->write(n, CSR_SIREG2, selector) ||
	    d->write(n, CSR_SIREG2, 0) || d->start(BIT(n)))
		return false;
	moving = is_moving(be, idx);
	d->stop(BIT(n));
	return moving;
}

/*
 * Try that on one counter of @event. A counter that firmware cannot configure has the filter of
 * M-mode that it will always have.
 */
static bool sticks_on_any(struct sbi_pmu_backend *be, const struct sbi_pmu_delegation *found,
			  const struct sbi_pmu_delegated_event *event, bool *sticks)
{
	unsigned int i;
	int ret;

	for_each_counter(i, be->inv->programmable) {
		if (!(event->counters & BIT(number_of(be, i))))
			continue;
		ret = sbi_pmu_delegated_hold(be, found, i);
		if (ret && ret != -EOPNOTSUPP)
			continue;
		*sticks = counts_cleared(be, i, event->selector);
		sbi_pmu_delegated_unhold(be, i);
		return true;
	}
	return false;
}

/* An event that occurs all the time shows it. */
static bool events_stick(struct sbi_pmu_backend *be, const struct sbi_pmu_delegation *found)
{
	bool sticks = false;

	for (unsigned int n = 0; n < found->events; n++)
		if (found->event[n].idx <= SBI_PMU_HW_INSTRUCTIONS &&
		    sticks_on_any(be, found, &found->event[n], &sticks))
			break;
	return sticks;
}

static bool is_of_firmware(const struct sbi_pmu_delegation *found, u32 idx)
{
	for (unsigned int n = 0; n < found->of_firmware; n++)
		if (found->event[n].idx == idx)
			return true;
	return false;
}

/* Add standard events of the vendor, on the counters of their units. */
static void add_vendor_events(struct sbi_pmu_backend *be, const struct sbi_pmu_caps *caps,
			      struct sbi_pmu_delegation *found)
{
	const struct sbi_pmu_vendor *vendor = caps->vendor;
	u32 idx;

	found->events = found->of_firmware;
	if (!vendor || !vendor->standard)
		return;
	for (unsigned int n = 0; (idx = sbi_pmu_event_standard(n)); n++) {
		struct sbi_pmu_event_code code = {};
		u64 which = be->inv->programmable;

		if (is_of_firmware(found, idx) || !vendor->standard(caps->vendor_data, idx, &code))
			continue;
		if (vendor->candidates && code.unit)
			which = ((vendor->candidates(be->inv, code.unit)) & which);
		found->event[found->events++] = (struct sbi_pmu_delegated_event){
			.idx = idx,
			.selector = code.data,
			.counters = sbi_pmu_inventory_csr_bits(be->inv, which),
		};
	}
}

/**
 * sbi_pmu_delegation_learn() - find out by which selectors standard events are counted
 * @be: this CPU's; none of its counters is in use
 * @caps: what the machine can do
 * @found: selectors and counters of standard events are added
 *
 * Each standard event is configured once on each programmable counter. What firmware wrote is
 * read back, and firmware is not asked again. Events that it does not know are the vendor's.
 * Context: on the CPU, interrupts disabled.
 * Return: NULL, or in words for the log why selectors are not known.
 */
const char *sbi_pmu_delegation_learn(struct sbi_pmu_backend *be, const struct sbi_pmu_caps *caps,
				     struct sbi_pmu_delegation *found)
{
	const u32 fixed = sbi_pmu_inventory_csr_bits(be->inv, be->inv->fixed);
	const char *why = NULL;
	u32 before, idx;

	if (be->delegated->stopped(&before))
		return "scountinhibit cannot be read";
	/* Firmware does not configure one that runs, which a kernel before kexec may have left. */
	be->delegated->stop(sbi_pmu_inventory_csr_bits(be->inv, be->inv->programmable));
	for (unsigned int n = 0; !why && (idx = sbi_pmu_event_standard(n)); n++)
		if (learn_event(be, found, idx))
			why = "the selector that firmware writes cannot be read";
	add_vendor_events(be, caps, found);
	found->sticks = !why && events_stick(be, found);
	/* Firmware may have returned a fixed counter instead, and stopped it. */
	be->delegated->start(fixed & ~before);
	return why;
}

/**
 * sbi_pmu_delegation_caps() - say which filters events can have
 * @d: what the counters can do
 * @caps: ->filter as the overflow interrupt's source has it, if it is set
 *
 * The filter of M-mode is firmware's. Where programmable counters do not filter, they count M-mode
 * and cycle and instret may not: then it matters which counter an event has.
 */
void sbi_pmu_delegation_caps(const struct sbi_pmu_delegation *d, struct sbi_pmu_caps *caps)
{
	caps->filter = caps->filter && d->filters;
	caps->fixed_filters = d->fixed_filters;
	caps->m_mode_fixed = caps->filter && d->fixed_filters;
}

/* Do the counters of two CPUs do the same, and firmware write the same for each event? */
bool sbi_pmu_delegation_equal(const struct sbi_pmu_delegation *a,
			      const struct sbi_pmu_delegation *b)
{
	if (a->filters != b->filters || a->fixed_filters != b->fixed_filters ||
	    a->sticks != b->sticks || a->of_firmware != b->of_firmware || a->events != b->events)
		return false;
	for (unsigned int i = 0; i < a->events; i++)
		if (a->event[i].idx != b->event[i].idx ||
		    a->event[i].selector != b->event[i].selector ||
		    a->event[i].counters != b->event[i].counters)
			return false;
	return true;
}
