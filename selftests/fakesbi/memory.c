// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: functions that use shared memory (FID 7, 8). */
#include "model.h"

/* Let firmware write @size bytes at @at, whose physical address is @address. */
void fakesbi_memory(u64 address, void *at, u64 size)
{
	fakesbi.region[fakesbi.regions++] = (struct fakesbi_region){ address, size, at };
}

/* @size bytes at an address in two registers; NULL if part of them is not memory. */
static void *memory_at(const unsigned long arg[2], u64 size)
{
	const u64 address = arg[0];

	if (arg[1])
		return NULL;
	for (unsigned int i = 0; i < fakesbi.regions; i++) {
		const struct fakesbi_region *r = &fakesbi.region[i];

		if (address >= r->address && address - r->address <= r->size &&
		    size <= r->size - (address - r->address))
			return r->at + (address - r->address);
	}
	return NULL;
}

struct sbiret model_snapshot(const unsigned long arg[SBI_PMU_ARGS])
{
	const unsigned long none = (unsigned long)~0ULL;
	void *at;

	if (fakesbi_has(QUIRK_NO_SNAPSHOT))
		return model_answer(SPEC_ERR_NOT_SUPPORTED, 0);
	if (arg[2])
		return model_invalid("snapshot memory with a reserved flag");
	if (model_one_in(fakesbi.shmem_fails))
		return model_answer(SPEC_ERR_FAILED, 0);
	if (arg[0] == none && arg[1] == none) {
		fakesbi.shmem = NULL;
		return model_answer(SPEC_OK, 0);
	}
	if (arg[0] % sizeof(*fakesbi.shmem))
		return model_invalid("snapshot memory that is not a page");
	at = memory_at(arg, sizeof(*fakesbi.shmem));
	if (!at) {
		model_report("snapshot memory at an address without memory");
		return model_answer(SPEC_ERR_INVALID_ADDRESS, 0);
	}
	if (fakesbi_has(QUIRK_SHMEM_IS_CLEARED))
		memset(at, 0, sizeof(*fakesbi.shmem));
	fakesbi.shmem = at;
	return model_answer(SPEC_OK, 0);
}

/* Does firmware answer without a look at its counters? */
static bool info_is_fixed(const struct sbi_pmu_event_code *code, bool *answer)
{
	const u32 type = FIELD_GET(SPEC_EVENT_TYPE, code->idx);
	const bool raw = type == SPEC_TYPE_RAW || type == SPEC_TYPE_RAW_V2;
	const bool platform = sbi_pmu_event_is_firmware(code) &&
			      (code->idx & SPEC_EVENT_CODE) == SPEC_FW_PLATFORM;

	*answer = (raw && fakesbi_has(QUIRK_INFO_ANY_RAW)) ||
		  (platform && fakesbi_has(QUIRK_INFO_ANY_PLATFORM));
	return *answer || (fakesbi_has(QUIRK_INFO_DENIES) &&
			   (sbi_pmu_event_is_firmware(code) || model_has_fixed(code)));
}

static bool supported(const struct sbi_pmu_event_code *code)
{
	bool answer;

	if (info_is_fixed(code, &answer))
		return answer;
	if (!model_event_known(code->idx, code->data))
		return false;
	for (unsigned int i = 0; i < fakesbi.end; i++)
		if (model_can(code, i))
			return true;
	return false;
}

/* event_data is only used for raw and firmware events. */
static struct sbi_pmu_event_code entry_code(const struct spec_event_info *info)
{
	struct sbi_pmu_event_code code = { .idx = info->event_idx };

	if (FIELD_GET(SPEC_EVENT_TYPE, code.idx) >= SPEC_TYPE_RAW)
		code.data = info->event_data;
	return code;
}

struct sbiret model_event_info(const unsigned long arg[SBI_PMU_ARGS])
{
	const u64 entries = arg[2];
	struct spec_event_info *info;
	u64 i;

	if (fakesbi_has(QUIRK_NO_EVENT_INFO))
		return model_answer(SPEC_ERR_NOT_SUPPORTED, 0);
	if (arg[3])
		return model_invalid("event info with a reserved flag");
	if (arg[0] % sizeof(*info))
		return model_invalid("event info not at a multiple of 16");
	info = entries <= ~0ULL / sizeof(*info) ? memory_at(arg, entries * sizeof(*info)) : NULL;
	if (!info) {
		model_report("event info at an address without memory");
		return model_answer(SPEC_ERR_INVALID_ADDRESS, 0);
	}
	for (i = 0; i < entries; i++)
		if (info[i].event_idx & ~(SPEC_EVENT_TYPE | SPEC_EVENT_CODE))
			return model_invalid("event info with a reserved bit in event_idx");
	for (i = 0; i < entries; i++) {
		const struct sbi_pmu_event_code code = entry_code(&info[i]);
		u32 output = supported(&code) ? SPEC_INFO_SUPPORTED : 0;

		if (fakesbi_has(QUIRK_JUNK_OUTPUT))
			output |= fakesbi_random() & ~SPEC_INFO_SUPPORTED;
		info[i].output = output;
	}
	return model_answer(SPEC_OK, 0);
}
