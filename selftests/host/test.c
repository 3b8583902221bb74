// SPDX-License-Identifier: GPL-2.0-only
/*
 * test - the pure rooms on the host: tables of what is accepted and refused,
 * and the slot engine against the firmware model, step by random step.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../drivers/perf/sbi_pmu/event.h"
#include "../fakesbi/fakesbi.h"
#include "../ktap.h"

/* ---- event ---- */

struct encoding {
	u32 type;	/* PERF_TYPE_MAX stands for our own */
	u64 config;
	int ret;
	u32 idx;
	u64 data;
};

#define OWN	PERF_TYPE_MAX
#define SPACE(n) ((u64)(n) << 62)

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
	{ PERF_TYPE_HW_CACHE, 0x10003, 0, 0x10019, 0 },	/* dTLB-load-misses */
	{ PERF_TYPE_HW_CACHE, 0x10103, 0, 0x1001b, 0 },	/* dTLB-store-misses */
	{ PERF_TYPE_HW_CACHE, 0x10004, 0, 0x10021, 0 },	/* iTLB-load-misses */
	{ PERF_TYPE_HW_CACHE, 0x10206, 0, 0x10035, 0 },	/* the last one */
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
	{ OWN, 1ULL << 61, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 1, 0, 1, 0 },
	{ OWN, SPACE(1) | 10, 0, 10, 0 },
	{ OWN, SPACE(1) | 0x10035, 0, 0x10035, 0 },
	{ OWN, SPACE(1) | 0, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 11, -EINVAL, 0, 0 },
	{ OWN, SPACE(1) | 0x10006, -EINVAL, 0, 0 },	/* operation 3 */
	{ OWN, SPACE(1) | 0x10038, -EINVAL, 0, 0 },	/* cache 7 */
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
		struct sbi_pmu_code code;
		int ret = sbi_pmu_event_encode(&attr, e->type == OWN, &code);

		check(ret == e->ret && (ret || (code.idx == e->idx && code.data == e->data &&
						!code.flags)),
		      "encode type %u config %#llx: %d", e->type,
		      (unsigned long long)e->config, ret);
		if (ret)
			continue;
		attr.config1 = 1;
		if (sbi_pmu_event_encode(&attr, e->type == OWN, &code) != -EINVAL)
			check(false, "config1 is refused");
		attr.config1 = 0;
		attr.config2 = 1ULL << 63;
		if (sbi_pmu_event_encode(&attr, e->type == OWN, &code) != -EINVAL)
			check(false, "config2 is refused");
	}
}

static int filter(bool can_filter, bool guests, u32 idx, struct perf_event_attr attr, u32 *flags)
{
	const struct sbi_pmu_abilities can = { .filter = can_filter, .guests = guests };
	struct sbi_pmu_code code = { .idx = idx };
	int ret = sbi_pmu_event_filter(&can, &attr, &code);

	*flags = code.flags;
	return ret;
}

static void test_filter(void)
{
	u32 flags;
	int ret;

#define F(can, guests, idx, ...) \
	(ret = filter(can, guests, idx, (struct perf_event_attr){ __VA_ARGS__ }, &flags))
	F(true, true, 1, .exclude_user = 0);
	check(!ret && !flags, "no filter, no flags");
	F(true, true, 1, .exclude_user = 1);
	check(!ret && flags == (SBI_PMU_CFG_UINH | SBI_PMU_CFG_VUINH), "exclude_user");
	F(true, true, 1, .exclude_kernel = 1);
	check(!ret && flags == (SBI_PMU_CFG_SINH | SBI_PMU_CFG_VSINH), "exclude_kernel");
	F(true, true, 1, .exclude_hv = 1);
	check(!ret && flags == SBI_PMU_CFG_MINH, "exclude_hv");
	F(true, true, 1, .exclude_guest = 1);
	check(!ret && flags == (SBI_PMU_CFG_VUINH | SBI_PMU_CFG_VSINH), "exclude_guest");
	F(true, true, 1, .exclude_host = 1);
	check(!ret && flags == (SBI_PMU_CFG_UINH | SBI_PMU_CFG_SINH), "exclude_host");
	F(true, false, 1, .exclude_guest = 1);
	check(!ret && !flags, "without guests, leaving them out is free");
	F(true, false, 1, .exclude_user = 1);
	check(!ret && flags == SBI_PMU_CFG_UINH, "without guests, no flags of theirs");
	F(true, false, 1, .exclude_host = 1);
	check(ret == -EOPNOTSUPP, "without guests, nothing but them is refused");
	F(true, true, 1, .exclude_idle = 1);
	check(ret == -EOPNOTSUPP, "exclude_idle is refused");
	F(false, true, 1, .exclude_user = 1);
	check(ret == -EOPNOTSUPP && !flags, "without a filter, exclude_user is refused");
	F(false, true, 1, .exclude_guest = 1);
	check(ret == -EINVAL && !flags, "without a filter, exclude_guest alone: ask again");
	F(false, false, 1, .exclude_guest = 1);
	check(!ret, "without a filter and guests, exclude_guest is free");
	F(true, true, 0xf0005, .exclude_kernel = 1);
	check(ret == -EOPNOTSUPP && !flags, "firmware events cannot be filtered");
	F(true, true, 0xf0005, .exclude_guest = 1);
	check(ret == -EINVAL && !flags, "firmware events, exclude_guest alone: ask again");
#undef F
}

/* ---- counter, firmware ---- */

static void test_counter(void)
{
	struct sbi_pmu_ctr ctr = { .width = 32 };
	struct sbi_pmu_mask m = {};
	struct sbi_pmu_inventory inv;
	struct sbi_pmu_fw fw = { .call = fakesbi_call, .width_limit = 64 };
	u64 d = 0;

	check(!sbi_pmu_ctr_delta(&ctr, 0xfffffff0, 0x10, &d) && d == 0x20, "32 bits wrap");
	ctr.width = 64;
	check(!sbi_pmu_ctr_delta(&ctr, ~0ULL, 4, &d) && d == 5, "64 bits wrap");
	d = 77;
	check(sbi_pmu_ctr_delta(&ctr, 100, 99, &d) == -ERANGE && d == 77, "backwards is an error");
	ctr.width = 1;
	check(!sbi_pmu_ctr_delta(&ctr, 1, 0, &d) && d == 1, "1 bit");

	check(sbi_pmu_mask_next(&m, 0) == SBI_PMU_MAX_CTRS, "an empty mask ends at once");
	sbi_pmu_mask_set(&m, 63);
	sbi_pmu_mask_set(&m, 64);
	sbi_pmu_mask_set(&m, 127);
	check(sbi_pmu_mask_next(&m, 0) == 63 && sbi_pmu_mask_next(&m, 64) == 64 &&
	      sbi_pmu_mask_next(&m, 65) == 127 && sbi_pmu_mask_next(&m, 128) == 128 &&
	      sbi_pmu_mask_weight(&m) == 3 && !sbi_pmu_mask_test(&m, 128), "masks past a word");

	check(sbi_pmu_ctr_decode(SBI_PMU_CSR_TIME | 63UL << 12, 64).kind == SBI_PMU_CTR_NONE,
	      "the time CSR is no counter");
	check(sbi_pmu_ctr_decode(0x123, 64).kind == SBI_PMU_CTR_NONE, "nor is any other CSR");
	check(sbi_pmu_ctr_decode(SBI_PMU_INFO_FIRMWARE, 64).width == 64, "firmware's width is ignored");
	check(sbi_pmu_ctr_decode(SBI_PMU_CSR_LAST, 64).kind == SBI_PMU_CTR_HPM &&
	      sbi_pmu_ctr_decode(SBI_PMU_CSR_LAST, 64).width == 1, "width 0 is one bit");

	fakesbi_reset(8, 60, 48);
	fakesbi.ctr[100] = fakesbi.ctr[3];	/* a second one on hpmcounter3 */
	check(!sbi_pmu_fw_inventory(&fw, &inv) && sbi_pmu_mask_weight(&inv.hpm) == 8 &&
	      sbi_pmu_mask_weight(&inv.fixed) == 2 && sbi_pmu_mask_weight(&inv.firmware) == 60 &&
	      !inv.beyond, "an inventory with a gap, past 64, and a CSR told twice");

	static const int errors[][2] = {
		{ 0, 0 }, { -1, -EIO }, { -2, -EOPNOTSUPP }, { -3, -EINVAL }, { -4, -EPERM },
		{ -5, -EFAULT }, { -6, -EEXIST }, { -7, -EALREADY }, { -8, -EALREADY },
		{ -9, -ENOMEM }, { -10, -EIO }, { -99, -EIO }, { 1, -EIO },
	};
	for (unsigned int i = 0; i < ARRAY_SIZE(errors); i++)
		check(sbi_pmu_fw_errno(errors[i][0]) == errors[i][1], "SBI error %d", errors[i][0]);
}

/* ---- slots ---- */

static struct sbi_pmu_inventory inventory;
static struct sbi_pmu_slots slots;

static void boot(unsigned int hpm, unsigned int firmware, unsigned int width)
{
	fakesbi_reset(hpm, firmware, width);
	memset(&slots, 0, sizeof(slots));
	slots.inv = &inventory;
	slots.fw.call = fakesbi_call;
	slots.fw.width_limit = 64;
	slots.read_csr = fakesbi_read_csr;
	slots.sole = true;
	if (sbi_pmu_fw_inventory(&slots.fw, &inventory))
		check(false, "inventory");
	sbi_pmu_slots_up(&slots);
}

static struct sbi_pmu_mask trial(const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_mask all = sbi_pmu_inventory_all(&inventory);
	struct sbi_pmu_truth truth = {};

	sbi_pmu_slots_trial(&slots, code, &all, &truth);
	return truth.can;
}

static struct sbi_pmu_user user(u32 idx, u64 data)
{
	const struct sbi_pmu_code code = { .idx = idx, .data = data };
	struct sbi_pmu_mask can = trial(&code);
	struct sbi_pmu_user u;

	sbi_pmu_user_init(&u, &code, &can);
	return u;
}

static bool quiet(void)
{
	for (unsigned int i = 0; i < SBI_PMU_MAX_CTRS; i++)
		if (fakesbi.ctr[i].configured || fakesbi.ctr[i].running)
			return false;
	return true;
}

static u64 calls(void)
{
	u64 n = 0;

	for (unsigned int i = 0; i < SBI_PMU_FIDS; i++)
		n += slots.fw.calls[i];
	return n;
}

/* The event of raw selector d can be on counters 3 to 3 + d. */
static bool can_upto(const struct sbi_pmu_code *code, unsigned int idx)
{
	return idx <= 3 + code->data;
}

static void test_switches(void)
{
	struct sbi_pmu_user u[8];
	u64 before = 0;

	boot(16, 16, 64);
	for (unsigned int i = 0; i < 8; i++) {
		u[i] = user(0x20000, 0x10 + i);
		INIT_LIST_HEAD(&u[i].node);
	}
	for (unsigned int round = 0; round < 100; round++) {
		if (round == 1)
			before = calls();
		for (unsigned int i = 0; i < 8; i++) {
			if (sbi_pmu_user_attach(&slots, &u[i]) || sbi_pmu_user_start(&slots, &u[i]))
				check(false, "attach");
		}
		fakesbi_run(3);
		for (unsigned int i = 0; i < 8; i++)
			sbi_pmu_user_detach(&slots, &u[i]);
		fakesbi_run(1000);	/* somebody else's time */
	}
	check(calls() == before, "99 switches with 8 events make no call (%llu)",
	      (unsigned long long)(calls() - before));
	check(sbi_pmu_user_collect(&slots, &u[5]) == 300 * fakesbi_rate(&u[5].code),
	      "and count the task's own time");
	sbi_pmu_slots_release_idle(&slots);
	check(quiet() && !fakesbi.broken, "then everything is given back");
}

static void test_moves(void)
{
	struct sbi_pmu_user a, b, c, d;
	struct sbi_pmu_plan *plan = calloc(1, sizeof(*plan));

	boot(3, 0, 64);
	fakesbi.can = can_upto;
	a = user(0x20000, 2);	/* 3, 4, 5 */
	b = user(0x20000, 1);	/* 3, 4 */
	c = user(0x20000, 0);	/* 3 */
	check(sbi_pmu_mask_weight(&a.can) == 3 && sbi_pmu_mask_weight(&b.can) == 2 &&
	      sbi_pmu_mask_weight(&c.can) == 1, "trials tell which counters");
	INIT_LIST_HEAD(&a.node);
	INIT_LIST_HEAD(&b.node);
	INIT_LIST_HEAD(&c.node);
	/* In the worst order: each newcomer's only place is taken. */
	check(!sbi_pmu_user_attach(&slots, &a) && !sbi_pmu_user_start(&slots, &a), "first");
	fakesbi_run(10);
	check(!sbi_pmu_user_attach(&slots, &b) && !sbi_pmu_user_start(&slots, &b), "second");
	fakesbi_run(10);
	check(!sbi_pmu_user_attach(&slots, &c) && !sbi_pmu_user_start(&slots, &c), "third");
	fakesbi_run(10);
	check(a.slot == 5 && b.slot == 4 && c.slot == 3, "they moved (%u %u %u)",
	      a.slot, b.slot, c.slot);
	check(sbi_pmu_user_collect(&slots, &a) == 30 * fakesbi_rate(&a.code) &&
	      sbi_pmu_user_collect(&slots, &b) == 20 * fakesbi_rate(&b.code) &&
	      sbi_pmu_user_collect(&slots, &c) == 10 * fakesbi_rate(&c.code), "and lost nothing");
	d = user(0x20000, 3);
	d.can = a.can;
	INIT_LIST_HEAD(&d.node);
	check(sbi_pmu_user_attach(&slots, &d) == -ENOSPC, "a fourth has no place");

	check(sbi_pmu_plan_fits(plan, &inventory, &a.code, &a.can) &&
	      sbi_pmu_plan_fits(plan, &inventory, &b.code, &b.can) &&
	      sbi_pmu_plan_fits(plan, &inventory, &c.code, &c.can) &&
	      sbi_pmu_plan_fits(plan, &inventory, &a.code, &a.can) &&
	      !sbi_pmu_plan_fits(plan, &inventory, &d.code, &d.can),
	      "a plan says the same, and equal events share");
	free(plan);

	sbi_pmu_slots_down(&slots);
	check(quiet() && a.slot == SBI_PMU_NO_SLOT, "the hart goes: all is given back");
	check(sbi_pmu_user_attach(&slots, &a) == -ENODEV, "and nothing comes");
}

/* A move that firmware refuses: what was counting still does. */
static void test_move_refused(void)
{
	struct sbi_pmu_user a, b;

	boot(2, 0, 64);
	a = user(0x20000, 0x50);
	b = user(0x20000, 0x51);
	INIT_LIST_HEAD(&a.node);
	INIT_LIST_HEAD(&b.node);
	b.can = (struct sbi_pmu_mask){ { BIT(3) } };
	if (sbi_pmu_user_attach(&slots, &a) || sbi_pmu_user_start(&slots, &a) || a.slot != 3)
		check(false, "attach");
	fakesbi_run(5);
	fakesbi.ctr[4].configured = true;	/* somebody else has it */
	check(sbi_pmu_user_attach(&slots, &b) < 0, "no room is made where firmware refuses");
	fakesbi_run(5);
	check(a.slot == 3 && sbi_pmu_user_collect(&slots, &a) == 10 * fakesbi_rate(&a.code),
	      "and the one in place counts on");
	fakesbi.ctr[4].configured = false;
	sbi_pmu_user_detach(&slots, &a);
	check(!sbi_pmu_user_attach(&slots, &b) && b.slot == 3, "later there is room");
	sbi_pmu_user_detach(&slots, &b);

	/* Refused there and back: it keeps its count, and may be detached. */
	sbi_pmu_slots_release_idle(&slots);
	if (sbi_pmu_user_attach(&slots, &a) || sbi_pmu_user_start(&slots, &a) || a.slot != 3)
		check(false, "attach");
	fakesbi_run(3);
	fakesbi.refuse = 1;
	check(sbi_pmu_user_attach(&slots, &b) < 0 && a.slot == SBI_PMU_NO_SLOT,
	      "firmware refuses everything: the one in place is without a counter");
	fakesbi.refuse = 0;
	check(sbi_pmu_user_start(&slots, &a) == -ENODEV, "and does not pretend to count");
	check(sbi_pmu_user_collect(&slots, &a) == 3 * fakesbi_rate(&a.code), "but keeps its count");
	sbi_pmu_user_detach(&slots, &a);
	fakesbi.start_fails = 1;
	check(sbi_pmu_user_attach(&slots, &a) == -EIO && quiet(),
	      "a counter that does not start is given back");
	fakesbi.start_fails = 0;
	check(!sbi_pmu_user_attach(&slots, &a), "and taken when it does");
	sbi_pmu_slots_down(&slots);
	check(quiet() && !fakesbi.broken, "all given back");
}

static void test_quirks(void)
{
	struct sbi_pmu_user a, b;
	struct sbi_pmu_code cycles = { .idx = SBI_PMU_GENERAL_CYCLES };
	struct sbi_pmu_mask can;

	boot(4, 2, 64);
	fakesbi.ignore_mask = true;
	can = trial(&cycles);
	check(sbi_pmu_mask_weight(&can) == 1 && sbi_pmu_mask_test(&can, 0) && quiet(),
	      "firmware that ignores the offer: cycles on counter 0 alone, strays given back");
	a = user(SBI_PMU_GENERAL_CYCLES, 0);
	INIT_LIST_HEAD(&a.node);
	b = a;
	INIT_LIST_HEAD(&b.node);
	if (sbi_pmu_user_attach(&slots, &a) || sbi_pmu_user_start(&slots, &a) ||
	    sbi_pmu_user_attach(&slots, &b) || sbi_pmu_user_start(&slots, &b))
		check(false, "attach");
	check(a.slot == 0 && b.slot == 0 && slots.fw.calls[SBI_PMU_FID_START] == 1,
	      "two of the same event share, one START");
	can = trial(&cycles);
	check(sbi_pmu_mask_empty(&can) && fakesbi.ctr[0].running,
	      "while it counts, no trial touches it");
	check(!fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
	sbi_pmu_slots_down(&slots);

	boot(0, 4, 64);
	fakesbi.tied = true;
	a = user(0xf0004, 0);
	INIT_LIST_HEAD(&a.node);
	if (sbi_pmu_user_attach(&slots, &a) || sbi_pmu_user_start(&slots, &a))
		check(false, "attach");
	fakesbi_run(7);
	fakesbi.read_fails = 1;
	check(sbi_pmu_user_collect(&slots, &a) == 0, "a failed read adds nothing");
	fakesbi.read_fails = 0;
	check(sbi_pmu_user_collect(&slots, &a) == 7 * fakesbi_rate(&a.code),
	      "and loses nothing");
	sbi_pmu_slots_down(&slots);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

/* ---- random steps ---- */

enum { USERS = 24 };

static struct sbi_pmu_user crowd[USERS];
static u64 expected[USERS], reported[USERS];
static bool attached[USERS], live[USERS];

static void crowd_new(unsigned int i, bool faults)
{
	unsigned int kind = fakesbi_random() % 8;
	struct sbi_pmu_code code = { .idx = 0x20000, .data = fakesbi_random() % 12 };
	unsigned int f[4] = { fakesbi.refuse, fakesbi.stray, fakesbi.start_fails,
			      fakesbi.read_fails };
	struct sbi_pmu_mask can;

	if (kind < 2)
		code = (struct sbi_pmu_code){ .idx = 1 + kind };
	else if (kind < 4)
		code = (struct sbi_pmu_code){ .idx = 0xf0000 + fakesbi_random() % 4 };
	else
		code.flags = fakesbi_random() % 3 ? 0 : SBI_PMU_CFG_UINH;
	if (faults)
		fakesbi.refuse = fakesbi.stray = fakesbi.start_fails = fakesbi.read_fails = 0;
	can = trial(&code);
	if (sbi_pmu_mask_empty(&can))	/* all busy: whatever could */
		can = sbi_pmu_code_is_firmware(&code) ? inventory.firmware : inventory.hpm;
	fakesbi.refuse = f[0];
	fakesbi.stray = f[1];
	fakesbi.start_fails = f[2];
	fakesbi.read_fails = f[3];
	sbi_pmu_user_init(&crowd[i], &code, &can);
	expected[i] = reported[i] = 0;
	attached[i] = live[i] = false;
}

static void crowd_step(bool faults)
{
	unsigned int i = fakesbi_random() % USERS, ticks;
	struct sbi_pmu_user *u = &crowd[i];

	switch (fakesbi_random() % 16) {
	case 0 ... 3:
		if (!attached[i])
			attached[i] = !sbi_pmu_user_attach(&slots, u);
		break;
	case 4 ... 6:
		if (attached[i] && !live[i])
			live[i] = !sbi_pmu_user_start(&slots, u);
		break;
	case 7:
		if (live[i])
			sbi_pmu_user_stop(&slots, u);
		live[i] = false;
		break;
	case 8 ... 9:
		sbi_pmu_user_detach(&slots, u);
		attached[i] = live[i] = false;
		break;
	case 10 ... 13:
		ticks = fakesbi_random() % 1000;
		fakesbi_run(ticks);
		for (i = 0; i < USERS; i++)
			if (live[i])
				expected[i] += ticks * fakesbi_rate(&crowd[i].code);
		break;
	case 14:
		reported[i] += sbi_pmu_user_collect(&slots, u);
		break;
	default:
		if (attached[i])
			break;
		if (fakesbi_random() % 8 == 0)
			crowd_new(i, faults);
		else if (fakesbi_random() % 64 == 0)
			sbi_pmu_slots_release_idle(&slots);
		break;
	}
}

static void test_random(const char *name, unsigned long steps, bool faults, unsigned int width)
{
	unsigned int wrong = 0, stray = 0;

	boot(6, 3, width);
	fakesbi.can = can_upto;
	if (faults) {
		fakesbi.refuse = 9;
		fakesbi.stray = 17;
		fakesbi.start_fails = 11;
		fakesbi.read_fails = 7;
	}
	for (unsigned int i = 0; i < USERS; i++)
		crowd_new(i, faults);
	for (unsigned long n = 0; n < steps; n++) {
		crowd_step(faults);
		if (n % 64)
			continue;
		for (unsigned int i = 0; i < USERS; i++) {
			if (faults)	/* a failed read is made good by the next */
				fakesbi.read_fails = 0;
			reported[i] += sbi_pmu_user_collect(&slots, &crowd[i]);
			if (faults)
				fakesbi.read_fails = 7;
			wrong += faults ? reported[i] > expected[i] : reported[i] != expected[i];
		}
		for (unsigned int i = 0; i < SBI_PMU_MAX_CTRS; i++)
			stray += fakesbi.ctr[i].configured &&
				 !sbi_pmu_mask_test(&slots.plan.configured, i);
	}
	check(!wrong, "%s: %lu random steps, every count %s (%u wrong)", name, steps,
	      faults ? "at most what was true" : "true", wrong);
	check(!stray, "%s: no counter configured that no slot knows of (%u)", name, stray);
	check(!fakesbi.broken, "%s: no rule of the specification broken (%u: %s)", name,
	      fakesbi.broken, fakesbi.why ? fakesbi.why : "-");
	sbi_pmu_slots_down(&slots);
	check(quiet(), "%s: nothing left running", name);
}

int main(int argc, char **argv)
{
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 2000000;

	ktap_plan(-1);
	test_encode();
	test_filter();
	test_counter();
	test_switches();
	test_moves();
	test_move_refused();
	test_quirks();
	test_random("64 bits", steps, false, 64);
	test_random("40 bits", steps, false, 40);
	test_random("faults", steps, true, 64);
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}
