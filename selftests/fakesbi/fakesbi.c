// SPDX-License-Identifier: GPL-2.0-only
#include "fakesbi.h"

struct fakesbi fakesbi;

/* xorshift: the same run after run. */
unsigned int fakesbi_random(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x >> 32;
}

static bool one_in(unsigned int n)
{
	return n && fakesbi_random() % n == 0;
}

static void broke(const char *why)
{
	fakesbi.broken++;
	fakesbi.why = why;
}

/* cycle on 0, instret on 2, nothing on 1, then @hpm and @firmware counters. */
void fakesbi_reset(unsigned int hpm, unsigned int firmware, unsigned int width)
{
	unsigned int idx = 3;

	memset(&fakesbi, 0, sizeof(fakesbi));
	fakesbi.ctr[0].info = FIELD_PREP(SBI_PMU_INFO_WIDTH, 63UL) | SBI_PMU_CSR_CYCLE;
	fakesbi.ctr[2].info = FIELD_PREP(SBI_PMU_INFO_WIDTH, 63UL) | SBI_PMU_CSR_INSTRET;
	for (; hpm; hpm--, idx++)
		fakesbi.ctr[idx].info = FIELD_PREP(SBI_PMU_INFO_WIDTH, width - 1UL) |
					(SBI_PMU_CSR_CYCLE + idx);
	for (; firmware; firmware--, idx++)
		fakesbi.ctr[idx].info = SBI_PMU_INFO_FIRMWARE;
}

static bool is_firmware(unsigned int idx)
{
	return fakesbi.ctr[idx].info & SBI_PMU_INFO_FIRMWARE;
}

static bool ctr_can(const struct sbi_pmu_code *code, unsigned int idx)
{
	if (!fakesbi.ctr[idx].info || is_firmware(idx) != sbi_pmu_code_is_firmware(code))
		return false;
	if (idx == 0)
		return code->idx == SBI_PMU_GENERAL_CYCLES;
	if (idx == 2)
		return code->idx == SBI_PMU_GENERAL_INSTRUCTIONS;
	return fakesbi.can ? fakesbi.can(code, idx) : true;
}

static unsigned int ctr_width(const struct fakesbi_ctr *ctr)
{
	return ctr->info & SBI_PMU_INFO_FIRMWARE ? 64 :
	       FIELD_GET(SBI_PMU_INFO_WIDTH, ctr->info) + 1;
}

static struct sbi_pmu_ret answer(long error, unsigned long value)
{
	return (struct sbi_pmu_ret){ .error = error, .value = value };
}

static struct sbi_pmu_ret take(unsigned int idx, const struct sbi_pmu_code *code)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	if (ctr->running)
		broke("a running counter got another event");
	ctr->configured = true;
	ctr->code = *code;
	/* Nobody promises what a counter starts from. */
	if (!ctr->running)
		ctr->value = fakesbi_random() & GENMASK_ULL(ctr_width(ctr) - 1, 0);
	return answer(SBI_PMU_OK, idx);
}

static struct sbi_pmu_ret config(const xlen_t arg[SBI_PMU_ARGS])
{
	const struct sbi_pmu_code code = { .flags = arg[2], .idx = arg[3], .data = arg[4] };
	unsigned int i, idx;

	if (!arg[1])
		broke("an empty mask was offered");
	if (arg[2] & ~0xffUL)
		return answer(SBI_PMU_ERR_INVALID_PARAM, 0);
	if (one_in(fakesbi.refuse))
		return answer(SBI_PMU_ERR_NOT_SUPPORTED, 0);
	if (fakesbi.ignore_mask && code.idx == SBI_PMU_GENERAL_CYCLES)
		return take(0, &code);
	if (fakesbi.ignore_mask && code.idx == SBI_PMU_GENERAL_INSTRUCTIONS)
		return take(2, &code);
	if (one_in(fakesbi.stray)) {
		idx = fakesbi_random() % SBI_PMU_MAX_CTRS;
		/* Not one that counts: that would be spoilt for good. */
		if (fakesbi.ctr[idx].info && !fakesbi.ctr[idx].configured)
			return take(idx, &code);
		return answer(SBI_PMU_OK, 0xdeadbeef);
	}
	for (i = 0; i < 64; i++) {
		idx = arg[0] + i;
		if ((arg[1] >> i & 1) && idx < SBI_PMU_MAX_CTRS &&
		    !fakesbi.ctr[idx].configured && ctr_can(&code, idx))
			return take(idx, &code);
	}
	return answer(SBI_PMU_ERR_NOT_SUPPORTED, 0);
}

/* The one counter of a window; the driver never starts or stops more. */
static struct fakesbi_ctr *only(const xlen_t arg[SBI_PMU_ARGS])
{
	unsigned int idx = arg[1] ? arg[0] + __builtin_ctzl(arg[1]) : SBI_PMU_MAX_CTRS;

	if (idx >= SBI_PMU_MAX_CTRS || arg[1] & (arg[1] - 1) || !fakesbi.ctr[idx].info) {
		broke("a window without exactly one counter");
		return NULL;
	}
	return &fakesbi.ctr[idx];
}

static struct sbi_pmu_ret start(const xlen_t arg[SBI_PMU_ARGS])
{
	struct fakesbi_ctr *ctr = only(arg);

	if (!ctr)
		return answer(SBI_PMU_ERR_INVALID_PARAM, 0);
	if (!ctr->configured)
		broke("START of a counter without an event");
	if (ctr->running) {
		broke("START of a running counter");
		return answer(SBI_PMU_ERR_ALREADY_STARTED, 0);
	}
	if (one_in(fakesbi.start_fails))
		return answer(SBI_PMU_ERR_FAILED, 0);
	ctr->running = true;
	return answer(SBI_PMU_OK, 0);
}

static struct sbi_pmu_ret stop(const xlen_t arg[SBI_PMU_ARGS])
{
	struct fakesbi_ctr *ctr = only(arg);
	bool was;

	if (!ctr)
		return answer(SBI_PMU_ERR_INVALID_PARAM, 0);
	was = ctr->running;
	ctr->running = false;
	if (arg[2] & SBI_PMU_STOP_RESET)
		ctr->configured = false;
	return answer(was ? SBI_PMU_OK : SBI_PMU_ERR_ALREADY_STOPPED, 0);
}

struct sbi_pmu_ret fakesbi_call(unsigned int fid, const xlen_t arg[SBI_PMU_ARGS])
{
	unsigned long n = 0;

	switch (fid) {
	case SBI_PMU_FID_NUM_COUNTERS:
		for (unsigned int i = 0; i < SBI_PMU_MAX_CTRS; i++)
			n += !!fakesbi.ctr[i].info;
		return answer(SBI_PMU_OK, n);
	case SBI_PMU_FID_COUNTER_INFO:
		if (arg[0] >= SBI_PMU_MAX_CTRS || !fakesbi.ctr[arg[0]].info)
			return answer(SBI_PMU_ERR_INVALID_PARAM, 0);
		return answer(SBI_PMU_OK, fakesbi.ctr[arg[0]].info);
	case SBI_PMU_FID_CONFIG_MATCHING:
		return config(arg);
	case SBI_PMU_FID_START:
		return start(arg);
	case SBI_PMU_FID_STOP:
		return stop(arg);
	case SBI_PMU_FID_FW_READ:
		if (arg[0] >= SBI_PMU_MAX_CTRS || !is_firmware(arg[0]))
			return answer(SBI_PMU_ERR_INVALID_PARAM, 0);
		if (one_in(fakesbi.read_fails))
			return answer(SBI_PMU_ERR_FAILED, 0xbad);
		return answer(SBI_PMU_OK, fakesbi.ctr[arg[0]].value);
	default:
		return answer(SBI_PMU_ERR_NOT_SUPPORTED, 0);
	}
}

int fakesbi_read_csr(unsigned int csr, u64 *value)
{
	*value = fakesbi.ctr[csr - SBI_PMU_CSR_CYCLE].value;
	return 0;
}

/* How fast an event happens: any function of its code that tells them apart. */
u64 fakesbi_rate(const struct sbi_pmu_code *code)
{
	return 1 + (code->idx * 7 + code->data * 13 + code->flags * 31) % 101;
}

static bool tied_elsewhere(unsigned int idx)
{
	for (unsigned int i = 0; i < idx; i++)
		if (fakesbi.ctr[i].running &&
		    sbi_pmu_code_equal(&fakesbi.ctr[i].code, &fakesbi.ctr[idx].code))
			return true;
	return false;
}

void fakesbi_run(u64 ticks)
{
	for (unsigned int i = 0; i < SBI_PMU_MAX_CTRS; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		if (!ctr->running || (fakesbi.tied && tied_elsewhere(i)))
			continue;
		ctr->value += ticks * fakesbi_rate(&ctr->code);
		ctr->value &= GENMASK_ULL(ctr_width(ctr) - 1, 0);
	}
}
