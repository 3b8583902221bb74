// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: what goes through shared memory (FID 7, 8). */
#include "model.h"

/* Let firmware write @size bytes at @at, which it knows as @address. */
void fakesbi_memory(u64 address, void *at, u64 size)
{
	fakesbi.region[fakesbi.regions++] = (struct fakesbi_region){ address, size, at };
}

/* @size bytes at an address of two registers, NULL if they are not all there. */
static void *memory_at(const xlen_t arg[2], u64 size)
{
	const u64 address = XLEN == 32 ? model_get64(arg) : arg[0];

	if (XLEN == 64 && arg[1])
		return NULL;
	for (unsigned int i = 0; i < fakesbi.regions; i++) {
		const struct fakesbi_region *r = &fakesbi.region[i];

		if (address >= r->address && address - r->address <= r->size &&
		    size <= r->size - (address - r->address))
			return r->at + (address - r->address);
	}
	return NULL;
}

struct sbi_pmu_ret model_snapshot(const xlen_t arg[SBI_PMU_ARGS])
{
	const xlen_t none = (xlen_t)~0ULL;
	void *at;

	if (fakesbi_has(QUIRK_NO_SNAPSHOT))
		return model_answer(SBI_PMU_ERR_NOT_SUPPORTED, 0);
	if (arg[2])
		return model_invalid("snapshot memory with a reserved flag");
	if (model_one_in(fakesbi.lend_fails))
		return model_answer(SBI_PMU_ERR_FAILED, 0);
	if (arg[0] == none && arg[1] == none) {
		fakesbi.shmem = NULL;
		return model_answer(SBI_PMU_OK, 0);
	}
	if (arg[0] % sizeof(*fakesbi.shmem))
		return model_invalid("snapshot memory that is no page");
	at = memory_at(arg, sizeof(*fakesbi.shmem));
	if (!at) {
		model_broke("snapshot memory that is none");
		return model_answer(SBI_PMU_ERR_INVALID_ADDRESS, 0);
	}
	if (fakesbi_has(QUIRK_LENT_IS_CLEARED))
		memset(at, 0, sizeof(*fakesbi.shmem));
	fakesbi.shmem = at;
	return model_answer(SBI_PMU_OK, 0);
}

/* Firmware that does not ask itself whether it could. */
static bool info_lies(const struct sbi_pmu_code *code, bool *answer)
{
	const u32 type = FIELD_GET(SBI_PMU_EVENT_TYPE, code->idx);
	const bool raw = type == SBI_PMU_TYPE_RAW || type == SBI_PMU_TYPE_RAW_V2;
	const bool platform = sbi_pmu_code_is_firmware(code) &&
			      (code->idx & SBI_PMU_EVENT_CODE) == SBI_PMU_FW_PLATFORM;

	*answer = (raw && fakesbi_has(QUIRK_INFO_ANY_RAW)) ||
		  (platform && fakesbi_has(QUIRK_INFO_ANY_PLATFORM));
	return *answer || (fakesbi_has(QUIRK_INFO_DENIES) &&
			   (sbi_pmu_code_is_firmware(code) || model_has_fixed(code)));
}

static bool supported(const struct sbi_pmu_code *code)
{
	bool answer;

	if (info_lies(code, &answer))
		return answer;
	if (!model_event_known(code->idx, code->data))
		return false;
	for (unsigned int i = 0; i < fakesbi.end; i++)
		if (model_can(code, i))
			return true;
	return false;
}

/* event_data means something for raw and firmware events alone. */
static struct sbi_pmu_code entry_code(const struct sbi_pmu_event_info *info)
{
	struct sbi_pmu_code code = { .idx = le32_to_cpu(info->event_idx) };

	if (FIELD_GET(SBI_PMU_EVENT_TYPE, code.idx) >= SBI_PMU_TYPE_RAW)
		code.data = le64_to_cpu(info->event_data);
	return code;
}

struct sbi_pmu_ret model_event_info(const xlen_t arg[SBI_PMU_ARGS])
{
	const u64 entries = arg[2];
	struct sbi_pmu_event_info *info;
	u64 i;

	if (fakesbi_has(QUIRK_NO_EVENT_INFO))
		return model_answer(SBI_PMU_ERR_NOT_SUPPORTED, 0);
	if (arg[3])
		return model_invalid("event info with a reserved flag");
	if (arg[0] % sizeof(*info))
		return model_invalid("event info at no multiple of 16");
	info = entries <= ~0ULL / sizeof(*info) ? memory_at(arg, entries * sizeof(*info)) : NULL;
	if (!info) {
		model_broke("event info in memory that is none");
		return model_answer(SBI_PMU_ERR_INVALID_ADDRESS, 0);
	}
	for (i = 0; i < entries; i++)
		if (le32_to_cpu(info[i].event_idx) & ~(SBI_PMU_EVENT_TYPE | SBI_PMU_EVENT_CODE))
			return model_invalid("event info with a reserved bit in event_idx");
	for (i = 0; i < entries; i++) {
		const struct sbi_pmu_code code = entry_code(&info[i]);
		u32 output = supported(&code) ? SBI_PMU_EVENT_INFO_SUPPORTED : 0;

		if (fakesbi_has(QUIRK_JUNK_OUTPUT))
			output |= fakesbi_random() & ~SBI_PMU_EVENT_INFO_SUPPORTED;
		info[i].output = cpu_to_le32(output);
	}
	return model_answer(SBI_PMU_OK, 0);
}
