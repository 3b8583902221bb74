/* SPDX-License-Identifier: GPL-2.0-only */
/* inventory: the counters of a CPU as firmware describes them, sets of them, wrap arithmetic. */
#ifndef SBI_PMU_INVENTORY_H
#define SBI_PMU_INVENTORY_H

#include "kernel_api.h"

/* A set of counters is a u64, as in Linux and KVM. Those with a higher index are not used. */
#define SBI_PMU_MAX_COUNTERS	64
#define SBI_PMU_NO_COUNTER	SBI_PMU_MAX_COUNTERS

/* A counter's bit in scounteren and scountovf */
#define SBI_PMU_CSR_BIT(csr)	(1u << ((csr) - CSR_CYCLE))

/* Visit the counters of a set, which is read once. */
#define for_each_counter(i, set) \
	for (u64 left_ = (set); left_ && (((i) = __ffs64(left_)), true); left_ &= left_ - 1)

static inline bool has_counter(u64 set, unsigned int i)
{
	return i < SBI_PMU_MAX_COUNTERS && set >> i & 1;
}

/* The first counter of @set, SBI_PMU_NO_COUNTER if it is empty. */
static inline unsigned int first_counter(u64 set)
{
	return set ? __ffs64(set) : SBI_PMU_NO_COUNTER;
}

/*
 * No event happens more often than this per ns (eight a cycle at 8 GHz), so a counter of
 * w bits wraps after 2^w / 64 ns at the earliest. Narrower counters than
 * SBI_PMU_MIN_WIDTH would have to be read more than once in a ms.
 */
#define SBI_PMU_EVENTS_PER_NS	64
#define SBI_PMU_MIN_WIDTH	27

enum sbi_pmu_counter_kind {
	SBI_PMU_COUNTER_NONE,         /* no counter, or not one for events */
	SBI_PMU_COUNTER_FIXED,        /* cycle or instret: one event, no filter, no interrupt */
	SBI_PMU_COUNTER_PROGRAMMABLE, /* hpmcounter3 to 31 */
	SBI_PMU_COUNTER_FIRMWARE,     /* kept by firmware, read by an SBI call */
};

/* What firmware says of one counter */
struct sbi_pmu_counter_info {
	u16 csr;  /* its CSR; hardware counters only */
	u8 width; /* its bits, 1 to 64; 64 for firmware counters */
	u8 kind;  /* enum sbi_pmu_counter_kind */
};

/* The counters of a CPU; const after probe */
struct sbi_pmu_inventory {
	struct sbi_pmu_counter_info info[SBI_PMU_MAX_COUNTERS]; /* by logical index */
	u64 fixed;                                              /* cycle and instret */
	u64 programmable;                                       /* hpmcounter3 to 31 */
	u64 firmware;                                           /* firmware counters */
	/* those of @fixed that firmware hands out for no event, but which run all the time */
	u64 free_running;
	/* number of counters past SBI_PMU_MAX_COUNTERS, which are not used */
	unsigned long beyond;
	/* number of hardware counters below SBI_PMU_MIN_WIDTH bits, which are not used */
	unsigned int narrow;
	/* number of those whose CSR is no counter, or another counter's, which are not used */
	unsigned int without_csr;
};

static inline u64 sbi_pmu_inventory_hardware(const struct sbi_pmu_inventory *inv)
{
	return inv->fixed | inv->programmable;
}

/* The number of a hardware counter: 0 is cycle, 2 instret, 3 to 31 the programmable ones */
static inline unsigned int sbi_pmu_counter_number(const struct sbi_pmu_counter_info *info)
{
	return info->csr - CSR_CYCLE;
}

/* The event_idx of what a fixed counter counts */
static inline u32 sbi_pmu_counter_fixed_event(const struct sbi_pmu_counter_info *info)
{
	return info->csr == CSR_CYCLE ? SBI_PMU_HW_CPU_CYCLES : SBI_PMU_HW_INSTRUCTIONS;
}

struct sbi_pmu_counter_info sbi_pmu_counter_info_decode(unsigned long word, unsigned int max_width);
void sbi_pmu_inventory_add(struct sbi_pmu_inventory *inv, unsigned int idx,
			   struct sbi_pmu_counter_info info);
bool sbi_pmu_inventory_equal(const struct sbi_pmu_inventory *a, const struct sbi_pmu_inventory *b);
u64 sbi_pmu_inventory_all(const struct sbi_pmu_inventory *inv);
u32 sbi_pmu_inventory_csr_bits(const struct sbi_pmu_inventory *inv, u64 which);
u64 sbi_pmu_inventory_wrap_ns(const struct sbi_pmu_inventory *inv);
u64 sbi_pmu_counter_start_value(const struct sbi_pmu_counter_info *info, u64 events);

/**
 * sbi_pmu_counter_delta() - events between two reads
 * @info: the counter, which wraps at 2^width
 * @prev: the earlier value
 * @now: the later value
 * @delta: the answer, only written on success
 * Return: 0, or -ERANGE if a 64-bit counter went backwards: no counter counts 2^63
 * between two reads, so something else changed its value.
 */
static inline int sbi_pmu_counter_delta(const struct sbi_pmu_counter_info *info, u64 prev, u64 now,
					u64 *delta)
{
	const u64 d = now - prev;

	if (info->width < 64) {
		*delta = d & GENMASK_ULL(info->width - 1, 0);
		return 0;
	}
	if (d >> 63)
		return -ERANGE;
	*delta = d;
	return 0;
}

#endif
