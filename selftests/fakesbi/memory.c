// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: the snapshot shared memory (FID 7). */
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

struct sbiret model_snapshot(const unsigned long arg[FAKESBI_ARGS])
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
