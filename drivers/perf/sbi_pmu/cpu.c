// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/reboot.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "cpu.h"
#include "csr.h"
#include "delegation.h"
#include "overflow.h"
#include "poll.h"
#include "sbi.h"
#include "user_access.h"

static enum cpuhp_state hotplug_state;

static void online_here(void *arg)
{
	struct sbi_pmu_cpu *cpu = arg;

	cpu->counters.fixed_alike = cpu->pmu->caps.fixed_alike;
	sbi_pmu_counters_online(&cpu->counters);
	sbi_pmu_user_access_online(cpu);
}

static void offline_here(void *arg)
{
	struct sbi_pmu_cpu *cpu = arg;

	sbi_pmu_counters_offline(&cpu->counters);
	sbi_pmu_user_access_offline(cpu);
}

static bool run_freely(const struct sbi_pmu *pmu, struct sbi_pmu_backend *be)
{
	unsigned int i;

	for_each_counter(i, pmu->inv.free_running)
		if (!sbi_pmu_probe_counts_freely(be, i, sched_clock))
			return false;
	return true;
}

/* Context: interrupts disabled. */
static bool probe_delegation(const struct sbi_pmu *pmu, struct sbi_pmu_backend *be,
			     struct sbi_pmu_delegation *found)
{
	/* No counter may be in use, in firmware either. */
	sbi_pmu_backend_sbi_online(be);
	return !sbi_pmu_delegation_probe(be, found) &&
	       !sbi_pmu_delegation_learn(be, &pmu->caps, found);
}

/* Where counters are programmed by CSRs: can this CPU's be, and by the same selectors? */
static bool is_delegated_alike(const struct sbi_pmu *pmu, struct sbi_pmu_backend *be)
{
	struct sbi_pmu_delegation *found;
	unsigned long flags;
	bool alike;

	if (be->ops != &sbi_pmu_backend_csr)
		return true;
	found = kmalloc(sizeof(*found), GFP_KERNEL);
	if (!found)
		return false;
	local_irq_save(flags);
	alike = probe_delegation(pmu, be, found) &&
		sbi_pmu_delegation_equal(found, &pmu->delegation);
	local_irq_restore(flags);
	kfree(found);
	return alike;
}

static bool check_homogeneous(struct sbi_pmu *pmu, unsigned int cpu, struct sbi_pmu_inventory *inv)
{
	struct sbi_pmu_backend *be = &per_cpu_ptr(pmu->cpu, cpu)->counters.backend;
	int ret = sbi_pmu_probe_inventory(&be->sbi, &pmu->limits, inv);

	if (ret)
		pr_warn("CPU %u: firmware does not return its counters (%d): no events on this CPU\n",
			cpu, ret);
	else if (!sbi_pmu_inventory_equal(inv, &pmu->inv))
		pr_warn("CPU %u has other counters than the CPU that was probed: no events on this CPU\n",
			cpu);
	else if (!run_freely(pmu, be))
		pr_warn("CPU %u: its cycle and instret do not run as on the CPU that was probed: no events on this CPU\n",
			cpu);
	else if (!is_delegated_alike(pmu, be))
		pr_warn("CPU %u: its counters are not delegated as those of the CPU that was probed: no events on this CPU\n",
			cpu);
	else
		return true;
	return false;
}

/* On the CPU, before tasks run there. */
static int hotplug_online(unsigned int cpu, struct hlist_node *node)
{
	struct sbi_pmu *pmu = hlist_entry(node, struct sbi_pmu, hotplug);
	struct sbi_pmu_inventory *inv = kzalloc(sizeof(*inv), GFP_KERNEL);

	if (!inv)
		return -ENOMEM;
	if (check_homogeneous(pmu, cpu, inv)) {
		smp_call_function_single(cpu, online_here, per_cpu_ptr(pmu->cpu, cpu), true);
		cpumask_set_cpu(cpu, &pmu->homogeneous);
		cpumask_set_cpu(cpu, &pmu->cpus);
		sbi_pmu_overflow_online(pmu);
	} else {
		cpumask_clear_cpu(cpu, &pmu->homogeneous);
	}
	kfree(inv);
	return 0;
}

static int hotplug_offline(unsigned int cpu, struct hlist_node *node)
{
	struct sbi_pmu *pmu = hlist_entry(node, struct sbi_pmu, hotplug);

	if (!cpumask_test_and_clear_cpu(cpu, &pmu->cpus))
		return 0;
	sbi_pmu_overflow_offline(pmu);
	smp_call_function_single(cpu, offline_here, per_cpu_ptr(pmu->cpu, cpu), true);
	sbi_pmu_poll_stop(per_cpu_ptr(pmu->cpu, cpu));
	return 0;
}

/* On the CPU that goes to sleep or wakes, interrupts disabled. */
static int pm_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	struct sbi_pmu *pmu = container_of(nb, struct sbi_pmu, pm);
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);

	if (!cpu->counters.online)
		return NOTIFY_OK;
	switch (action) {
	case CPU_PM_ENTER:
		sbi_pmu_counters_suspend(&cpu->counters);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		sbi_pmu_counters_resume(&cpu->counters);
		sbi_pmu_user_access_resume(cpu);
		sbi_pmu_cpu_restart(&cpu->counters);
		break;
	}
	return NOTIFY_OK;
}

static void release_here(void *arg)
{
	struct sbi_pmu *pmu = arg;

	sbi_pmu_counters_offline(&this_cpu_ptr(pmu->cpu)->counters);
}

/* Firmware did not start what was programmed by CSRs: the next kernel may not have it stopped. */
static int reboot_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	struct sbi_pmu *pmu = container_of(nb, struct sbi_pmu, reboot);

	if (pmu->backend == SBI_PMU_BACKEND_CSR)
		on_each_cpu(release_here, pmu, true);
	return NOTIFY_OK;
}

int sbi_pmu_cpu_alloc(struct sbi_pmu *pmu)
{
	static const struct sbi_pmu_delegated delegated = {
		.read = sbi_pmu_csr_read_delegated,
		.write = sbi_pmu_csr_write_delegated,
		.stopped = sbi_pmu_csr_stopped,
		.stop = sbi_pmu_csr_stop,
		.start = sbi_pmu_csr_start,
	};
	int i;

	pmu->cpu = alloc_percpu(struct sbi_pmu_cpu);
	if (!pmu->cpu)
		return -ENOMEM;
	for_each_possible_cpu(i) {
		struct sbi_pmu_cpu *cpu = per_cpu_ptr(pmu->cpu, i);
		struct sbi_pmu_backend *be = &cpu->counters.backend;

		cpu->pmu = pmu;
		cpu->counters.changed = sbi_pmu_event_changed;
		be->ops = &sbi_pmu_backend_sbi;
		be->inv = &pmu->inv;
		be->sbi.call = sbi_pmu_sbi_ecall;
		be->read_csr = sbi_pmu_csr_read;
		be->delegated = &delegated;
		be->delegation = &pmu->delegation;
		sbi_pmu_poll_init(cpu);
		sbi_pmu_failed_init(cpu);
		/* Perf core calls pmu_enable() on CPUs that never come online here, too. */
		INIT_HLIST_HEAD(&cpu->counters.lost);
	}
	return 0;
}

/* This CPU's counters, for probes of events. Context: preemption disabled. */
struct sbi_pmu_counters *sbi_pmu_cpu_counters(struct sbi_pmu_support_cache *cache)
{
	struct sbi_pmu *pmu = container_of(cache, struct sbi_pmu, support);

	return &this_cpu_ptr(pmu->cpu)->counters;
}

/* Start this CPU's stopped counters after a probe. Context: interrupts disabled. */
void sbi_pmu_cpu_restart(struct sbi_pmu_counters *c)
{
	if (c->online)
		sbi_pmu_counters_enable(container_of(c, struct sbi_pmu_cpu, counters));
}

void sbi_pmu_cpu_free(struct sbi_pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(pmu->cpu, cpu)->failed);
	free_percpu(pmu->cpu);
}

/* Bring all CPUs online, and follow them from now on. Context: may sleep. */
int sbi_pmu_cpu_start(struct sbi_pmu *pmu)
{
	int ret = cpuhp_state_add_instance(hotplug_state, &pmu->hotplug);

	if (ret)
		return ret;
	pmu->pm.notifier_call = pm_notify;
	pmu->reboot.notifier_call = reboot_notify;
	ret = cpu_pm_register_notifier(&pmu->pm);
	if (!ret)
		ret = register_reboot_notifier(&pmu->reboot);
	if (ret) {
		cpu_pm_unregister_notifier(&pmu->pm);
		cpuhp_state_remove_instance(hotplug_state, &pmu->hotplug);
	}
	return ret;
}

void sbi_pmu_cpu_stop(struct sbi_pmu *pmu)
{
	unregister_reboot_notifier(&pmu->reboot);
	cpu_pm_unregister_notifier(&pmu->pm);
	cpuhp_state_remove_instance(hotplug_state, &pmu->hotplug);
}

int sbi_pmu_cpu_init(void)
{
	const int ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "perf/sbi_pmu:online",
						hotplug_online, hotplug_offline);

	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

void sbi_pmu_cpu_exit(void)
{
	cpuhp_remove_multi_state(hotplug_state);
}
