// SPDX-License-Identifier: GPL-2.0-only
#include "event.h"

static u32 event_idx(u32 type, u32 code)
{
	return FIELD_PREP(SBI_PMU_EVENT_TYPE, type) | FIELD_PREP(SBI_PMU_EVENT_CODE, code);
}

static int encode_general(u64 config, struct sbi_pmu_code *code)
{
	static const u8 general[PERF_COUNT_HW_MAX] = {
		[PERF_COUNT_HW_CPU_CYCLES] = SBI_PMU_GENERAL_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = SBI_PMU_GENERAL_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = SBI_PMU_GENERAL_CACHE_REFS,
		[PERF_COUNT_HW_CACHE_MISSES] = SBI_PMU_GENERAL_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = SBI_PMU_GENERAL_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = SBI_PMU_GENERAL_BRANCH_MISSES,
		[PERF_COUNT_HW_BUS_CYCLES] = SBI_PMU_GENERAL_BUS_CYCLES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = SBI_PMU_GENERAL_STALL_FRONTEND,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = SBI_PMU_GENERAL_STALL_BACKEND,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = SBI_PMU_GENERAL_REF_CYCLES,
	};

	if (config >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	code->idx = event_idx(SBI_PMU_TYPE_GENERAL, general[config]);
	return 0;
}

/* perf numbers caches, operations and results as SBI does. */
static int encode_cache(u64 config, struct sbi_pmu_code *code)
{
	u64 id = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (id >= SBI_PMU_CACHE_IDS || op >= SBI_PMU_CACHE_OPS ||
	    result >= SBI_PMU_CACHE_RESULTS)
		return -EINVAL;
	code->idx = event_idx(SBI_PMU_TYPE_CACHE,
			      FIELD_PREP(SBI_PMU_CACHE_ID, id) |
			      FIELD_PREP(SBI_PMU_CACHE_OP, op) |
			      FIELD_PREP(SBI_PMU_CACHE_RESULT, result));
	return 0;
}

static bool standard_idx_valid(u64 idx)
{
	u64 code = idx & SBI_PMU_EVENT_CODE;

	switch (idx >> 16) {
	case SBI_PMU_TYPE_GENERAL:
		return code >= SBI_PMU_GENERAL_CYCLES && code <= SBI_PMU_GENERAL_REF_CYCLES;
	case SBI_PMU_TYPE_CACHE:
		return FIELD_GET(SBI_PMU_CACHE_ID, code) < SBI_PMU_CACHE_IDS &&
		       FIELD_GET(SBI_PMU_CACHE_OP, code) < SBI_PMU_CACHE_OPS;
	default:
		return false;
	}
}

/* Codes 22 to 255 are reserved; 65535 has an encoding of its own. */
static bool firmware_code_valid(u64 fw)
{
	return fw <= SBI_PMU_FW_STANDARD_LAST ||
	       (fw >= SBI_PMU_FW_IMPLEMENTATION && fw < SBI_PMU_FW_PLATFORM);
}

static int encode_raw(const struct sbi_pmu_abilities *can, u64 config,
		      struct sbi_pmu_code *code)
{
	if (can->units) {
		int ret = sbi_pmu_selector_encode(can->units, config, &config, &code->unit);

		if (ret)
			return ret;
	}
	if (config & ~SBI_PMU_CFG_EVENT)
		return -EINVAL;
	/* Selectors that need the upper 8 bits need raw events v2. */
	code->idx = event_idx(config & ~SBI_PMU_RAW_DATA ?
			      SBI_PMU_TYPE_RAW_V2 : SBI_PMU_TYPE_RAW, 0);
	code->data = config;
	return 0;
}

static int encode_own(const struct sbi_pmu_abilities *can, u64 config,
		      struct sbi_pmu_code *code)
{
	u64 rest = config & ~SBI_PMU_CFG_SPACE;

	switch (FIELD_GET(SBI_PMU_CFG_SPACE, config)) {
	case SBI_PMU_SPACE_RAW:
		return encode_raw(can, rest, code);
	case SBI_PMU_SPACE_STANDARD:
		if (!standard_idx_valid(rest))
			return -EINVAL;
		code->idx = rest;
		return 0;
	case SBI_PMU_SPACE_FIRMWARE:
		if (!firmware_code_valid(rest))
			return -EINVAL;
		code->idx = event_idx(SBI_PMU_TYPE_FIRMWARE, rest);
		return 0;
	default:
		code->idx = event_idx(SBI_PMU_TYPE_FIRMWARE, SBI_PMU_FW_PLATFORM);
		code->data = rest;
		return 0;
	}
}

/**
 * sbi_pmu_event_encode - the event of an attr, without its filters
 * @can: what the machine can do
 * @attr: what the user asked for
 * @own_type: attr.type is this PMU's, so config is in our own format
 * @code: the answer; zero flags
 *
 * Return: 0, -ENOENT if the type is not ours, -EINVAL if the event is nonsense.
 */
int sbi_pmu_event_encode(const struct sbi_pmu_abilities *can,
			 const struct perf_event_attr *attr, bool own_type,
			 struct sbi_pmu_code *code)
{
	int ret;

	memset(code, 0, sizeof(*code));
	if (own_type)
		ret = encode_own(can, attr->config, code);
	else if (attr->type == PERF_TYPE_HARDWARE)
		ret = encode_general(attr->config, code);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		ret = encode_cache(attr->config, code);
	else
		return -ENOENT;

	return ret;
}

/* A firmware event that is not one of the specification's own? */
bool sbi_pmu_event_further(const struct sbi_pmu_code *code)
{
	return sbi_pmu_code_is_firmware(code) &&
	       FIELD_GET(SBI_PMU_EVENT_CODE, code->idx) > SBI_PMU_FW_STANDARD_LAST;
}

/* The @n-th of all general and cache events; 0, which is none, past the last. */
u32 sbi_pmu_event_standard(unsigned int n)
{
	const unsigned int per_cache = SBI_PMU_CACHE_OPS * SBI_PMU_CACHE_RESULTS;

	if (n < SBI_PMU_GENERAL_REF_CYCLES)
		return event_idx(SBI_PMU_TYPE_GENERAL, n + 1);
	n -= SBI_PMU_GENERAL_REF_CYCLES;
	if (n >= SBI_PMU_CACHE_IDS * per_cache)
		return 0;
	return event_idx(SBI_PMU_TYPE_CACHE, FIELD_PREP(SBI_PMU_CACHE_ID, n / per_cache) |
					     n % per_cache);
}

/**
 * sbi_pmu_event_other_raw - another way to ask for a raw event
 * @code: an event that firmware has refused; rewritten if true is returned
 *
 * The selectors of raw events (v1), which every firmware knows, are also raw
 * events v2, which replaces it: some day there may be firmware with the latter
 * alone. The version that firmware reports does not tell (OpenSBI 1.6).
 */
bool sbi_pmu_event_other_raw(struct sbi_pmu_code *code)
{
	if (code->idx != event_idx(SBI_PMU_TYPE_RAW, 0))
		return false;
	code->idx = event_idx(SBI_PMU_TYPE_RAW_V2, 0);
	return true;
}

/*
 * Why an event is refused whose counters cannot leave out the modes that it must.
 * The perf tool up to 6.12 leaves out guests unless told otherwise, and only on
 * -EINVAL asks again without. From then on it takes -EOPNOTSUPP for a wish to
 * leave them out, and asks for ever: what else is not supported is to be refused
 * before. Without the H extension there are no guests that could not be left out,
 * and it never comes to that.
 */
int sbi_pmu_event_unfiltered(const struct sbi_pmu_abilities *can)
{
	return can->guests ? -EINVAL : -EOPNOTSUPP;
}

/**
 * sbi_pmu_event_filter - the modes that an event must not count in
 * @can: what the machine can filter
 * @attr: what the user asked for
 * @code: its encoded event; the inhibit flags are added
 *
 * Without the H extension there are no guests: leaving them out costs nothing,
 * and counting nothing but them is refused.
 *
 * Return: 0, or sbi_pmu_event_unfiltered() if that cannot be honoured here.
 */
int sbi_pmu_event_filter(const struct sbi_pmu_abilities *can,
			 const struct perf_event_attr *attr,
			 struct sbi_pmu_code *code)
{
	u32 flags = 0;

	/* No counter knows when its hart idles. */
	if (attr->exclude_idle)
		return sbi_pmu_event_unfiltered(can);
	if (attr->exclude_host && !can->guests)
		return sbi_pmu_event_unfiltered(can);

	if (attr->exclude_user)
		flags |= SBI_PMU_CFG_UINH | SBI_PMU_CFG_VUINH;
	if (attr->exclude_kernel)
		flags |= SBI_PMU_CFG_SINH | SBI_PMU_CFG_VSINH;
	if (attr->exclude_hv)
		flags |= SBI_PMU_CFG_MINH;
	if (attr->exclude_host)
		flags |= SBI_PMU_CFG_UINH | SBI_PMU_CFG_SINH;
	if (attr->exclude_guest)
		flags |= SBI_PMU_CFG_VUINH | SBI_PMU_CFG_VSINH;
	if (!can->guests)
		flags &= ~(SBI_PMU_CFG_VUINH | SBI_PMU_CFG_VSINH);

	if (!flags)
		return 0;
	/* Firmware counters count what firmware did, for whomever. */
	if (!sbi_pmu_code_is_firmware(code) && can->filter) {
		code->flags = flags;
		return 0;
	}
	return sbi_pmu_event_unfiltered(can);
}
