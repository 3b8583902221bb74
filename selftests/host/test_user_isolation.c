// SPDX-License-Identifier: GPL-2.0-only
/* test_user_isolation: programs that read counters, and must not learn what others count. */
#include "test.h"

static struct tracked *other = &cpu.tracked[0], *own = &cpu.tracked[1];

static u64 csr_of(const struct tracked *p)
{
	u64 value = ~0ULL;

	if (fakesbi_read_csr(cpu.inv.info[p->event.counter].csr, &value))
		check(false, "a counter");
	return value;
}

/* Comes to its counter. Return: the calls that takes. */
static u64 seat(struct tracked *p)
{
	const u64 before = cpu_calls();

	if (!tracked_add_start(p))
		check(false, "a seat");
	cpu_enable();
	return cpu_calls() - before;
}

static bool sees_right(const struct tracked *p)
{
	u64 count;

	return tracked_sees(p, &count) && count == p->expected;
}

static void setup(void)
{
	boot(2, 0, 64);
	tracked_open_idx(other, RAW, 5);
	tracked_open_idx(own, RAW, 5);
	own->event.reset_on_start = true;
	seat(other);
	cpu_run(1000);
}

/* What another has counted on the very counter, before and in between. */
static void test_turns(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	unsigned int shown = 0, wrong = 0;

	setup();
	tracked_del(other);
	for (unsigned int i = 0; i < 10; i++) {
		check(seat(own) == 2, "to begin anew takes two calls");
		shown += csr_of(own) != 0;
		cpu_run(77);
		shown += csr_of(own) != 77 * rate;
		wrong += !tracked_right(own) || !own->page.page.csr || !sees_right(own);
		tracked_del(own);
		seat(other);
		cpu_run(1000 + i);
		tracked_del(other);
	}
	check(!shown, "it sees its own turn and nothing else (%u)", shown);
	check(!wrong && tracked_right(other), "and all counts are true (%u)", wrong);
	sbi_pmu_counters_offline(&cpu.counters);
}

static void test_company(void)
{
	setup();
	seat(own);
	check(own->event.counter == other->event.counter && !csr_of(own), "beside one who counts on");
	cpu_run(100);
	check(tracked_right(own) && tracked_right(other) && sees_right(own), "both are right");
	tracked_del(own);
	own->event.reset_on_start = false;
	check(!seat(own) && csr_of(own), "who may see others pays nothing");
	tracked_del(own);

	own->event.reset_on_start = true;
	other->event.sampling = SBI_PMU_BY_INTERRUPT;
	other->event.period.left = 100000;
	tracked_stop(other);
	tracked_start(other);
	seat(own);
	cpu_run(10);
	check(own->page.by_kernel, "beside one who samples it asks the kernel");
	tracked_stop(other);
	tracked_del(own);
	seat(own);
	cpu_run(10);
	check(own->page.page.csr && sees_right(own), "alone again it reads");
	check(tracked_right(own) && tracked_right(other), "and all counts are true");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Mapped while it counts. */
static void test_late(void)
{
	setup();
	own->event.mapped = false;
	seat(own);
	cpu_run(10);
	check(!own->page.page.csr && csr_of(own), "not mapped, not shown");
	sbi_pmu_event_allow_user_read(&cpu.counters, &own->event);
	cpu_enable();
	check(!csr_of(own) && own->page.page.csr && sees_right(own), "mapped, it begins anew");
	cpu_run(10);
	check(tracked_right(own) && tracked_right(other) && sees_right(own), "and all are right");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* cycle and instret, where every program may read them: they go on. */
static void test_common(void)
{
	setup();
	cpu.counters.world_readable = cpu.inv.fixed;
	tracked_open_idx(own, SBI_PMU_HW_CPU_CYCLES, 0);
	own->event.reset_on_start = true;
	seat(own);
	cpu_run(10);
	tracked_del(own);
	check(!seat(own) && csr_of(own), "what all may read never begins anew");
	cpu_run(10);
	check(tracked_right(own) && sees_right(own), "and is right");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet() && !fakesbi.broken, "no rule broken (%s)", fakesbi.why ? fakesbi.why : "-");
}

void test_user_isolation(void)
{
	test_turns();
	test_company();
	test_late();
	test_common();
}
