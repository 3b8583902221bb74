/* SPDX-License-Identifier: GPL-2.0-only */
/* model: internal interface of the files of fakesbi. */
#ifndef FAKESBI_MODEL_H
#define FAKESBI_MODEL_H

#include "fakesbi.h"

static inline u64 model_bits(const struct fakesbi_ctr *ctr)
{
	return GENMASK_ULL(ctr->width - 1, 0);
}

static inline u64 model_random64(void)
{
	return (u64)fakesbi_random() << 32 | fakesbi_random();
}

void model_report(const char *why);
bool model_is_firmware(unsigned int idx);
bool model_is_fixed(unsigned int idx);
bool model_has_cfg(unsigned int idx);
bool model_only_counts(unsigned int idx);
bool model_is_withheld(unsigned int idx);
bool model_holds_same(unsigned int a, unsigned int b);
u64 model_read(unsigned int idx);
bool model_keeps_of(const struct fakesbi_ctr *ctr);
u64 model_event(const struct fakesbi_code *code);
bool model_event_known(u64 idx, u64 data);

#endif
