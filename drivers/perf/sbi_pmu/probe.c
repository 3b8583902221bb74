// SPDX-License-Identifier: GPL-2.0-only
/* Ask firmware which counters can count an event, and remember what was found out. */
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "counters.h"
#include "event.h"
#include "probe.h"
#include "sbi.h"
#include "user_access.h"
#include "vendor.h"

/* ---- with a counter that has an event ---- */

/*
 * Call @use, which starts the counter, for one of the free counters @offered while it has an event.
 * Context: interrupts disabled. Return: what @use returns, not negative or an errno; or why no
 * counter takes the event, and @got is not written.
 */
int sbi_pmu_with_event(struct sbi_pmu_cpu *cpu, u64 offered, const struct sbi_pmu_code *code,
		       unsigned int *got,
		       int (*use)(struct sbi_pmu_cpu *cpu, unsigned int idx, void *arg), void *arg)
{
	int ret = sbi_pmu_counter_config(cpu, offered, code, got);

	if (ret)
		return ret;
	ret = use(cpu, *got, arg);
	/* See start(). */
	if (cpu->delegated.inhibited)
		sbi_pmu_csr_inhibit(sbi_pmu_csr_bits(cpu->layout, BIT_ULL(*got)));
	sbi_pmu_counter_unconfig(cpu, *got);
	return ret;
}

/*
 * RustSBI does not release a counter that was never started. Return: 0, -ENXIO if the counter
 * cannot be read, or another errno.
 */
int sbi_pmu_start_and_read(struct sbi_pmu_cpu *cpu, unsigned int idx, void *unused)
{
	const int ret = sbi_pmu_counter_start_one(cpu, idx);
	u64 value;

	if (ret)
		return ret;
	return sbi_pmu_counter_read(cpu, idx, &value) ? -ENXIO : 0;
}

/* Delegated counters stand still while the PMU is disabled, but for this one. */
static int start(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const int ret = sbi_pmu_counter_start_one(cpu, idx);

	if (ret || !cpu->delegated.inhibited)
		return ret;
	return sbi_pmu_csr_uninhibit(sbi_pmu_csr_bits(cpu->layout, BIT_ULL(idx)));
}

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

/* ---- reference counter: does KVM really count a raw event? ---- */

struct with_reference {
	unsigned int idx; /* the counter that has the raw event */
	int ret;          /* of its start */
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
 * Return: 0, -ENODATA if the event cannot be counted, -EBUSY if that is not known, -EOPNOTSUPP if
 * it cannot be known, as the host denies cycles and instructions, -ENXIO if the counter cannot be
 * read.
 */
static int start_with_reference(struct sbi_pmu_cpu *cpu, unsigned int idx, void *unused)
{
	struct with_reference r = { .idx = idx };
	int ret, why = cpu->layout->with_fixed_csr & cpu->configured ? -EBUSY : -EOPNOTSUPP;
	unsigned int i, got;
	u64 value;

	for_each_counter(i, cpu->layout->with_fixed_csr & ~cpu->configured) {
		const struct sbi_pmu_code code = {
			.idx = sbi_pmu_fixed_event(&cpu->layout->info[i]),
		};

		ret = sbi_pmu_with_event(cpu, BIT_ULL(i), &code, &got, start_beside, &r);
		if (ret == 1)
			return r.ret ?: sbi_pmu_counter_read(cpu, idx, &value) ? -ENXIO : 0;
		if (ret != -EOPNOTSUPP)
			why = -EBUSY;
	}
	return why;
}

/* ---- how much a user may have asked ---- */

/* How many probes a user may cause in a second; so many at once, too */
#define PROBES_PER_SECOND	1000
/* A probe of a counter on which events count is worth so many, as they miss what happens then. */
#define PROBES_FOR_BUSY		5

/*
 * A number for the user of the calling task: a uid; in user namespaces, that of the owner of the
 * outermost one. A container that root has made counts as a user: then it is the address of a
 * namespace that nobody in the container can leave, nor make another beside it: the outermost of
 * pids, if it was not made in a user namespace; else the outermost of users.
 */
static unsigned long this_user(void)
{
	const struct user_namespace *ns, *outermost = &init_user_ns;
	const struct pid_namespace *pids = task_active_pid_ns(current);
	kuid_t user = current_uid();

	for (ns = current_user_ns(); ns != &init_user_ns; ns = ns->parent) {
		outermost = ns;
		user = ns->owner;
	}
	if (!uid_eq(user, GLOBAL_ROOT_UID))
		return __kuid_val(user);
	while (pids->level > 1)
		pids = pids->parent;
	return pids->level && pids->user_ns == &init_user_ns ? (unsigned long)pids :
							       (unsigned long)outermost;
}

/*
 * The budget of the calling user. A user who has none takes over that of which least is spent, as
 * it is: so all users together have no more than these budgets.
 */
static struct sbi_pmu_probe_budget *budget_of_user(struct sbi_pmu_probe_cache *cache)
{
	struct sbi_pmu_probe_budget *b, *least = cache->budgets;
	const unsigned long user = this_user();

	for (b = cache->budgets; b < cache->budgets + ARRAY_SIZE(cache->budgets); b++) {
		if (b->user == user)
			return b;
		if (b->spent_until < least->spent_until)
			least = b;
	}
	least->user = user;
	return least;
}

/* ---- with a counter of a CPU whose counters may be in use ---- */

/* One use of a counter: see with_counter(). */
struct probe {
	struct sbi_pmu *pmu;
	struct sbi_pmu_code code; /* the event that the counter has meanwhile */
	u64 among;                /* one of these counters; of these the least used are offered */
	bool not_busy;            /* none on which events count */
	bool one_by_one;          /* offer one only */
	bool limited;             /* by the budget of the user, who caused it; not if privileged */
	/* see sbi_pmu_with_event(); NULL: find out whether the event can be counted */
	int (*use)(struct sbi_pmu_cpu *cpu, unsigned int idx, void *probe);
	u64 offered;      /* these counters were; 0: none */
	bool was_busy;    /* events count on one that was borrowed */
	unsigned int got; /* the one that took the event */
	int ret; /* what @use returned, or an errno of sbi_pmu_counter_config() or find_why() */
};

/* Of @which the free counters, else the idle ones, else all */
static u64 least_used(const struct sbi_pmu_cpu *cpu, u64 which)
{
	return which & ~cpu->configured ?: which & ~cpu->busy ?: which;
}

/*
 * Configured counters that hold the event, or may get it without an offer: firmware may have it
 * only once, or return its counter whatever is offered (cycles and instret of OpenSBI before 1.9,
 * and of KVM).
 */
static u64 holders(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code)
{
	u64 which = 0;
	unsigned int i;

	for_each_counter(i, cpu->configured)
		if (sbi_pmu_code_alike(&cpu->counter[i].code, code) ||
		    (has_counter(cpu->layout->with_fixed_csr, i) &&
		     sbi_pmu_fixed_event(&cpu->layout->info[i]) == code->idx))
			which |= BIT_ULL(i);
	return which;
}

/*
 * In shared mode the other driver may use a counter: it then refuses an event that it took before,
 * too. A refusal counts if the counter takes that event now.
 * Return: -EOPNOTSUPP, -EBUSY if the other driver uses it, -ENOENT if it never took an event so
 * that nothing is known, -E2BIG if the counters must be asked one by one.
 */
static int find_why(struct sbi_pmu_cpu *cpu, u64 offered)
{
	const struct sbi_pmu_examples *examples = &cpu->pmu->cache.examples;
	const unsigned int i = first_counter(offered);
	unsigned int got;

	if (offered & (offered - 1))
		return -E2BIG;
	if (!has_counter(examples->known, i))
		return -ENOENT;
	return sbi_pmu_with_event(cpu, offered, &examples->code[i], &got, sbi_pmu_start_and_read,
				  NULL) ?
		       -EBUSY :
		       -EOPNOTSUPP;
}

/*
 * A raw event that the host of a VM cannot count stops counters, and counters that run may leave it
 * none for the event: all are stopped. Context: interrupts disabled.
 */
static void with_counter_here(void *arg)
{
	struct probe *p = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(p->pmu->cpu);
	const u64 hardware = sbi_pmu_hardware(cpu->layout);
	const u64 configured = cpu->configured, which = least_used(cpu, p->among);
	u64 borrowed, reference = 0;

	if (p->use == start_with_reference)
		reference = cpu->layout->with_fixed_csr;
	/* Both at the second try, as the host may deny one. */
	if (p->not_busy) {
		reference = least_used(cpu, reference);
		reference &= -reference;
	}
	if (!cpu->online || (which & cpu->busy && p->not_busy))
		return;
	p->offered = which & configured || p->one_by_one ? which & -which : which;
	borrowed = configured & (p->offered | reference | holders(cpu, &p->code));
	p->was_busy = borrowed & cpu->busy;

	/* With none in use nothing is counted here. */
	if (configured)
		sbi_pmu_counters_borrow(cpu, borrowed);
	if (reference)
		sbi_pmu_counters_stop(cpu, hardware);
	p->ret = sbi_pmu_with_event(cpu, p->offered, &p->code, &p->got, p->use, p);
	if (sbi_pmu_is_refusal(p->ret) && !cpu->exclusive && !(p->offered & borrowed))
		p->ret = find_why(cpu, p->offered);
	if (configured)
		sbi_pmu_counters_restore(cpu, borrowed);
}

/*
 * Use a counter on the opener's CPU, so that no user makes other CPUs work; if that CPU is of
 * another kind, on any of this kind. Free counters are offered together: for most events that
 * firmware does not have one offer is enough. A counter in use is borrowed: its events miss what
 * happens meanwhile. Interrupts are disabled for a few calls. The hotplug lock is not taken: perf
 * core may hold a context's mutex, which hotplug takes while it has that lock. A CPU that goes
 * offline meanwhile does nothing.
 * Return: was firmware called? If not, @ret is -ENODEV or, beyond the user's limit, -EAGAIN.
 */
static bool with_counter(struct probe *p)
{
	struct sbi_pmu_probe_budget unlimited = {}, *budget = &unlimited;
	const u64 now = ktime_get_ns();
	unsigned int cpu;

	p->offered = 0;
	p->got = SBI_PMU_NO_COUNTER;
	p->ret = -EAGAIN;
	if (p->limited && !sbi_pmu_has_perfmon())
		budget = budget_of_user(&p->pmu->cache);
	if (budget->spent_until >= now + NSEC_PER_SEC)
		return false;
	p->ret = -ENODEV;
	if (!p->use)
		p->use = sbi_pmu_in_kvm(p->pmu) && sbi_pmu_code_is_raw(&p->code) ?
				 start_with_reference :
				 sbi_pmu_start_and_read;
	cpu = get_cpu();
	if (!cpumask_test_cpu(cpu, &p->pmu->cpus))
		cpu = cpumask_any(&p->pmu->cpus);
	smp_call_function_single(cpu, with_counter_here, p, true);
	put_cpu();
	if (p->offered)
		budget->spent_until =
			max(budget->spent_until, now) +
			NSEC_PER_SEC / PROBES_PER_SECOND * (p->was_busy ? PROBES_FOR_BUSY : 1);
	return p->offered;
}

/* ---- which counters can count an event ---- */

/* Of counters @which those that @csrs has by CSR number, as of sbi_pmu_csr_bits(); 0: all */
static u64 with_numbers(const struct sbi_pmu_layout *layout, u64 which, u32 csrs)
{
	unsigned int i;

	for_each_counter(i, csrs ? which : 0)
		if (!(sbi_pmu_csr_bits(layout, BIT_ULL(i)) & csrs))
			which &= ~BIT_ULL(i);
	return which;
}

/*
 * In shared mode not the fixed counters: firmware returns them to every caller, even while the
 * other driver uses them. Unless it hands them out to none: they are only read.
 */
static u64 candidates_of(const struct sbi_pmu *pmu, const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_layout *layout = &pmu->layout;
	u64 which = sbi_pmu_hardware(layout);

	if (sbi_pmu_code_is_firmware(code))
		return layout->firmware;
	/* Those of cycle and instret count nothing else, not even in KVM. */
	if (!sbi_pmu_has_fixed_counter(code))
		which &= ~layout->with_fixed_csr;
	which = with_numbers(layout, which, code->csrs);
	return pmu->exclusive ? which : which & (layout->programmable | layout->free_running);
}

/*
 * Ask those of counters @among of which it is not known whether they can count the event. @limited:
 * by the user's budget. Return: 0; -EAGAIN beyond that, or -ENODEV if the CPU went offline, with
 * what was found out until then.
 */
static int ask_counters(struct sbi_pmu *pmu, struct sbi_pmu_known *known, u64 among,
			enum sbi_pmu_ask how, bool limited)
{
	const struct sbi_pmu_code *code = &known->code;
	struct sbi_pmu_examples *examples = &pmu->cache.examples;
	struct probe p = {
		.pmu = pmu,
		.code = { .idx = code->idx, .data = code->data },
		.not_busy = how == SBI_PMU_ASK_IDLE,
		.limited = limited,
	};
	/* Firmware counters are, and those of KVM unless the event has its own. */
	const bool alike = sbi_pmu_code_is_firmware(code) ||
			   (sbi_pmu_in_kvm(pmu) && !sbi_pmu_has_fixed_counter(code));
	u64 left = among & ~known->can & ~known->cannot, asked;
	unsigned int i;

	while (left && (how == SBI_PMU_ASK_ALL || !(known->can & among))) {
		p.among = left;
		if (!with_counter(&p))
			break;
		asked = has_counter(p.offered, p.got) ? BIT_ULL(p.got) : p.offered;
		if (p.ret == -E2BIG ||
		    (p.ret == -EPROTO && pmu->exclusive && asked & (asked - 1))) {
			p.one_by_one = true;
			/* Of one that never took an event nothing could be known. */
			left &= ~p.offered | (p.ret == -E2BIG ? examples->known : ~0ULL);
			continue;
		}
		/* In shared mode firmware that ignores the offer is not asked again. */
		if (p.ret == -EPROTO ? !pmu->exclusive : alike)
			asked = left;
		/* KVM's filter denies an event whatever is offered. */
		if (p.ret == -EOPNOTSUPP && sbi_pmu_in_kvm(pmu))
			asked = left;
		if (!p.ret)
			known->can |= asked;
		else if (sbi_pmu_is_refusal(p.ret) || p.ret == -EPROTO || p.ret == -ENXIO ||
			 p.ret == -ENODATA)
			known->cannot |= asked;
		else if (p.ret == -EBUSY && !pmu->exclusive)
			known->busy_elsewhere |= asked;
		left &= ~asked;
	}
	if (pmu->exclusive || !sbi_pmu_has_fixed_counter(code)) {
		for_each_counter(i, known->can & ~examples->known)
			examples->code[i] = p.code;
		examples->known |= known->can;
	}
	return p.ret == -EAGAIN || (p.ret == -ENODEV && !p.not_busy) ? p.ret : 0;
}

/* ---- what was found out about events ---- */

/* Any user can open any event, so the number of entries is limited. */
#define MAX_ENTRIES	1024

void sbi_pmu_known_put(struct sbi_pmu_known *known)
{
	if (known && atomic_dec_and_test(&known->refs))
		kfree(known);
}

static void remove_known(struct sbi_pmu_probe_cache *cache, struct sbi_pmu_known *known)
{
	list_del_init(&known->node);
	cache->count--;
	sbi_pmu_known_put(known);
}

/*
 * General and cache events stay, as they are few, and most used; and so do open ones. A user who
 * has entries removed has paid for as many probes, and to find out again what was in one takes one
 * or two.
 */
static void remove_oldest(struct sbi_pmu_probe_cache *cache)
{
	struct sbi_pmu_known *known;

	list_for_each_entry_reverse(known, &cache->entries, node) {
		if ((sbi_pmu_code_is_raw(&known->code) || sbi_pmu_code_is_firmware(&known->code)) &&
		    atomic_read(&known->refs) == 1)
			return remove_known(cache, known);
	}
}

/* What is known about an event, with a reference. Return: NULL if there is no memory. */
static struct sbi_pmu_known *get_known(struct sbi_pmu_probe_cache *cache,
				       const struct sbi_pmu_code *code)
{
	struct sbi_pmu_known *known;

	list_for_each_entry(known, &cache->entries, node) {
		if (!sbi_pmu_code_alike(&known->code, code) || known->code.csrs != code->csrs)
			continue;
		list_move(&known->node, &cache->entries);
		atomic_inc(&known->refs);
		return known;
	}
	if (cache->count == MAX_ENTRIES)
		remove_oldest(cache);
	known = kzalloc(sizeof(*known), GFP_KERNEL);
	if (!known)
		return NULL;
	INIT_LIST_HEAD(&known->node);
	known->code = *code;
	atomic_set(&known->refs, 1);
	/* If it is not in the list it is forgotten with the event. */
	if (cache->count < MAX_ENTRIES) {
		list_add(&known->node, &cache->entries);
		cache->count++;
		atomic_inc(&known->refs);
	}
	return known;
}

/* Forget all events, as counters have changed or the driver goes. */
void sbi_pmu_probe_cache_free(struct sbi_pmu_probe_cache *cache)
{
	struct sbi_pmu_known *known, *tmp;

	list_for_each_entry_safe(known, tmp, &cache->entries, node)
		remove_known(cache, known);
}

/* ---- do counters filter by privilege mode? ---- */

static int see_moves(struct sbi_pmu_cpu *cpu, unsigned int idx, void *arg)
{
	const struct probe *p = arg;
	int ret;

	/* It is for all counters: nothing that events want happens while the PMU is disabled. */
	if (cpu->layout->one_filter && !sbi_pmu_csr_filter(p->code.flags))
		ret = -EOPNOTSUPP;
	else
		ret = start(cpu, idx) ?: count_moves(cpu, idx);
	if (cpu->layout->one_filter)
		sbi_pmu_csr_filter(cpu->filter);
	return ret;
}

/*
 * Does a counter move that should count in no mode (@inhibited), or without a filter? It moves at
 * each read if it counts cycles or the like in S-mode; at one of them if an interrupt of M-mode,
 * which is not inhibited, came before it.
 */
static int probe_moves(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 candidates,
		       bool inhibited, bool limited)
{
	struct probe p = {
		.pmu = pmu,
		.code = { .idx = code->idx, .data = code->data },
		.among = candidates,
		.limited = limited,
		.use = see_moves,
		.ret = -ENODATA,
	};

	if (inhibited)
		p.code.flags = SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH;
	if (inhibited && pmu->caps.has_h)
		p.code.flags |= SBI_PMU_CFG_FLAG_SET_VUINH | SBI_PMU_CFG_FLAG_SET_VSINH;
	/* Firmware might return the counter of the other driver, with this filter. */
	if (!pmu->exclusive && sbi_pmu_has_fixed_counter(code))
		return -ENODATA;
	if (candidates)
		with_counter(&p);
	return p.ret;
}

/*
 * Return: 1 if an event obeys filters, 0 if not, -ENODATA if that cannot be seen. The counter is
 * left without a filter.
 */
static int obeys_filters(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 candidates)
{
	const int inhibited = probe_moves(pmu, code, candidates, true, false);
	const int plain = probe_moves(pmu, code, candidates, false, false);

	if (inhibited == READS_TO_MOVE)
		return 0;
	return !inhibited && plain == READS_TO_MOVE ? 1 : -ENODATA;
}

/*
 * Does an event obey its filter on @programmable counters? It is tried at the first open with one.
 * An event that happens too rarely to be seen is taken to obey, as the others do: else no rare
 * event could be opened with a filter. If the try fails, the event is refused: counts might be
 * wrong, and nobody would see it. In a VM the host filters, all events alike.
 * Return: 1 if so, 0 if not, -EBUSY if the try failed, which is made again at the next open,
 * -EAGAIN beyond the limit.
 */
static int try_filter(struct sbi_pmu *pmu, struct sbi_pmu_known *known, bool limited,
		      u64 programmable)
{
	int moves;

	if (sbi_pmu_in_kvm(pmu))
		return 1;
	if (!known->filter_tried) {
		/* Not one of which it is not known: it may refuse the event. */
		moves = probe_moves(pmu, &known->code, programmable & known->can, true, limited);
		if (moves == -EAGAIN)
			return moves;
		/* -ENODATA: it never can be tried. */
		known->filter_failed = moves < 0 && moves != -ENODATA;
		known->filter_tried = moves >= 0;
		known->unfiltered = moves == READS_TO_MOVE;
	}
	return known->filter_failed ? -EBUSY : !known->unfiltered;
}

/* ---- events ---- */

/*
 * Counters for @e->code without its filters. One that takes the event is enough: others are asked
 * when the event is in a group, or when it is added while that counter is in use (counters.c).
 * Return: 0 or as sbi_pmu_find_event().
 */
static int find_counters(struct sbi_pmu *pmu, struct sbi_pmu_event *e, bool by_user)
{
	const u64 all = with_numbers(&pmu->layout, candidates_of(pmu, &e->code), e->counterid_mask);
	struct sbi_pmu_known *known = get_known(&pmu->cache, &e->code);
	u64 unknown;
	int ret = 0;

	e->known = known;
	if (!known)
		return -ENOMEM;
	/* What counters of a VM take may change: others use its host's, or that denies events. */
	if (sbi_pmu_in_kvm(pmu) && time_after(jiffies, known->probed + HZ)) {
		if (READ_ONCE(known->denied)) {
			WRITE_ONCE(known->denied, false);
			known->can = known->cannot = 0;
		} else if (!(known->can & all)) {
			known->cannot &= ~all;
		}
	}
	if (!(known->can & all) && all & ~known->cannot) {
		known->busy_elsewhere = 0;
		known->probed = jiffies;
		for (enum sbi_pmu_ask how = SBI_PMU_ASK_IDLE; !ret && how <= SBI_PMU_ASK_ANY; how++)
			ret = ask_counters(pmu, known, all, how, by_user);
		if (ret)
			return ret;
	}
	unknown = all & ~known->can & ~known->cannot;
	/* Firmware may answer with the fixed counter that the other driver uses. */
	if (!pmu->exclusive && sbi_pmu_has_fixed_counter(&e->code))
		unknown = 0;
	e->confirmed = known->can & all;
	e->candidates = e->confirmed | unknown;
	if (e->confirmed)
		return 0;
	/* An error of firmware, or of the host of a VM, is no refusal. */
	if (!pmu->exclusive)
		e->candidates = known->busy_elsewhere & all;
	return e->candidates ? -EBUSY : -ENOENT;
}

/*
 * Of the counters found those that apply the filter of @e->code: programmable ones if they are seen
 * to; most fixed ones count in all modes.
 */
static int find_filters(struct sbi_pmu *pmu, struct sbi_pmu_event *e, bool by_user)
{
	const struct sbi_pmu_caps *caps = &pmu->caps;
	/* What all programs may read counts in all modes. */
	const bool open = READ_ONCE(*sbi_pmu_the_pmu->user_access.mode) ==
			  SBI_PMU_USER_ACCESS_FIXED;
	const u64 programmable = e->candidates & pmu->layout.programmable;
	u64 filtering = 0;
	int obeys = 0;

	/* Firmware counters count what firmware did in all modes. */
	if (!e->code.flags)
		return 0;
	if (sbi_pmu_code_is_firmware(&e->code) ||
	    sbi_pmu_table_ignores_filters(caps->table, &e->code))
		return -EOPNOTSUPP;
	/* A filter that nothing applies must not take a second counter for the same event. */
	if (caps->m_mode_fixed)
		e->code.flags &= ~SBI_PMU_CFG_FLAG_SET_MINH;
	if (!e->code.flags)
		return 0;
	if (caps->filter && programmable && !(open && pmu->layout.one_filter))
		obeys = try_filter(pmu, e->known, by_user, programmable);
	if (obeys > 0)
		filtering = programmable;
	if (!open)
		filtering |= e->candidates & caps->fixed_filters;
	if (!filtering)
		return obeys < 0 ? obeys : -EOPNOTSUPP;
	e->candidates = filtering;
	e->confirmed &= filtering;
	return 0;
}

/*
 * Find the counters that can count an event, with its filters: @candidates and @confirmed of @e.
 * Its @code is replaced by one of the vendor's if no counter can count it so; sbi_pmu_known_put()
 * ends its @known, also after an error. @by_user: not by the driver. Context: may sleep.
 * Return: 0, -ENOENT if no counter can count it, -EOPNOTSUPP if none can filter it, -EBUSY if that
 * could not be found out, or none did, but the other driver uses some (@candidates, in shared
 * mode); -EAGAIN if the user has had too much asked for now, -ENODEV if the CPU has gone offline,
 * -ENOMEM.
 */
int sbi_pmu_find_event(struct sbi_pmu *pmu, struct sbi_pmu_event *e, bool by_user)
{
	const struct sbi_pmu_code code = e->code;
	int ret, other;

	mutex_lock(&pmu->cache.lock);
	ret = find_counters(pmu, e, by_user) ?: find_filters(pmu, e, by_user);
	if (ret == -ENOENT || ret == -EOPNOTSUPP) {
		e->code = code;
		if (sbi_pmu_table_substitute(pmu->caps.table, &e->code)) {
			sbi_pmu_known_put(e->known); /* find_counters() sets it again */
			other = find_counters(pmu, e, false) ?: find_filters(pmu, e, by_user);
			if (other != -ENOENT && other != -EOPNOTSUPP)
				ret = other;
		}
	}
	mutex_unlock(&pmu->cache.lock);
	return ret;
}

/*
 * Ask more counters, of those @among, for an event that has been found: its @confirmed and
 * @candidates change. Context: may sleep.
 * Return: 0, -EAGAIN if the user has had too much asked for now, -ENODEV if the CPU went offline.
 */
int sbi_pmu_ask_more(struct sbi_pmu *pmu, struct sbi_pmu_event *e, u64 among, enum sbi_pmu_ask how)
{
	struct sbi_pmu_known *known = e->known;
	int ret;

	mutex_lock(&pmu->cache.lock);
	ret = ask_counters(pmu, known, among, how, true);
	/* A member of a group may be added meanwhile. */
	WRITE_ONCE(e->confirmed, e->confirmed | (e->candidates & known->can));
	WRITE_ONCE(e->candidates, e->candidates & (e->confirmed | ~known->cannot));
	mutex_unlock(&pmu->cache.lock);
	return ret;
}

/* ---- when the driver is loaded: no event exists ---- */

/*
 * Find all counters that can count an event, whatever its filters are. @candidates: those that took
 * it, in exclusive mode also those of which it is not known. Context: may sleep.
 * Return: 0, or an errno if none did.
 */
int sbi_pmu_find_counters(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 *candidates)
{
	const u64 all = candidates_of(pmu, code);
	struct sbi_pmu_known *known;

	*candidates = 0;
	mutex_lock(&pmu->cache.lock);
	known = get_known(&pmu->cache, code);
	if (known) {
		ask_counters(pmu, known, all, SBI_PMU_ASK_ALL, false);
		known->probed = jiffies;
		if (known->can)
			*candidates = pmu->exclusive ? all & ~known->cannot : known->can;
		sbi_pmu_known_put(known);
	}
	mutex_unlock(&pmu->cache.lock);
	return *candidates ? 0 : -EOPNOTSUPP;
}

/*
 * Does any counter take an event? All are offered at once, mostly in three SBI calls, and the
 * answer is not remembered: this is for hundreds of events. Context: no counter is in use; may
 * sleep.
 */
bool sbi_pmu_is_supported(struct sbi_pmu *pmu, struct sbi_pmu_code code)
{
	struct probe p = {
		.pmu = pmu,
		.code = code,
		.among = candidates_of(pmu, &code),
		.ret = -EOPNOTSUPP,
	};

	/* Firmware may take a counter that was not offered: the others are offered again. */
	while (p.among && with_counter(&p) && p.ret == -EPROTO && pmu->exclusive)
		p.among &= p.among - 1;
	return !p.ret;
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

/*
 * Find out which counters filter by privilege mode.
 *
 * Each fixed counter on its own, as firmware may set the filter of one only (Smcntrpmf). Of
 * programmable ones the first general event tells that happens all the time; if none does, what is
 * known of the core (irq_source.c) is believed.
 */
void sbi_pmu_probe_filters(struct sbi_pmu *pmu)
{
	const bool should = pmu->caps.filter;
	struct sbi_pmu_code code = {};
	u64 which = pmu->layout.fixed & ~pmu->layout.free_running;
	unsigned int i;
	int obeys;

	/* In shared mode nobody sets the one filter, and flags would be a part of the event. */
	if (sbi_pmu_may_have_one_filter(&pmu->id) && !pmu->exclusive && !should)
		return;
	for_each_counter(i, which) {
		code.idx = sbi_pmu_fixed_event(&pmu->layout.info[i]);
		if (obeys_filters(pmu, &code, BIT_ULL(i)) == 1)
			pmu->caps.fixed_filters |= BIT_ULL(i);
	}
	/* One for all: an event that happens too rarely to tell has it, too. */
	if (pmu->layout.one_filter)
		pmu->caps.filter = pmu->caps.fixed_filters;
	for (code.idx = SBI_PMU_HW_CPU_CYCLES; code.idx < SBI_PMU_HW_GENERAL_MAX; code.idx++) {
		if (sbi_pmu_find_counters(pmu, &code, &which))
			continue;
		obeys = obeys_filters(pmu, &code, which & pmu->layout.programmable);
		if (obeys < 0)
			continue;
		pmu->caps.filter = obeys;
		break;
	}
	which = pmu->layout.fixed & ~pmu->layout.free_running;
	if (pmu->layout.one_filter)
		pmu->caps.fixed_filters = pmu->caps.filter ? which : 0;
	pmu->layout.one_filter &= pmu->caps.filter;
	if (pmu->layout.one_filter)
		pr_info("all counters of a CPU have one filter: events with :u, with :k and without take turns\n");
	if (should && !pmu->caps.filter)
		pr_warn("programmable counters count in all modes, whatever their filter is: they get no events with :u or :k; update the firmware, or QEMU before 10.0\n");
}

static int see_second_move(struct sbi_pmu_cpu *cpu, unsigned int second, void *arg)
{
	const unsigned int *first = arg;

	if (start(cpu, second) || count_moves(cpu, *first) != READS_TO_MOVE)
		return -ENODATA;
	return count_moves(cpu, second);
}

/* Return: how many of READS_TO_MOVE reads found that a second counter had moved, or an errno. */
static int see_both_move(struct sbi_pmu_cpu *cpu, unsigned int first, void *arg)
{
	const struct probe *p = arg;
	struct sbi_pmu_code other = p->code;
	unsigned int second;

	if (cpu->pmu->caps.filter)
		other.flags = SBI_PMU_CFG_FLAG_SET_UINH;
	return start(cpu, first) ?:
		       sbi_pmu_with_event(cpu, p->among & ~BIT_ULL(first), &other, &second,
					  see_second_move, &first);
}

/*
 * Do two programmable counters count one event at once? layout.tied is set unless they are seen
 * to: by the first standard event that two take and that happens all the time. If there is none,
 * and in a VM, whose host may be tied, that is not known.
 */
void sbi_pmu_probe_tied(struct sbi_pmu *pmu)
{
	struct probe p = { .pmu = pmu, .use = see_both_move, .ret = -ENODATA };
	unsigned int n;

	for (n = 0; p.ret < 0 && (p.code.idx = sbi_pmu_event_standard(n)); n++) {
		/* In shared mode firmware might return the other driver's counter. */
		if (sbi_pmu_in_kvm(pmu) ||
		    (!pmu->exclusive && sbi_pmu_has_fixed_counter(&p.code)) ||
		    sbi_pmu_find_counters(pmu, &p.code, &p.among))
			continue;
		p.among &= pmu->layout.programmable;
		if (p.among & (p.among - 1))
			with_counter(&p);
	}
	pmu->layout.tied = p.ret <= 0;
	if (pmu->layout.tied && pmu->caps.filter && hweight64(pmu->layout.programmable) > 1)
		pr_info("an event %s on one programmable counter only, whatever its filter (as in QEMU): with :u and :k at once it takes turns\n",
			p.ret ? "may count" : "counts");
}
