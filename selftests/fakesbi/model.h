/* SPDX-License-Identifier: GPL-2.0-only */
/* model: internal interface of the files of fakesbi. */
#ifndef FAKESBI_MODEL_H
#define FAKESBI_MODEL_H

#include "fakesbi.h"

/* Counter @i of each bit in the window @arg[0] (base), @arg[1] (mask) */
#define for_each_offered(i, left, arg)						\
	for ((left) = (arg)[1];							\
	     (left) && ((i) = (arg)[0] + __builtin_ctzll(left), true);		\
	     (left) &= (left) - 1)

static inline struct sbiret model_answer(long error, unsigned long value)
{
	return (struct sbiret){ .error = error, .value = value };
}

/* An argument of 64 bits: one register on RV64. */
static inline u64 model_get64(const unsigned long *arg)
{
	return arg[0];
}

/* Does the event have a fixed counter? Cycles and instructions have. */
static inline bool model_has_fixed(const struct fakesbi_code *code)
{
	return code->idx == SPEC_GENERAL_CYCLES || code->idx == SPEC_GENERAL_INSTRUCTIONS;
}

static inline bool model_is_firmware_event(const struct fakesbi_code *code)
{
	return code->idx >> 16 == SPEC_TYPE_FIRMWARE;
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
void model_report(const char *why);
struct sbiret model_invalid(const char *why);
bool model_exists(unsigned long idx);
bool model_is_firmware(unsigned int idx);
bool model_offer_valid(const unsigned long arg[FAKESBI_ARGS]);
bool model_is_fixed(unsigned int idx);
bool model_only_counts(unsigned int idx);
bool model_is_withheld(unsigned int idx);
bool model_holds_same(unsigned int a, unsigned int b);

u64 model_read(unsigned int idx);
u64 model_event(const struct fakesbi_code *code);
void model_boot_events(void);
void model_map(struct fakesbi_ctr *ctr);
u64 model_mapped_rate(const struct fakesbi_ctr *ctr);

bool model_event_known(u64 idx, u64 data);
bool model_can(const struct fakesbi_code *code, unsigned int idx);
struct sbiret model_config(const unsigned long arg[FAKESBI_ARGS]);
struct sbiret model_start(const unsigned long arg[FAKESBI_ARGS]);
struct sbiret model_stop(const unsigned long arg[FAKESBI_ARGS]);
struct sbiret model_snapshot(const unsigned long arg[FAKESBI_ARGS]);

#endif
