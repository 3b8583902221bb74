// SPDX-License-Identifier: GPL-2.0-only
/* test_event: which events are accepted, and how they are encoded. */
#include "test.h"

struct encoding {
	u32 type; /* PERF_TYPE_MAX: of this PMU */
	u64 config;
	int ret;
	u32 idx;
	u64 data;
};

#define OWN	PERF_TYPE_MAX
#define SPACE(n) ((u64)(n) << 62)

/* A core without vendor support */
static const struct sbi_pmu_caps plain;

static const struct encoding encodings[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 1, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 2, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0, 3, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, 4, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 5, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, 6, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0, 7, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0, 8, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0, 9, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0, 10, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, -EINVAL, 0, 0 },
	{ PERF_TYPE_HARDWARE, ~0ULL, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x00000, 0, 0x10000, 0 },
	{ PERF_TYPE_HW_CACHE, 0x10003, 0, 0x10019, 0 }, /* dTLB-load-misses */
	{ PERF_TYPE_HW_CACHE, 0x10103, 0, 0x1001b, 0 }, /* dTLB-store-misses */
	{ PERF_TYPE_HW_CACHE, 0x10004, 0, 0x10021, 0 }, /* iTLB-load-misses */
	{ PERF_TYPE_HW_CACHE, 0x10206, 0, 0x10035, 0 }, /* the last one */
	{ PERF_TYPE_HW_CACHE, 0x00007, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x00300, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x20000, -EINVAL, 0, 0 },
	{ PERF_TYPE_HW_CACHE, 0x1000000, -EINVAL, 0, 0 },
	{ PERF_TYPE_SOFTWARE, 0, -ENOENT, 0, 0 },
	{ PERF_TYPE_BREAKPOINT, 0, -ENOENT, 0, 0 },
	{ OWN, 0x1234, 0, 0x20000, 0x1234 },
	{ OWN, 0xffffffffffff, 0, 0x20000, 0xffffffffffff },
	{ OWN, 0x1000000000000, 0, 0x30000, 0x1000000000000 },
	{ OWN, 0xffffffffffffff, 0, 0x30000, 0xffffffffffffff },
	{ OWN, 1ULL << 56, -EINVAL, 0, 0 },
	{ OWN, 1ULL << 58 | 1, -EINVAL, 0, 0 },
	{ OWN, 1ULL << 61, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 1, 0, 1, 0 },
	{ OWN, SPACE(1) | 10, 0, 10, 0 },
	{ OWN, SPACE(1) | 0x10035, 0, 0x10035, 0 },
	{ OWN, SPACE(1) | 0, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 11, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 0x10006, -EINVAL, 0, 0 }, /* operation 3 */
	{ OWN, SPACE(1) | 0x10038, -EINVAL, 0, 0 }, /* cache 7 */
	{ OWN, SPACE(1) | 0x20000, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 0xf0001, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 1ULL << 32 | 1, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 0, 0, 0xf0000, 0 },
	{ OWN, SPACE(2) | 21, 0, 0xf0015, 0 },
	{ OWN, SPACE(2) | 22, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 255, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 256, 0, 0xf0100, 0 },
	{ OWN, SPACE(2) | 65534, 0, 0xffffe, 0 },
	{ OWN, SPACE(2) | 65535, -EINVAL, 0, 0 },
	{ OWN, SPACE(2) | 65536, -EINVAL, 0, 0 },
	{ OWN, SPACE(3) | 0, 0, 0xfffff, 0 },
	{ OWN, SPACE(3) | (SPACE(1) - 1), 0, 0xfffff, SPACE(1) - 1 },
};

static void test_encode(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(encodings); i++) {
		const struct encoding *e = &encodings[i];
		struct perf_event_attr attr = { .type = e->type, .config = e->config };
		struct sbi_pmu_event_code code;
		int ret = sbi_pmu_event_encode(&plain, &attr, e->type == OWN, &code);

		check(ret == e->ret &&
			      (ret || (code.idx == e->idx && code.data == e->data && !code.flags)),
		      "event.encode_type_%u_config_%llx", e->type, (unsigned long long)e->config);
	}
}

static void test_unsafe(void)
{
	static const struct {
		u32 idx;
		bool nonstandard, platform;
	} codes[] = {
		{ FW, false, false },      { FW + 21, false, false },   { FW + 22, true, false },
		{ FW + 256, true, false }, { FW + 65534, true, false }, { FW + 65535, true, true },
		{ RAW, false, false },     { 0x10019, false, false },
	};
	static const struct sbi_pmu_caps all = { .nonstandard_fw = true, .platform_fw = true };
	static const struct sbi_pmu_caps old = { .platform_fw = true };
	static const struct sbi_pmu_caps shared = { .nonstandard_fw = true };

	for (unsigned int i = 0; i < ARRAY_SIZE(codes); i++) {
		const struct sbi_pmu_event_code code = { .idx = codes[i].idx };

		check(!sbi_pmu_event_is_unsafe(&all, &code) &&
			      sbi_pmu_event_is_unsafe(&old, &code) == codes[i].nonstandard &&
			      sbi_pmu_event_is_unsafe(&shared, &code) == codes[i].platform,
		      "event.event_%x_is_unsafe_where_firmware_does_not_check_it", code.idx);
	}
}

static int filter(bool can_filter, bool has_h, u32 idx, struct perf_event_attr attr, u32 *flags)
{
	const struct sbi_pmu_caps can = { .filter = can_filter, .has_h = has_h };
	struct sbi_pmu_event_code code = { .idx = idx };
	int ret = sbi_pmu_event_filter(&can, &attr, &code);

	*flags = code.flags;
	return ret;
}

static void test_filter(void)
{
	struct sbi_pmu_event_code code = { .idx = 1 };
	u32 flags;
	int ret;

#define F(can, has_h, idx, ...) \
	(ret = filter(can, has_h, idx, (struct perf_event_attr){ __VA_ARGS__ }, &flags))
	F(true, true, 1, .exclude_user = 0);
	check(!ret && !flags, "event.no_filter_no_flags");
	F(true, true, 1, .exclude_user = 1);
	check(!ret && flags == (SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_VUINH),
	      "event.exclude_user_sets_uinh_and_vuinh");
	F(true, true, 1, .exclude_kernel = 1);
	check(!ret && flags == (SBI_PMU_CFG_FLAG_SET_SINH | SBI_PMU_CFG_FLAG_SET_VSINH),
	      "event.exclude_kernel_sets_sinh_and_vsinh");
	F(true, true, 1, .exclude_hv = 1);
	check(!ret && flags == SBI_PMU_CFG_FLAG_SET_MINH, "event.exclude_hv_sets_minh");
	/* Delegated counters: such a filter has no effect, so it must not be a different event. */
	ret = sbi_pmu_event_filter(&(struct sbi_pmu_caps){ .filter = true, .m_mode_fixed = true },
				   &(struct perf_event_attr){ .exclude_hv = 1, .exclude_user = 1 },
				   &code);
	check(!ret && code.flags == SBI_PMU_CFG_FLAG_SET_UINH,
	      "event.exclude_hv_is_no_filter_where_m_mode_is_fixed");
	F(true, true, 1, .exclude_guest = 1);
	check(!ret && flags == (SBI_PMU_CFG_FLAG_SET_VUINH | SBI_PMU_CFG_FLAG_SET_VSINH),
	      "event.exclude_guest_sets_vuinh_and_vsinh");
	F(true, true, 1, .exclude_host = 1);
	check(!ret && flags == (SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH),
	      "event.exclude_host_sets_uinh_and_sinh");
	F(true, false, 1, .exclude_guest = 1);
	check(!ret && !flags, "event.exclude_guest_needs_nothing_without_h");
	F(true, false, 1, .exclude_user = 1);
	check(!ret && flags == SBI_PMU_CFG_FLAG_SET_UINH, "event.exclude_user_without_h_sets_uinh");
	F(true, false, 1, .exclude_host = 1);
	check(ret == -ENOENT, "event.exclude_host_without_h_is_enoent");
	F(true, false, 1, .exclude_idle = 1);
	check(ret == -ENOENT, "event.exclude_idle_is_enoent");
	F(true, true, 1, .exclude_idle = 1);
	check(ret == -ENOENT, "event.exclude_idle_with_h_is_enoent");
	F(false, false, 1, .exclude_user = 1);
	check(ret == -ENOENT && !flags, "event.exclude_user_without_filter_is_enoent");
	F(false, true, 1, .exclude_user = 1);
	check(ret == -ENOENT && !flags, "event.exclude_user_without_filter_with_h_is_enoent");
	F(false, true, 1, .exclude_guest = 1);
	check(ret == -EINVAL && !flags, "event.exclude_guest_without_filter_with_h_is_einval");
	F(false, true, 1, .exclude_kernel = 1, .exclude_guest = 1);
	check(ret == -EINVAL && !flags,
	      "event.exclude_kernel_and_guest_without_filter_with_h_is_einval");
	F(false, false, 1, .exclude_guest = 1);
	check(!ret, "event.exclude_guest_without_filter_needs_nothing");
	F(false, false, 1, .exclude_kernel = 1, .exclude_guest = 1);
	check(ret == -ENOENT && !flags, "event.exclude_kernel_and_guest_without_filter_is_enoent");
	F(true, false, 0xf0005, .exclude_kernel = 1);
	check(ret == -ENOENT && !flags, "event.filter_of_firmware_event_is_enoent");
	F(true, true, 0xf0005, .exclude_guest = 1);
	check(ret == -EINVAL && !flags, "event.exclude_guest_of_firmware_event_with_h_is_einval");
#undef F
}

static bool standard_valid(u32 idx)
{
	struct perf_event_attr attr = { .config = SPACE(1) | idx };
	struct sbi_pmu_event_code code;

	return !sbi_pmu_event_encode(&plain, &attr, true, &code) && code.idx == idx && !code.data;
}

/* Each standard event is listed once, and is valid as a config. */
static void test_standard(void)
{
	unsigned int n, twice = 0, bad = 0;
	u32 idx;

	for (n = 0; (idx = sbi_pmu_event_standard(n)); n++) {
		bad += !standard_valid(idx);
		for (unsigned int before = 0; before < n; before++)
			twice += sbi_pmu_event_standard(before) == idx;
	}
	note("%u standard events, %u twice, %u not valid", n, twice, bad);
	check(n == 52 && !twice && !bad, "event.standard_events_are_valid_and_unique");
	check(!sbi_pmu_event_standard(53) && !sbi_pmu_event_standard(~0U),
	      "event.no_standard_event_past_last");
}

void test_event(void)
{
	test_encode();
	test_unsafe();
	test_filter();
	test_standard();
}
