/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counter: the inventory of counters, sets of them, and arithmetic on what
 * they read. Pure.
 */
#ifndef SBI_PMU_COUNTER_H
#define SBI_PMU_COUNTER_H

#include "pure.h"

/* Counters beyond this logical index are left alone, and the log says so. */
#define SBI_PMU_MAX_CTRS	128
#define SBI_PMU_WORD_BITS	XLEN
#define SBI_PMU_WORDS		(SBI_PMU_MAX_CTRS / SBI_PMU_WORD_BITS)

/**
 * struct sbi_pmu_mask - a set of counters, by logical index
 * @word: bit i of word w stands for counter XLEN * w + i; each word is a
 *	  {counter_idx_base, counter_idx_mask} window as SBI calls want it
 */
struct sbi_pmu_mask {
	xlen_t word[SBI_PMU_WORDS];
};

static inline bool sbi_pmu_mask_test(const struct sbi_pmu_mask *m, unsigned int i)
{
	return i < SBI_PMU_MAX_CTRS &&
	       (m->word[i / SBI_PMU_WORD_BITS] >> (i % SBI_PMU_WORD_BITS) & 1);
}

static inline void sbi_pmu_mask_set(struct sbi_pmu_mask *m, unsigned int i)
{
	m->word[i / SBI_PMU_WORD_BITS] |= (xlen_t)1 << (i % SBI_PMU_WORD_BITS);
}

static inline void sbi_pmu_mask_clear(struct sbi_pmu_mask *m, unsigned int i)
{
	m->word[i / SBI_PMU_WORD_BITS] &= ~((xlen_t)1 << (i % SBI_PMU_WORD_BITS));
}

static inline struct sbi_pmu_mask sbi_pmu_mask_and(struct sbi_pmu_mask a,
						   const struct sbi_pmu_mask *b)
{
	for (unsigned int w = 0; w < SBI_PMU_WORDS; w++)
		a.word[w] &= b->word[w];
	return a;
}

static inline struct sbi_pmu_mask sbi_pmu_mask_or(struct sbi_pmu_mask a,
						  const struct sbi_pmu_mask *b)
{
	for (unsigned int w = 0; w < SBI_PMU_WORDS; w++)
		a.word[w] |= b->word[w];
	return a;
}

static inline struct sbi_pmu_mask sbi_pmu_mask_andnot(struct sbi_pmu_mask a,
						      const struct sbi_pmu_mask *b)
{
	for (unsigned int w = 0; w < SBI_PMU_WORDS; w++)
		a.word[w] &= ~b->word[w];
	return a;
}

static inline bool sbi_pmu_mask_empty(const struct sbi_pmu_mask *m)
{
	for (unsigned int w = 0; w < SBI_PMU_WORDS; w++)
		if (m->word[w])
			return false;
	return true;
}

/* The first counter of @m at or after @from, SBI_PMU_MAX_CTRS if none. */
unsigned int sbi_pmu_mask_next(const struct sbi_pmu_mask *m, unsigned int from);
unsigned int sbi_pmu_mask_weight(const struct sbi_pmu_mask *m);

#define sbi_pmu_mask_for_each(i, m)				\
	for ((i) = sbi_pmu_mask_next((m), 0);			\
	     (i) < SBI_PMU_MAX_CTRS;				\
	     (i) = sbi_pmu_mask_next((m), (i) + 1))

/*
 * Nothing happens more often than this in a ns (eight events a cycle at 8 GHz),
 * so a counter of w bits takes at least 2^w / 64 ns to come round. Narrower
 * ones than SBI_PMU_MIN_WIDTH would have to be looked at more than once in a ms.
 */
#define SBI_PMU_EVENTS_PER_NS	64
#define SBI_PMU_MIN_WIDTH	27

enum sbi_pmu_ctr_kind {
	SBI_PMU_CTR_NONE,	/* no such counter, or not one for events */
	SBI_PMU_CTR_FIXED,	/* cycle or instret: one event, no filter, no interrupt */
	SBI_PMU_CTR_HPM,	/* hpmcounter3-31: programmable */
	SBI_PMU_CTR_FIRMWARE,	/* kept by firmware, read by a call */
};

/**
 * struct sbi_pmu_ctr - what firmware says of one counter
 * @csr: its CSR; hardware counters only
 * @width: its bits, 1 to 64; 64 for firmware counters
 * @kind: see enum
 */
struct sbi_pmu_ctr {
	u16 csr;
	u8 width;
	u8 kind;
};

/**
 * struct sbi_pmu_inventory - the counters of a hart; const after probe
 * @ctr: by logical index
 * @fixed: the sets by kind
 * @hpm: ditto
 * @firmware: ditto
 * @beyond: counters announced past SBI_PMU_MAX_CTRS, which are not used
 * @narrow: hardware counters of less than SBI_PMU_MIN_WIDTH bits, not used
 */
struct sbi_pmu_inventory {
	struct sbi_pmu_ctr ctr[SBI_PMU_MAX_CTRS];
	struct sbi_pmu_mask fixed;
	struct sbi_pmu_mask hpm;
	struct sbi_pmu_mask firmware;
	unsigned long beyond;
	unsigned int narrow;
};

static inline struct sbi_pmu_mask
sbi_pmu_inventory_hardware(const struct sbi_pmu_inventory *inv)
{
	return sbi_pmu_mask_or(inv->fixed, &inv->hpm);
}

/**
 * struct sbi_pmu_view - how a program is to read a counter by itself
 * @base: what it reads now, to the program
 * @width: the bits of it that the program is told to extend by their sign
 */
struct sbi_pmu_view {
	u64 base;
	u8 width;
};

struct sbi_pmu_ctr sbi_pmu_ctr_decode(xlen_t info, unsigned int limit);
void sbi_pmu_inventory_add(struct sbi_pmu_inventory *inv, unsigned int idx,
			   struct sbi_pmu_ctr ctr);
bool sbi_pmu_inventory_equal(const struct sbi_pmu_inventory *a,
			     const struct sbi_pmu_inventory *b);
struct sbi_pmu_mask sbi_pmu_inventory_all(const struct sbi_pmu_inventory *inv);
u64 sbi_pmu_inventory_wrap_ns(const struct sbi_pmu_inventory *inv);
u64 sbi_pmu_ctr_before_overflow(const struct sbi_pmu_ctr *ctr, u64 events);
int sbi_pmu_ctr_delta(const struct sbi_pmu_ctr *ctr, u64 prev, u64 now, u64 *delta);
struct sbi_pmu_view sbi_pmu_ctr_view(const struct sbi_pmu_ctr *ctr, u64 value);

#endif
