// SPDX-License-Identifier: GPL-2.0-only
#include "inventory.h"

/**
 * sbi_pmu_counter_info_decode() - understand the answer of COUNTER_GET_INFO
 * @word: the answer; any value is possible (SBI 3.0, 11.6)
 * @max_width: bits that a hardware counter has at most, whatever firmware says
 * Return: the counter; kind NONE for time, which RustSBI lists, or what is no counter's CSR.
 */
struct sbi_pmu_counter_info sbi_pmu_counter_info_decode(unsigned long word, unsigned int max_width)
{
	const union sbi_pmu_ctr_info answer = { .value = word };
	struct sbi_pmu_counter_info info = { .kind = SBI_PMU_COUNTER_NONE };

	if (answer.type == SBI_PMU_CTR_TYPE_FW) {
		/* CSR and width have no meaning here; RustSBI says width 0. */
		info.kind = SBI_PMU_COUNTER_FIRMWARE;
		info.width = 64;
		return info;
	}

	info.csr = answer.csr;
	info.width = answer.width + 1;
	if (info.width > max_width)
		info.width = max_width;
	if (info.csr == CSR_CYCLE || info.csr == CSR_INSTRET)
		info.kind = SBI_PMU_COUNTER_FIXED;
	else if (info.csr >= CSR_HPMCOUNTER3 && info.csr <= CSR_HPMCOUNTER31)
		info.kind = SBI_PMU_COUNTER_PROGRAMMABLE;
	return info;
}

/* KVM describes a gap by zeros. The time CSR is no counter to count with. */
static bool is_unknown(const struct sbi_pmu_counter_info *info)
{
	return info->kind == SBI_PMU_COUNTER_NONE && info->csr && info->csr != CSR_TIME;
}

static bool csr_is_taken(const struct sbi_pmu_inventory *inv, u16 csr)
{
	const u64 hardware = sbi_pmu_inventory_hardware(inv);
	unsigned int i;

	for_each_counter(i, hardware)
		if (inv->info[i].csr == csr)
			return true;
	return false;
}

/**
 * sbi_pmu_inventory_add() - add a counter, unless there is one with this CSR already
 * @inv: the inventory, zeroed before the first call
 * @idx: the counter's logical index, below SBI_PMU_MAX_COUNTERS
 * @info: the counter
 */
void sbi_pmu_inventory_add(struct sbi_pmu_inventory *inv, unsigned int idx,
			   struct sbi_pmu_counter_info info)
{
	const bool hardware = info.kind == SBI_PMU_COUNTER_FIXED ||
			      info.kind == SBI_PMU_COUNTER_PROGRAMMABLE;

	if (hardware ? csr_is_taken(inv, info.csr) : is_unknown(&info)) {
		inv->without_csr++;
		return;
	}
	if (hardware && info.width < SBI_PMU_MIN_WIDTH) {
		inv->narrow++;
		return;
	}

	switch (info.kind) {
	case SBI_PMU_COUNTER_FIXED:
		inv->fixed |= BIT_ULL(idx);
		break;
	case SBI_PMU_COUNTER_PROGRAMMABLE:
		inv->programmable |= BIT_ULL(idx);
		break;
	case SBI_PMU_COUNTER_FIRMWARE:
		inv->firmware |= BIT_ULL(idx);
		break;
	default:
		return;
	}
	inv->info[idx] = info;
}

bool sbi_pmu_inventory_equal(const struct sbi_pmu_inventory *a, const struct sbi_pmu_inventory *b)
{
	for (unsigned int i = 0; i < SBI_PMU_MAX_COUNTERS; i++)
		if (a->info[i].kind != b->info[i].kind || a->info[i].csr != b->info[i].csr ||
		    a->info[i].width != b->info[i].width)
			return false;
	return true;
}

u64 sbi_pmu_inventory_all(const struct sbi_pmu_inventory *inv)
{
	return sbi_pmu_inventory_hardware(inv) | inv->firmware;
}

/* Hardware counters @which in scountinhibit and the like; those of firmware have no bit. */
u32 sbi_pmu_inventory_csr_bits(const struct sbi_pmu_inventory *inv, u64 which)
{
	const u64 hardware = which & ~inv->firmware;
	u32 bits = 0;
	unsigned int i;

	for_each_counter(i, hardware)
		bits |= SBI_PMU_CSR_BIT(inv->info[i].csr);
	return bits;
}

/**
 * sbi_pmu_inventory_wrap_ns() - how often narrow counters must be read
 * @inv: the counters
 * Return: half of the least time in which the narrowest can wrap (ns); 0: all have 64 bits.
 */
u64 sbi_pmu_inventory_wrap_ns(const struct sbi_pmu_inventory *inv)
{
	const u64 hardware = sbi_pmu_inventory_hardware(inv);
	unsigned int i, width = 64;

	for_each_counter(i, hardware)
		if (inv->info[i].width < width)
			width = inv->info[i].width;
	return width < 64 ? BIT_ULL(width - 1) / SBI_PMU_EVENTS_PER_NS : 0;
}

/**
 * sbi_pmu_counter_start_value() - where a counter starts to overflow after @events
 * @info: the counter
 * @events: events until the overflow
 *
 * At most half of the range: the handler must tell a value after the overflow from one before.
 */
u64 sbi_pmu_counter_start_value(const struct sbi_pmu_counter_info *info, u64 events)
{
	const u64 most = BIT_ULL(info->width - 1);

	return -(events < most ? events : most) & GENMASK_ULL(info->width - 1, 0);
}
