// SPDX-License-Identifier: GPL-2.0-only
#include "counter.h"
#include "../../../include/sbi_pmu/sbi_wire.h"

unsigned int sbi_pmu_mask_next(const struct sbi_pmu_mask *m, unsigned int from)
{
	while (from < SBI_PMU_MAX_CTRS) {
		xlen_t rest = m->word[from / SBI_PMU_WORD_BITS] >> (from % SBI_PMU_WORD_BITS);

		if (rest)
			return from + __builtin_ctzll(rest);
		from = (from / SBI_PMU_WORD_BITS + 1) * SBI_PMU_WORD_BITS;
	}
	return SBI_PMU_MAX_CTRS;
}

unsigned int sbi_pmu_mask_weight(const struct sbi_pmu_mask *m)
{
	unsigned int i, n = 0;

	sbi_pmu_mask_for_each(i, m)
		n++;
	return n;
}

/**
 * sbi_pmu_ctr_decode - understand a counter_info word
 * @info: as firmware returned it, hence not to be trusted
 * @limit: bits that a hardware counter has at most, whatever firmware says
 *
 * Return: the counter; of kind NONE if it cannot count events: the time CSR
 * (RustSBI lists it), or a CSR that is no counter.
 */
struct sbi_pmu_ctr sbi_pmu_ctr_decode(xlen_t info, unsigned int limit)
{
	struct sbi_pmu_ctr ctr = { .kind = SBI_PMU_CTR_NONE };

	if (info & SBI_PMU_INFO_FIRMWARE) {
		/* CSR and width mean nothing here; RustSBI has width 0. */
		ctr.kind = SBI_PMU_CTR_FIRMWARE;
		ctr.width = 64;
		return ctr;
	}

	ctr.csr = FIELD_GET(SBI_PMU_INFO_CSR, info);
	ctr.width = FIELD_GET(SBI_PMU_INFO_WIDTH, info) + 1;
	if (ctr.width > limit)
		ctr.width = limit;
	if (ctr.csr == SBI_PMU_CSR_CYCLE || ctr.csr == SBI_PMU_CSR_INSTRET)
		ctr.kind = SBI_PMU_CTR_FIXED;
	else if (ctr.csr > SBI_PMU_CSR_INSTRET && ctr.csr <= SBI_PMU_CSR_LAST)
		ctr.kind = SBI_PMU_CTR_HPM;
	return ctr;
}

/**
 * sbi_pmu_inventory_add - enter a counter
 * @inv: inventory, zeroed before the first call
 * @idx: its logical index, below SBI_PMU_MAX_CTRS
 * @ctr: what it is
 *
 * A second counter on a CSR that has one already is left out: two slots on
 * one register would spoil each other.
 */
void sbi_pmu_inventory_add(struct sbi_pmu_inventory *inv, unsigned int idx,
			   struct sbi_pmu_ctr ctr)
{
	struct sbi_pmu_mask hardware = sbi_pmu_inventory_hardware(inv);
	unsigned int i;

	if (ctr.kind == SBI_PMU_CTR_FIXED || ctr.kind == SBI_PMU_CTR_HPM) {
		sbi_pmu_mask_for_each(i, &hardware)
			if (inv->ctr[i].csr == ctr.csr)
				return;
		if (ctr.width < SBI_PMU_MIN_WIDTH) {
			inv->narrow++;
			return;
		}
	}

	switch (ctr.kind) {
	case SBI_PMU_CTR_FIXED:
		sbi_pmu_mask_set(&inv->fixed, idx);
		break;
	case SBI_PMU_CTR_HPM:
		sbi_pmu_mask_set(&inv->hpm, idx);
		break;
	case SBI_PMU_CTR_FIRMWARE:
		sbi_pmu_mask_set(&inv->firmware, idx);
		break;
	default:
		return;
	}
	inv->ctr[idx] = ctr;
}

bool sbi_pmu_inventory_equal(const struct sbi_pmu_inventory *a,
			     const struct sbi_pmu_inventory *b)
{
	for (unsigned int i = 0; i < SBI_PMU_MAX_CTRS; i++)
		if (a->ctr[i].kind != b->ctr[i].kind ||
		    a->ctr[i].csr != b->ctr[i].csr ||
		    a->ctr[i].width != b->ctr[i].width)
			return false;
	return true;
}

struct sbi_pmu_mask sbi_pmu_inventory_all(const struct sbi_pmu_inventory *inv)
{
	return sbi_pmu_mask_or(sbi_pmu_inventory_hardware(inv), &inv->firmware);
}

/**
 * sbi_pmu_inventory_wrap_ns - how often counters must be looked at
 * @inv: the counters
 *
 * Half the time that the narrowest takes to come round at the very least, so
 * that between two looks none has come round unseen.
 *
 * Return: the interval in ns, 0 if all counters have 64 bits.
 */
u64 sbi_pmu_inventory_wrap_ns(const struct sbi_pmu_inventory *inv)
{
	const struct sbi_pmu_mask hardware = sbi_pmu_inventory_hardware(inv);
	unsigned int i, width = 64;

	sbi_pmu_mask_for_each(i, &hardware)
		if (inv->ctr[i].width < width)
			width = inv->ctr[i].width;
	return width < 64 ? BIT_ULL(width - 1) / SBI_PMU_EVENTS_PER_NS : 0;
}

/**
 * sbi_pmu_ctr_before_overflow - the value from which a counter overflows in time
 * @ctr: the counter
 * @events: after so many
 *
 * At most half its range: the value after the overflow, which is served a
 * little late, must not be taken for one before it.
 */
u64 sbi_pmu_ctr_before_overflow(const struct sbi_pmu_ctr *ctr, u64 events)
{
	const u64 most = BIT_ULL(ctr->width - 1);

	return -(events < most ? events : most) & GENMASK_ULL(ctr->width - 1, 0);
}

/**
 * sbi_pmu_ctr_delta - what was counted between two reads
 * @ctr: the counter; one of width w wraps at 2^w
 * @prev: the earlier value
 * @now: the later value
 * @delta: the answer, only written on success
 *
 * Return: 0, or -ERANGE if a 64-bit counter went backwards: nothing counts
 * 2^63 between two reads, so its value was changed from elsewhere.
 */
int sbi_pmu_ctr_delta(const struct sbi_pmu_ctr *ctr, u64 prev, u64 now, u64 *delta)
{
	u64 d = (now - prev) & GENMASK_ULL(ctr->width - 1, 0);

	if (ctr->width == 64 && d >> 63)
		return -ERANGE;
	*delta = d;
	return 0;
}

/**
 * sbi_pmu_ctr_view - have a program follow a counter by itself
 * @ctr: the counter
 * @value: what it reads now
 *
 * perf's way of it: the program extends the low bits of what it reads by their sign,
 * and adds the difference to what was counted at @value. For a counter of less than
 * 64 bits that is wrong once it leaves the half of its range that it is in by the
 * wrong end. So from the upper half it is extended, to go on from -1 to 0; from the
 * lower half it is taken as it is. Either way it is right for half the range at the
 * very least, and by then somebody has looked (sbi_pmu_inventory_wrap_ns()).
 */
struct sbi_pmu_view sbi_pmu_ctr_view(const struct sbi_pmu_ctr *ctr, u64 value)
{
	struct sbi_pmu_view view = { .base = value, .width = 64 };

	if (value & BIT_ULL(ctr->width - 1)) {
		view.base = value | ~GENMASK_ULL(ctr->width - 1, 0);
		view.width = ctr->width;
	}
	return view;
}
