/* SPDX-License-Identifier: GPL-2.0-only */
/* model: what the files of fakesbi share, and nobody else needs. */
#ifndef FAKESBI_MODEL_H
#define FAKESBI_MODEL_H

#include "fakesbi.h"

/* Counter @i of each bit in the window that begins at @arg. */
#define for_each_offered(i, left, arg)						\
	for ((left) = (arg)[1];							\
	     (left) && ((i) = (arg)[0] + __builtin_ctzll(left), true);		\
	     (left) &= (left) - 1)

static inline struct sbi_pmu_ret model_answer(long error, xlen_t value)
{
	return (struct sbi_pmu_ret){ .error = error, .value = value };
}

/* 64 bits came in one register, or in two on RV32. */
static inline u64 model_get64(const xlen_t *arg)
{
	return XLEN == 32 ? (u64)arg[1] << 32 | arg[0] : arg[0];
}

/* Cycles and instructions have a counter of their own. */
static inline bool model_has_fixed(const struct sbi_pmu_code *code)
{
	return code->idx == SBI_PMU_GENERAL_CYCLES || code->idx == SBI_PMU_GENERAL_INSTRUCTIONS;
}

static inline u64 model_bits(const struct fakesbi_ctr *ctr)
{
	return GENMASK_ULL(ctr->width - 1, 0);
}

static inline u64 model_random64(void)
{
	return (u64)fakesbi_random() << 32 | fakesbi_random();
}

bool model_one_in(unsigned int n);
void model_broke(const char *why);
struct sbi_pmu_ret model_invalid(const char *why);
bool model_exists(xlen_t idx);
bool model_is_firmware(unsigned int idx);
bool model_offer_valid(const xlen_t arg[SBI_PMU_ARGS]);
bool model_is_fixed(unsigned int idx);
bool model_is_bare(unsigned int idx);
bool model_holds_same(unsigned int a, unsigned int b);

u64 model_tell(unsigned int idx);

bool model_event_known(u64 idx, u64 data);
bool model_can(const struct sbi_pmu_code *code, unsigned int idx);
struct sbi_pmu_ret model_config(const xlen_t arg[SBI_PMU_ARGS]);
struct sbi_pmu_ret model_start(const xlen_t arg[SBI_PMU_ARGS]);
struct sbi_pmu_ret model_stop(const xlen_t arg[SBI_PMU_ARGS]);
struct sbi_pmu_ret model_snapshot(const xlen_t arg[SBI_PMU_ARGS]);
struct sbi_pmu_ret model_event_info(const xlen_t arg[SBI_PMU_ARGS]);

#endif
