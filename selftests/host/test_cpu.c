// SPDX-License-Identifier: GPL-2.0-only
/* test_cpu: a short version of cpu.c, pmu.c, overflow.c and user_access.c, for one CPU. */
#include "test.h"

struct test_cpu cpu;

static int encode_units(const void *data, u64 config, struct sbi_pmu_event_code *code)
{
	return sbi_pmu_selector_encode(data, config, &code->data, &code->unit);
}

const struct sbi_pmu_vendor units_vendor = {
	.encode = encode_units,
	.candidates = sbi_pmu_selector_candidates,
};

/* ---- support of events ---- */

static struct sbi_pmu_counters *this_cpu(struct sbi_pmu_support_cache *cache)
{
	(void)cache;
	return &cpu.counters;
}

static void publish(struct tracked *t);

/* As sbi_pmu_counters_restart() */
static void restart(struct sbi_pmu_counters *c)
{
	const bool pending = fakesbi.lcofi;

	fakesbi.lcofi = false;
	c->disabled = false;
	sbi_pmu_counters_start(c);
	sbi_pmu_counters_recover(c);
	sbi_pmu_backend_unpause(&c->backend);
	/* Events that cannot be read from user space, and that may have been recovered */
	for (unsigned int i = 0; i < TRACKED; i++)
		if (cpu.tracked[i].active && !cpu.tracked[i].event.user_read)
			publish(&cpu.tracked[i]);
	fakesbi.lcofi |= pending;
}

/*
 * Return: counters that can count the event and apply its filters; empty if there are none. The
 * vendor may replace the event.
 */
static u64 find_candidates(struct sbi_pmu_event_code *code)
{
	u64 candidates = 0;
	const int ret = sbi_pmu_support_filtered(&cpu.support, code, -EINVAL, &candidates);

	if (ret && ret != -EBUSY)
		return 0;
	return candidates;
}

/* The same for an event that is not to be replaced. */
u64 cpu_candidates(const struct sbi_pmu_event_code *code)
{
	struct sbi_pmu_event_code copy = *code;

	return find_candidates(&copy);
}

/* Probe an event without the cache. */
void cpu_probe(const struct sbi_pmu_event_code *code, u64 candidates,
	       struct sbi_pmu_support *support)
{
	sbi_pmu_support_probe_here(&cpu.counters, code, candidates, &cpu.support.examples, support);
	restart(&cpu.counters);
}

/* ---- mmap pages ---- */

static void publish(struct tracked *t)
{
	t->reported += sbi_pmu_event_take(&t->event);
	t->page.page = sbi_pmu_user_page(&cpu.counters, &t->event, ~0U);
	t->page.offset = t->reported - t->page.page.base;
	if ((s64)t->page.offset < t->page.min_offset)
		t->page.min_offset = t->page.offset;
}

/*
 * Read the counter from user space, as a program does with the mmap page.
 * Return: false if the CSR read traps.
 */
bool tracked_user_read(const struct tracked *t, u64 *count)
{
	const struct sbi_pmu_user_page *page = &t->page.page;
	u64 value;

	/* Results of read(2) are compared in is_count_right(). */
	*count = page->by_kernel ? t->expected : t->page.offset;
	if (!page->csr)
		return true;
	if (fakesbi_read_csr(page->csr, &value))
		return false;
	*count += (s64)(value << (64 - page->width)) >> (64 - page->width);
	return true;
}

static void changed(struct sbi_pmu_event *event)
{
	for (unsigned int i = 0; i < TRACKED; i++)
		if (event == &cpu.tracked[i].event)
			publish(&cpu.tracked[i]);
}

/* Perf core would disable it: it counts no more. */
static void failed(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	(void)c;
	(void)event;
}

/* ---- the CPU ---- */

static struct riscv_pmu_snapshot_data page;
static const struct cpumask cpus = { .bits = BIT(0) };

static u64 clock_ns(void)
{
	fakesbi_run(1);
	return 0;
}

/* Measure the widths of counters, as measure_widths() of main.c does. */
void cpu_measure(void)
{
	const struct sbi_pmu_event_code cache = { .idx = SBI_PMU_HW_CACHE_REFERENCES };
	const u64 free_running = cpu.inv.free_running;
	struct sbi_pmu_counters *c = &cpu.counters;

	/* In shared mode cycles and instructions are no examples. */
	cpu_candidates(&cache);
	sbi_pmu_probe_widths(&c->backend, &c->plan, &cpu.support.examples, &cpu.limits);
	if (sbi_pmu_probe_inventory(&c->backend.sbi, &cpu.limits, &cpu.inv))
		check(false, "cpu.inventory_is_probed_again");
	cpu.inv.free_running = free_running;
	sbi_pmu_support_free(&cpu.support);
}

static const struct sbi_pmu_delegated delegated = {
	.read = fakesbi_read_delegated,
	.write = fakesbi_write_delegated,
	.stopped = fakesbi_stopped,
	.stop = fakesbi_stop,
	.start = fakesbi_start,
};

/* As choose_delegation() of backend_select.c */
static void delegate(struct sbi_pmu_backend *be)
{
	sbi_pmu_counters_online(&cpu.counters);
	if (sbi_pmu_delegation_probe(be, &cpu.delegation) ||
	    sbi_pmu_delegation_learn(be, &cpu.caps, &cpu.delegation))
		check(false, "cpu.counters_are_delegated");
	sbi_pmu_counters_offline(&cpu.counters);
	be->ops = &sbi_pmu_backend_csr;
	sbi_pmu_delegation_caps(&cpu.delegation, &cpu.caps);
}

static void boot_driver(enum mode mode, struct riscv_pmu_snapshot_data *shmem)
{
	const bool exclusive = mode != SHARED;
	const struct sbi_pmu_event_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	const struct sbi_pmu_event_code instret = { .idx = SBI_PMU_HW_INSTRUCTIONS };
	struct sbi_pmu_backend *be = &cpu.counters.backend;

	if (cpu.support.this_cpu)
		sbi_pmu_support_free(&cpu.support);
	memset(&cpu, 0, sizeof(cpu));
	memset(cpu.limits.width, 64, sizeof(cpu.limits.width));
	cpu.limits.homogeneous = fakesbi_has(QUIRK_FIXED_HOMOGENEOUS);
	cpu.caps.filter = cpu.caps.has_h = true;
	cpu.caps.vendor = &units_vendor;
	cpu.counters.changed = changed;
	cpu.counters.failed = failed;
	be->ops = shmem ? &sbi_pmu_backend_snapshot : &sbi_pmu_backend_sbi;
	be->inv = &cpu.inv;
	be->sbi.call = fakesbi_call;
	be->read_csr = fakesbi_read_csr;
	be->delegated = &delegated;
	be->delegation = &cpu.delegation;
	be->exclusive = exclusive;
	be->shmem.data = shmem;
	be->shmem.address = SHMEM_ADDRESS;
	be->accumulates = fakesbi_has(QUIRK_READS_ACCUMULATE);
	be->in_vm = fakesbi_has(QUIRK_UNCOUNTABLE_STOPS);
	cpu.support.inv = &cpu.inv;
	cpu.support.caps = &cpu.caps;
	cpu.support.exclusive = exclusive;
	cpu.support.in_vm = be->in_vm;
	cpu.support.cpus = &cpus;
	cpu.support.this_cpu = this_cpu;
	cpu.support.restart = restart;
	sbi_pmu_support_init(&cpu.support);
	for (unsigned int i = 0; i < TRACKED; i++)
		cpu.tracked[i].event.counter = SBI_PMU_NO_COUNTER;
	if (sbi_pmu_probe_inventory(&be->sbi, &cpu.limits, &cpu.inv))
		check(false, "cpu.inventory_is_probed");
	if (mode == DELEGATED)
		delegate(be);
	sbi_pmu_counters_online(&cpu.counters);
	if (mode != DELEGATED && (exclusive || fakesbi_has(QUIRK_FIXED_WITHHELD)))
		cpu.inv.free_running = sbi_pmu_probe_free_running(be, &cpu.counters.plan, clock_ns);
	/* Standard events are probed while all counters are idle. */
	cpu_candidates(&cycles);
	cpu_candidates(&instret);
	if (fakesbi_has(QUIRK_WIDTH_64_ALWAYS))
		cpu_measure();
}

/* Load the driver; the model has been set up. */
void cpu_boot(bool exclusive)
{
	boot_driver(exclusive ? EXCLUSIVE : SHARED, NULL);
}

void cpu_boot_mode(enum mode mode)
{
	if (mode != SNAPSHOT) {
		boot_driver(mode, NULL);
		return;
	}
	fakesbi_memory(SHMEM_ADDRESS, &page, sizeof(page));
	boot_driver(mode, &page);
}

void boot(unsigned int hpm, unsigned int firmware, unsigned int width)
{
	fakesbi_reset(hpm, firmware, width);
	cpu_boot(true);
}

/* Begin to change events, as pmu_disable() does. */
void cpu_disable(void)
{
	cpu.counters.disabled = true;
	sbi_pmu_backend_pause(&cpu.counters.backend);
}

/* Start stopped counters after events have been changed or an overflow has been handled. */
void cpu_enable(void)
{
	restart(&cpu.counters);
	cpu.lost += tracked_sync();
}

/* Let time pass. Narrow counters are polled no more often than the driver requires. */
void cpu_run(u64 ticks)
{
	const u64 wrap = sbi_pmu_inventory_wrap_ns(&cpu.inv);

	cpu_enable();
	for (unsigned int i = 0; i < TRACKED; i++)
		if (cpu.tracked[i].active)
			cpu.tracked[i].expected += ticks * fakesbi_rate(&cpu.tracked[i].event.code);
	while (ticks) {
		u64 step = wrap && ticks > wrap - cpu.since ? wrap - cpu.since : ticks;

		fakesbi_run(step);
		ticks -= step;
		cpu.since += step;
		if (wrap && cpu.since == wrap) {
			sbi_pmu_counters_poll_narrow(&cpu.counters);
			cpu.since = 0;
		}
	}
}

u64 cpu_calls(void)
{
	u64 n = 0;

	for (unsigned int i = 0; i < SBI_PMU_FIDS; i++)
		n += cpu.counters.backend.sbi.calls[i];
	return n;
}

/* Return: no counter is configured or running in firmware */
bool is_all_released(void)
{
	for (unsigned int i = 0; i < FAKESBI_CTRS; i++)
		if (fakesbi.ctr[i].configured || fakesbi.ctr[i].running)
			return false;
	return true;
}

/*
 * Return: the event can be on the counter; raw event d can be on counters 3 to 3 + d. Where
 * firmware withholds the fixed counters, no other counter counts their events.
 */
bool can_hold_upto(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	if (fakesbi_has(QUIRK_FIXED_WITHHELD) && code->idx <= SBI_PMU_HW_INSTRUCTIONS)
		return false;
	return sbi_pmu_event_is_firmware(code) || idx <= 3 + code->data;
}

/* ---- events ---- */

/* Open an event. Return: a counter can count it. */
bool tracked_open(struct tracked *t, struct sbi_pmu_event_code code)
{
	const u64 candidates = find_candidates(&code);

	/* The event before it may wait for a counter. */
	if (t->event.node.next)
		hlist_del_init(&t->event.node);
	memset(t, 0, sizeof(*t));
	sbi_pmu_event_init(&t->event, &code, candidates);
	/* No user-space reads where each start sets the counter's value */
	t->event.mapped = !sbi_pmu_backend_needs_start_value(&cpu.counters.backend);
	return candidates;
}

bool tracked_open_idx(struct tracked *t, u32 idx, u64 data)
{
	return tracked_open(t, (struct sbi_pmu_event_code){ .idx = idx, .data = data });
}

bool tracked_add(struct tracked *t)
{
	/* Perf core does not add an event again that waits for a counter. */
	if (t->event.counter != SBI_PMU_NO_COUNTER || !hlist_unhashed(&t->event.node))
		return false;
	return !sbi_pmu_event_add(&cpu.counters, &t->event);
}

bool tracked_start(struct tracked *t)
{
	if (t->event.counter != SBI_PMU_NO_COUNTER && !t->active)
		t->active = !sbi_pmu_event_start(&cpu.counters, &t->event);
	publish(t);
	return t->active;
}

bool tracked_add_start(struct tracked *t)
{
	return tracked_add(t) && tracked_start(t);
}

void tracked_stop(struct tracked *t)
{
	sbi_pmu_event_stop(&cpu.counters, &t->event);
	t->active = false;
	publish(t);
}

void tracked_del(struct tracked *t)
{
	sbi_pmu_event_del(&cpu.counters, &t->event);
	t->active = false;
	publish(t);
}

u64 tracked_collect(struct tracked *t)
{
	u64 count;

	sbi_pmu_event_update(&cpu.counters, &t->event);
	count = sbi_pmu_event_take(&t->event);
	t->reported += count;
	return count;
}

bool is_count_right(struct tracked *t)
{
	tracked_collect(t);
	return t->reported == t->expected;
}

/* Return: the count has all that was expected, and no more than in @ticks in addition */
bool is_count_near(struct tracked *t, u64 ticks)
{
	tracked_collect(t);
	return t->reported >= t->expected &&
	       t->reported <= t->expected + ticks * fakesbi_rate(&t->event.code);
}

/* Mark events that lost their counter as not active. Return: their number. */
unsigned int tracked_sync(void)
{
	unsigned int lost = 0;

	for (unsigned int i = 0; i < TRACKED; i++) {
		struct tracked *t = &cpu.tracked[i];

		if (!t->active || t->event.active)
			continue;
		/* One that waits for a counter is not lost yet. */
		if (t->event.counter == SBI_PMU_NO_COUNTER && !hlist_unhashed(&t->event.node))
			continue;
		lost++;
		t->active = false;
	}
	return lost;
}
