// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: harts: setup, time, CSRs, branch records, loss of power. */
#include "fakesbi.h"

struct fakesbi_hart fakesbi_harts[FAKESBI_HARTS], *fakesbi_now = fakesbi_harts;

static u64 random_state = 88172645463325252ULL;

/* xorshift; the seed must not be 0. */
unsigned int fakesbi_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state >> 32;
}

void fakesbi_seed(u64 seed)
{
	random_state = seed;
}

void model_report(const char *why)
{
	fakesbi.broken++;
	fakesbi.why = why;
}

static void add(unsigned int idx, unsigned long info, unsigned int width)
{
	fakesbi.ctr[idx].info = info;
	fakesbi.ctr[idx].width = width;
	if (fakesbi.end <= idx)
		fakesbi.end = idx + 1;
}

void fakesbi_add(unsigned int idx, unsigned int csr, unsigned int width)
{
	u8 *first = &fakesbi.by_csr[csr - SPEC_CSR_CYCLE];

	add(idx, FIELD_PREP(SPEC_INFO_WIDTH, width - 1UL) | csr, width);
	if (!*first)
		*first = idx + 1;
}

void fakesbi_add_firmware(unsigned int idx)
{
	add(idx, (unsigned long)SPEC_INFO_FIRMWARE, 64);
}

/* Counter 0 is cycle, 2 instret, 1 does not exist; then @hpm and @firmware counters. */
void fakesbi_reset(unsigned int hpm, unsigned int firmware, unsigned int width)
{
	unsigned int idx = 3;

	memset(&fakesbi, 0, sizeof(fakesbi));
	fakesbi.sscofpmf = true;
	fakesbi.overflow_csr = SPEC_CSR_SCOUNTOVF;
	fakesbi.event_bits = ~0ULL;
	fakesbi_add(0, SPEC_CSR_CYCLE, 64);
	fakesbi_add(2, SPEC_CSR_INSTRET, 64);
	for (; hpm; hpm--, idx++)
		fakesbi_add(idx, SPEC_CSR_CYCLE + idx, width);
	for (; firmware; firmware--, idx++)
		fakesbi_add_firmware(idx);
}

bool model_is_firmware(unsigned int idx)
{
	return fakesbi.ctr[idx].info & SPEC_INFO_FIRMWARE;
}

/* cycle or instret, at any index */
bool model_is_fixed(unsigned int idx)
{
	const unsigned int csr = fakesbi.ctr[idx].info & SPEC_INFO_CSR;

	return csr == SPEC_CSR_CYCLE || csr == SPEC_CSR_INSTRET;
}

/* A fixed counter whose filter firmware writes */
bool model_has_cfg(unsigned int idx)
{
	const unsigned int csr = fakesbi.ctr[idx].info & SPEC_INFO_CSR;

	return model_is_fixed(idx) && fakesbi.smcntrpmf >> (csr - SPEC_CSR_CYCLE) & 1;
}

/* A counter without interrupts */
bool model_only_counts(unsigned int idx)
{
	return model_is_fixed(idx) &&
	       (!fakesbi_has(QUIRK_FIXED_HOMOGENEOUS) || fakesbi.no_overflow >> idx & 1);
}

/* A counter that runs, but is not there for events */
bool model_is_withheld(unsigned int idx)
{
	return model_is_fixed(idx) && fakesbi_has(QUIRK_FIXED_WITHHELD);
}

static bool has_event(const struct fakesbi_ctr *ctr)
{
	return ctr->configured || (fakesbi.delegated && ctr->event & SPEC_EVENT_SELECTOR);
}

static bool hold_same(unsigned int a, unsigned int b)
{
	const struct fakesbi_code *x = &fakesbi.ctr[a].code, *y = &fakesbi.ctr[b].code;

	/* QEMU looks up an event without its filters. */
	return has_event(&fakesbi.ctr[a]) && has_event(&fakesbi.ctr[b]) && x->idx == y->idx &&
	       x->data == y->data && (x->flags == y->flags || fakesbi_has(QUIRK_TIED));
}

/* ---- time and CSRs ---- */

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
	return 0;
}

/* Value of the CSR of overflow bits, by counter number */
u32 fakesbi_overflow(unsigned int csr)
{
	u32 word = 0;

	if (csr != fakesbi.overflow_csr)
		model_report("read of overflow bits from a CSR that does not exist");
	if (fakesbi.host_counters)
		model_report("a guest reads the overflow bits of its host's counters");
	for (unsigned int n = 0; n < ARRAY_SIZE(fakesbi.by_csr); n++)
		if (fakesbi.by_csr[n] && fakesbi.ctr[fakesbi.by_csr[n] - 1].overflown)
			word |= BIT(n);
	return fakesbi_has(QUIRK_OF_UNSHOWN) ? 0 : word;
}

/* No guest runs. */
#define NO_MODE	(SPEC_CFG_UINH | SPEC_CFG_SINH)

/* Events in a ns: a function of the code, different for most codes; nothing counts M-mode. */
u64 fakesbi_rate(const struct fakesbi_code *code)
{
	const u32 filter = (code->flags & ~SPEC_CFG_MINH) / SPEC_CFG_VUINH;

	if ((code->flags & NO_MODE) == NO_MODE || (fakesbi.silent && fakesbi.silent(code)))
		return 0;
	return 1 + (code->idx * 7 + code->data * 13 + filter * 31) % FAKESBI_MAX_RATE;
}

/* Does the event of @idx only count on another counter? Fixed counters always count. */
static bool counts_elsewhere(unsigned int idx)
{
	if (!fakesbi_has(QUIRK_TIED) &&
	    !(fakesbi_has(QUIRK_FIRST_HOLDER_ONLY) && model_is_firmware(idx)))
		return false;
	for (unsigned int i = 0; i < idx; i++)
		if (!model_is_fixed(i) && hold_same(i, idx))
			return true;
	return false;
}

/* Does S-mode run the counter without an event? */
static bool counts_nothing(unsigned int idx)
{
	const struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	return fakesbi.delegated && !model_is_fixed(idx) && !model_is_firmware(idx) &&
	       !(ctr->event & SPEC_EVENT_SELECTOR) &&
	       !(ctr->event & SPEC_EVENT_MINH && fakesbi_has(QUIRK_EVENT_STICKS));
}

/* Events that a running counter counts in a ns */
static u64 rate_of(unsigned int idx)
{
	struct fakesbi_code code = fakesbi.ctr[idx].code;

	if (fakesbi.counts && !fakesbi.counts(&code, idx))
		return 0;
	if (!model_is_firmware(idx) && !(fakesbi.unfiltered && fakesbi.unfiltered(&code)))
		code.flags |= fakesbi.filter;
	return counts_nothing(idx) ? 0 : fakesbi_rate(&code);
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

/* The interrupt of T-Head's is a level: an overflow bit, or what may interrupt, has changed. */
void fakesbi_update_irq(void)
{
	if (!fakesbi_has(QUIRK_LEVEL))
		return;
	fakesbi.lcofi = false;
	for (unsigned int i = 0; i < fakesbi.end; i++)
		fakesbi.lcofi |= fakesbi.ctr[i].overflown && fakesbi.ctr[i].interrupts;
}

static void wrapped(struct fakesbi_ctr *ctr)
{
	/* No interrupt while OF is set. */
	if (!fakesbi.sscofpmf || ctr->overflown)
		return;
	ctr->overflown = true;
	fakesbi.lcofi = !fakesbi_has(QUIRK_NO_IRQ);
	fakesbi_update_irq();
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

/* ---- counters that firmware delegates to S-mode (Smcdeleg, Ssccfg) ---- */

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

/* As firmware does when the hart starts */
static void boot_events(void)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		if (!ctr->info || model_is_firmware(i) || model_is_fixed(i))
			continue;
		ctr->event = fakesbi.boot_event & ~SPEC_EVENT_OF;
		ctr->overflown = fakesbi.boot_event & SPEC_EVENT_OF;
	}
}

/*
 * Firmware delegates all counters, and cycle and instret can filter; or it delegates none. OpenSBI
 * has programmable counters not count M-mode, nor interrupt, when the hart starts.
 */
void fakesbi_delegate(bool on)
{
	fakesbi.delegated = on ? ~0U : 0;
	fakesbi.smcntrpmf =
		on ? SPEC_CSR_BIT(SPEC_CSR_CYCLE) | SPEC_CSR_BIT(SPEC_CSR_INSTRET) : 0;
	fakesbi.boot_event = on ? SPEC_EVENT_MINH | SPEC_EVENT_OF : 0;
	boot_events();
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
struct fakesbi_code fakesbi_code_of(u64 event)
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

/* Does a start leave its overflow bit as it is? */
bool model_keeps_of(const struct fakesbi_ctr *ctr)
{
	return ctr->overflown && fakesbi_has(QUIRK_OF_STICKS);
}

/* ---- branch records, after the specification of Smctr and Ssctr 1.0 ---- */

#define records	(fakesbi.branches)

static bool is_recorded(enum fakesbi_mode mode)
{
	return mode == FAKESBI_USER ? records.control & SPEC_CTR_U :
	       mode == FAKESBI_KERNEL && records.control & SPEC_CTR_S;
}

/* The hart takes a branch. @cycles as CTRDATA has them */
void fakesbi_branch(enum fakesbi_mode from, enum fakesbi_mode to, unsigned int type, u64 source,
		    u64 target, u64 cycles)
{
	const bool is_trap = type == SPEC_CTR_EXCEPTION || type == SPEC_CTR_INTERRUPT;

	/* A transfer from or to a guest obeys the guest's control, which is 0. */
	const bool is_guests = from == FAKESBI_GUEST || to == FAKESBI_GUEST;
	const size_t others = sizeof(records.entry) - sizeof(records.entry[0]);

	/* Traps are recorded for the mode where they end, anything else for that where it begins. */
	if (records.frozen || !is_recorded(is_trap ? to : from))
		return;
	if (records.control & SPEC_CTR_RASEMU) {
		if (type == SPEC_CTR_RETURN || type == SPEC_CTR_COROUTINE_SWAP)
			memmove(&records.entry[0], &records.entry[1], others);
		if (type != SPEC_CTR_INDIRECT_CALL && type != SPEC_CTR_DIRECT_CALL &&
		    type != SPEC_CTR_COROUTINE_SWAP)
			return;
	} else if ((!is_guests && records.control >> (32 + type) & 1) !=
		   (type == SPEC_CTR_NOT_TAKEN)) {
		return;
	}
	memmove(&records.entry[1], &records.entry[0], others);
	records.entry[0] = (struct fakesbi_record){
		.source = (is_recorded(from) ? source : 0) | SPEC_CTR_VALID,
		.target = is_recorded(to) ? target & ~records.no_target : 0,
		.data = (type | cycles) & ~records.no_data,
	};
}

/* An interrupt comes; the handler's own branches are the kernel's. */
void fakesbi_branch_interrupt(bool overflow, bool user)
{
	if (overflow && records.control & SPEC_CTR_LCOFIFRZ)
		records.frozen = true;
	fakesbi_branch(user ? FAKESBI_USER : FAKESBI_KERNEL, FAKESBI_KERNEL, SPEC_CTR_INTERRUPT,
		       user ? 0x10000 : FAKESBI_HANDLER + 0x100, FAKESBI_HANDLER, 0);
	for (unsigned int i = 0; i < 4; i++)
		fakesbi_branch(FAKESBI_KERNEL, FAKESBI_KERNEL, SPEC_CTR_DIRECT_CALL,
			       FAKESBI_HANDLER + i * 4, FAKESBI_HANDLER + 0x40, 0);
}

/* ---- power ---- */

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
		if (fakesbi_has(QUIRK_SUSPEND_LOSES_FIXED_FILTERS) && model_is_fixed(i))
			ctr->code.flags = 0;
	}
	fakesbi.filter = model_random64() & fakesbi.one_filter;
	fakesbi.branches.frozen = true;
	fakesbi.branches.lost |= fakesbi_has(QUIRK_SUSPEND_LOSES_CTR);
	if (fakesbi_has(QUIRK_SUSPEND_LOSES_EVENTS) && fakesbi.delegated)
		boot_events();
	fakesbi.branches.control = 0;
	fakesbi.branches.depth = fakesbi.branches.least;
}

/* The hart is stopped and started: firmware resets its state. */
void fakesbi_restart(void)
{
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		ctr->configured = ctr->running = ctr->lost = ctr->overflown = false;
		ctr->interrupts = false;
		ctr->inhibited = false;
		ctr->event = 0;
		if (ctr->info)
			ctr->value = model_random64() & model_bits(ctr);
	}
	boot_events();
	fakesbi.branches.control = 0;
	fakesbi.branches.depth = fakesbi.branches.least;
	fakesbi.branches.lost = false;
	fakesbi.shmem = NULL;
	fakesbi.lcofi = false;
}
