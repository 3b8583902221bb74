// SPDX-License-Identifier: GPL-2.0-only
/* From perf's attr to an SBI event and its filter flags. */
#include "event.h"
#include "vendor.h"

/* SBI 3.0, 11.5.2: the cache ids, operations and results of hardware cache events */
#define CACHE_IDS	7
#define CACHE_OPS	3
#define CACHE_RESULTS	2

/* SBI 3.0, 11.5.5: codes from here on are the implementation's, the last is the platform's */
#define FW_IMPLEMENTATION	256

static u32 event_idx(u32 type, u32 code)
{
	return FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, type) |
	       FIELD_PREP(SBI_PMU_EVENT_IDX_CODE_MASK, code);
}

static u32 cache_code(u32 id, u32 op, u32 result)
{
	return FIELD_PREP(SBI_PMU_EVENT_CACHE_ID_CODE_MASK, id) |
	       FIELD_PREP(SBI_PMU_EVENT_CACHE_OP_ID_CODE_MASK, op) |
	       FIELD_PREP(SBI_PMU_EVENT_CACHE_RESULT_ID_CODE_MASK, result);
}

static int encode_own(const struct sbi_pmu_caps *caps, u64 config, struct sbi_pmu_code *code)
{
	const u64 rest = config & ~SBI_PMU_CFG_SPACE;
	unsigned int n = 0;

	switch (FIELD_GET(SBI_PMU_CFG_SPACE, config)) {
	case SBI_PMU_SPACE_RAW:
		if (sbi_pmu_table_encode(caps->table, rest, code) ||
		    code->data & ~SBI_PMU_CFG_EVENT)
			return -EINVAL;
		/* Raw events of type 2 have 48 bits, of type 3 (SBI 3.0) 56. */
		code->idx = event_idx(code->data & ~RISCV_PMU_RAW_EVENT_MASK ?
					      SBI_PMU_EVENT_TYPE_RAW_V2 :
					      SBI_PMU_EVENT_TYPE_RAW,
				      0);
		return 0;
	case SBI_PMU_SPACE_STANDARD:
		do
			code->idx = sbi_pmu_event_standard(n++);
		while (code->idx && code->idx != rest);
		return code->idx ? 0 : -EINVAL;
	case SBI_PMU_SPACE_FIRMWARE:
		/* Codes 22 to 255 are reserved; 65535 has an encoding of its own. */
		if (rest >= RISCV_PLAT_FW_EVENT ||
		    (rest >= SBI_PMU_FW_MAX && rest < FW_IMPLEMENTATION))
			return -EINVAL;
		code->idx = event_idx(SBI_PMU_EVENT_TYPE_FW, rest);
		/* Firmware may use the code as an index into its memory, unchecked. */
		return rest < SBI_PMU_FW_MAX || caps->nonstandard_fw ? 0 : -ENOENT;
	case SBI_PMU_SPACE_PLATFORM:
		code->idx = event_idx(SBI_PMU_EVENT_TYPE_FW, RISCV_PLAT_FW_EVENT);
		code->data = rest;
		return caps->nonstandard_fw && caps->platform_fw ? 0 : -ENOENT;
	}
	return -EINVAL;
}

/*
 * Encode the event of an attr, without its filters: @code has flags 0. @own_type: attr.type is this
 * PMU's type, so config is in its own format.
 * Return: 0, -ENOENT if the type is not ours, or no event of this core counts what was asked for,
 * -EINVAL if there is no such event.
 */
int sbi_pmu_event_encode(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			 bool own_type, struct sbi_pmu_code *code)
{
	int ret = -ENOENT;

	/* Perf and SBI have the same events in the same order; those of SBI begin with 1. */
	static_assert(SBI_PMU_HW_REF_CPU_CYCLES == PERF_COUNT_HW_REF_CPU_CYCLES + 1);
	memset(code, 0, sizeof(*code));
	if (own_type) {
		ret = encode_own(caps, attr->config, code);
	} else if (attr->type == PERF_TYPE_HARDWARE) {
		ret = attr->config > PERF_COUNT_HW_REF_CPU_CYCLES ? -EINVAL : 0;
		code->idx = event_idx(SBI_PMU_EVENT_TYPE_HW, attr->config + 1);
	} else if (attr->type == PERF_TYPE_HW_CACHE) {
		const u64 id = attr->config & 0xff, op = attr->config >> 8 & 0xff;
		const u64 result = attr->config >> 16;

		ret = id >= CACHE_IDS || op >= CACHE_OPS || result >= CACHE_RESULTS ? -EINVAL : 0;
		code->idx = event_idx(SBI_PMU_EVENT_TYPE_CACHE, cache_code(id, op, result));
	}
	return ret ?: sbi_pmu_table_correct(caps->table, code);
}

/* The @n-th of all general and cache events; 0, which is no event, past the last. */
u32 sbi_pmu_event_standard(unsigned int n)
{
	const unsigned int general = SBI_PMU_HW_GENERAL_MAX - 1;
	const unsigned int per_cache = CACHE_OPS * CACHE_RESULTS;
	u32 code;

	if (n < general)
		return event_idx(SBI_PMU_EVENT_TYPE_HW, n + 1);
	n -= general;
	if (n >= CACHE_IDS * per_cache)
		return 0;
	code = cache_code(n / per_cache, n % per_cache / CACHE_RESULTS, n % CACHE_RESULTS);
	return event_idx(SBI_PMU_EVENT_TYPE_CACHE, code);
}

/*
 * How to refuse an event whose filters cannot be honoured. The perf tool reacts to each errno in
 * its own way:
 * -ENOENT: "not supported"; perf record samples the CPU clock in place of cycles.
 * -EINVAL: perf up to 6.12, which excludes guests by default, retries without exclude_guest.
 * -EOPNOTSUPP: perf says that the PMU cannot sample, or only whole CPUs, which is wrong here.
 *	Newer perf retries with exclude_guest, in an endless loop if that gives -EINVAL: all other
 *	reasons to refuse an event must have been checked before.
 * Return: -EINVAL if guests are excluded and there may be some, else -ENOENT.
 */
int sbi_pmu_filter_errno(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr)
{
	return caps->has_h && attr->exclude_guest ? -EINVAL : -ENOENT;
}

/*
 * Add the privilege modes in which an event must not count: the inhibit flags of @code (SBI 3.0,
 * 11.7). Without the H extension there are no guests to exclude.
 * Return: false if no counter can filter so.
 */
bool sbi_pmu_event_filter(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			  struct sbi_pmu_code *code)
{
	u32 flags = 0;

	if (attr->exclude_user)
		flags |= SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_VUINH;
	if (attr->exclude_kernel)
		flags |= SBI_PMU_CFG_FLAG_SET_SINH | SBI_PMU_CFG_FLAG_SET_VSINH;
	if (attr->exclude_hv)
		flags |= SBI_PMU_CFG_FLAG_SET_MINH;
	if (attr->exclude_host)
		flags |= SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH;
	if (attr->exclude_guest)
		flags |= SBI_PMU_CFG_FLAG_SET_VUINH | SBI_PMU_CFG_FLAG_SET_VSINH;
	if (!caps->has_h)
		flags &= ~(SBI_PMU_CFG_FLAG_SET_VUINH | SBI_PMU_CFG_FLAG_SET_VSINH);
	code->flags = flags;
	/* Counters cannot be inhibited while the hart idles. */
	return !attr->exclude_idle && (!attr->exclude_host || caps->has_h);
}

/*
 * An event whose filters no counter can honour: has root consented that it counts in all modes? Not
 * if it shows what other tasks or guests do: so do units that cores share, which ignore filters.
 */
bool sbi_pmu_event_may_be_unfiltered(const struct sbi_pmu_caps *caps,
				     const struct perf_event *event,
				     const struct sbi_pmu_code *code)
{
	const struct perf_event_attr *attr = &event->attr;

	if (sbi_pmu_code_is_firmware(code) || sbi_pmu_table_ignores_filters(caps->table, code) ||
	    attr->exclude_host || (attr->exclude_guest && caps->has_h) ||
	    !(event->attach_state & PERF_ATTACH_TASK) ||
	    !uid_eq(task_uid(event->hw.target), current_uid()))
		return false;
	if (READ_ONCE(*caps->unfiltered))
		return true;
	pr_info_once("no counter can filter (:u, :k): event refused; unfiltered=1 permits it\n");
	return false;
}
