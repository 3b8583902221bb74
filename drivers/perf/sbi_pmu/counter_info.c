// SPDX-License-Identifier: GPL-2.0-only
/* Which counters there are, how wide they are, and which of them only need to be read. */
#include <linux/sched/clock.h>

#include "backend.h"
#include "counter_info.h"
#include "csr.h"
#include "probe.h"
#include "sbi.h"

/* ---- what firmware says of them ---- */

static void set_width(struct sbi_pmu_counter_info *info, unsigned int width)
{
	info->width = width;
	info->mask = GENMASK_ULL(width - 1, 0);
}

/*
 * Add the counter that COUNTER_GET_INFO has described, by any value (SBI 3.0, 11.6), unless another
 * has this CSR already, or the CSR is no counter's: RustSBI lists that of time, and KVM describes a
 * gap by 0. In KVM cycle and instret can do all that the others can.
 */
static void add_counter(struct sbi_pmu_layout *layout, unsigned int idx, u64 word,
			unsigned int max_width, bool in_kvm)
{
	const u32 taken = sbi_pmu_csr_bits(layout, sbi_pmu_hardware(layout));
	const union sbi_pmu_ctr_info answer = { .value = word };
	struct sbi_pmu_counter_info *info = &layout->info[idx];
	const u16 csr = answer.csr;
	const bool fixed = csr == CSR_CYCLE || csr == CSR_INSTRET;
	const unsigned int width = min_t(unsigned int, answer.width + 1, max_width);

	if (answer.type == SBI_PMU_CTR_TYPE_FW) {
		/* CSR and width have no meaning here; RustSBI says width 0. */
		info->kind = SBI_PMU_COUNTER_FIRMWARE;
		set_width(info, 64);
		layout->firmware |= BIT_ULL(idx);
		return;
	}
	if (!fixed && (csr < CSR_HPMCOUNTER3 || csr > CSR_HPMCOUNTER31)) {
		layout->without_csr += csr && csr != CSR_TIME;
		return;
	}
	if (taken & SBI_PMU_CSR_BIT(csr)) {
		layout->without_csr++;
		return;
	}
	if (width < SBI_PMU_MIN_WIDTH) {
		layout->narrow++;
		return;
	}
	info->kind = fixed && !in_kvm ? SBI_PMU_COUNTER_FIXED : SBI_PMU_COUNTER_PROGRAMMABLE;
	info->csr = csr;
	set_width(info, width);
	if (fixed)
		layout->with_fixed_csr |= BIT_ULL(idx);
	if (fixed && !in_kvm)
		layout->fixed |= BIT_ULL(idx);
	else
		layout->programmable |= BIT_ULL(idx);
}

/*
 * How often must narrow counters be read? Return: half of the least time in which the narrowest can
 * wrap (ns); 0: all have 64 bits.
 */
u64 sbi_pmu_wrap_ns(const struct sbi_pmu_layout *layout)
{
	unsigned int i, width = 64;

	for_each_counter(i, sbi_pmu_hardware(layout))
		if (layout->info[i].width < width)
			width = layout->info[i].width;
	return width < 64 ? BIT_ULL(width - 1) / SBI_PMU_EVENTS_PER_NS : 0;
}

/*
 * Ask firmware for the counters of this CPU. Return: 0, or an errno if firmware does not even
 * return their number.
 */
int sbi_pmu_probe_layout(struct sbi_pmu_cpu *cpu, const u8 *max_width,
			 struct sbi_pmu_layout *layout)
{
	u64 n, word, found = 0;
	int ret;

	memset(layout, 0, sizeof(*layout));
	ret = sbi_pmu_sbi_value(cpu, SBI_EXT_PMU_NUM_COUNTERS, 0, &n);
	if (ret)
		return ret;

	/* The number of counters is no bound of their indices. */
	for (unsigned int i = 0; i < SBI_PMU_MAX_COUNTERS && found < n; i++) {
		if (sbi_pmu_sbi_value(cpu, SBI_EXT_PMU_COUNTER_GET_INFO, i, &word))
			continue;
		found++;
		add_counter(layout, i, word, max_width[i], sbi_pmu_in_kvm(cpu->pmu));
	}
	/* OpenSBI includes gaps in the number, such as the time CSR. */
	if (n > SBI_PMU_MAX_COUNTERS)
		layout->beyond = n - SBI_PMU_MAX_COUNTERS;
	return 0;
}

/*
 * Apply lower limits to counters that have been probed: those that are too narrow then are not used
 * any more. Return: has any changed?
 */
bool sbi_pmu_lower_widths(struct sbi_pmu_layout *layout, const u8 *max_width)
{
	unsigned int i, said = 0, first = 0, n = 0;

	for_each_counter(i, layout->programmable) {
		struct sbi_pmu_counter_info *info = &layout->info[i];

		if (info->width <= max_width[i])
			continue;
		if (!n++) {
			first = i;
			said = info->width;
		}
		set_width(info, max_width[i]);
		if (info->width >= SBI_PMU_MIN_WIDTH)
			continue;
		layout->programmable &= ~BIT_ULL(i);
		layout->narrow++;
		memset(info, 0, sizeof(*info));
	}
	if (n)
		pr_warn("counter %u: firmware says %u bits, measured %u (%u counters): using the measured width\n",
			first, said, max_width[first], n);
	return n;
}

/* ---- how many bits they have ---- */

/*
 * A counter is started with upper bits set and lower bits 0, and read before it can overflow. If
 * the hart is delayed, the values are wrong, and the width stays unknown.
 */
#define UPPER_HALF	GENMASK_ULL(63, 32)
#define LOWER_HALF	GENMASK_ULL(31, SBI_PMU_FAR_BITS)

/* How many of the ones of @pattern has a counter kept, from the lowest on? 0: it has others. */
static unsigned int ones_left(u64 value, u64 pattern)
{
	const u64 ones = (value & pattern) / (pattern & -pattern);

	return ones & (ones + 1) ? 0 : hweight64(ones);
}

/*
 * Return: the bits of a counter that has an event, 0 if it cannot be written. It runs on, as
 * RustSBI releases no stopped one.
 */
static int measure_width(struct sbi_pmu_cpu *cpu, unsigned int idx, void *unused)
{
	static const u64 from[] = { UPPER_HALF, LOWER_HALF, 0 };
	u64 value[ARRAY_SIZE(from)], upper, lower, zero;

	for (unsigned int n = 0; n < ARRAY_SIZE(from); n++) {
		if (n)
			cpu->backend->stop(cpu, BIT_ULL(idx));
		if (!sbi_pmu_counter_start_at(cpu, idx, from[n]) ||
		    sbi_pmu_csr_read(cpu->layout->info[idx].csr, &value[n]))
			return 0;
	}
	upper = value[0];
	lower = value[1];
	zero = value[2];
	if ((zero | (upper & ~UPPER_HALF)) >> SBI_PMU_FAR_BITS || !ones_left(lower, LOWER_HALF))
		return 0;
	if (upper & UPPER_HALF)
		return ones_left(upper, UPPER_HALF) ? 32 + ones_left(upper, UPPER_HALF) : 0;
	return SBI_PMU_FAR_BITS + ones_left(lower, LOWER_HALF);
}

/*
 * Measure programmable counters: @max_width of wider ones are lowered.
 *
 * A counter is left out without an example, or if the other driver uses it. cycle and instret have
 * 64 bits (privileged specification, 3.1.10), and so have the counters of a VM, which are in its
 * host's memory.
 * Return: counters that cannot be written: their values are what others have counted, too.
 */
u64 sbi_pmu_probe_widths(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_examples *examples,
			 u8 *max_width)
{
	const u64 which = examples->known & cpu->layout->programmable & ~cpu->configured;
	u64 unwritable = 0;
	unsigned int i, got;
	int width;

	if (sbi_pmu_in_kvm(cpu->pmu))
		return 0;
	for_each_counter(i, which) {
		width = 0;
		/* The hart may have been delayed: three tries. */
		for (unsigned int n = 0; n < 3 && !width; n++) {
			width = sbi_pmu_with_event(cpu, BIT_ULL(i), &examples->code[i], &got,
						   measure_width, NULL);
			unwritable |= width ? 0 : BIT_ULL(i);
		}
		if (width > 0)
			unwritable &= ~BIT_ULL(i);
		if (width > 0 && width < min(max_width[i], cpu->layout->info[i].width))
			max_width[i] = width;
	}
	return unwritable;
}

/* ---- how they are read ---- */

/* Reads of the clock that give a counter time to count some thousand events */
#define CLOCK_READS	1000

/* Does running counter @idx count what happens all the time? */
bool sbi_pmu_probe_is_counting(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const u16 csr = cpu->layout->info[idx].csr;
	u64 first, now;

	if (sbi_pmu_csr_read(csr, &first))
		return false;
	for (unsigned int n = 0; n < CLOCK_READS; n++)
		sched_clock();
	return !sbi_pmu_csr_read(csr, &now) && now > first;
}

/*
 * Does fixed counter @idx run, which firmware does not hand out? It is started if need be: the
 * built-in driver stops all of a CPU that comes online.
 */
bool sbi_pmu_probe_counts_freely(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	unsigned long flags;
	bool counts;

	local_irq_save(flags);
	counts = sbi_pmu_probe_is_counting(cpu, idx) ||
		 (!sbi_pmu_sbi_backend_start_one(cpu, idx) && sbi_pmu_probe_is_counting(cpu, idx));
	local_irq_restore(flags);
	return counts;
}

/*
 * Find the fixed counters of an idle CPU that only need to be read.
 *
 * With Sscofpmf and without Smcntrpmf, OpenSBI 1.9 and later do not hand out cycle and instret, as
 * they cannot filter. If firmware's device tree has no lines for the events, no other counter
 * counts them; the CSRs run all the time, though.
 *
 * In shared mode only programmable counters are offered, as OpenSBI hands out a fixed one whatever
 * is offered. The caller must know that the firmware does that.
 * Return: those whose event firmware hands out no counter for.
 */
u64 sbi_pmu_probe_free_running(struct sbi_pmu_cpu *cpu)
{
	const u64 offered = cpu->exclusive ? sbi_pmu_hardware(cpu->layout) :
					     cpu->layout->programmable;
	u64 free_running = 0;
	unsigned int i, got;
	int ret;

	if (!offered)
		return 0;
	for_each_counter(i, cpu->layout->fixed) {
		const struct sbi_pmu_code code = {
			.idx = sbi_pmu_fixed_event(&cpu->layout->info[i]),
		};

		ret = sbi_pmu_with_event(cpu, offered, &code, &got, sbi_pmu_start_and_read, NULL);
		if (sbi_pmu_is_refusal(ret) && sbi_pmu_probe_counts_freely(cpu, i))
			free_running |= BIT_ULL(i);
	}
	return free_running;
}

/* Reads that must show it: one may come late, as the host runs something else; QEMU's go on. */
#define ACCUMULATIONS	3

/* Return: 1 if so, 0 if not, -ENODATA if too few events happen to tell, or another errno. */
static int see_accumulation(struct sbi_pmu_cpu *cpu, unsigned int idx, void *unused)
{
	const u16 csr = cpu->layout->info[idx].csr;
	u64 first, last, now;

	if (sbi_pmu_sbi_start(cpu, BIT_ULL(idx), SBI_PMU_START_FLAG_SET_INIT_VALUE, 0))
		return -EIO;
	for (unsigned int n = 0; n < CLOCK_READS; n++)
		sched_clock();
	if (sbi_pmu_csr_read(csr, &first) || first < CLOCK_READS)
		return -ENODATA;
	last = first;
	for (unsigned int n = 0; n < ACCUMULATIONS; n++) {
		if (sbi_pmu_csr_read(csr, &now))
			return -ENODATA;
		if (now < last || now - last < first)
			return 0;
		first = now - last;
		last = now;
	}
	return 1;
}

/*
 * Does each read of a counter return the total added to the last one? The first general event shows
 * it that the host takes, as it may deny any, and that happens often enough. @cpu: idle
 */
bool sbi_pmu_probe_accumulates(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_code code = { .idx = SBI_PMU_HW_CPU_CYCLES };
	int ret = -ENODATA;
	unsigned int got;

	for (; ret < 0 && code.idx < SBI_PMU_HW_GENERAL_MAX; code.idx++)
		ret = sbi_pmu_with_event(cpu, sbi_pmu_hardware(cpu->layout), &code, &got,
					 see_accumulation, NULL);
	return ret > 0;
}
