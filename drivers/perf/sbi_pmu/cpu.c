// SPDX-License-Identifier: GPL-2.0-only
/* CPUs come and go, sleep and wake. */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/reboot.h>
#include <linux/smp.h>

#include "branch.h"
#include "counter_info.h"
#include "counters.h"
#include "cpu.h"
#include "sbi.h"
#include "timer.h"
#include "user_access.h"

static enum cpuhp_state hotplug_state;

DEFINE_PER_CPU(struct sbi_pmu_cpu *, sbi_pmu_here);

/* Return: how CPU @id, this one, differs from the probed one, for the log; NULL: it does not. */
static const char *find_difference(struct sbi_pmu *pmu, unsigned int id)
{
	struct sbi_pmu_cpu *cpu = per_cpu_ptr(pmu->cpu, id);
	const struct sbi_pmu_counter_info *found = pmu->found.info, *probed = pmu->layout.info;
	unsigned int i;

	if (sbi_pmu_probe_layout(cpu, pmu->max_width, &pmu->found) && !pmu->unusable)
		return ": firmware does not return its counters, unlike those of";
	if (!sbi_pmu_sbi_same_core(&pmu->id))
		return " has another core (mvendorid, marchid) than";
	for (i = 0; i < SBI_PMU_MAX_COUNTERS; i++)
		if (found[i].kind != probed[i].kind || found[i].csr != probed[i].csr ||
		    found[i].width != probed[i].width)
			return " has other counters than";
	for_each_counter(i, cpu->layout->free_running)
		if (!sbi_pmu_probe_counts_freely(cpu, i))
			return ": its cycle and instret do not run as on";
	if (!sbi_pmu_branch_is_alike(pmu))
		return " does not record branches as";
	/* The last, as it has firmware configure the counters. */
	if (pmu->backend == &sbi_pmu_backend_csr && !sbi_pmu_delegation_prepare(pmu, id))
		return ": its counters are not delegated as those of";
	return NULL;
}

/*
 * On the CPU, before tasks run there, or from sbi_pmu_cpu_retry(). The first kind that fits is its
 * own. So the order matters: a CPU that has more also fits a later kind that has less.
 */
static int hotplug_online(unsigned int id, struct hlist_node *node)
{
	const struct sbi_pmu *before = per_cpu(sbi_pmu_here, id)->pmu;
	const char *differs, *from_before = " has other counters than";
	struct sbi_pmu_cpu *cpu;
	struct sbi_pmu *pmu;
	unsigned long flags;

	if (cpumask_test_cpu(id, &before->cpus))
		return 0;
	for_each_kind(pmu) {
		differs = find_difference(pmu, id);
		if (!differs)
			break;
		cpumask_clear_cpu(id, &pmu->homogeneous);
		if (pmu == before)
			from_before = differs;
	}
	if (pmu)
		cpumask_set_cpu(id, &pmu->homogeneous);
	if (!pmu || pmu->unusable) {
		pmu = sbi_pmu_the_pmu;
		differs = from_before;
		if (node == &pmu->hotplug)
			pr_warn("CPU %u%s CPU %u, which was probed: no events of PMU %s on this CPU\n",
				id, from_before, before->probed_cpu, before->name);
	}
	cpu = per_cpu_ptr(pmu->cpu, id);
	local_irq_save(flags);
	per_cpu(sbi_pmu_here, id) = cpu;
	if (!differs) {
		sbi_pmu_counters_online(cpu);
		sbi_pmu_branch_online(cpu);
	}
	sbi_pmu_user_access_resume(cpu);
	local_irq_restore(flags);
	if (differs)
		return 0;
	cpu->irq.off = false;
	cpumask_set_cpu(id, &pmu->cpus);
	if (pmu->irq)
		enable_percpu_irq(pmu->irq, IRQ_TYPE_NONE);
	return 0;
}

/* Likewise, when no task runs there any more. */
static int hotplug_offline(unsigned int id, struct hlist_node *node)
{
	struct sbi_pmu_cpu *cpu = per_cpu(sbi_pmu_here, id);
	struct sbi_pmu *pmu = cpu->pmu;
	const bool used = cpumask_test_and_clear_cpu(id, &pmu->cpus);
	unsigned long flags;

	local_irq_save(flags);
	sbi_pmu_counters_offline(cpu);
	sbi_pmu_branch_offline(cpu);
	sbi_pmu_user_access_offline(cpu);
	local_irq_restore(flags);
	if (used && pmu->irq && !cpu->irq.off)
		disable_percpu_irq(pmu->irq);
	sbi_pmu_timer_stop(cpu);
	return 0;
}

/* On the CPU that goes to sleep or wakes, interrupts disabled. */
static int pm_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	struct sbi_pmu_cpu *cpu = raw_cpu_read(sbi_pmu_here);

	if (!cpu->online) {
		if (action != CPU_PM_ENTER)
			sbi_pmu_user_access_resume(cpu);
		return NOTIFY_OK;
	}
	switch (action) {
	case CPU_PM_ENTER:
		/* The CPU, and its counters, may lose power. */
		sbi_pmu_counters_update(cpu, cpu->busy);
		if (cpu->filter)
			sbi_pmu_csr_filter(0);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		sbi_pmu_counters_resume(cpu);
		/* Not after the reboot notifier. */
		if (cpu->branch.on)
			sbi_pmu_branch_online(cpu);
		sbi_pmu_counters_enable(cpu);
		/* This may configure counters, and firmware may take others for that. */
		sbi_pmu_counters_disable(cpu);
		sbi_pmu_user_access_resume(cpu);
		sbi_pmu_counters_enable(cpu);
		break;
	}
	return NOTIFY_OK;
}

/*
 * The next kernel may not be able to stop what was programmed by CSRs, as firmware has not started
 * it. Nor may that kernel know of the snapshot shared memory.
 */
static void reboot_here(void *unused)
{
	struct sbi_pmu_cpu *cpu = raw_cpu_read(sbi_pmu_here);

	if (cpu->backend->offline || cpu->layout->one_filter)
		sbi_pmu_counters_offline(cpu);
	sbi_pmu_branch_offline(cpu);
}

static int reboot_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	on_each_cpu(reboot_here, NULL, true);
	return NOTIFY_OK;
}

/* Events have lost their counter. On PREEMPT_RT this is a thread of the CPU. */
static void handle_dropped_events(struct irq_work *work)
{
	struct sbi_pmu_cpu *cpu = container_of(work, struct sbi_pmu_cpu, dropped.work);
	struct sbi_pmu *pmu = cpu->pmu;
	unsigned long flags;

	if (cpu->dropped.events != cpu->dropped.logged) {
		cpu->dropped.logged = cpu->dropped.events;
		pr_warn_ratelimited("CPU%d: firmware refused a counter: event descheduled (%u)\n",
				    smp_processor_id(), cpu->dropped.logged);
	}
	/* Without it perf core adds the events again at the next context switch or rotation. */
	if (!pmu->perf_pmu_resched)
		return;
	local_irq_save(flags);
	pmu->perf_pmu_resched(&pmu->pmu);
	local_irq_restore(flags);
}

int sbi_pmu_cpu_alloc(struct sbi_pmu *pmu)
{
	int i;

	pmu->cpu = alloc_percpu(struct sbi_pmu_cpu);
	if (!pmu->cpu)
		return -ENOMEM;
	for_each_possible_cpu(i) {
		struct sbi_pmu_cpu *cpu = per_cpu_ptr(pmu->cpu, i);

		sbi_pmu_counters_init(cpu, pmu);
		sbi_pmu_timer_init(cpu, i);
		init_irq_work(&cpu->dropped.work, handle_dropped_events);
	}
	return 0;
}

/* Bring all CPUs online, and follow them from now on. @pmu: the first. Context: may sleep. */
int sbi_pmu_cpu_start(struct sbi_pmu *pmu)
{
	int cpu, ret;

	for_each_possible_cpu(cpu)
		per_cpu(sbi_pmu_here, cpu) = per_cpu_ptr(pmu->cpu, cpu);
	ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/sbi_pmu:online", hotplug_online,
				      hotplug_offline);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	ret = cpuhp_state_add_instance(hotplug_state, &pmu->hotplug);
	if (ret) {
		cpuhp_remove_multi_state(hotplug_state);
		return ret;
	}
	pmu->pm.notifier_call = pm_notify;
	pmu->reboot.notifier_call = reboot_notify;
	ret = cpu_pm_register_notifier(&pmu->pm);
	if (!ret)
		ret = register_reboot_notifier(&pmu->reboot);
	if (ret)
		sbi_pmu_cpu_stop(pmu);
	return ret;
}

/*
 * A kind was added: have CPUs that are of none look for theirs again. This cannot fail, as
 * hotplug_online() does not. Context: may sleep.
 */
void sbi_pmu_cpu_retry(void)
{
	struct hlist_node node;

	cpuhp_state_add_instance(hotplug_state, &node);
	cpuhp_state_remove_instance_nocalls(hotplug_state, &node);
}

void sbi_pmu_cpu_stop(struct sbi_pmu *pmu)
{
	unregister_reboot_notifier(&pmu->reboot);
	cpu_pm_unregister_notifier(&pmu->pm);
	cpuhp_state_remove_instance(hotplug_state, &pmu->hotplug);
	cpuhp_remove_multi_state(hotplug_state);
}
