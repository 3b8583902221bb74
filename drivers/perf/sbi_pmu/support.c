// SPDX-License-Identifier: GPL-2.0-only
#include "support.h"

/* Any user can open any event, so the number of entries is limited. */
#define MAX_ENTRIES	1024

struct support_entry {
	struct hlist_node node;
	struct list_head recent;
	struct sbi_pmu_event_code code;
	struct sbi_pmu_support support;
	unsigned long probed; /* jiffies at the last probe */
};

static u32 hash_of(const struct sbi_pmu_event_code *code)
{
	return jhash_3words(code->idx, code->data, code->data >> 32, code->unit);
}

/* Filters are no part of what is cached. */
static bool is_entry_of(const struct support_entry *e, const struct sbi_pmu_event_code *code)
{
	return e->code.idx == code->idx && e->code.data == code->data && e->code.unit == code->unit;
}

static struct support_entry *find_entry(struct sbi_pmu_support_cache *cache,
					const struct sbi_pmu_event_code *code)
{
	struct support_entry *e;

	hash_for_each_possible(cache->entries, e, node, hash_of(code)) {
		if (!is_entry_of(e, code))
			continue;
		list_move(&e->recent, &cache->recent);
		return e;
	}
	return NULL;
}

static void remove_entry(struct sbi_pmu_support_cache *cache, struct support_entry *e)
{
	hash_del(&e->node);
	list_del_init(&e->recent);
	cache->count--;
	kfree(e);
}

static struct support_entry *add_entry(struct sbi_pmu_support_cache *cache,
				       const struct sbi_pmu_event_code *code)
{
	struct support_entry *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e)
		return NULL;
	if (cache->count == MAX_ENTRIES)
		remove_entry(cache, list_last_entry(&cache->recent, struct support_entry, recent));
	e->code = *code;
	e->code.flags = 0;
	hash_add(cache->entries, &e->node, hash_of(code));
	list_add(&e->recent, &cache->recent);
	cache->count++;
	return e;
}

/* Its other members are filled in before the first probe. */
void sbi_pmu_support_init(struct sbi_pmu_support_cache *cache)
{
	mutex_init(&cache->lock);
	hash_init(cache->entries);
	INIT_LIST_HEAD(&cache->recent);
}

/* Forget all events, as counters have changed or the driver goes. */
void sbi_pmu_support_free(struct sbi_pmu_support_cache *cache)
{
	struct support_entry *e, *tmp;

	list_for_each_entry_safe(e, tmp, &cache->recent, recent)
		remove_entry(cache, e);
}

/*
 * In shared mode not the fixed counters: firmware returns them to every caller, even while the
 * other driver uses them. Unless it hands them out to none: they are only read.
 */
static u64 candidates_of(const struct sbi_pmu_support_cache *cache,
			 const struct sbi_pmu_event_code *code)
{
	const struct sbi_pmu_vendor *vendor = cache->caps->vendor;
	const u64 all = vendor && vendor->candidates && code->unit ?
				vendor->candidates(cache->inv, code->unit) :
				sbi_pmu_inventory_hardware(cache->inv);
	const u64 shareable = (cache->inv->programmable | cache->inv->free_running);

	if (sbi_pmu_event_is_firmware(code))
		return cache->inv->firmware;
	return cache->exclusive ? all : (all & shareable);
}

static u64 unknown_among(u64 candidates, const struct sbi_pmu_support *support)
{
	const u64 open = candidates & ~support->can;

	return open & ~support->cannot;
}

/*
 * Also those that hold the event: firmware may have it only once, or return its counter whatever
 * is offered (cycles and instret of OpenSBI before 1.9, and of KVM). In a VM all: the probe needs
 * a reference counter, and an event that the host cannot count stops those configured after it.
 */
static u64 to_borrow(const struct sbi_pmu_counters *c, const struct sbi_pmu_event_code *code,
		     u64 unknown)
{
	const u64 holders = sbi_pmu_plan_holders(&c->plan, code);

	if (c->backend.in_vm)
		return c->plan.configured;
	return (unknown & c->plan.configured) | holders;
}

/* Firmware may return these whatever is offered, and change what the other driver uses. */
static bool has_fixed_counter(const struct sbi_pmu_event_code *code)
{
	return code->idx == SBI_PMU_HW_CPU_CYCLES || code->idx == SBI_PMU_HW_INSTRUCTIONS;
}

/*
 * If events count on @which, all hardware counters with events stop, so that a group misses the
 * same time. Those released are not stopped before: RustSBI does not release a stopped counter.
 */
static void borrow(struct sbi_pmu_counters *c, u64 which)
{
	const u64 busy = c->plan.busy & which;
	u64 others = c->plan.busy & ~which;
	unsigned int i;

	others &= ~c->backend.inv->firmware;
	if (busy)
		sbi_pmu_counters_stop(c, others);
	for_each_counter(i, which) {
		sbi_pmu_counter_update(c, i);
		sbi_pmu_counter_release(c, i);
	}
}

static void give_back(struct sbi_pmu_counters *c, u64 which)
{
	unsigned int i;

	for_each_counter(i, which)
		sbi_pmu_counter_configure_again(c, i);
}

/**
 * sbi_pmu_support_probe_here() - probe an event; sbi_pmu_counters_start() must be called after
 * @c: this CPU's counters; those in use miss what happens during the probe
 * @code: the event
 * @candidates: the counters in question
 * @examples: events that counters took before; those of this probe are added
 * @support: what is learned is added
 *
 * In shared mode the other driver may use a counter: it then refuses an event that it took before,
 * too. A refusal counts if the counter was ours, or takes that event; or if firmware returned a
 * counter that was not offered: to ask more may change a counter of the other driver.
 * Context: interrupts disabled.
 */
void sbi_pmu_support_probe_here(struct sbi_pmu_counters *c, const struct sbi_pmu_event_code *code,
				u64 candidates, struct sbi_pmu_examples *examples,
				struct sbi_pmu_support *support)
{
	const u64 unknown = unknown_among(candidates, support);
	const u64 borrowed = to_borrow(c, code, unknown);
	u64 refused, taken;

	if (!c->online || !unknown)
		return;
	borrow(c, borrowed);
	sbi_pmu_probe_event(&c->backend, &c->plan, code, candidates, support);
	if (c->backend.exclusive || !has_fixed_counter(code))
		sbi_pmu_examples_add(examples, support->can, code);
	support->held = 0;
	if (!c->backend.exclusive && !support->strayed) {
		refused = unknown & support->cannot;
		refused &= ~borrowed;
		taken = sbi_pmu_probe_examples(&c->backend, &c->plan, examples, refused);
		refused &= ~taken;
		support->cannot &= ~refused;
		support->held = refused & examples->known;
	}
	sbi_pmu_counters_overwritten(c);
	give_back(c, borrowed);
}

struct probe {
	struct sbi_pmu_support_cache *cache;
	const struct sbi_pmu_event_code *code;
	u64 candidates;
	struct sbi_pmu_support *support;
};

static void probe_here(void *arg)
{
	struct probe *p = arg;
	struct sbi_pmu_counters *c = p->cache->this_cpu(p->cache);

	sbi_pmu_support_probe_here(c, p->code, p->candidates, &p->cache->examples, p->support);
	p->cache->restart(c);
}

/*
 * On the opener's CPU, so that no user makes other CPUs work; all have the same counters, or one of
 * those that have is asked. Without the hotplug lock: perf core may hold a context's mutex, which
 * hotplug takes inside of it. A CPU that goes offline meanwhile adds nothing.
 */
static void probe(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
		  u64 candidates, struct sbi_pmu_support *support)
{
	struct probe p = { cache, code, candidates, support };
	unsigned int cpu = get_cpu();

	if (!cpumask_test_cpu(cpu, cache->cpus))
		cpu = cpumask_any(cache->cpus);
	smp_call_function_single(cpu, probe_here, &p, true);
	put_cpu();
}

/* As no counter of a VM took an event: others may have used the host's counters. */
static bool may_change(const struct sbi_pmu_support_cache *cache,
		       const struct sbi_pmu_support *support)
{
	return cache->in_vm && !support->can;
}

/* If a counter can count the event, others are tried again after a second, not at each open. */
static bool is_due(const struct support_entry *e, u64 candidates)
{
	const u64 unknown = unknown_among(candidates, &e->support);

	if (!unknown)
		return false;
	return !e->support.can || time_after(jiffies, e->probed + HZ);
}

static int answer(const struct sbi_pmu_support_cache *cache, u64 all,
		  const struct sbi_pmu_support *support, u64 *candidates)
{
	const u64 unknown = unknown_among(all, support);

	*candidates = support->can;
	if (*candidates) {
		/* An error of firmware, or of the host of a VM, is no refusal. */
		if (cache->exclusive)
			*candidates = *candidates | unknown;
		return 0;
	}
	*candidates = cache->exclusive ? unknown : support->held;
	return !*candidates ? -EOPNOTSUPP : -EBUSY;
}

static int find_locked(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
		       u64 *candidates)
{
	const u64 all = candidates_of(cache, code);
	struct support_entry unsaved = {}, *e = find_entry(cache, code) ?: add_entry(cache, code);

	if (!e)
		e = &unsaved;
	if (may_change(cache, &e->support))
		e->support.cannot = 0;
	if (is_due(e, all)) {
		probe(cache, code, all, &e->support);
		e->probed = jiffies;
	}
	return answer(cache, all, &e->support, candidates);
}

/**
 * sbi_pmu_support_find() - find the counters that can count an event
 * @cache: what is known
 * @code: the event; its filter flags are not used
 * @candidates: counters that took it, in exclusive mode also those where firmware returned an
 *		error; with -EBUSY, those of which it is not known
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP if no counter can, -EBUSY if none did, but the other driver uses some
 * (shared mode), or firmware or the host of this VM could not tell.
 */
int sbi_pmu_support_find(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
			 u64 *candidates)
{
	int ret;

	mutex_lock(&cache->lock);
	ret = find_locked(cache, code, candidates);
	mutex_unlock(&cache->lock);
	return ret;
}

/**
 * sbi_pmu_support_each() - show the events that counters have taken
 * @cache: what is known
 * @show: called for each event with its counters, the oldest first; may sleep
 * @arg: for @show
 */
void sbi_pmu_support_each(struct sbi_pmu_support_cache *cache,
			  void (*show)(void *arg, const struct sbi_pmu_event_code *code,
				       u64 counters),
			  void *arg)
{
	const struct support_entry *e;

	mutex_lock(&cache->lock);
	list_for_each_entry_reverse(e, &cache->recent, recent)
		if (e->support.can)
			show(arg, &e->code, e->support.can);
	mutex_unlock(&cache->lock);
}

/* Counters that can interrupt, and filter if any can. */
u64 sbi_pmu_support_full(const struct sbi_pmu_support_cache *cache)
{
	if (!cache->caps->fixed_alike)
		return cache->inv->programmable;
	return sbi_pmu_inventory_hardware(cache->inv) & ~cache->inv->free_running;
}

/* Counters that can filter, if any can. */
static u64 filtering(const struct sbi_pmu_support_cache *cache)
{
	const u64 full = cache->caps->filter ? sbi_pmu_support_full(cache) : 0;

	return cache->caps->fixed_filters ? (full | cache->inv->fixed) : full;
}

static int find_filtered(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
			 int refusal, u64 *candidates)
{
	const u64 filter = filtering(cache);
	const int ret = sbi_pmu_support_find(cache, code, candidates);

	if (ret == -EOPNOTSUPP)
		return -ENOENT;
	if (ret || !code->flags)
		return ret;
	*candidates = *candidates & filter;
	return !*candidates ? refusal : 0;
}

/**
 * sbi_pmu_support_filtered() - find the counters for perf_event_open(), with filters
 * @cache: what is known
 * @code: the event; replaced by one of the vendor's if no counter can count it so
 * @refusal: errno if the event has a filter and no counter that can filter
 * @candidates: the answer; most fixed counters count in all privilege modes
 * Context: may sleep.
 * Return: 0, -ENOENT (to perf: the event is not supported), or another errno.
 */
int sbi_pmu_support_filtered(struct sbi_pmu_support_cache *cache, struct sbi_pmu_event_code *code,
			     int refusal, u64 *candidates)
{
	const struct sbi_pmu_vendor *vendor = cache->caps->vendor;
	const int ret = find_filtered(cache, code, refusal, candidates);
	struct sbi_pmu_event_code other = *code;

	if (!ret || ret == -EBUSY || !vendor || !vendor->substitute ||
	    !vendor->substitute(cache->caps->vendor_data, &other) ||
	    find_filtered(cache, &other, refusal, candidates))
		return ret;
	*code = other;
	return 0;
}

/**
 * sbi_pmu_support_probe_all() - probe every event that has a general name
 * @cache: empty as yet; all counters are idle before the PMU is registered
 * Context: may sleep.
 */
void sbi_pmu_support_probe_all(struct sbi_pmu_support_cache *cache)
{
	struct sbi_pmu_event_code code = {};
	u64 candidates;

	/* That an event is not supported is remembered as well. */
	for (unsigned int n = 0; (code.idx = sbi_pmu_event_standard(n)); n++)
		sbi_pmu_support_find(cache, &code, &candidates);
	for (unsigned int n = 0; n < SBI_PMU_FW_MAX; n++) {
		code.idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_FW) | n;
		sbi_pmu_support_find(cache, &code, &candidates);
	}
}
