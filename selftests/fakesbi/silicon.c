// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: hardware: time, reads of CSRs, loss of power. */
#include "model.h"

/* Result of a read of counter @idx */
u64 model_read(unsigned int idx)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	if (!fakesbi_has(QUIRK_READS_ACCUMULATE) || model_is_firmware(idx))
		return ctr->value;
	ctr->last += ctr->total;
	return ctr->last;
}

int fakesbi_read_csr(unsigned int csr, u64 *value)
{
	const unsigned int n = csr - SPEC_CSR_CYCLE;
	unsigned int idx;

	if (n >= ARRAY_SIZE(fakesbi.by_csr) || !fakesbi.by_csr[n])
		return -ENXIO;
	idx = fakesbi.by_csr[n] - 1;
	if (fakesbi.ctr[idx].dead ||
	    (n == 4 && fakesbi_has(QUIRK_GAP_TRAPS)) ||
	    (fakesbi_has(QUIRK_UNUSED_UNREADABLE) && !fakesbi.ctr[idx].configured))
		return -ENXIO;
	fakesbi.reads++;
	*value = model_read(idx);
	fakesbi_run(fakesbi.read_ticks);
	return 0;
}

/* Value of the CSR of overflow bits, by counter number */
u32 fakesbi_overflow(unsigned int csr)
{
	u32 word = 0;

	if (csr != fakesbi.overflow_csr)
		model_report("read of overflow bits from a CSR that does not exist");
	for (unsigned int n = 0; n < ARRAY_SIZE(fakesbi.by_csr); n++)
		if (fakesbi.by_csr[n] && fakesbi.ctr[fakesbi.by_csr[n] - 1].overflown)
			word |= BIT(n);
	return word;
}

/* Events in a ns: a function of the code, different for most codes. */
u64 fakesbi_rate(const struct fakesbi_code *code)
{
	return 1 + (code->idx * 7 + code->data * 13 + code->flags * 31) % FAKESBI_MAX_RATE;
}

/* Does the event of @idx only count on another counter? Fixed counters always count. */
static bool counts_elsewhere(unsigned int idx)
{
	if (!fakesbi_has(QUIRK_TIED) &&
	    !(fakesbi_has(QUIRK_FIRST_HOLDER_ONLY) && model_is_firmware(idx)))
		return false;
	for (unsigned int i = 0; i < idx; i++)
		if (!model_is_fixed(i) && model_holds_same(i, idx))
			return true;
	return false;
}

/* Does S-mode run the counter without an event? */
static bool counts_nothing(unsigned int idx)
{
	const struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	return fakesbi.delegated && !model_is_fixed(idx) && !model_is_firmware(idx) &&
	       !(ctr->event & SPEC_EVENT_SELECTOR);
}

/* Events that a running counter counts in a ns */
static u64 rate_of(unsigned int idx)
{
	const struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	if (fakesbi.maps_events && !model_is_fixed(idx) && !model_is_firmware(idx))
		return model_mapped_rate(ctr);
	return counts_nothing(idx) ? 0 : fakesbi_rate(&ctr->code);
}

/* What a counter that runs without an event counts */
static u64 withheld_rate(const struct fakesbi_ctr *ctr)
{
	const bool cycle = (ctr->info & SPEC_INFO_CSR) == SPEC_CSR_CYCLE;
	const struct fakesbi_code code = {
		.idx = cycle ? SPEC_GENERAL_CYCLES : SPEC_GENERAL_INSTRUCTIONS,
	};

	return fakesbi_rate(&code);
}

static void wrapped(struct fakesbi_ctr *ctr)
{
	/* No interrupt while OF is set. */
	if (!fakesbi.sscofpmf || ctr->overflown)
		return;
	ctr->overflown = true;
	fakesbi.lcofi = true;
}

/* Let @ticks ns pass; each event happens at its rate. */
void fakesbi_run(u64 ticks)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];
		u64 before = ctr->value, events;

		if (model_is_withheld(i) && !ctr->inhibited)
			ctr->value += ticks * withheld_rate(ctr);
		if (!ctr->running || ctr->lost || counts_elsewhere(i))
			continue;
		events = ticks * rate_of(i);
		ctr->value = (before + events) & model_bits(ctr);
		ctr->total += events;
		if ((ctr->value < before || events > model_bits(ctr)) &&
		    !model_only_counts(i) && !model_is_firmware(i))
			wrapped(ctr);
	}
}

/* ns until the next counter overflows, 0 if the interrupt is pending; at most @ns */
u64 fakesbi_next_overflow(u64 ns)
{
	if (fakesbi.lcofi)
		return 0;
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		const struct fakesbi_ctr *ctr = &fakesbi.ctr[i];
		u64 rate, next;

		if (!ctr->running || ctr->lost || ctr->overflown || model_only_counts(i) ||
		    model_is_firmware(i) || !fakesbi.sscofpmf)
			continue;
		rate = rate_of(i);
		next = rate ? (model_bits(ctr) - ctr->value) / rate + 1 : ns;
		ns = next < ns ? next : ns;
	}
	return ns;
}

/* The hart loses power and resumes; firmware restores part of its counters. */
void fakesbi_suspend(void)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		if (!ctr->info || model_is_firmware(i))
			continue;
		if (fakesbi_has(QUIRK_SUSPEND_LOSES_EVENTS))
			ctr->lost = ctr->configured || (ctr->event & SPEC_EVENT_SELECTOR);
		if (fakesbi_has(QUIRK_SUSPEND_LOSES_VALUES))
			ctr->value = model_random64() & model_bits(ctr);
	}
	if (fakesbi_has(QUIRK_SUSPEND_LOSES_EVENTS) && fakesbi.delegated)
		model_boot_events();
}

/* The hart is stopped and started: firmware resets its state. */
void fakesbi_restart(void)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		ctr->configured = ctr->running = ctr->lost = ctr->overflown = false;
		ctr->inhibited = false;
		ctr->event = 0;
		if (ctr->info)
			ctr->value = model_random64() & model_bits(ctr);
	}
	model_boot_events();
	fakesbi.shmem = NULL;
	fakesbi.lcofi = false;
}
