// SPDX-License-Identifier: GPL-2.0-only
#include <linux/slab.h>

#include "allocate.h"
#include "overflow.h"
#include "pmu.h"
#include "poll.h"
#include "user_access.h"

static struct sbi_pmu_perf_event *to_event(struct perf_event *perf)
{
	return perf->pmu_private;
}

static struct sbi_pmu_cpu *this_cpu_of(struct perf_event *perf)
{
	return this_cpu_ptr(to_sbi_pmu(perf->pmu)->cpu);
}

/* ---- on a CPU: interrupts disabled, may not fail ---- */

static inline void start_on(struct sbi_pmu_cpu *cpu, struct sbi_pmu_perf_event *e,
			    struct perf_event *perf)
{
	if (READ_ONCE(e->event.mapped))
		smp_mb(); /* pairs with pmu_event_mapped(): another task may map it now */
	if (e->event.sampling != SBI_PMU_COUNTING)
		sbi_pmu_period_resume(e);
	/* An event whose counter cannot be read stays stopped. */
	if (!sbi_pmu_event_start(&cpu->counters, &e->event)) {
		perf->hw.state = 0;
		sbi_pmu_poll_start(cpu, e->event.sampling);
		if (!cpu->counters.disabled) {
			sbi_pmu_counters_restart(cpu);
			sbi_pmu_poll_update(cpu);
			/* Firmware may have refused to start its counter. */
			if (!e->event.active)
				perf->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
		}
	}
	if (READ_ONCE(e->has_page))
		sbi_pmu_publish_page(e);
}

static void pmu_start(struct perf_event *perf, int flags)
{
	if (!WARN_ON_ONCE(!(perf->hw.state & PERF_HES_STOPPED)))
		start_on(this_cpu_of(perf), to_event(perf), perf);
}

static void pmu_stop(struct perf_event *perf, int flags)
{
	struct sbi_pmu_cpu *cpu = this_cpu_of(perf);

	sbi_pmu_perf_event_stop(cpu, to_event(perf));
	if (!cpu->counters.disabled)
		sbi_pmu_poll_update(cpu);
}

static void pmu_del(struct perf_event *perf, int flags)
{
	const bool stopped = perf->hw.state & PERF_HES_STOPPED;
	struct sbi_pmu_perf_event *e = to_event(perf);
	struct sbi_pmu_cpu *cpu = e->cpu;

	sbi_pmu_event_del(&cpu->counters, &e->event);
	if (!stopped)
		sbi_pmu_perf_event_stopped(cpu, e);
	if (!cpu->counters.disabled)
		sbi_pmu_poll_update(cpu);
}

static int pmu_add(struct perf_event *perf, int flags)
{
	struct sbi_pmu_perf_event *e = to_event(perf);
	struct sbi_pmu_cpu *cpu = this_cpu_of(perf);
	int ret;

	e->cpu = cpu;
	perf->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	ret = sbi_pmu_event_add(&cpu->counters, &e->event);
	if (ret)
		return ret;
	if (flags & PERF_EF_START) {
		start_on(cpu, e, perf);
		/* If its counter cannot be read: "not counted" rather than 0. */
		if (!e->event.active) {
			pmu_del(perf, 0);
			return -EIO;
		}
	}
	return 0;
}

static void pmu_read(struct perf_event *perf)
{
	struct sbi_pmu_perf_event *e = to_event(perf);

	sbi_pmu_event_update(&this_cpu_of(perf)->counters, &e->event);
	sbi_pmu_add_count(e);
}

static void pmu_disable(struct pmu *pmu)
{
	sbi_pmu_counters_disable(this_cpu_ptr(to_sbi_pmu(pmu)->cpu));
}

static void pmu_enable(struct pmu *pmu)
{
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(to_sbi_pmu(pmu)->cpu);

	sbi_pmu_counters_enable(cpu);
	sbi_pmu_poll_update(cpu);
}

/*
 * Perf core begins a transaction for each group. By then it has disabled the PMU of the whole
 * context (visit_groups_merge() of newer kernels asserts that), so the members start together.
 * Without these callbacks it would disable and enable the PMU once more for each group.
 */
static void pmu_start_txn(struct pmu *pmu, unsigned int flags)
{
}

static int pmu_commit_txn(struct pmu *pmu)
{
	return 0;
}

static void pmu_cancel_txn(struct pmu *pmu)
{
}

/* ---- mmap ---- */

static void publish_here(void *arg)
{
	struct perf_event *perf = arg;
	struct sbi_pmu_perf_event *e = to_event(perf);
	struct sbi_pmu_cpu *cpu = this_cpu_of(perf);

	/* If it has just left this CPU, its page is written when it is scheduled again. */
	if (READ_ONCE(perf->oncpu) != smp_processor_id())
		return;
	sbi_pmu_event_set_user_read(&cpu->counters, &e->event);
	pmu_read(perf);
	/* The counter must be restarted and open before the page shows it. */
	sbi_pmu_counters_enable(cpu);
	perf_event_update_userpage(perf);
}

/*
 * There is no event_unmapped: with it, kernels from 6.15 on refuse to unregister the PMU between
 * the last reference to the module and the end of an event. So an event that was unmapped can
 * still be read by its own task.
 */
static void pmu_event_mapped(struct perf_event *perf, struct mm_struct *mm)
{
	int cpu;

	if (!sbi_pmu_user_access_map(to_event(perf), mm))
		return;
	/* If it is not on a CPU yet, pmu_start() sees who has mapped it. */
	smp_mb();
	cpu = READ_ONCE(perf->oncpu);
	if (cpu >= 0)
		smp_call_function_single(cpu, publish_here, perf, true);
	else
		sbi_pmu_user_access_hide(to_event(perf));
}

static int pmu_event_idx(struct perf_event *perf)
{
	return sbi_pmu_event_shown(to_event(perf));
}

/* arch_perf_update_userpage() asks for a width, less 1: see sbi_pmu_user_access_publish(). */
static int ctr_get_width(int idx)
{
	return idx;
}

/* ---- open and close: may sleep, may refuse ---- */

static int group_add(struct sbi_pmu *pmu, struct sbi_pmu_plan *plan, struct perf_event *member)
{
	const struct sbi_pmu_event *event;

	if (is_software_event(member))
		return 0;
	if (member->pmu != &pmu->pmu)
		return -EINVAL;
	event = &to_event(member)->event;
	return sbi_pmu_plan_add(plan, &pmu->inv, &event->code, event->candidates) ? 0 : -EINVAL;
}

static int group_validate(struct sbi_pmu *pmu, struct perf_event *perf)
{
	struct perf_event *leader = perf->group_leader, *sibling;
	struct sbi_pmu_plan *plan;
	int ret;

	if (leader == perf)
		return 0;
	plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return -ENOMEM;
	ret = group_add(pmu, plan, leader);
	for_each_sibling_event(sibling, leader) {
		if (!ret)
			ret = group_add(pmu, plan, sibling);
	}
	if (!ret)
		ret = group_add(pmu, plan, perf);
	kfree(plan);
	return ret;
}

/* Firmware events are about firmware's own work: no place in a program to show. */
static bool cannot_sample(const struct sbi_pmu *pmu, struct perf_event *perf,
			  const struct sbi_pmu_event_code *code)
{
	return is_sampling_event(perf) &&
	       (sbi_pmu_event_is_firmware(code) || pmu->source == SBI_PMU_OVERFLOW_NONE);
}

/* A task's event can wait until its CPU comes back, a CPU-wide one cannot. */
static bool cpu_is_right(const struct sbi_pmu *pmu, const struct perf_event *perf)
{
	return perf->cpu < 0 || cpumask_test_cpu(perf->cpu, perf->attach_state & PERF_ATTACH_TASK ?
								    &pmu->homogeneous :
								    &pmu->cpus);
}

/* All checks that must come before a filter is refused, see sbi_pmu_filter_errno(). */
static int event_check(struct sbi_pmu *pmu, struct perf_event *perf,
		       struct sbi_pmu_event_code *code, u64 *candidates)
{
	const struct perf_event_attr *attr = &perf->attr;
	int ret, refusal;

	ret = sbi_pmu_event_encode(&pmu->caps, attr, attr->type == pmu->pmu.type, code);
	if (ret)
		return ret;
	if (perf_attr_further_config(attr))
		return -EINVAL;
	if (sbi_pmu_event_is_unsafe(&pmu->caps, code))
		return -ENOENT;
	if (has_branch_stack(perf) || attr->precise_ip || cannot_sample(pmu, perf, code))
		return -EOPNOTSUPP;
	if (!cpu_is_right(pmu, perf))
		return -ENODEV;
	ret = sbi_pmu_event_filter(&pmu->caps, attr, code);
	if (ret)
		return ret;
	/* Only counters that can filter interrupt, and without a timer that is the only way. */
	refusal = is_sampling_event(perf) && !pmu->poll ? -EOPNOTSUPP :
							  sbi_pmu_filter_errno(&pmu->caps, attr);
	ret = sbi_pmu_support_filtered(&pmu->support, code, refusal, candidates);
	if (ret != -EBUSY || pmu->exclusive)
		return ret;
	pr_info_ratelimited("event %#x, data %#llx: the other PMU uses %u of its counters\n",
			    code->idx, code->data, (unsigned int)hweight64(*candidates));
	return ret;
}

/* How the event is sampled, and on which counters: most fixed ones do not interrupt. */
static int choose_sampling(const struct sbi_pmu *pmu, struct perf_event *perf, u64 *candidates)
{
	const u64 full = sbi_pmu_support_full(&pmu->support);
	const u64 interrupting = *candidates & full;
	/* Rather not those that programs may read without an event. */
	const u64 programmable = (interrupting & pmu->inv.programmable);

	if (!is_sampling_event(perf))
		return SBI_PMU_COUNTING;
	if (pmu->source == SBI_PMU_OVERFLOW_IRQ && interrupting) {
		*candidates = !programmable ? interrupting : programmable;
		return SBI_PMU_BY_INTERRUPT;
	}
	return pmu->poll ? SBI_PMU_BY_TIMER : -EOPNOTSUPP;
}

static void release_idle(void *arg)
{
	struct sbi_pmu *pmu = arg;

	sbi_pmu_counters_release_idle(&this_cpu_ptr(pmu->cpu)->counters);
}

/* While no event exists this does not change from another CPU. */
static bool has_configured(int cpu, void *arg)
{
	const struct sbi_pmu *pmu = arg;

	return !!(per_cpu_ptr(pmu->cpu, cpu)->counters.plan.configured);
}

static void event_destroy(struct perf_event *perf)
{
	struct sbi_pmu *pmu = to_sbi_pmu(perf->pmu);
	struct sbi_pmu_perf_event *e = to_event(perf);

	sbi_pmu_user_access_close(e);
	perf->pmu_private = NULL;
	kfree_rcu(e, rcu);
	if (atomic_dec_and_test(&pmu->events))
		on_each_cpu_cond_mask(has_configured, release_idle, pmu, true, &pmu->cpus);
}

static int pmu_event_init(struct perf_event *perf)
{
	struct sbi_pmu *pmu = to_sbi_pmu(perf->pmu);
	struct sbi_pmu_event_code code;
	u64 candidates;
	struct sbi_pmu_perf_event *e;
	int ret, sampling;

	if (perf->parent) {
		/* Inherited by a child process: checked when the parent's was opened. */
		code = to_event(perf->parent)->event.code;
		candidates = to_event(perf->parent)->event.candidates;
		sampling = to_event(perf->parent)->event.sampling;
	} else {
		ret = event_check(pmu, perf, &code, &candidates);
		if (ret)
			return ret;
		sampling = choose_sampling(pmu, perf, &candidates);
	}
	if (sampling < 0)
		return sampling;

	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	sbi_pmu_event_init(&e->event, &code, candidates);
	e->event.sampling = sampling;
	e->perf = perf;
	perf->pmu_private = e;
	ret = perf->parent ? 0 : group_validate(pmu, perf);
	if (ret) {
		perf->pmu_private = NULL;
		kfree(e);
		return ret;
	}
	sbi_pmu_user_access_open(e);
	atomic_inc(&pmu->events);
	perf->destroy = event_destroy;
	return 0;
}

/* Keep tasks' events off CPUs with other counters, and off those that come or go. */
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
	/* Perf core then refuses sampling events. */
	if (pmu->source == SBI_PMU_OVERFLOW_NONE)
		pmu->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
}
