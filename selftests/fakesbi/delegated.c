// SPDX-License-Identifier: GPL-2.0-only
/*
 * fakesbi: counters that firmware delegates to S-mode (Smcdeleg, Ssccfg): scountinhibit, and
 * sireg and sireg2 of each counter. An access to what is not there returns -ENXIO: it traps.
 */
#include "model.h"

#define FILTERS		(SPEC_EVENT_SINH | SPEC_EVENT_UINH | SPEC_EVENT_VSINH | SPEC_EVENT_VUINH)
/* Selectors of standard events; raw events are their own. */
#define STANDARD	BIT_ULL(40)

static const struct {
	u32 flag;
	u64 bit;
} filters[] = {
	{ SPEC_CFG_SINH, SPEC_EVENT_SINH },   { SPEC_CFG_UINH, SPEC_EVENT_UINH },
	{ SPEC_CFG_VSINH, SPEC_EVENT_VSINH }, { SPEC_CFG_VUINH, SPEC_EVENT_VUINH },
	{ SPEC_CFG_MINH, SPEC_EVENT_MINH },
};

/*
 * Firmware delegates all counters, and cycle and instret can filter; or it delegates none. OpenSBI
 * has programmable counters not count M-mode, nor interrupt, when the hart starts.
 */
void fakesbi_delegate(bool on)
{
	fakesbi.delegated = on ? ~0U : 0;
	fakesbi.smcntrpmf = on;
	fakesbi.boot_event = on ? SPEC_EVENT_MINH | SPEC_EVENT_OF : 0;
	model_boot_events();
}

/* As firmware does when the hart starts */
void model_boot_events(void)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		if (!ctr->info || model_is_firmware(i) || model_is_fixed(i))
			continue;
		ctr->event = fakesbi.boot_event & ~SPEC_EVENT_OF;
		ctr->overflown = fakesbi.boot_event & SPEC_EVENT_OF;
		model_map(ctr);
	}
}

/* What firmware writes for an event. */
u64 model_event(const struct fakesbi_code *code)
{
	const bool raw = code->idx >> 16 == SPEC_TYPE_RAW || code->idx >> 16 == SPEC_TYPE_RAW_V2;
	u64 event = raw ? code->data : STANDARD | code->idx;

	for (unsigned int i = 0; i < ARRAY_SIZE(filters); i++)
		if (code->flags & filters[i].flag)
			event |= filters[i].bit;
	return event;
}

/* What the hart counts for it. */
static struct fakesbi_code code_of(u64 event)
{
	const u64 selector = event & SPEC_EVENT_SELECTOR;
	struct fakesbi_code code = { .idx = SPEC_TYPE_RAW << 16, .data = selector };

	if (selector & ~SPEC_RAW_DATA)
		code.idx = SPEC_TYPE_RAW_V2 << 16;
	if (selector >> 40 == 1 && model_event_known(selector ^ STANDARD, 0))
		code = (struct fakesbi_code){ .idx = selector ^ STANDARD };
	for (unsigned int i = 0; i < ARRAY_SIZE(filters); i++)
		if (event & filters[i].bit)
			code.flags |= filters[i].flag;
	return code;
}

/* ---- QEMU's events ---- */

static unsigned int number_of(const struct fakesbi_ctr *ctr)
{
	return (ctr->info & SPEC_INFO_CSR) - SPEC_CSR_CYCLE;
}

static void unmap(unsigned int counter)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < fakesbi.mapped; i++)
		if (fakesbi.map[i].counter != counter)
			fakesbi.map[kept++] = fakesbi.map[i];
	fakesbi.mapped = kept;
}

/*
 * mhpmevent of a counter has been written. QEMU has the event counted by that counter, unless
 * another one counts it, and beside those that it counted before. Only a 0, in all bits, removes
 * the events of a counter.
 */
void model_map(struct fakesbi_ctr *ctr)
{
	const u64 selector = ctr->event & SPEC_EVENT_SELECTOR;

	if (!fakesbi.maps_events || ctr->info & SPEC_INFO_FIRMWARE)
		return;
	if (!ctr->event && !ctr->overflown)
		unmap(number_of(ctr));
	if (!selector)
		return;
	for (unsigned int i = 0; i < fakesbi.mapped; i++)
		if (fakesbi.map[i].selector == selector)
			return;
	if (fakesbi.mapped == FAKESBI_EVENTS)
		return model_report("too many events are mapped");
	fakesbi.map[fakesbi.mapped].selector = selector;
	fakesbi.map[fakesbi.mapped++].counter = number_of(ctr);
}

/* Events in a ns on a programmable counter of QEMU's */
u64 model_mapped_rate(const struct fakesbi_ctr *ctr)
{
	const u64 filter = ctr->event & FILTERS;
	u64 rate = 0;

	for (unsigned int i = 0; i < fakesbi.mapped; i++) {
		const struct fakesbi_code code = code_of(fakesbi.map[i].selector | filter);

		if (fakesbi.map[i].counter == number_of(ctr))
			rate += fakesbi_rate(&code);
	}
	return rate;
}

/* ---- access ---- */

/* A delegated counter, NULL if the access traps */
static struct fakesbi_ctr *delegated(unsigned int counter)
{
	if (counter >= ARRAY_SIZE(fakesbi.by_csr) || !fakesbi.by_csr[counter] ||
	    !(fakesbi.delegated >> counter & 1))
		return NULL;
	return &fakesbi.ctr[fakesbi.by_csr[counter] - 1];
}

static bool is_fixed(unsigned int counter)
{
	return counter <= SPEC_CSR_INSTRET - SPEC_CSR_CYCLE;
}

static bool has_event(unsigned int counter)
{
	return !is_fixed(counter) || fakesbi.smcntrpmf;
}

int fakesbi_read_delegated(unsigned int counter, unsigned int csr, u64 *value)
{
	const struct fakesbi_ctr *ctr = delegated(counter);

	if (!ctr || (csr == SPEC_CSR_SIREG2 && (!has_event(counter) || fakesbi.no_sireg2)))
		return -ENXIO;
	if (csr == SPEC_CSR_SIREG)
		*value = ctr->value;
	else
		*value = (ctr->event & ~SPEC_EVENT_MINH) | (ctr->overflown ? SPEC_EVENT_OF : 0);
	return 0;
}

static void set_event(unsigned int counter, struct fakesbi_ctr *ctr, u64 event)
{
	const u64 writable = is_fixed(counter) ? FILTERS : SPEC_EVENT_SELECTOR | FILTERS;
	const u64 mask = writable & fakesbi.event_bits;

	ctr->event = (event & mask) | (ctr->event & ~mask & SPEC_EVENT_MINH);
	ctr->lost = false;
	ctr->code = code_of(ctr->event & ~SPEC_EVENT_MINH);
	if (is_fixed(counter)) {
		ctr->code.idx = counter ? SPEC_GENERAL_INSTRUCTIONS : SPEC_GENERAL_CYCLES;
		ctr->code.data = 0;
	} else {
		ctr->overflown = fakesbi.sscofpmf && event & SPEC_EVENT_OF;
		model_map(ctr);
	}
}

int fakesbi_write_delegated(unsigned int counter, unsigned int csr, u64 value)
{
	struct fakesbi_ctr *ctr = delegated(counter);

	if (!ctr || (csr == SPEC_CSR_SIREG2 && (!has_event(counter) || fakesbi.no_sireg2)))
		return -ENXIO;
	if (ctr->running)
		model_report("a delegated counter is written while it runs");
	if (csr == SPEC_CSR_SIREG2)
		set_event(counter, ctr, value);
	else if (!(fakesbi.constant >> counter & 1))
		ctr->value = value & model_bits(ctr);
	return 0;
}

/* Bits of counters that are not delegated are read-only zero. */
int fakesbi_stopped(u32 *counters)
{
	if (!fakesbi.delegated)
		return -ENXIO;
	*counters = 0;
	for (unsigned int n = 0; n < ARRAY_SIZE(fakesbi.by_csr); n++)
		if (delegated(n) && !delegated(n)->running)
			*counters |= BIT(n);
	return 0;
}

static int set_running(u32 counters, bool running)
{
	if (!fakesbi.delegated)
		return -ENXIO;
	fakesbi.inhibit_writes++;
	for (unsigned int n = 0; n < ARRAY_SIZE(fakesbi.by_csr); n++) {
		struct fakesbi_ctr *ctr = delegated(n);

		if (!ctr || !(counters >> n & 1) || fakesbi.unstoppable >> n & 1)
			continue;
		ctr->running = running;
		/* cycle and instret need no event. */
		if (is_fixed(n) && !ctr->configured)
			ctr->code.idx = n ? SPEC_GENERAL_INSTRUCTIONS : SPEC_GENERAL_CYCLES;
	}
	return 0;
}

int fakesbi_stop(u32 counters)
{
	return set_running(counters, false);
}

int fakesbi_start(u32 counters)
{
	return set_running(counters, true);
}
