// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: the silicon: time passes, CSRs are read, power goes. */
#include "model.h"

/* What counter @idx tells whoever asks. */
u64 model_tell(unsigned int idx)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	if (!fakesbi_has(QUIRK_SUMS) || model_is_firmware(idx))
		return ctr->value;
	ctr->told += ctr->total;
	return ctr->told;
}

int fakesbi_read_csr(unsigned int csr, u64 *value)
{
	const unsigned int n = csr - SPEC_CSR_CYCLE;
	unsigned int idx;

	if (n >= ARRAY_SIZE(fakesbi.by_csr) || !fakesbi.by_csr[n])
		return -ENXIO;
	idx = fakesbi.by_csr[n] - 1;
	if (sbi_pmu_mask_test(&fakesbi.dead, idx) ||
	    (n == 4 && fakesbi_has(QUIRK_GAP_TRAPS)) ||
	    (fakesbi_has(QUIRK_UNUSED_UNREADABLE) && !fakesbi.ctr[idx].configured))
		return -ENXIO;
	fakesbi.reads++;
	*value = model_tell(idx);
	fakesbi_run(fakesbi.read_ticks);
	return 0;
}

/* The OF bits, by counter number, as the scountovf CSR has them. */
u32 fakesbi_scountovf(void)
{
	u32 word = 0;

	for (unsigned int n = 3; n < ARRAY_SIZE(fakesbi.by_csr); n++)
		if (fakesbi.by_csr[n] && fakesbi.ctr[fakesbi.by_csr[n] - 1].overflown)
			word |= BIT(n);
	return word;
}

/* How fast an event happens: any function of its code that tells them apart. */
u64 fakesbi_rate(const struct sbi_pmu_event_code *code)
{
	return 1 + (code->idx * 7 + code->data * 13 + code->flags * 31) % FAKESBI_MAX_RATE;
}

/* Does the event of @idx count elsewhere, and only there? */
static bool tied_elsewhere(unsigned int idx)
{
	if (!fakesbi_has(QUIRK_TIED) &&
	    !(fakesbi_has(QUIRK_FIRST_HOLDER_ONLY) && model_is_firmware(idx)))
		return false;
	for (unsigned int i = 0; i < idx; i++)
		if (model_holds_same(i, idx))
			return true;
	return false;
}

static void wrapped(struct fakesbi_ctr *ctr)
{
	/* An OF bit that is set already makes no interrupt. */
	if (!fakesbi.sscofpmf || ctr->overflown)
		return;
	ctr->overflown = true;
	fakesbi.lcofi = true;
}

/* Let @ticks ns pass; every event happens at its own rate. */
void fakesbi_run(u64 ticks)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];
		u64 before = ctr->value, events;

		if (!ctr->running || ctr->lost || tied_elsewhere(i))
			continue;
		events = ticks * fakesbi_rate(&ctr->code);
		ctr->value = (before + events) & model_bits(ctr);
		ctr->total += events;
		if ((ctr->value < before || events > model_bits(ctr)) &&
		    !model_is_bare(i) && !model_is_firmware(i))
			wrapped(ctr);
	}
}

/* The hart loses power and comes back; firmware restores what it thinks of. */
void fakesbi_suspend(void)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		if (!ctr->info || model_is_firmware(i))
			continue;
		if (fakesbi_has(QUIRK_SUSPEND_LOSES_EVENTS))
			ctr->lost = ctr->configured;
		if (fakesbi_has(QUIRK_SUSPEND_LOSES_VALUES))
			ctr->value = model_random64() & model_bits(ctr);
	}
}

/* The hart is stopped and started again: firmware forgets all about it. */
void fakesbi_restart(void)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		ctr->configured = ctr->running = ctr->lost = ctr->overflown = false;
		if (ctr->info)
			ctr->value = model_random64() & model_bits(ctr);
	}
	fakesbi.shmem = NULL;
	fakesbi.lcofi = false;
}
