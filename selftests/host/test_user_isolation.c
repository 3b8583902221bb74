// SPDX-License-Identifier: GPL-2.0-only
/* test_user_isolation: user-space reads must not show what other events counted. */
#include "test.h"

/* An event of another program, and one whose counter starts from 0; they share a counter. */
static struct tracked *other = &cpu.tracked[0], *own = &cpu.tracked[1];

static u64 csr_value(const struct tracked *p)
{
	u64 value = ~0ULL;

	require(!fakesbi_read_csr(cpu.inv.info[p->event.counter].csr, &value),
		"user_isolation.csr_read");
	return value;
}

/* Add and start an event. Return: number of SBI calls. */
static u64 start_calls(struct tracked *p)
{
	const u64 before = cpu_calls();

	require(tracked_add_start(p), "user_isolation.event");
	cpu_enable();
	return cpu_calls() - before;
}

/* Return: a user-space read returns the correct count */
static bool user_read_right(const struct tracked *p)
{
	u64 count;

	return tracked_user_read(p, &count) && count == p->expected;
}

static void open_both(void)
{
	boot(2, 0, 64);
	tracked_open_idx(other, RAW, 5);
	tracked_open_idx(own, RAW, 5);
	own->event.reset_on_start = true;
	start_calls(other);
	cpu_run(1000);
}

/* The two events use the counter alternately. */
static void test_alternate(void)
{
	const u64 rate = fakesbi_rate(&(struct sbi_pmu_event_code){ .idx = RAW, .data = 5 });
	unsigned int shown = 0, wrong = 0;

	open_both();
	tracked_del(other);
	for (unsigned int i = 0; i < 10; i++) {
		check(start_calls(own) == 2, "user_isolation.reset_%u_makes_two_calls", i);
		shown += csr_value(own) != 0;
		cpu_run(77);
		shown += csr_value(own) != 77 * rate;
		wrong += !is_count_right(own) || !own->page.page.csr || !user_read_right(own);
		tracked_del(own);
		start_calls(other);
		cpu_run(1000 + i);
		tracked_del(other);
	}
	note("20 reads, %u show another event's count; 10 counts, %u wrong", shown, wrong);
	check(!shown, "user_isolation.csr_shows_only_own_count");
	/* Another thread may look at the page at any time, also before the restart from 0. */
	note("smallest offset in a page %ld", own->page.min_offset);
	check(!own->page.min_offset, "user_isolation.page_never_shows_start_value");
	check(!wrong && is_count_right(other), "user_isolation.reset_keeps_counts");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* The two events use the counter at the same time. */
static void test_shared_counter(void)
{
	open_both();
	start_calls(own);
	check(own->event.counter == other->event.counter && !csr_value(own),
	      "user_isolation.shared_counter_is_reset");
	cpu_run(100);
	check(is_count_right(own) && is_count_right(other) && user_read_right(own),
	      "user_isolation.shared_counter_keeps_counts");
	tracked_del(own);
	own->event.reset_on_start = false;
	check(!start_calls(own) && csr_value(own),
	      "user_isolation.start_without_reset_makes_no_call");
	tracked_del(own);

	own->event.reset_on_start = true;
	other->event.sampling = SBI_PMU_BY_INTERRUPT;
	other->event.period.left = 100000;
	tracked_stop(other);
	tracked_start(other);
	start_calls(own);
	cpu_run(10);
	check(own->page.page.by_kernel,
	      "user_isolation.no_user_read_of_counter_shared_with_sampler");
	tracked_stop(other);
	tracked_del(own);
	start_calls(own);
	cpu_run(10);
	check(own->page.page.csr && user_read_right(own),
	      "user_isolation.user_read_works_after_sampler_stops");
	check(is_count_right(own) && is_count_right(other),
	      "user_isolation.sharing_with_sampler_keeps_counts");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* The event is mapped while it counts. */
static void test_late_mmap(void)
{
	open_both();
	own->event.mapped = false;
	start_calls(own);
	cpu_run(10);
	check(!own->page.page.csr && csr_value(own),
	      "user_isolation.unmapped_event_has_no_user_read");
	sbi_pmu_user_page_mapped(&own->event, true, false);
	sbi_pmu_event_set_user_read(&cpu.counters, &own->event);
	cpu_enable();
	check(!csr_value(own) && own->page.page.csr && user_read_right(own),
	      "user_isolation.mmap_resets_counter");
	cpu_run(10);
	check(is_count_right(own) && is_count_right(other) && user_read_right(own),
	      "user_isolation.mmap_keeps_counts");
	sbi_pmu_counters_offline(&cpu.counters);
}

/* Counters that every program may read, such as cycle and instret, are never reset. */
static void test_world_readable(void)
{
	open_both();
	cpu.counters.world_readable = cpu.inv.fixed;
	tracked_open_idx(own, SBI_PMU_HW_CPU_CYCLES, 0);
	own->event.reset_on_start = true;
	start_calls(own);
	cpu_run(10);
	tracked_del(own);
	check(!start_calls(own) && csr_value(own),
	      "user_isolation.world_readable_counter_is_not_reset");
	cpu_run(10);
	check(is_count_right(own) && user_read_right(own),
	      "user_isolation.world_readable_counter_keeps_count");
	sbi_pmu_counters_offline(&cpu.counters);
	check_released("user_isolation.world_readable");
}

void test_user_isolation(void)
{
	test_alternate();
	test_shared_counter();
	test_late_mmap();
	test_world_readable();
}
