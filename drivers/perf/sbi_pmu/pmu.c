// SPDX-License-Identifier: GPL-2.0-only
/* Callbacks of struct pmu: what happens at a context switch, and at open and close. */
#include <linux/slab.h>

#include "branch.h"
#include "counters.h"
#include "event.h"
#include "probe.h"
#include "timer.h"
#include "user_access.h"

/* ---- on a CPU: interrupts disabled, may not fail ---- */

/*
 * May one more event sample on a CPU, or in a group? Equal ones share a counter, but a handler
 * takes all samples that are due with interrupts disabled: so no more may than if each had a
 * counter of its own.
 */
static bool may_sample(const struct sbi_pmu_cpu *cpu)
{
	return cpu->sampling < hweight64(sbi_pmu_hardware(cpu->layout));
}

/*
 * The event counts as soon as the PMU is enabled. Firmware's counters count firmware's work, and a
 * read is a call: such an event counts from now.
 */
static void start_event(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	struct hw_perf_event *hwc = &e->event->hw;
	struct sbi_pmu_counter *c = e->counter;

	if (READ_ONCE(e->mapped)) {
		/*
		 * Pairs with pmu_event_mapped(): another task may map the event now, so that its
		 * own may not read it any more. Only its own, which runs here, makes this true.
		 */
		smp_mb();
	}
	if (e->sampling != SBI_PMU_COUNTING) {
		if (e->by_interrupt)
			e->sampling = cpu->irq.off || e->candidates & cpu->free_running ?
					      SBI_PMU_BY_TIMER :
					      SBI_PMU_BY_INTERRUPT;
		/* 0: a new period begins. Negative: it is over, and its sample comes at once. */
		if (!local64_read(&hwc->period_left)) {
			local64_set(&hwc->period_left, hwc->sample_period);
			e->period.deferred = 0; /* no sample is due any more */
		}
		if (e->sampling == SBI_PMU_BY_TIMER)
			e->period.since = ktime_get_ns();
		/* If it cannot record with others it waits, as one that finds no counter. */
		if (unlikely(e->branch.types) && !sbi_pmu_branch_add(cpu, e))
			return;
	}
	if (unlikely(!c)) /* it has lost its counter */
		goto publish;
	if (likely(c->info->csr)) {
		e->active = true;
		cpu->to_count |= c->bit;
		e->user_read = READ_ONCE(e->mapped);
		if (e->user_read || e->sampling != SBI_PMU_COUNTING)
			sbi_pmu_event_set_stale(cpu, e);
	} else {
		/* A counter that is started later has its start value then. */
		if (c->state >= SBI_PMU_RUNNING || !cpu->needs_start_value) {
			if (sbi_pmu_counter_read(cpu, c->index, &e->prev))
				goto publish; /* the event stays stopped */
			e->counts = true;
		}
		e->active = true;
	}
	hwc->state = 0;
	if (e->sampling != SBI_PMU_COUNTING || cpu->pmu->wrap_ns)
		sbi_pmu_timer_needed(cpu, e->sampling);
publish:
	/* The page of one that a program may read changes once it counts. */
	if (READ_ONCE(e->has_page) && !e->user_read)
		perf_event_update_userpage(e->event);
}

static void pmu_start(struct perf_event *event, int flags)
{
	struct sbi_pmu_cpu *cpu = this_sbi_pmu_cpu(event->pmu);
	const bool disabled = cpu->disabled;

	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		return;
	if (!disabled)
		sbi_pmu_counters_disable(cpu);
	start_event(cpu, to_sbi_pmu_event(event));
	if (disabled)
		return;
	sbi_pmu_counters_enable(cpu);
	sbi_pmu_timer_update(cpu);
}

static void sampling_event_left(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	cpu->sampling--;
	if (unlikely(!hlist_unhashed(&e->branch_node)))
		sbi_pmu_branch_del(cpu, e);
}

/* The event, which @leaves this CPU or not, does not count any more, and is accounted. */
static __always_inline void event_stopped(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
					  bool leaves)
{
	struct hw_perf_event *hwc = &e->event->hw;

	if (READ_ONCE(e->has_page)) {
		if (e->readable)
			sbi_pmu_user_page_publish(e);
		perf_event_update_userpage(e->event);
	}
	if (e->sampling == SBI_PMU_BY_TIMER) {
		sbi_pmu_period_seen(e, ktime_get_ns());
		cpu->timers.sampled_changed = true;
	}
	if (e->sampling != SBI_PMU_COUNTING) {
		cpu->irq.served = 0; /* what was armed for it may overflow yet, once */
		/* To perf core 0 means that a new period begins. */
		if (!local64_read(&hwc->period_left))
			local64_set(&hwc->period_left, -1);
		if (leaves)
			sampling_event_left(cpu, e);
	}
	hwc->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void pmu_stop(struct perf_event *event, int flags)
{
	struct sbi_pmu_cpu *cpu = this_sbi_pmu_cpu(event->pmu);
	struct sbi_pmu_event *e = to_sbi_pmu_event(event);

	if (!(event->hw.state & PERF_HES_STOPPED)) {
		sbi_pmu_event_update(cpu, e);
		e->active = false;
		e->counts = false;
		event_stopped(cpu, e, false);
	}
	if (!cpu->disabled)
		sbi_pmu_timer_update(cpu);
}

static void pmu_del(struct perf_event *event, int flags)
{
	struct sbi_pmu_event *e = to_sbi_pmu_event(event);
	struct sbi_pmu_cpu *cpu = e->cpu;

	sbi_pmu_event_del(cpu, e);
	if (!(event->hw.state & PERF_HES_STOPPED))
		event_stopped(cpu, e, true);
	else if (e->sampling != SBI_PMU_COUNTING)
		sampling_event_left(cpu, e);
	if (!cpu->disabled)
		sbi_pmu_timer_update(cpu);
}

static int pmu_add(struct perf_event *event, int flags)
{
	struct sbi_pmu_cpu *cpu = this_sbi_pmu_cpu(event->pmu);
	struct sbi_pmu_event *e = to_sbi_pmu_event(event);
	struct sbi_pmu_counter *c = &cpu->counter[e->last_counter];
	int ret;

	if (e->sampling != SBI_PMU_COUNTING && !may_sample(cpu))
		return -ENOSPC; /* they take turns */
	e->cpu = cpu;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	/*
	 * The counter that it had last, if that still holds its event. If it is busy, or equal
	 * members are here, another may serve better: sbi_pmu_event_add(). No counter holds an
	 * event while the CPU is offline.
	 */
	if (e->last_counter < SBI_PMU_MAX_COUNTERS && c->state != SBI_PMU_FREE && !e->has_equal &&
	    (!c->shares || (cpu->fixed_alike && c->shares + e->shares <= SBI_PMU_SHARES)) &&
	    sbi_pmu_code_equal(&c->code, &e->code)) {
		sbi_pmu_event_join(cpu, e, c);
	} else {
		ret = sbi_pmu_event_add(cpu, e);
		if (ret)
			return ret;
	}
	if (e->sampling != SBI_PMU_COUNTING)
		cpu->sampling++;
	if (flags & PERF_EF_START) {
		start_event(cpu, e);
		/* If its counter cannot be read: "not counted" rather than 0. */
		if (!e->active) {
			pmu_del(event, 0);
			return -EIO;
		}
	}
	return 0;
}

static void pmu_read(struct perf_event *event)
{
	sbi_pmu_event_update(this_sbi_pmu_cpu(event->pmu), to_sbi_pmu_event(event));
}

static void pmu_disable(struct pmu *pmu)
{
	sbi_pmu_counters_disable(this_sbi_pmu_cpu(pmu));
}

static void pmu_enable(struct pmu *pmu)
{
	struct sbi_pmu_cpu *cpu = this_sbi_pmu_cpu(pmu);

	sbi_pmu_counters_enable(cpu);
	sbi_pmu_timer_update(cpu);
}

/*
 * Called while events are here that ask for branches: sbi_pmu_branch_add(). Before Linux 7.2.9 perf
 * core gives no context if the task has none.
 */
static void task_switched(struct perf_event_pmu_context *unused, bool sched_in)
{
	sbi_pmu_branch_switch(raw_cpu_read(sbi_pmu_here), sched_in);
}

DEFINE_SCHED_TASK(pmu_sched_task, task_switched)

/*
 * Perf core begins a transaction for each group. By then it has disabled the PMU of the whole
 * context (visit_groups_merge() of newer kernels asserts that), so the members start together.
 * Without these callbacks it would disable and enable the PMU once more for each group. read(2) of
 * a group is one, too, while the PMU is enabled.
 */
static void pmu_start_txn(struct pmu *pmu, unsigned int flags)
{
	if (flags == PERF_PMU_TXN_READ)
		sbi_pmu_counters_read(this_sbi_pmu_cpu(pmu));
}

static int pmu_commit_txn(struct pmu *pmu)
{
	struct sbi_pmu_cpu *cpu = this_sbi_pmu_cpu(pmu);

	if (!cpu->disabled)
		cpu->at_disable_valid = 0;
	return 0;
}

static void pmu_cancel_txn(struct pmu *pmu)
{
}

/* ---- mmap ---- */

static void publish_here(void *arg)
{
	struct perf_event *event = arg;
	struct sbi_pmu_event *e = to_sbi_pmu_event(event);
	struct sbi_pmu_cpu *cpu = this_sbi_pmu_cpu(event->pmu);

	/* If it has just left this CPU, its page is written when it is scheduled again. */
	if (READ_ONCE(event->oncpu) != smp_processor_id())
		return;
	sbi_pmu_counters_disable(cpu);
	cpu->shown_changed = true; /* perhaps to another address space */
	e->user_read = READ_ONCE(e->mapped);
	if (e->user_read && e->counter)
		sbi_pmu_event_set_stale(cpu, e);
	sbi_pmu_event_update(cpu, e);
	/* The counter must be restarted and open before the page shows it. */
	sbi_pmu_counters_enable(cpu);
	sbi_pmu_user_page_publish(e);
	perf_event_update_userpage(event);
}

/*
 * There is no event_unmapped: with it, kernels from 6.16 on refuse to unregister the PMU between
 * the last reference to the module and the end of an event. So an event that was unmapped can
 * still be read by its own task.
 */
static void pmu_event_mapped(struct perf_event *event, struct mm_struct *mm)
{
	struct sbi_pmu_event *e = to_sbi_pmu_event(event);
	int cpu;

	if (!sbi_pmu_user_access_map(e, mm))
		return;
	/* If it is not on a CPU yet, start_event() sees who has mapped it. */
	smp_mb();
	cpu = READ_ONCE(event->oncpu);
	if (cpu >= 0) {
		smp_call_function_single(cpu, publish_here, event, true);
	} else if (READ_ONCE(e->mapped_by_other)) {
		WRITE_ONCE(event->hw.idx, -1);
		perf_event_update_userpage(event);
	}
}

/* The page's index, 0: none. Perf core asks on any CPU, hence as published with its other words. */
static int pmu_event_idx(struct perf_event *event)
{
	return READ_ONCE(to_sbi_pmu_event(event)->shown);
}

/* arch_perf_update_userpage() asks for a width, less 1: see sbi_pmu_user_page_publish(). */
static int ctr_get_width(int idx)
{
	return idx;
}

/* ---- open and close: may sleep, may refuse ---- */

/*
 * Add an event to the @group that @opened joins. @group is a CPU on which nothing else counts.
 * Return: 0, -EINVAL if they never count together.
 */
static int add_to_group(struct sbi_pmu *pmu, struct sbi_pmu_cpu *group,
			struct sbi_pmu_event *opened, struct perf_event *event)
{
	const struct sbi_pmu_event *e = to_sbi_pmu_event(event);

	if (is_software_event(event))
		return 0;
	if (event->pmu != &pmu->pmu)
		return -EINVAL;
	/* They never count together: see sbi_pmu_branch_add(). */
	if (e->branch.types && opened->branch.types &&
	    !sbi_pmu_branch_go_together(pmu, &e->branch, &opened->branch))
		return -EINVAL;
	if (e->sampling != SBI_PMU_COUNTING && !may_sample(group))
		return -EINVAL;
	group->sampling += e->sampling != SBI_PMU_COUNTING;
	opened->has_equal |= e != opened && sbi_pmu_code_equal(&e->code, &opened->code) &&
			     e->candidates & opened->candidates;
	return sbi_pmu_assign_add(group, &e->code, e->candidates, e->shares) ? 0 : -EINVAL;
}

/* Ask all counters for an event. */
static int ask_all(struct sbi_pmu *pmu, struct sbi_pmu_event *e)
{
	return sbi_pmu_ask_more(pmu, e, e->candidates & ~e->confirmed, SBI_PMU_ASK_ALL);
}

/*
 * Can the counters ever hold the whole group? Each member has had all counters asked when it
 * joined, and the leader when the first one did. What stayed unknown, as firmware returned an
 * error, may take an event.
 */
static int validate_group(struct sbi_pmu *pmu, struct sbi_pmu_event *e)
{
	struct perf_event *leader = e->event->group_leader, *sibling;
	struct sbi_pmu_cpu *group;
	int ret;

	/*
	 * When a CPU goes offline, perf core takes the groups there apart. It lets an event join
	 * such a leader later, and frees the leader with that event in its list: the kernel panics.
	 * Perf core holds the mutex of the leader's context here, and when it takes groups apart.
	 */
	if (!(leader->attach_state & PERF_ATTACH_GROUP))
		return -ENODEV;
	ret = ask_all(pmu, e);
	if (!ret && leader->pmu == &pmu->pmu)
		ret = ask_all(pmu, to_sbi_pmu_event(leader));
	if (ret)
		return ret;
	group = kvzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return -ENOMEM;
	sbi_pmu_counters_init(group, pmu);
	ret = add_to_group(pmu, group, e, leader);
	for_each_sibling_event(sibling, leader)
		ret = ret ?: add_to_group(pmu, group, e, sibling);
	ret = ret ?: add_to_group(pmu, group, e, e->event);
	kvfree(group);
	return ret;
}

/*
 * In shared mode a user without CAP_PERFMON leaves the last of the counters that can hold an event
 * to the other driver, and so to guests. Free-running ones are only read.
 */
static int leave_one(struct sbi_pmu *pmu, struct sbi_pmu_event *e)
{
	u64 left = e->candidates & ~pmu->layout.free_running, last = 0;
	int ret = 0;

	if (!left || sbi_pmu_has_perfmon())
		return 0;
	for (; !ret && left && !(last & e->confirmed); left &= ~last) {
		last = BIT_ULL(fls64(left) - 1);
		ret = sbi_pmu_ask_more(pmu, e, last & ~e->confirmed, SBI_PMU_ASK_IDLE);
	}
	e->candidates &= ~last;
	e->confirmed &= ~last;
	if (!ret && !e->confirmed)
		ret = sbi_pmu_ask_more(pmu, e, e->candidates, SBI_PMU_ASK_IDLE);
	if (ret || e->confirmed)
		return ret;
	pr_info_ratelimited("event %#x, data %#llx: its free counter is left to the other PMU\n",
			    e->code.idx, e->code.data);
	return -EBUSY;
}

/*
 * May the event count @code in all modes, as no counter can filter? Not if its user leaves out
 * counters that can, or if counters filter other events: then its unit is shared by cores.
 */
static bool may_be_unfiltered(const struct sbi_pmu *pmu, const struct sbi_pmu_event *e,
			      const struct sbi_pmu_code *code)
{
	return !e->counterid_mask && !(pmu->caps.filter && e->known && e->known->unfiltered) &&
	       sbi_pmu_event_may_be_unfiltered(&pmu->caps, e->event, code);
}

/* One check after the other; what perf tries next depends on it: see sbi_pmu_filter_errno(). */
static int check_event(struct sbi_pmu *pmu, struct sbi_pmu_event *e)
{
	struct perf_event *event = e->event;
	const struct perf_event_attr *attr = &event->attr;
	const bool is_member = event->group_leader != event;
	const bool samples = is_sampling_event(event);
	struct sbi_pmu_code all_modes;
	const struct cpumask *cpus;
	u64 interrupting;
	int ret;

	/* A task's event can wait until its CPU comes back, a CPU-wide one cannot. */
	cpus = event->attach_state & PERF_ATTACH_TASK ? &pmu->homogeneous : &pmu->cpus;
	/* Perf core asks the PMU of another kind next, if the event names none. */
	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, cpus))
		return per_cpu(sbi_pmu_here, event->cpu)->pmu == pmu ? -ENODEV : -ENOENT;
	ret = sbi_pmu_event_encode(&pmu->caps, attr, attr->type == pmu->pmu.type, &e->code);
	if (ret)
		return ret;
	/* Firmware gets what the user likes, and what it does with that SBI does not say. */
	if (sbi_pmu_code_is_firmware(&e->code) &&
	    FIELD_GET(SBI_PMU_EVENT_IDX_CODE_MASK, e->code.idx) >= SBI_PMU_FW_MAX &&
	    !perfmon_capable())
		return -EACCES;
	sbi_pmu_delegation_rename(pmu, &e->code);
	if (perf_attr_unused_config(attr) || attr->config2 >> 32)
		return -EINVAL;
	e->counterid_mask = attr->config2;
	/* Firmware events cannot be attributed to an instruction. */
	if (attr->precise_ip || (samples && (sbi_pmu_code_is_firmware(&e->code) ||
					     pmu->source == SBI_PMU_OVERFLOW_NONE)))
		return -EOPNOTSUPP;
	ret = sbi_pmu_branch_filter(pmu, event, &e->branch);
	if (ret)
		return ret;

	all_modes = e->code;
	if (!sbi_pmu_event_filter(&pmu->caps, attr, &e->code) ||
	    (e->code.flags && !pmu->caps.filter && !pmu->caps.fixed_filters &&
	     !may_be_unfiltered(pmu, e, &all_modes)))
		return sbi_pmu_filter_errno(&pmu->caps, attr);
	ret = sbi_pmu_find_event(pmu, e, true);
	if (ret == -EOPNOTSUPP && may_be_unfiltered(pmu, e, &all_modes)) {
		sbi_pmu_known_put(e->known); /* sbi_pmu_find_event() sets it again */
		e->code = all_modes;
		e->unfiltered = true;
		ret = sbi_pmu_find_event(pmu, e, true);
	}
	/*
	 * What no counter can filter is sampled by timer; without one, sampling
	 * it is refused as such.
	 */
	if (ret == -EOPNOTSUPP && (!samples || pmu->sample_by_timer))
		return sbi_pmu_filter_errno(&pmu->caps, attr);
	if (ret == -EBUSY && !pmu->exclusive)
		pr_info_ratelimited("event %#x, data %#llx: another PMU uses %u of its counters\n",
				    e->code.idx, e->code.data,
				    (unsigned int)hweight64(e->candidates));
	if (!ret && !pmu->exclusive)
		ret = leave_one(pmu, e);
	if (ret)
		return ret;

	/* Most fixed counters do not interrupt, and free-running ones are only read. */
	interrupting = e->candidates & pmu->layout.programmable;
	if (!interrupting && pmu->caps.fixed_alike)
		interrupting = e->candidates & pmu->layout.fixed & ~pmu->layout.free_running;
	if (samples && pmu->source == SBI_PMU_OVERFLOW_IRQ && interrupting) {
		e->sampling = SBI_PMU_BY_INTERRUPT;
		e->by_interrupt = true;
		e->candidates = interrupting;
		e->confirmed &= interrupting;
	} else if (samples) {
		if (!pmu->sample_by_timer)
			return -EOPNOTSUPP;
		e->sampling = SBI_PMU_BY_TIMER;
	}
	e->shares = samples ? SBI_PMU_SHARES_OF_SAMPLING : 1;
	if (is_member)
		return validate_group(pmu, e);
	/* A pinned event that finds no counter is in error: it cannot ask for more later. */
	return attr->pinned ? ask_all(pmu, e) : 0;
}

static void release_idle(void *arg)
{
	struct sbi_pmu *pmu = arg;

	sbi_pmu_counters_release_idle(this_cpu_ptr(pmu->cpu), ~0ULL);
}

/* While no event exists a CPU configures nothing; its timer may release what it has. */
static bool has_configured(int cpu, void *arg)
{
	const struct sbi_pmu_cpu *c = per_cpu_ptr(((struct sbi_pmu *)arg)->cpu, cpu);

	return sbi_pmu_idle_counters(c) || c->filter;
}

static void event_destroy(struct perf_event *event)
{
	struct sbi_pmu *pmu = to_sbi_pmu(event->pmu);
	struct sbi_pmu_event *e = to_sbi_pmu_event(event);

	sbi_pmu_user_access_close(e);
	sbi_pmu_known_put(e->known);
	event->pmu_private = NULL;
	kfree(e->calls);
	kfree_rcu(e, rcu);
	if (atomic_dec_and_test(&pmu->events))
		on_each_cpu_cond_mask(has_configured, release_idle, pmu, true, &pmu->cpus);
}

static int pmu_event_init(struct perf_event *event)
{
	struct sbi_pmu *pmu = to_sbi_pmu(event->pmu);
	const struct sbi_pmu_event *parent;
	struct sbi_pmu_event *e;
	int ret = 0;

	/* Perf core offers every event to every PMU, so the type is looked at first. */
	if (event->attr.type != pmu->pmu.type && event->attr.type != PERF_TYPE_HARDWARE &&
	    event->attr.type != PERF_TYPE_HW_CACHE)
		return -ENOENT;
	/* Its own PMU could not: a copy here would be of another kind's counters. */
	if (event->parent && event->parent->pmu != event->pmu)
		return -ENOENT;
	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	event->pmu_private = e;
	INIT_HLIST_NODE(&e->node);
	e->event = event;
	e->last_counter = SBI_PMU_NO_COUNTER;
	if (event->parent) {
		/* By a child process; it was checked with the parent's. */
		parent = to_sbi_pmu_event(event->parent);
		e->code = parent->code;
		e->candidates = parent->candidates;
		e->confirmed = parent->confirmed;
		e->sampling = parent->sampling;
		e->shares = parent->shares;
		e->by_interrupt = parent->by_interrupt;
		e->has_equal = parent->has_equal;
		e->unfiltered = parent->unfiltered;
		e->branch = parent->branch;
	} else {
		ret = check_event(pmu, e);
	}
	if (!ret && e->branch.types)
		ret = sbi_pmu_branch_open(pmu, e);
	if (ret) {
		sbi_pmu_known_put(e->known);
		event->pmu_private = NULL;
		kfree(e);
		return ret;
	}
	if (e->unfiltered)
		atomic_inc(&sbi_pmu_the_pmu->unfiltered);
	sbi_pmu_user_access_open(e);
	atomic_inc(&pmu->events);
	event->destroy = event_destroy;
	return 0;
}

/* Keep tasks' events off CPUs of another kind, and off those that come or go. */
static bool pmu_filter(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &to_sbi_pmu(pmu)->cpus);
}

void sbi_pmu_pmu_init(struct sbi_pmu *pmu)
{
	pmu->pmu = (struct pmu){
		.module = THIS_MODULE,
		.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE,
		.event_init = pmu_event_init,
		.pmu_enable = pmu_enable,
		.pmu_disable = pmu_disable,
		.start_txn = pmu_start_txn,
		.commit_txn = pmu_commit_txn,
		.cancel_txn = pmu_cancel_txn,
		.add = pmu_add,
		.del = pmu_del,
		.start = pmu_start,
		.stop = pmu_stop,
		.read = pmu_read,
		.filter = pmu_filter,
		.event_mapped = pmu_event_mapped,
		.event_idx = pmu_event_idx,
	};
	pmu->riscv.ctr_get_width = ctr_get_width;
	if (pmu->branch.entries)
		pmu->pmu.sched_task = SCHED_TASK(pmu_sched_task);
	/* Perf core then refuses sampling events. */
	if (pmu->source == SBI_PMU_OVERFLOW_NONE)
		pmu->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
}
