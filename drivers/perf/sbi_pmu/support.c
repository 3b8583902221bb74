// SPDX-License-Identifier: GPL-2.0-only
#include "support.h"

/* Any user can open any event, so the number of entries is limited. */
#define MAX_ENTRIES	4096

struct support_entry {
	struct hlist_node node;
	struct sbi_pmu_event_code code;
	struct sbi_pmu_support support;
};

/* ---- the cache ---- */

static u32 hash_of(const struct sbi_pmu_event_code *code)
{
	return jhash_3words(code->idx, code->data, code->data >> 32, 0);
}

static struct support_entry *find_entry(struct sbi_pmu_support_cache *cache,
					const struct sbi_pmu_event_code *code)
{
	struct support_entry *e;

	hash_for_each_possible(cache->entries, e, node, hash_of(code))
		if (e->code.idx == code->idx && e->code.data == code->data)
			return e;
	return NULL;
}

static struct support_entry *add_entry(struct sbi_pmu_support_cache *cache,
				       const struct sbi_pmu_event_code *code)
{
	struct support_entry *e;

	if (cache->count >= MAX_ENTRIES)
		return NULL;
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return NULL;
	e->code = *code;
	e->code.flags = 0;
	hash_add(cache->entries, &e->node, hash_of(code));
	cache->count++;
	return e;
}

/* @cache has inv, caps, exclusive, in_vm, cpus and this_cpu filled in. */
void sbi_pmu_support_init(struct sbi_pmu_support_cache *cache)
{
	mutex_init(&cache->lock);
	hash_init(cache->entries);
}

void sbi_pmu_support_free(struct sbi_pmu_support_cache *cache)
{
	struct support_entry *e;
	struct hlist_node *tmp;
	int bucket;

	hash_for_each_safe(cache->entries, bucket, tmp, e, node) {
		hash_del(&e->node);
		kfree(e);
	}
}

/* ---- which counters to probe ---- */

/*
 * In shared mode not the fixed counters: firmware returns them to every caller, even
 * while the other driver uses them.
 */
static struct sbi_pmu_mask candidates_of(const struct sbi_pmu_support_cache *cache,
					 const struct sbi_pmu_event_code *code)
{
	const struct sbi_pmu_vendor *vendor = cache->caps->vendor;
	const struct sbi_pmu_mask all = vendor && code->unit ?
						vendor->candidates(cache->inv, code->unit) :
						sbi_pmu_inventory_hardware(cache->inv);

	if (sbi_pmu_event_is_firmware(code))
		return cache->inv->firmware;
	return cache->exclusive ? all : sbi_pmu_mask_and(all, &cache->inv->programmable);
}

/* Is it known of each of @candidates whether it can count the event? */
static bool is_complete(const struct sbi_pmu_mask *candidates,
			const struct sbi_pmu_support *support)
{
	struct sbi_pmu_mask unknown = sbi_pmu_mask_andnot(*candidates, &support->can);

	unknown = sbi_pmu_mask_andnot(unknown, &support->cannot);
	return sbi_pmu_mask_empty(&unknown);
}

/**
 * sbi_pmu_support_probe_here() - probe an event on this CPU
 * @c: this CPU's counters; idle ones are released, since firmware may have the event only
 *     once, and an idle counter may hold it
 * @code: the event
 * @candidates: the counters in question
 * @support: what is learned is added
 *
 * Context: interrupts disabled.
 */
void sbi_pmu_support_probe_here(struct sbi_pmu_counters *c, const struct sbi_pmu_event_code *code,
				const struct sbi_pmu_mask *candidates,
				struct sbi_pmu_support *support)
{
	const struct sbi_pmu_mask free = sbi_pmu_mask_andnot(*candidates, &c->plan.busy);

	if (!c->online || is_complete(&free, support) ||
	    sbi_pmu_plan_counts(&c->plan, code->idx, code->data))
		return;
	sbi_pmu_counters_release_idle(c);
	sbi_pmu_probe_event(&c->backend, &c->plan, code, candidates, support);
}

struct probe {
	struct sbi_pmu_support_cache *cache;
	const struct sbi_pmu_event_code *code;
	const struct sbi_pmu_mask *candidates;
	struct sbi_pmu_support *support;
};

static void probe_here(void *arg)
{
	struct probe *p = arg;

	sbi_pmu_support_probe_here(p->cache->this_cpu(p->cache), p->code, p->candidates,
				   p->support);
}

/*
 * Probe an event on one CPU after the other, the opener's first, until each candidate was
 * free on one of them. Without the hotplug lock: perf core may hold a context's mutex,
 * which hotplug takes inside of it. A CPU that goes offline meanwhile adds nothing.
 */
static void probe(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
		  const struct sbi_pmu_mask *candidates, struct sbi_pmu_support *support)
{
	struct probe p = { cache, code, candidates, support };
	int cpu;

	for_each_cpu_wrap(cpu, cache->cpus, raw_smp_processor_id()) {
		if (is_complete(candidates, support))
			break;
		smp_call_function_single(cpu, probe_here, &p, true);
	}
}

/* ---- the answer ---- */

/* Does firmware say that it supports this event? */
static bool is_hinted(const struct sbi_pmu_support_cache *cache,
		      const struct sbi_pmu_event_code *code)
{
	u32 idx;

	for (unsigned int n = 0; (idx = sbi_pmu_event_standard(n)); n++)
		if (idx == code->idx)
			return cache->hints >> n & 1;
	return false;
}

/*
 * A counter that refused may have been in use: by the other driver in shared mode, or, as
 * no counter took the event, by others on the host of this VM. Probe such again.
 */
static bool may_change(const struct sbi_pmu_support_cache *cache,
		       const struct sbi_pmu_support *support)
{
	return !cache->exclusive || (cache->in_vm && sbi_pmu_mask_empty(&support->can));
}

static int find_locked(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
		       struct sbi_pmu_mask *candidates)
{
	const struct sbi_pmu_mask all = candidates_of(cache, code);
	struct support_entry *e = find_entry(cache, code) ?: add_entry(cache, code);
	struct sbi_pmu_support unsaved = {}, *support = e ? &e->support : &unsaved;
	struct sbi_pmu_mask can;

	if (may_change(cache, support))
		memset(&support->cannot, 0, sizeof(support->cannot));
	probe(cache, code, &all, support);
	*candidates = sbi_pmu_mask_andnot(all, &support->cannot);
	/* The same event may have been probed on counters of another unit. */
	can = sbi_pmu_mask_and(all, &support->can);
	/*
	 * In shared mode "no counter is free" and "no counter can count this" are one
	 * answer. If firmware says that it supports the event, take it for the former.
	 */
	if (!cache->exclusive && sbi_pmu_mask_empty(candidates) && is_hinted(cache, code))
		*candidates = all;
	if (sbi_pmu_mask_empty(candidates))
		return -EOPNOTSUPP;
	return cache->exclusive && sbi_pmu_mask_empty(&can) ? -EBUSY : 0;
}

/**
 * sbi_pmu_support_find() - find the counters that can count an event
 * @cache: what is known
 * @code: the event; its filter flags are not used
 * @candidates: the answer: counters that took the event, and those that could not be
 *		probed as they were busy on each CPU
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP if no counter can count it, -EBUSY if no counter has taken it
 * and some could not be probed.
 */
int sbi_pmu_support_find(struct sbi_pmu_support_cache *cache, const struct sbi_pmu_event_code *code,
			 struct sbi_pmu_mask *candidates)
{
	int ret;

	mutex_lock(&cache->lock);
	ret = find_locked(cache, code, candidates);
	mutex_unlock(&cache->lock);
	return ret;
}

/* Counters that can interrupt, and filter if any can. */
struct sbi_pmu_mask sbi_pmu_support_full(const struct sbi_pmu_support_cache *cache)
{
	return cache->caps->fixed_alike ? sbi_pmu_inventory_hardware(cache->inv) :
					  cache->inv->programmable;
}

/**
 * sbi_pmu_support_filtered() - find the counters for perf_event_open(), with filters
 * @cache: what is known
 * @code: the event
 * @needs_irq: the event is sampled by interrupt and in no other way
 * @candidates: the answer; most fixed counters count in all privilege modes
 *
 * Context: may sleep.
 * Return: 0, -ENOENT (to perf: the event is not supported), or another errno.
 */
int sbi_pmu_support_filtered(struct sbi_pmu_support_cache *cache,
			     const struct sbi_pmu_event_code *code, bool needs_irq,
			     struct sbi_pmu_mask *candidates)
{
	const struct sbi_pmu_mask full = sbi_pmu_support_full(cache);
	const int ret = sbi_pmu_support_find(cache, code, candidates);

	if (ret == -EOPNOTSUPP)
		return -ENOENT;
	if (ret || !code->flags)
		return ret;
	*candidates = sbi_pmu_mask_and(*candidates, &full);
	if (!sbi_pmu_mask_empty(candidates))
		return 0;
	/* Fixed counters do not interrupt either. */
	return needs_irq ? -EOPNOTSUPP : sbi_pmu_filter_errno(cache->caps);
}

/**
 * sbi_pmu_support_probe_all() - probe every event that has a general name
 * @cache: empty as yet
 *
 * All counters are idle before the PMU is registered, so each can be probed.
 *
 * Context: may sleep.
 */
void sbi_pmu_support_probe_all(struct sbi_pmu_support_cache *cache)
{
	struct sbi_pmu_event_code code = {};
	struct sbi_pmu_mask candidates;

	/* That an event is not supported is remembered as well. */
	for (unsigned int n = 0; (code.idx = sbi_pmu_event_standard(n)); n++)
		sbi_pmu_support_find(cache, &code, &candidates);
	for (unsigned int n = 0; n < SBI_PMU_FW_MAX; n++) {
		code.idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_FW) | n;
		sbi_pmu_support_find(cache, &code, &candidates);
	}
}
