// SPDX-License-Identifier: GPL-2.0-only
/* hart: what perf.c, truth.c and main.c do on a real one, in short. */
#include "test.h"

struct hart hart;

static struct sbi_pmu_mask candidates(const struct sbi_pmu_code *code)
{
	struct sbi_pmu_mask window = sbi_pmu_selector_window(&hart.inv, code->unit);

	if (sbi_pmu_code_is_firmware(code))
		return hart.inv.firmware;
	if (!hart.slots.sole)
		window = sbi_pmu_mask_and(window, &hart.inv.hpm);
	return window;
}

static struct known *known_find(const struct sbi_pmu_code *code)
{
	for (unsigned int i = 0; i < hart.knowns; i++)
		if (hart.known[i].code.idx == code->idx && hart.known[i].code.data == code->data)
			return &hart.known[i];
	if (hart.knowns == KNOWN)
		abort();
	hart.known[hart.knowns].code = *code;
	return &hart.known[hart.knowns++];
}

/* As truth.c: what was not tried, for being busy, is not ruled out. */
struct sbi_pmu_mask hart_can(const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_mask all = candidates(code);
	struct known *known = known_find(code);
	struct sbi_pmu_mask can;

	sbi_pmu_slots_trial(&hart.slots, code, &all, &known->truth);
	can = sbi_pmu_mask_andnot(all, &known->truth.cannot);
	return code->flags ? sbi_pmu_mask_and(can, &hart.inv.hpm) : can;
}

/* As perf.c and perf core: a program's page. */
static void player_publish(struct player *p)
{
	const struct sbi_pmu_ctr *ctr = &hart.inv.ctr[p->user.slot % SBI_PMU_MAX_CTRS];
	struct sbi_pmu_view view = {};

	p->reported += sbi_pmu_user_take(&p->user);
	p->page.csr = 0;
	if (p->user.reads && p->user.live && p->user.slot != SBI_PMU_NO_SLOT &&
	    ctr->kind != SBI_PMU_CTR_FIRMWARE &&
	    !(p->user.fresh && sbi_pmu_mask_test(&hart.slots.armed, p->user.slot))) {
		p->page.csr = ctr->csr;
		view = sbi_pmu_ctr_view(ctr, p->user.prev);
	}
	p->page.by_kernel = p->user.live && !p->page.csr;
	p->page.width = view.width;
	p->page.offset = p->reported - view.base;
}

/* As a program reads it. Return: whether it can. */
bool player_sees(const struct player *p, u64 *count)
{
	u64 value;

	/* What that says is compared elsewhere. */
	*count = p->page.by_kernel ? p->expected : p->page.offset;
	if (!p->page.csr)
		return true;
	if (fakesbi_read_csr(p->page.csr, &value))
		return false;
	*count += (s64)(value << (64 - p->page.width)) >> (64 - p->page.width);
	return true;
}

static void user_moved(struct sbi_pmu_user *user)
{
	for (unsigned int i = 0; i < PLAYERS; i++)
		if (user == &hart.player[i].user)
			player_publish(&hart.player[i]);
}

static struct fakesbi_snapshot page;

static void boot_driver(bool sole, struct sbi_pmu_snapshot *memory, bool sums)
{
	const struct sbi_pmu_code cycles = { .idx = SBI_PMU_GENERAL_CYCLES };
	const struct sbi_pmu_code instret = { .idx = SBI_PMU_GENERAL_INSTRUCTIONS };

	memset(&hart, 0, sizeof(hart));
	hart.slots.inv = &hart.inv;
	hart.slots.fw.call = fakesbi_call;
	hart.slots.fw.width_limit = 64;
	hart.slots.fw.alike = fakesbi_has(QUIRK_FIXED_ALIKE);
	hart.slots.read_csr = fakesbi_read_csr;
	hart.slots.moved = user_moved;
	hart.slots.sole = sole;
	hart.slots.memory = memory;
	hart.slots.address = HART_PAGE;
	hart.slots.sums = sums;
	hart.slots.guest = fakesbi_has(QUIRK_UNCOUNTABLE_STOPS);
	for (unsigned int i = 0; i < PLAYERS; i++)
		hart.player[i].user.slot = SBI_PMU_NO_SLOT;
	if (sbi_pmu_fw_inventory(&hart.slots.fw, &hart.inv))
		check(false, "inventory");
	sbi_pmu_slots_up(&hart.slots);
	/* Standard events are tried while all is idle. */
	hart_can(&cycles);
	hart_can(&instret);
}

/* The model is set up; load the driver. */
void hart_boot(bool sole)
{
	boot_driver(sole, NULL, fakesbi_has(QUIRK_SUMS));
}

void hart_boot_way(enum way way)
{
	if (way != RESTING) {
		hart_boot(way == SOLE);
		return;
	}
	fakesbi_memory(HART_PAGE, &page, sizeof(page));
	boot_driver(true, (struct sbi_pmu_snapshot *)&page, fakesbi_has(QUIRK_SUMS));
}

/* As perf core does before it puts events on and off; hart_arm() is after that. */
void hart_hold(void)
{
	hart.slots.held = true;
}

void boot(unsigned int hpm, unsigned int firmware, unsigned int width)
{
	fakesbi_reset(hpm, firmware, width);
	hart_boot(true);
}

/* As overflow.c: what is stopped, or has to begin anew, is started. */
void hart_arm(void)
{
	const bool pending = fakesbi.lcofi;

	fakesbi.lcofi = false;
	hart.slots.held = false;
	sbi_pmu_slots_arm(&hart.slots);
	fakesbi.lcofi |= pending;
	hart.lost += players_sync();
}

/* Time passes; narrow counters are looked at no more often than promised. */
void hart_run(u64 ticks)
{
	const u64 wrap = sbi_pmu_inventory_wrap_ns(&hart.inv);

	hart_arm();
	for (unsigned int i = 0; i < PLAYERS; i++)
		if (hart.player[i].live)
			hart.player[i].expected += ticks * fakesbi_rate(&hart.player[i].user.code);
	while (ticks) {
		u64 step = wrap && ticks > wrap - hart.since ? wrap - hart.since : ticks;

		fakesbi_run(step);
		ticks -= step;
		hart.since += step;
		if (wrap && hart.since == wrap) {
			sbi_pmu_slots_follow(&hart.slots);
			hart.since = 0;
		}
	}
}

u64 hart_calls(void)
{
	u64 n = 0;

	for (unsigned int i = 0; i < SBI_PMU_FIDS; i++)
		n += hart.slots.fw.calls[i];
	return n;
}

bool quiet(void)
{
	for (unsigned int i = 0; i < FAKESBI_CTRS; i++)
		if (fakesbi.ctr[i].configured || fakesbi.ctr[i].running)
			return false;
	return true;
}

/* The event of raw selector d can be on counters 3 to 3 + d. */
bool can_upto(const struct sbi_pmu_code *code, unsigned int idx)
{
	return sbi_pmu_code_is_firmware(code) || idx <= 3 + code->data;
}

/* ---- players ---- */

/* Open an event; false if no counter can have it. */
bool player_open(struct player *p, struct sbi_pmu_code code)
{
	const struct sbi_pmu_mask can = hart_can(&code);

	memset(p, 0, sizeof(*p));
	sbi_pmu_user_init(&p->user, &code, &can);
	/* Where counters rest, programs are not to read them. */
	p->user.direct = !sbi_pmu_slots_rest(&hart.slots);
	return !sbi_pmu_mask_empty(&can);
}

bool player_open_idx(struct player *p, u32 idx, u64 data)
{
	return player_open(p, (struct sbi_pmu_code){ .idx = idx, .data = data });
}

bool player_attach(struct player *p)
{
	return p->user.slot == SBI_PMU_NO_SLOT && !sbi_pmu_user_attach(&hart.slots, &p->user);
}

bool player_start(struct player *p)
{
	if (p->user.slot != SBI_PMU_NO_SLOT && !p->live)
		p->live = !sbi_pmu_user_start(&hart.slots, &p->user);
	player_publish(p);
	return p->live;
}

bool player_seat(struct player *p)
{
	return player_attach(p) && player_start(p);
}

void player_stop(struct player *p)
{
	sbi_pmu_user_stop(&hart.slots, &p->user);
	p->live = false;
	player_publish(p);
}

void player_detach(struct player *p)
{
	sbi_pmu_user_detach(&hart.slots, &p->user);
	p->live = false;
	player_publish(p);
}

u64 player_collect(struct player *p)
{
	u64 count;

	sbi_pmu_user_update(&hart.slots, &p->user);
	count = sbi_pmu_user_take(&p->user);
	p->reported += count;
	return count;
}

bool player_right(struct player *p)
{
	player_collect(p);
	return p->reported == p->expected;
}

/* Who lost its counter counts no more. How many lost theirs? */
unsigned int players_sync(void)
{
	unsigned int lost = 0;

	for (unsigned int i = 0; i < PLAYERS; i++) {
		struct player *p = &hart.player[i];

		lost += p->live && !p->user.live;
		p->live = p->live && p->user.live;
	}
	return lost;
}
