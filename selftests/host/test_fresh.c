// SPDX-License-Identifier: GPL-2.0-only
/* test_fresh: programs that read counters, and must not learn what others count. */
#include "test.h"

static struct player *other = &hart.player[0], *own = &hart.player[1];

static u64 csr_of(const struct player *p)
{
	u64 value = ~0ULL;

	if (fakesbi_read_csr(hart.inv.ctr[p->user.slot].csr, &value))
		check(false, "a counter");
	return value;
}

/* Comes to its counter. Return: the calls that takes. */
static u64 seat(struct player *p)
{
	const u64 before = hart_calls();

	if (!player_seat(p))
		check(false, "a seat");
	hart_arm();
	return hart_calls() - before;
}

static bool sees_right(const struct player *p)
{
	u64 count;

	return player_sees(p, &count) && count == p->expected;
}

static void setup(void)
{
	boot(2, 0, 64);
	player_open_idx(other, RAW, 5);
	player_open_idx(own, RAW, 5);
	own->user.fresh = true;
	seat(other);
	hart_run(1000);
}

/* What another has counted on the very counter, before and in between. */
static void test_turns(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_code){ .idx = RAW, .data = 5 });
	unsigned int shown = 0, wrong = 0;

	setup();
	player_detach(other);
	for (unsigned int i = 0; i < 10; i++) {
		check(seat(own) == 2, "to begin anew takes two calls");
		shown += csr_of(own) != 0;
		hart_run(77);
		shown += csr_of(own) != 77 * rate;
		wrong += !player_right(own) || !own->page.csr || !sees_right(own);
		player_detach(own);
		seat(other);
		hart_run(1000 + i);
		player_detach(other);
	}
	check(!shown, "it sees its own turn and nothing else (%u)", shown);
	check(!wrong && player_right(other), "and all counts are true (%u)", wrong);
	sbi_pmu_slots_down(&hart.slots);
}

static void test_company(void)
{
	setup();
	seat(own);
	check(own->user.slot == other->user.slot && !csr_of(own), "beside one who counts on");
	hart_run(100);
	check(player_right(own) && player_right(other) && sees_right(own), "both are right");
	player_detach(own);
	own->user.fresh = false;
	check(!seat(own) && csr_of(own), "who may see others pays nothing");
	player_detach(own);

	own->user.fresh = true;
	other->user.sampling = SBI_PMU_INTERRUPTED;
	other->user.left = 100000;
	player_stop(other);
	player_start(other);
	seat(own);
	hart_run(10);
	check(own->page.by_kernel, "beside one who samples it asks the kernel");
	player_stop(other);
	player_detach(own);
	seat(own);
	hart_run(10);
	check(own->page.csr && sees_right(own), "alone again it reads");
	check(player_right(own) && player_right(other), "and all counts are true");
	sbi_pmu_slots_down(&hart.slots);
}

/* Mapped while it counts. */
static void test_late(void)
{
	setup();
	own->user.direct = false;
	seat(own);
	hart_run(10);
	check(!own->page.csr && csr_of(own), "not mapped, not shown");
	sbi_pmu_user_reads(&hart.slots, &own->user);
	hart_arm();
	check(!csr_of(own) && own->page.csr && sees_right(own), "mapped, it begins anew");
	hart_run(10);
	check(player_right(own) && player_right(other) && sees_right(own), "and all are right");
	sbi_pmu_slots_down(&hart.slots);
}

/* cycle and instret, where every program may read them: they go on. */
static void test_common(void)
{
	setup();
	hart.slots.common = hart.inv.fixed;
	player_open_idx(own, SBI_PMU_GENERAL_CYCLES, 0);
	own->user.fresh = true;
	seat(own);
	hart_run(10);
	player_detach(own);
	check(!seat(own) && csr_of(own), "what all may read never begins anew");
	hart_run(10);
	check(player_right(own) && sees_right(own), "and is right");
	sbi_pmu_slots_down(&hart.slots);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

void test_fresh(void)
{
	test_turns();
	test_company();
	test_late();
	test_common();
}
