// SPDX-License-Identifier: GPL-2.0-only
/* Ask firmware which counters can count an event, and remember what was found out. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/user_namespace.h>

#include "counters.h"
#include "vendor.h"

/* ---- with a counter that has an event ---- */

/**
 * sbi_pmu_with_event() - use a counter while it has an event
 * @cpu: this CPU
 * @offered: one of these counters; they are free
 * @code: the event
 * @got: the counter, written if it took the event
 * @use: starts the counter; not negative, or an errno. Delegated counters run within the PMU's
 *	disabled time, too
 * @arg: passed to it
 * Context: interrupts disabled.
 * Return: what @use returns, or why no counter takes the event.
 */
int sbi_pmu_with_event(struct sbi_pmu_cpu *cpu, u64 offered, const struct sbi_pmu_code *code,
		       unsigned int *got,
		       int (*use)(struct sbi_pmu_cpu *cpu, unsigned int idx, void *arg), void *arg)
{
	int ret = sbi_pmu_counter_config(cpu, offered, code, got);

	if (ret)
		return ret;
	ret = use(cpu, *got, arg);
	sbi_pmu_counter_unconfig(cpu, *got);
	return ret;
}

bool sbi_pmu_is_refusal(int ret)
{
	return ret == -EOPNOTSUPP || ret == -EINVAL;
}

/* ---- reference counter: does KVM really count a raw event? ---- */

/* A running counter has moved after this many reads. */
#define READS_TO_MOVE	4

/* Return: how many of READS_TO_MOVE reads found that counter @idx had moved, or an errno. */
static int count_moves(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	u64 before, now;
	int moves = 0, ret = sbi_pmu_counter_read(cpu, idx, &before);

	for (unsigned int n = 0; !ret && n < READS_TO_MOVE; n++) {
		ret = sbi_pmu_counter_read(cpu, idx, &now);
		moves += !ret && now != before;
		before = now;
	}
	return ret ?: moves;
}

/* Return: 0, -ENODATA if counter @idx does not count, -EBUSY if it cannot be read. */
static int check_moves(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const int moves = count_moves(cpu, idx);

	return moves < 0 ? -EBUSY : moves ? 0 : -ENODATA;
}

/* Counters of these CSRs, which are bits as of sbi_pmu_csr_bits() */
static u64 with_csrs(const struct sbi_pmu_counters *counters, u32 csrs)
{
	u64 which = 0;
	unsigned int i;

	for_each_counter(i, sbi_pmu_hardware(counters))
		if (csrs & SBI_PMU_CSR_BIT(counters->info[i].csr))
			which |= BIT_ULL(i);
	return which;
}

/* Those of cycle and instret count nothing else, not even in KVM. */
static u64 with_fixed_csr(const struct sbi_pmu_counters *counters)
{
	return with_csrs(counters, SBI_PMU_CSR_BIT(CSR_CYCLE) | SBI_PMU_CSR_BIT(CSR_INSTRET));
}

struct with_reference {
	unsigned int idx; /* the counter that has the raw event */
	int ret;
};

/* Return: 1 if reference counter @idx was running, so that @arg says what became of it. */
static int start_beside(struct sbi_pmu_cpu *cpu, unsigned int idx, void *arg)
{
	struct with_reference *r = arg;

	if (sbi_pmu_sbi_start(cpu, BIT_ULL(idx), SBI_PMU_START_FLAG_SET_INIT_VALUE, 0) ||
	    check_moves(cpu, idx))
		return 0;
	r->ret = sbi_pmu_sbi_backend_start_one(cpu, r->idx) ?: check_moves(cpu, idx);
	return 1;
}

/*
 * KVM accepts any raw event. If its host cannot count it, the start stops this counter and those
 * configured after it, such as the reference counter: that of cycles or instructions.
 * Return: 0, -ENODATA if the event cannot be counted, -EBUSY if that is not known.
 */
static int start_with_reference(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	struct with_reference r = { .idx = idx };
	unsigned int i, got;

	for_each_counter(i, with_fixed_csr(cpu->counters) & ~cpu->configured) {
		const struct sbi_pmu_code code = {
			.idx = sbi_pmu_fixed_event(&cpu->counters->info[i]),
		};

		if (sbi_pmu_with_event(cpu, BIT_ULL(i), &code, &got, start_beside, &r) == 1)
			return r.ret;
	}
	return -EBUSY;
}

static bool needs_reference(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code)
{
	return sbi_pmu_in_kvm(cpu->pmu) && sbi_pmu_code_is_raw(code);
}

/*
 * RustSBI does not release a counter that was never started. Return: 0, -ENXIO if the counter
 * cannot be read, or another errno.
 */
int sbi_pmu_start_and_read(struct sbi_pmu_cpu *cpu, unsigned int idx, void *raw_in_vm)
{
	const int ret = raw_in_vm ? start_with_reference(cpu, idx) :
				    sbi_pmu_counter_start_one(cpu, idx);
	u64 value;

	return ret ?: sbi_pmu_counter_read(cpu, idx, &value) ? -ENXIO : 0;
}

/* ---- which counters can count an event ---- */

/*
 * Return: 0 and the counter in @got, -ENXIO if that took the event but cannot be read, or another
 * errno; @got is written if a counter took the event.
 */
static int try_config(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code, u64 mask,
		      unsigned int *got)
{
	return sbi_pmu_with_event(cpu, mask, code, got, sbi_pmu_start_and_read,
				  needs_reference(cpu, code) ? cpu : NULL);
}

/* Counters @which took @code. */
static void examples_add(struct sbi_pmu_examples *examples, u64 which,
			 const struct sbi_pmu_code *code)
{
	const u64 more = which & ~examples->known;
	unsigned int i;

	for_each_counter(i, more)
		examples->code[i] = (struct sbi_pmu_code){ .idx = code->idx, .data = code->data };
	examples->known |= more;
}

/* ---- what was found out about events ---- */

/* Any user can open any event, so the number of entries is limited. */
#define MAX_ENTRIES	1024
#define SHARE		64 /* of a user: not taken from him for others */

struct entry {
	struct list_head node;
	struct sbi_pmu_code code; /* without its filters */
	struct sbi_pmu_event_counters found;
	kuid_t user;          /* who learnt of it first; INVALID_UID: the driver */
	bool extra;           /* he had his share already */
	atomic_t opened;      /* number of open events, if not extra */
	unsigned long probed; /* jiffies at the last probe */
	bool filter_tried;    /* on a programmable counter */
	bool filter_failed;   /* it could not be tried, see try_filter() */
	bool unfiltered;      /* it was seen to count in all modes then */
};

/* A user namespace, such as that of a container, has many uids: its owner is the user. */
static kuid_t this_user(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t user = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		user = ns->owner;
	return user;
}

static struct entry *find_entry(struct sbi_pmu_probe_cache *cache, const struct sbi_pmu_code *code)
{
	struct entry *e;

	list_for_each_entry(e, &cache->entries, node) {
		if (!sbi_pmu_code_alike(&e->code, code) || e->code.csrs != code->csrs)
			continue;
		list_move(&e->node, &cache->entries);
		return e;
	}
	return NULL;
}

static void remove_entry(struct sbi_pmu_probe_cache *cache, struct entry *e)
{
	list_del(&e->node);
	cache->count--;
	kfree(e);
}

static bool has_share(const struct sbi_pmu_probe_cache *cache, kuid_t user)
{
	const struct entry *e;
	unsigned int n = 0;

	list_for_each_entry(e, &cache->entries, node)
		n += !e->extra && uid_eq(e->user, user);
	return n >= SHARE;
}

/*
 * The oldest goes that is beyond its user's share; if there is none, as users are many, the oldest.
 * General and cache events stay, as they are few, and most used; and so does what is open.
 */
static void remove_oldest(struct sbi_pmu_probe_cache *cache)
{
	struct entry *e, *oldest = NULL;

	list_for_each_entry_reverse(e, &cache->entries, node)
		if (sbi_pmu_code_type(&e->code) >= SBI_PMU_EVENT_TYPE_RAW &&
		    !atomic_read(&e->opened) && (!oldest || (e->extra && !oldest->extra)))
			oldest = e;
	if (oldest)
		remove_entry(cache, oldest);
}

static struct entry *add_entry(struct sbi_pmu_probe_cache *cache, const struct sbi_pmu_code *code,
			       enum sbi_pmu_opener opener)
{
	struct entry *e;

	if (cache->count == MAX_ENTRIES)
		remove_oldest(cache);
	e = cache->count < MAX_ENTRIES ? kzalloc(sizeof(*e), GFP_KERNEL) : NULL;
	if (!e)
		return NULL;
	e->code = *code;
	e->code.flags = 0;
	e->user = opener == SBI_PMU_OPENER_NONE ? INVALID_UID : this_user();
	e->extra = opener != SBI_PMU_OPENER_NONE && has_share(cache, e->user);
	list_add(&e->node, &cache->entries);
	cache->count++;
	return e;
}

/**
 * sbi_pmu_probe_cache_hold() - keep what is known about an event that has been opened
 * @cache: what is known
 * @code: the event
 * Return: to be decremented when it is closed; NULL: all users with it are beyond their shares.
 */
atomic_t *sbi_pmu_probe_cache_hold(struct sbi_pmu_probe_cache *cache,
				   const struct sbi_pmu_code *code)
{
	atomic_t *held = NULL;
	struct entry *e;

	mutex_lock(&cache->lock);
	e = find_entry(cache, code);
	if (e && e->extra) {
		e->user = this_user();
		e->extra = has_share(cache, e->user);
	}
	if (e && !e->extra) {
		held = &e->opened;
		atomic_inc(held);
	}
	mutex_unlock(&cache->lock);
	return held;
}

void sbi_pmu_probe_cache_init(struct sbi_pmu_probe_cache *cache)
{
	mutex_init(&cache->lock);
	INIT_LIST_HEAD(&cache->entries);
}

/* Forget all events, as counters have changed or the driver goes. */
void sbi_pmu_probe_cache_free(struct sbi_pmu_probe_cache *cache)
{
	struct entry *e, *tmp;

	list_for_each_entry_safe(e, tmp, &cache->entries, node)
		remove_entry(cache, e);
}

/**
 * sbi_pmu_probe_cache_each() - show the events that counters have taken
 * @cache: what is known
 * @show: called for each event with its counters, the oldest first; may sleep
 * @arg: for @show
 */
void sbi_pmu_probe_cache_each(struct sbi_pmu_probe_cache *cache,
			      void (*show)(void *arg, const struct sbi_pmu_code *code,
					   u64 counters),
			      void *arg)
{
	const struct entry *e;

	mutex_lock(&cache->lock);
	list_for_each_entry_reverse(e, &cache->entries, node)
		if (e->found.can)
			show(arg, &e->code, e->found.can);
	mutex_unlock(&cache->lock);
}

/* ---- probe on a CPU whose counters may be in use ---- */

/* A probe of one event, in several sections */
struct probe {
	struct sbi_pmu *pmu;
	const struct sbi_pmu_code *code; /* its flags are not used */
	struct sbi_pmu_event_counters *found;
	u64 left;         /* counters that have not been asked */
	bool alike;       /* one of them answers for all */
	bool one_by_one;  /* ask each alone */
	bool may_disturb; /* ask those in use, though others can count the event */
	bool asked;       /* firmware has been called */
};

static u64 unknown_among(u64 candidates, const struct sbi_pmu_event_counters *found)
{
	return candidates & ~found->can & ~found->cannot;
}

static u64 lowest(u64 set)
{
	return set & -set;
}

/* Of @which the free counters, else the idle ones, else all */
static u64 least_used(const struct sbi_pmu_cpu *cpu, u64 which)
{
	return which & ~cpu->configured ?: which & ~cpu->busy ?: which;
}

/* Free counters are offered together: most events that firmware does not have end there. */
static u64 to_offer(const struct sbi_pmu_cpu *cpu, const struct probe *p)
{
	const u64 which = least_used(cpu, p->left);

	if (which & cpu->busy && p->found->can && !p->may_disturb)
		return 0;
	return which & cpu->configured || p->one_by_one ? lowest(which) : which;
}

/*
 * Configured counters that hold the event, or may get it without an offer: firmware may have it
 * only once, or return its counter whatever is offered (cycles and instret of OpenSBI before 1.9,
 * and of KVM).
 */
static u64 holders(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code)
{
	const u64 fixed = with_fixed_csr(cpu->counters);
	u64 which = 0;
	unsigned int i;

	for_each_counter(i, cpu->configured)
		if (sbi_pmu_code_alike(&cpu->counter[i].code, code) ||
		    (has_counter(fixed, i) &&
		     sbi_pmu_fixed_event(&cpu->counters->info[i]) == code->idx))
			which |= BIT_ULL(i);
	return which;
}

/*
 * In shared mode the other driver may use a counter: it then refuses an event that it took before,
 * too. A refusal counts if the counter takes that event in the same section.
 */
static void doubt_refusal(struct sbi_pmu_cpu *cpu, struct probe *p, u64 offered)
{
	const struct sbi_pmu_examples *examples = &p->pmu->cache.examples;
	const unsigned int i = first_counter(offered);
	unsigned int got;

	/* Of one that never took an event nothing can be known. */
	if (offered & (offered - 1)) {
		p->one_by_one = true;
		p->left &= ~offered | examples->known;
		return;
	}
	p->left &= ~offered;
	if (!has_counter(examples->known, i))
		return;
	if (try_config(cpu, &examples->code[i], offered, &got))
		p->found->busy_elsewhere |= offered;
	else
		p->found->cannot |= offered;
}

/* Can one of the counters @offered count the event? @ours: no other driver uses them. */
static void probe_event(struct sbi_pmu_cpu *cpu, struct probe *p, u64 offered, bool ours)
{
	const struct sbi_pmu_code bare = { .idx = p->code->idx, .data = p->code->data };
	unsigned int got = SBI_PMU_NO_COUNTER;
	const int ret = try_config(cpu, &bare, offered, &got);
	u64 asked = has_counter(offered, got) ? BIT_ULL(got) : offered;

	if (ret == -EPROTO && cpu->exclusive && offered & (offered - 1)) {
		p->one_by_one = true;
		return;
	}
	if (sbi_pmu_is_refusal(ret) && !ours) {
		doubt_refusal(cpu, p, offered);
		return;
	}
	/* In shared mode firmware that ignores the offer is not asked again. */
	if (ret == -EPROTO ? !cpu->exclusive : p->alike)
		asked = p->left;
	if (!ret)
		p->found->can |= asked;
	else if (sbi_pmu_is_refusal(ret) || ret == -EPROTO || ret == -ENXIO || ret == -ENODATA)
		p->found->cannot |= asked;
	p->left &= ~asked;
}

/*
 * Does a guest use more counters than its host may have? Cycles and instructions have filters on
 * the host, and so take programmable counters there. The host drops for good what was configured
 * last, when it started. So that this is not the reference counter, all are configured again, in
 * their order.
 */
static bool is_crowded(const struct sbi_pmu_cpu *cpu)
{
	const u64 hardware = sbi_pmu_hardware(cpu->counters);

	return hweight64(hardware & cpu->configured) >
	       hweight64(hardware & ~with_fixed_csr(cpu->counters));
}

/*
 * One section of a probe: counters in use miss what happens until it ends. A raw event that the
 * host of a VM cannot count stops counters, and counters that run may leave it none for the event:
 * all are stopped. Context: interrupts disabled.
 */
static void probe_here(void *arg)
{
	struct probe *p = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(p->pmu->cpu);
	const u64 reference = needs_reference(cpu, p->code) ?
				      lowest(least_used(cpu, with_fixed_csr(cpu->counters))) :
				      0;
	const u64 offered = cpu->online ? to_offer(cpu, p) : 0;
	const u64 borrowed = reference && is_crowded(cpu) ?
				     cpu->configured :
				     cpu->configured &
					     (offered | reference | holders(cpu, p->code));

	if (!offered) {
		p->left = 0;
		return;
	}
	sbi_pmu_counters_borrow(cpu, borrowed);
	if (reference)
		sbi_pmu_counters_stop(cpu, sbi_pmu_hardware(cpu->counters));
	probe_event(cpu, p, offered, cpu->exclusive || offered & borrowed);
	sbi_pmu_counters_give_back(cpu, borrowed);
	p->asked = true;
}

/*
 * On the opener's CPU, so that no user makes other CPUs work; all have the same counters, or one of
 * those that have is asked. Interrupts are enabled after each section, which has few calls. Without
 * the hotplug lock: perf core may hold a context's mutex, which hotplug takes inside of it. A CPU
 * that goes offline meanwhile adds nothing.
 */
static int on_opener(struct sbi_pmu *pmu, void (*function)(void *arg), void *arg)
{
	unsigned int cpu = get_cpu();
	int ret;

	if (!cpumask_test_cpu(cpu, &pmu->cpus))
		cpu = cpumask_any(&pmu->cpus);
	ret = smp_call_function_single(cpu, function, arg, true);
	put_cpu();
	return ret;
}

/* Return: was firmware called? */
static bool probe(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 candidates,
		  bool may_disturb, struct sbi_pmu_event_counters *found)
{
	struct probe p = {
		.pmu = pmu,
		.code = code,
		.found = found,
		.left = unknown_among(candidates, found),
		/* Firmware counters are, and those of KVM unless the event has its own. */
		.alike = sbi_pmu_code_is_firmware(code) ||
			 (sbi_pmu_in_kvm(pmu) && !sbi_pmu_has_fixed_counter(code)),
		.may_disturb = may_disturb,
	};

	found->busy_elsewhere = 0;
	while (p.left && !on_opener(pmu, probe_here, &p))
		;
	if (pmu->exclusive || !sbi_pmu_has_fixed_counter(code))
		examples_add(&pmu->cache.examples, found->can, code);
	return p.asked;
}

/* ---- do counters filter by privilege mode? ---- */

struct moves_probe {
	struct sbi_pmu *pmu;
	struct sbi_pmu_code code;
	u64 candidates; /* any of these */
	int moves;      /* as count_moves() returns it */
};

/* Start a configured counter and see it move; delegated ones stand still in a section otherwise. */
static int start_and_count_moves(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const u32 inhibited = cpu->delegated.inhibited ? SBI_PMU_CSR_BIT(cpu->counters->info[idx].csr) : 0;
	int ret = sbi_pmu_counter_start_one(cpu, idx);

	if (ret)
		return ret;
	if (inhibited)
		sbi_pmu_csr_uninhibit(inhibited);
	ret = count_moves(cpu, idx);
	if (inhibited)
		sbi_pmu_csr_inhibit(inhibited);
	return ret;
}

/* Context: interrupts disabled. */
static void probe_moves_here(void *arg)
{
	struct moves_probe *p = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(p->pmu->cpu);
	const unsigned int idx = first_counter(least_used(cpu, p->candidates));
	const u64 borrowed = cpu->configured & (BIT_ULL(idx) | holders(cpu, &p->code));
	unsigned int got;

	if (!cpu->online)
		return;
	sbi_pmu_counters_borrow(cpu, borrowed);
	p->moves = sbi_pmu_counter_config(cpu, BIT_ULL(idx), &p->code, &got);
	if (!p->moves) {
		/* It is for all counters: nothing that events want happens in a section. */
		if (cpu->counters->one_filter && !sbi_pmu_csr_filter(p->code.flags))
			p->moves = -EOPNOTSUPP;
		else
			p->moves = start_and_count_moves(cpu, idx);
		if (cpu->counters->one_filter)
			sbi_pmu_csr_filter(cpu->filter);
		sbi_pmu_counter_unconfig(cpu, idx);
	}
	sbi_pmu_counters_give_back(cpu, borrowed);
}

/*
 * Does a counter move that should count in no mode (@inhibited), or without a filter? It moves at
 * each read if it counts cycles or the like in S-mode; at one of them if an interrupt of M-mode,
 * which is not inhibited, came before it.
 */
static int probe_moves(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 candidates,
		       bool inhibited)
{
	struct moves_probe p = {
		.pmu = pmu,
		.code = { .idx = code->idx, .data = code->data },
		.candidates = candidates,
		.moves = -ENODEV,
	};

	/* Firmware might return the counter of the other driver, with this filter. */
	if (!candidates || (!pmu->exclusive && sbi_pmu_has_fixed_counter(code)))
		return -ENODATA;
	if (inhibited)
		p.code.flags = SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH;
	if (inhibited && pmu->caps.has_h)
		p.code.flags |= SBI_PMU_CFG_FLAG_SET_VUINH | SBI_PMU_CFG_FLAG_SET_VSINH;
	on_opener(pmu, probe_moves_here, &p);
	return p.moves;
}

/*
 * Return: 1 if an event obeys filters, 0 if not, -ENODATA if that cannot be seen. The counter is
 * left without a filter.
 */
static int obeys_filters(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 candidates)
{
	const int inhibited = probe_moves(pmu, code, candidates, true);
	const int plain = probe_moves(pmu, code, candidates, false);

	if (inhibited == READS_TO_MOVE)
		return 0;
	return !inhibited && plain == READS_TO_MOVE ? 1 : -ENODATA;
}

/* ---- which counters can count an event? ---- */

/*
 * In shared mode not the fixed counters: firmware returns them to every caller, even while the
 * other driver uses them. Unless it hands them out to none: they are only read.
 */
static u64 candidates_of(const struct sbi_pmu *pmu, const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_counters *counters = &pmu->counters;
	u64 which = sbi_pmu_hardware(counters);

	if (sbi_pmu_code_is_firmware(code))
		return counters->firmware;
	if (!sbi_pmu_has_fixed_counter(code))
		which &= ~with_fixed_csr(counters);
	if (code->csrs)
		which = with_csrs(counters, code->csrs);
	return pmu->exclusive ? which : which & (counters->programmable | counters->free_running);
}

static bool is_old(const struct entry *e)
{
	return time_after(jiffies, e->probed + HZ);
}

/* If a counter can count the event, others are tried again after a second, not at each open. */
static bool is_due(const struct entry *e, u64 candidates)
{
	return unknown_among(candidates, &e->found) && (!e->found.can || is_old(e));
}

/* Probes that a user may cause in a second; so many at once, too */
#define PROBES_PER_SECOND	50
#define JIFFIES_A_PROBE		(HZ / PROBES_PER_SECOND)
/* Of those at once a leader leaves so many to the members of its group. */
#define PROBES_OF_MEMBERS	10

/*
 * A user without one takes that of which least is used up, as it is. So all users together have no
 * more than there are, and one uses up only his own.
 */
static u64 *budget_of_user(struct sbi_pmu_probe_cache *cache)
{
	struct sbi_pmu_probe_budget *b, *least = cache->budgets;
	const kuid_t user = this_user();

	for (b = cache->budgets; b < cache->budgets + ARRAY_SIZE(cache->budgets); b++) {
		if (uid_eq(b->user, user))
			return &b->next;
		if (time_after64(least->next, b->next))
			least = b;
	}
	least->user = user;
	return &least->next;
}

/* Return: jiffies until one more is allowed; not above 0: now. */
static s64 to_wait(u64 next, enum sbi_pmu_opener opener)
{
	const unsigned int n = opener == SBI_PMU_OPENER_LEADER ? 1 + PROBES_OF_MEMBERS : 1;

	return next + n * JIFFIES_A_PROBE - get_jiffies_64() - HZ;
}

/*
 * Beyond that an opener waits for up to a second, others meanwhile do not. The member of a group
 * cannot wait, as perf core holds the mutex of the group's context.
 * Return: 0, -EAGAIN if it would wait longer, -ERESTARTSYS after a signal.
 */
static int limit_probes(struct sbi_pmu_probe_cache *cache, u64 *next, enum sbi_pmu_opener opener)
{
	s64 wait;

	*next = max(*next, get_jiffies_64());
	wait = to_wait(*next, opener);
	if (wait > (opener == SBI_PMU_OPENER_LEADER ? HZ : 0))
		return -EAGAIN;
	*next += JIFFIES_A_PROBE;
	if (wait > 0) {
		mutex_unlock(&cache->lock);
		while (wait && !signal_pending(current))
			wait = schedule_timeout_interruptible(wait);
		mutex_lock(&cache->lock);
	}
	if (wait <= 0)
		return 0;
	*next -= JIFFIES_A_PROBE;
	return -ERESTARTSYS;
}

static int find_locked(struct sbi_pmu *pmu, const struct sbi_pmu_code *code,
		       enum sbi_pmu_opener opener, u64 *candidates)
{
	struct sbi_pmu_probe_cache *cache = &pmu->cache;
	struct entry unsaved = {}, *e = find_entry(cache, code);
	const u64 all = candidates_of(pmu, code);
	u64 unknown, *next = NULL;
	bool due, capable, asked = false;
	int ret;

	/* That no counter of a VM took an event may change: others may have used the host's. */
	if (e && sbi_pmu_in_kvm(pmu) && !e->found.can && is_old(e))
		e->found.cannot = 0;
	due = !e || is_due(e, all);
	/* Not at each open: it sets PF_SUPERPRIV, and audit logs a denial. */
	capable = due && perfmon_capable();
	if (due && opener != SBI_PMU_OPENER_NONE && !capable) {
		next = budget_of_user(cache);
		/* What is known is enough. */
		due = !e || !e->found.can || to_wait(*next, opener) <= 0;
		ret = due ? limit_probes(cache, next, opener) : 0;
		if (ret)
			return ret;
	}
	/* Another may have probed it meanwhile, or have it forgotten. */
	e = find_entry(cache, code) ?: add_entry(cache, code, opener) ?: &unsaved;
	if (due && is_due(e, all)) {
		asked = probe(pmu, code, all, capable, &e->found);
		e->probed = jiffies;
	}
	if (due && !asked && next)
		*next -= JIFFIES_A_PROBE;
	unknown = unknown_among(all, &e->found);
	if (e->found.can) {
		/* An error of firmware, or of the host of a VM, is no refusal. */
		*candidates = e->found.can | (pmu->exclusive ? unknown : 0);
		return 0;
	}
	*candidates = pmu->exclusive ? unknown : e->found.busy_elsewhere;
	return *candidates ? -EBUSY : -EOPNOTSUPP;
}

/**
 * sbi_pmu_find_counters() - find the counters that can count an event
 * @pmu: the driver
 * @code: the event; its filter flags are not used
 * @candidates: counters that took it, in exclusive mode also those of which it is not known; with
 *		-EBUSY, only those
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP if no counter can, -EBUSY if none did, but the other driver uses some
 * (shared mode), or firmware or the host of this VM could not tell.
 */
int sbi_pmu_find_counters(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 *candidates)
{
	int ret;

	mutex_lock(&pmu->cache.lock);
	ret = find_locked(pmu, code, SBI_PMU_OPENER_NONE, candidates);
	mutex_unlock(&pmu->cache.lock);
	return ret;
}

/* Counters that can interrupt */
u64 sbi_pmu_interrupting(const struct sbi_pmu *pmu)
{
	if (!pmu->caps.fixed_alike)
		return pmu->counters.programmable;
	return sbi_pmu_hardware(&pmu->counters) & ~pmu->counters.free_running;
}

/*
 * Does an event obey its filter on @programmable counters? It is tried at the first open with one.
 * What happens too rarely to be seen is believed to, as the others do: else no rare event would
 * open with a filter. If the try fails nothing is believed, as counts would be wrong and nobody
 * would see it. In a VM the host filters, all events alike.
 * Return: 1 if so, 0 if not, -EBUSY if the try failed, which is made again at the next open, or as
 * limit_probes().
 */
static int try_filter(struct sbi_pmu *pmu, const struct sbi_pmu_code *code,
		      enum sbi_pmu_opener opener, u64 programmable)
{
	struct sbi_pmu_probe_cache *cache = &pmu->cache;
	struct entry *e = find_entry(cache, code);
	unsigned int i;
	int ret, moves;

	if (sbi_pmu_in_kvm(pmu))
		return 1;
	/* The first try is one with the probe. */
	if (e && e->filter_failed && opener != SBI_PMU_OPENER_NONE && !perfmon_capable()) {
		ret = limit_probes(cache, budget_of_user(cache), opener);
		if (ret)
			return ret;
		e = find_entry(cache, code);
	}
	if (!e)
		return -EBUSY;
	if (!e->filter_tried) {
		/* Not one of which it is not known: it may refuse the event. */
		programmable &= e->found.can;
		moves = probe_moves(pmu, code, programmable, true);
		/* The other driver may have that one. */
		for_each_counter(i, pmu->exclusive ? 0 : programmable) {
			if (moves >= 0)
				break;
			moves = probe_moves(pmu, code, BIT_ULL(i), true);
		}
		/* -ENODATA: it never can be tried. */
		e->filter_failed = moves < 0 && moves != -ENODATA;
		e->filter_tried = moves >= 0;
		e->unfiltered = moves == READS_TO_MOVE;
	}
	return e->filter_failed ? -EBUSY : !e->unfiltered;
}

static int find_filtered(struct sbi_pmu *pmu, const struct sbi_pmu_code *code,
			 enum sbi_pmu_opener opener, int refusal, u64 *candidates)
{
	/* What all programs may read counts in all modes. */
	const bool open = READ_ONCE(pmu->user_access.mode) == SBI_PMU_USER_ACCESS_FIXED;
	u64 programmable, filtering;
	int ret, obeys = 0;

	mutex_lock(&pmu->cache.lock);
	ret = find_locked(pmu, code, opener, candidates);
	programmable = ret ? 0 : *candidates & pmu->counters.programmable;
	if (code->flags && pmu->caps.filter && programmable && !(open && pmu->counters.one_filter))
		obeys = try_filter(pmu, code, opener, programmable);
	mutex_unlock(&pmu->cache.lock);
	if (ret || !code->flags)
		return ret == -EOPNOTSUPP ? -ENOENT : ret;
	filtering = obeys > 0 ? programmable : 0;
	if (!open)
		filtering |= *candidates & pmu->caps.fixed_filters;
	if (!filtering)
		return obeys < 0 ? obeys : refusal;
	*candidates = filtering;
	return 0;
}

/**
 * sbi_pmu_find_filtered() - find the counters for perf_event_open(), with filters
 * @pmu: the driver
 * @code: the event; replaced by one of the vendor's if no counter can count it so
 * @opener: the user, or the driver
 * @refusal: errno if the event has a filter and no counter that can filter
 * @candidates: the answer; most fixed counters count in all privilege modes
 * Context: may sleep.
 * Return: 0, -ENOENT (to perf: the event is not supported), -EAGAIN and -ERESTARTSYS as
 * limit_probes(), or another errno.
 */
int sbi_pmu_find_filtered(struct sbi_pmu *pmu, struct sbi_pmu_code *code,
			  enum sbi_pmu_opener opener, int refusal, u64 *candidates)
{
	const int ret = find_filtered(pmu, code, opener, refusal, candidates);
	struct sbi_pmu_code other = *code;

	if ((ret != -ENOENT && ret != refusal) ||
	    !sbi_pmu_table_substitute(pmu->caps.table, &other) ||
	    find_filtered(pmu, &other, SBI_PMU_OPENER_NONE, refusal, candidates))
		return ret;
	*code = other;
	return 0;
}

/**
 * sbi_pmu_takes() - does any counter take an event?
 * @pmu: the driver, not registered yet: no counter is in use
 * @code: the event
 *
 * All counters are offered at once, mostly in three SBI calls: so to ask for hundreds of events.
 * sbi_pmu_find_counters() asks each counter. Context: may sleep.
 */
bool sbi_pmu_takes(struct sbi_pmu *pmu, struct sbi_pmu_code code)
{
	struct sbi_pmu_event_counters found = {};
	struct probe p = {
		.pmu = pmu,
		.code = &code,
		.found = &found,
		.left = candidates_of(pmu, &code),
	};
	int ret;

	/* Once more if firmware took a counter that was not offered; a refusal is one of all. */
	do
		ret = smp_call_function_single(cpumask_any(&pmu->cpus), probe_here, &p, true);
	while (!ret && pmu->exclusive && p.left && !found.can);
	return found.can;
}

/* Probe every event that has a general name; all counters are idle before the PMU is registered. */
void sbi_pmu_probe_standard(struct sbi_pmu *pmu)
{
	struct sbi_pmu_code code = {};
	u64 candidates;

	/* That an event is not supported is remembered as well. */
	for (unsigned int n = 0; (code.idx = sbi_pmu_event_standard(n)); n++)
		sbi_pmu_find_counters(pmu, &code, &candidates);
	for (unsigned int n = 0; n < SBI_PMU_FW_MAX; n++) {
		code.idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_FW) | n;
		sbi_pmu_find_counters(pmu, &code, &candidates);
	}
}

/**
 * sbi_pmu_probe_filters() - find out which counters filter by privilege mode
 * @pmu: the driver, its CPUs online and idle
 *
 * Each fixed counter on its own, as firmware may set the filter of one only (Smcntrpmf). Of
 * programmable ones the first general event tells that happens all the time; if none does, what is
 * known of the core (irq_source.c) is believed.
 */
void sbi_pmu_probe_filters(struct sbi_pmu *pmu)
{
	const bool should = pmu->caps.filter;
	struct sbi_pmu_code code = {};
	u64 which = pmu->counters.fixed & ~pmu->counters.free_running;
	unsigned int i;
	int obeys;

	/* In shared mode nobody sets the one filter, and flags would be a part of the event. */
	if (sbi_pmu_may_have_one_filter(&pmu->id) && !pmu->exclusive && !should)
		return;
	for_each_counter(i, which) {
		code.idx = sbi_pmu_fixed_event(&pmu->counters.info[i]);
		if (obeys_filters(pmu, &code, BIT_ULL(i)) == 1)
			pmu->caps.fixed_filters |= BIT_ULL(i);
	}
	/* One for all: an event that happens too rarely to tell has it, too. */
	if (pmu->counters.one_filter)
		pmu->caps.filter = pmu->caps.fixed_filters;
	for (code.idx = SBI_PMU_HW_CPU_CYCLES; code.idx < SBI_PMU_HW_GENERAL_MAX; code.idx++) {
		if (sbi_pmu_find_counters(pmu, &code, &which))
			continue;
		obeys = obeys_filters(pmu, &code, which & pmu->counters.programmable);
		if (obeys < 0)
			continue;
		pmu->caps.filter = obeys;
		break;
	}
	which = pmu->counters.fixed & ~pmu->counters.free_running;
	if (pmu->counters.one_filter)
		pmu->caps.fixed_filters = pmu->caps.filter ? which : 0;
	pmu->counters.one_filter &= pmu->caps.filter;
	if (pmu->counters.one_filter)
		pr_info("all counters of a CPU have one filter: events with :u, with :k and without take turns\n");
	if (should && !pmu->caps.filter)
		pr_warn("programmable counters count in all modes, whatever their filter is: they get no events with :u or :k; update the firmware, or QEMU before 10.0\n");
}

/* Context: interrupts disabled. */
static void probe_tied_here(void *arg)
{
	struct moves_probe *p = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(p->pmu->cpu);
	struct sbi_pmu_code other = p->code;
	unsigned int first, second;

	if (p->pmu->caps.filter)
		other.flags = SBI_PMU_CFG_FLAG_SET_UINH;
	if (!cpu->online || sbi_pmu_counter_config(cpu, p->candidates, &p->code, &first))
		return;
	if (!sbi_pmu_counter_start_one(cpu, first) &&
	    !sbi_pmu_counter_config(cpu, p->candidates & ~BIT_ULL(first), &other, &second)) {
		if (!sbi_pmu_counter_start_one(cpu, second) &&
		    count_moves(cpu, first) == READS_TO_MOVE)
			p->moves = count_moves(cpu, second);
		sbi_pmu_counter_unconfig(cpu, second);
	}
	sbi_pmu_counter_unconfig(cpu, first);
}

/**
 * sbi_pmu_probe_tied() - find out whether two programmable counters count one event at once
 * @pmu: the driver, its CPUs online and idle; counters.tied is set unless they are seen to
 *
 * By the first standard event that two take and that happens all the time. If there is none, and
 * in a VM, whose host may be tied, that is not known.
 */
void sbi_pmu_probe_tied(struct sbi_pmu *pmu)
{
	struct moves_probe p = { .pmu = pmu, .moves = -ENODATA };
	unsigned int n;

	for (n = 0; p.moves == -ENODATA && (p.code.idx = sbi_pmu_event_standard(n)); n++) {
		/* In shared mode firmware might return the other driver's counter. */
		if (sbi_pmu_in_kvm(pmu) ||
		    (!pmu->exclusive && sbi_pmu_has_fixed_counter(&p.code)) ||
		    sbi_pmu_find_counters(pmu, &p.code, &p.candidates))
			continue;
		p.candidates &= pmu->counters.programmable;
		if (p.candidates & (p.candidates - 1))
			on_opener(pmu, probe_tied_here, &p);
	}
	pmu->counters.tied = p.moves <= 0;
	if (pmu->counters.tied && pmu->caps.filter && hweight64(pmu->counters.programmable) > 1)
		pr_info("an event %s on one programmable counter only, whatever its filter (as in QEMU): with :u and :k at once it takes turns\n",
			p.moves ? "may count" : "counts");
}
