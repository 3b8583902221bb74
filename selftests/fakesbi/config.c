// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: finding a counter for an event (FID 2). */
#include "model.h"

#define CFG_FLAGS	GENMASK(7, 0)
#define CFG_FILTERS	GENMASK(7, 3)

static bool cache_known(u64 code)
{
	return FIELD_GET(SPEC_CACHE_ID, code) < SPEC_CACHE_IDS &&
	       FIELD_GET(SPEC_CACHE_OP, code) < SPEC_CACHE_OPS;
}

static bool firmware_known(u64 code, u64 data)
{
	if (code == SPEC_FW_PLATFORM)
		return !fakesbi_has(QUIRK_NO_PLATFORM);
	return !data && (code <= SPEC_FW_STANDARD_LAST || code >= SPEC_FW_IMPLEMENTATION);
}

/* Is this event defined, and not reserved? */
bool model_event_known(u64 idx, u64 data)
{
	const u64 code = idx & SPEC_EVENT_CODE;

	switch (idx >> 16) {
	case SPEC_TYPE_GENERAL:
		return code && code <= SPEC_GENERAL_REF_CYCLES && !data;
	case SPEC_TYPE_CACHE:
		return cache_known(code) && !data;
	case SPEC_TYPE_RAW:
		return !code && !(data & ~SPEC_RAW_DATA) &&
		       !(!data && fakesbi_has(QUIRK_RAW_ZERO_FAILS));
	case SPEC_TYPE_RAW_V2:
		return !code && !(data & ~SPEC_RAW_V2_DATA);
	case SPEC_TYPE_FIRMWARE:
		return firmware_known(code, data);
	default:
		return false;
	}
}

/* Four counters, from 3 on, are one line in a device tree. */
static bool in_first_line(const struct fakesbi_code *code, unsigned int idx)
{
	for (unsigned int i = 3; i < fakesbi.end; i++)
		if (fakesbi.ctr[i].info && !model_is_firmware(i) &&
		    (!fakesbi.can || fakesbi.can(code, i)))
			return (idx - 3) / 4 == (i - 3) / 4;
	return false;
}

/* The fixed counter of cycles or instructions */
static unsigned int fixed_of(const struct fakesbi_code *code)
{
	return fakesbi.by_csr[code->idx == SPEC_GENERAL_CYCLES ? 0 : 2] - 1;
}

/* Can counter @idx hold this event when it is free? */
bool model_can(const struct fakesbi_code *code, unsigned int idx)
{
	if (!fakesbi.ctr[idx].info || model_is_firmware(idx) != model_is_firmware_event(code))
		return false;
	if (model_is_fixed(idx))
		return model_has_fixed(code) && fixed_of(code) == idx && !model_is_withheld(idx);
	if (fakesbi.can && !fakesbi.can(code, idx))
		return false;
	return !fakesbi_has(QUIRK_FIRST_ROW_ONLY) || model_is_firmware(idx) ||
	       in_first_line(code, idx);
}

static bool flags_ignored(const struct fakesbi_code *code)
{
	const u32 type = FIELD_GET(SPEC_EVENT_TYPE, code->idx);

	return fakesbi_has(QUIRK_CACHE_RAW_FLAGS) && type != SPEC_TYPE_GENERAL &&
	       type != SPEC_TYPE_FIRMWARE;
}

/* Filters are hints: fixed counters, and harts without Sscofpmf, have none. */
static u32 filters_kept(unsigned int idx, u32 flags)
{
	if (model_only_counts(idx) || model_is_firmware(idx) || !fakesbi.sscofpmf ||
	    fakesbi_has(QUIRK_NO_FILTER))
		return 0;
	return flags & CFG_FILTERS;
}

static u64 configurations;

static struct sbiret take(unsigned int idx, const struct fakesbi_code *code)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	if (fakesbi_has(QUIRK_FIXED_ALWAYS))
		ctr->running = false;
	ctr->code = *code;
	ctr->code.flags = filters_kept(idx, code->flags);
	ctr->configured = true;
	ctr->event = model_event(code);
	if (model_is_fixed(idx))
		ctr->event &= fakesbi.smcntrpmf ? ~SPEC_EVENT_SELECTOR : 0;
	ctr->overflown = fakesbi.delegated && !model_is_fixed(idx);
	ctr->lost = false;
	ctr->total = 0;
	ctr->configured_at = ++configurations;
	model_map(ctr);
	/* The value of a counter that is not cleared is not specified. */
	if (!ctr->running)
		ctr->last = ctr->value = model_random64() & model_bits(ctr);
	if (flags_ignored(code))
		return model_answer(SPEC_OK, idx);
	if (code->flags & SPEC_CFG_CLEAR_VALUE)
		ctr->last = ctr->value = 0;
	if (code->flags & SPEC_CFG_AUTO_START)
		ctr->running = true;
	return model_answer(SPEC_OK, idx);
}

/* Take the fixed counter, offered or not. Nothing should ask for it while it counts. */
static struct sbiret take_fixed(const struct fakesbi_code *code)
{
	if (fakesbi.ctr[fixed_of(code)].running)
		model_report("a running counter got another event");
	return take(fixed_of(code), code);
}

static bool is_taken(unsigned int idx)
{
	return fakesbi.ctr[idx].running ||
	       (fakesbi.ctr[idx].configured && fakesbi_has(QUIRK_CONFIGURED_IS_TAKEN));
}

static struct sbiret match(const unsigned long arg[FAKESBI_ARGS],
			   const struct fakesbi_code *code)
{
	unsigned int i, found = FAKESBI_CTRS;
	unsigned long left;

	for_each_offered(i, left, arg)
	{
		if (is_taken(i) || !model_can(code, i))
			continue;
		found = i;
		if (!fakesbi_has(QUIRK_HIGHEST_FIRST))
			break;
	}
	if (found < FAKESBI_CTRS)
		return take(found, code);
	if (fakesbi_has(QUIRK_FIXED_FALLBACK) && model_has_fixed(code))
		return take_fixed(code);
	return model_answer(SPEC_ERR_NOT_SUPPORTED, 0);
}

/* Take a counter that was not offered, whatever it holds, or one that does not exist. */
static struct sbiret take_any(const struct fakesbi_code *code)
{
	unsigned int idx = fakesbi_random() % FAKESBI_CTRS;

	if (fakesbi.ctr[idx].info)
		return take(idx, code);
	return model_answer(SPEC_OK, model_random64() | BIT(30));
}

struct sbiret model_config(const unsigned long arg[FAKESBI_ARGS])
{
	const struct fakesbi_code code = {
		.flags = arg[2],
		.idx = arg[3],
		.data = model_get64(&arg[4]),
	};

	if (!arg[1] && fakesbi_has(QUIRK_EMPTY_MASK_TAKEN)) {
		model_report("an empty mask was offered");
		return model_answer(SPEC_OK, fakesbi.end);
	}
	if (arg[2] & ~CFG_FLAGS)
		return model_invalid("CONFIG with a reserved flag");
	/* OpenSBI, KVM and RustSBI each do something else. */
	if (arg[2] & SPEC_CFG_SKIP_MATCH)
		return model_invalid("CONFIG with SKIP_MATCH");
	if (!model_offer_valid(arg))
		return model_invalid("CONFIG of a counter that does not exist, or of none");
	if (fakesbi_has(QUIRK_NO_RAW_V2) && arg[3] >> 16 == SPEC_TYPE_RAW_V2)
		return model_answer(SPEC_ERR_INVALID_PARAM, 0);
	if (!model_event_known(arg[3], code.data) || model_one_in(fakesbi.refuse))
		return model_answer(SPEC_ERR_NOT_SUPPORTED, 0);
	if (fakesbi_has(QUIRK_FIXED_ALWAYS) && model_has_fixed(&code))
		return take_fixed(&code);
	if (model_one_in(fakesbi.stray))
		return take_any(&code);
	return match(arg, &code);
}
