// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's built-in driver hands its counters to this module, and gets them back.
 *
 * riscv_pmu_sbi has no way to stop, so what its probe has done is undone here, from outside. What
 * is not exactly as expected is left alone. To start it again the device is probed again.
 */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "perf_symbols.h"
#include "sbi.h"
#include "takeover.h"

#define DRIVER	"riscv-pmu-sbi"

static const char too_old[] = "before Linux 6.16 the other driver cannot be stopped";
static const char old_firmware[] =
	"OpenSBI before 1.2 does not check an event of the other driver's second start: update it";
static const char kvm_loaded[] =
	"KVM is loaded, and its guests would lose their counters; mode=exclusive takes over";
static const char no_names[] = "the kernel has no names of its functions (CONFIG_KALLSYMS)";
static const char no_variables[] =
	"the kernel has no names of its variables, or has one twice (CONFIG_KALLSYMS_ALL)";
static const char in_use[] =
	"an event of the other PMU is open: end what counts, and load the module again";

/* The other driver, while it is stopped */
struct builtin {
	struct sbi_pmu *pmu;     /* ours */
	struct riscv_pmu *riscv; /* its own */
	int irq;                 /* its overflow interrupt, 0: none */
	bool snapshot;           /* firmware writes counters to its memory, */
	atomic_t kept;           /* and on so many CPUs does not end that */
	/* variables of it that are not exported */
	struct static_key_false *snapshot_key;
	struct work_struct *check_events;
	struct ctl_table_header *sysctl;
};

/* The PMU of the other driver; NULL if it is not the one that is known. */
static struct riscv_pmu *pmu_of(struct device *dev)
{
	struct device *child = device_find_child_by_name(dev, "cpu");
	struct pmu *pmu = child ? dev_get_drvdata(child) : NULL;
	const bool known = pmu && pmu->dev == child && pmu->type == PERF_TYPE_RAW && !pmu->module &&
			   pmu->event_unmapped && !strcmp(pmu->name, "cpu");

	put_device(child);
	return known ? container_of(pmu, struct riscv_pmu, pmu) : NULL;
}

static struct ctl_table_header *find_entry(const struct ctl_dir *dir, const char *name)
{
	const struct ctl_node *n;
	struct rb_node *node;

	for (node = dir ? rb_first(&dir->root) : NULL; node; node = rb_next(node)) {
		n = rb_entry(node, struct ctl_node, node);
		if (!strcmp(n->header->ctl_table[n - n->header->node].procname, name))
			return n->header;
	}
	return NULL;
}

/*
 * The other driver's sysctl kernel.perf_user_access, or NULL; pmu->builtin.user_access is filled
 * in. This driver registers its own in place of it, and the next probe the old one again. It must
 * go first: when a second entry with a name is registered, the kernel forgets all of
 * /proc/sys/kernel (erase_header() in proc_sysctl.c).
 */
static struct ctl_table_header *find_sysctl(struct sbi_pmu *pmu)
{
	struct ctl_table_root *root = sbi_pmu_lookup_variable("sysctl_table_root");
	spinlock_t *lock = sbi_pmu_lookup_variable("sysctl_lock");
	struct ctl_table_header *h;

	pmu->builtin.user_access = sbi_pmu_lookup_variable("sysctl_perf_user_access");
	if (!root || !lock || !pmu->builtin.user_access)
		return NULL;
	spin_lock(lock);
	h = find_entry(&root->default_set.dir, "kernel");
	h = find_entry(h ? container_of(h, struct ctl_dir, header) : NULL, "perf_user_access");
	spin_unlock(lock);
	if (!h || h->ctl_table_size != 1 || h->ctl_table->data != pmu->builtin.user_access)
		return NULL;
	return h;
}

/* Fill in @b. Return: NULL, or in words for the log what is not as expected. */
static const char *inspect(struct builtin *b, struct device *dev)
{
	const struct cpu_hw_events *events;
	int cpu;

	if (!dev->driver || strcmp(dev->driver->name, DRIVER) || dev->driver->owner)
		return "the other driver is not riscv_pmu_sbi";
	if (!sbi_pmu_lookup("pmu_sbi_ctr_get_width"))
		return no_names;
	b->riscv = pmu_of(dev);
	/* They are at both ends of the structure. */
	if (!b->riscv || !b->riscv->hw_events ||
	    b->riscv->ctr_get_width != sbi_pmu_lookup("pmu_sbi_ctr_get_width") ||
	    (IS_ENABLED(CONFIG_CPU_PM) &&
	     b->riscv->riscv_pm_nb.notifier_call != sbi_pmu_lookup("riscv_pm_pmu_notify")))
		return "this version of riscv_pmu_sbi is not known";
	for_each_possible_cpu(cpu) {
		events = per_cpu_ptr(b->riscv->hw_events, cpu);
		b->irq = b->irq ?: events->irq;
		b->snapshot |= !!riscv_pmu_snapshot_page(events);
	}
	/* If it could not request its interrupt it is not known who has it. */
	if (!b->irq != !!(b->riscv->pmu.capabilities & PERF_PMU_CAP_NO_INTERRUPT))
		return "riscv_pmu_sbi has no interrupt, though there is one";
	b->check_events = sbi_pmu_lookup_variable("check_std_events_work");
	b->snapshot_key = sbi_pmu_lookup_variable("sbi_pmu_snapshot_available");
	b->sysctl = find_sysctl(b->pmu);
	if (!b->check_events || !b->snapshot_key || !b->sysctl)
		return no_variables;
	return NULL;
}

/*
 * Do what the other driver's hotplug callback does for a CPU that goes. The callback itself would
 * also write 0 to scounteren: that kills each program that asks for the time.
 */
static void stop_here(void *arg)
{
	struct builtin *b = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(b->pmu->cpu);

	if (b->irq)
		disable_percpu_irq(b->irq);
	if (b->snapshot && sbi_pmu_sbi_set_shmem(cpu, SBI_SHMEM_DISABLE))
		atomic_inc(&b->kept);
	/* It has stopped cycle and instret, which run from reset on, with an event or without. */
	if (b->pmu->layout.fixed && sbi_pmu_sbi_start(cpu, b->pmu->layout.fixed, 0, 0))
		pr_debug("CPU %d: firmware does not start cycle and instret\n", smp_processor_id());
}

/* Return: 0; or -EBUSY if somebody has an event, and nothing has changed. */
static int stop(struct builtin *b)
{
	void *page;
	int cpu, ret;

	/* It configures and releases counters, for a while after each probe. */
	flush_work(b->check_events);
	/* A CPU that goes offline here would keep the interrupt, or one that comes enable it. */
	cpu_hotplug_disable();
	ret = perf_pmu_unregister_unused(&b->riscv->pmu);
	if (ret) {
		cpu_hotplug_enable();
		return ret;
	}
	cpuhp_state_remove_instance_nocalls(CPUHP_AP_PERF_RISCV_STARTING, &b->riscv->node);
	cpu_pm_unregister_notifier(&b->riscv->riscv_pm_nb);
	on_each_cpu(stop_here, b, true);
	if (b->irq)
		free_percpu_irq(b->irq, b->riscv->hw_events);
	cpu_hotplug_enable();
	unregister_sysctl_table(b->sysctl);
	/* Else events that come before the next probe has allocated memory would use it. */
	if (b->snapshot)
		static_key_disable(&b->snapshot_key->key);
	/* Wait for notifiers of CPU_PM that still run, and for what perf core frees later. */
	synchronize_rcu();
	rcu_barrier();
	for_each_possible_cpu(cpu) {
		page = riscv_pmu_snapshot_page(per_cpu_ptr(b->riscv->hw_events, cpu));
		/* Firmware may still write to the pages that it has kept. */
		if (!atomic_read(&b->kept))
			free_page((unsigned long)page);
	}
	free_percpu(b->riscv->hw_events);
	kfree(b->riscv);
	return 0;
}

/* The other driver asks for event -2 then, which old firmware uses as an index into its memory. */
static bool can_start_again(const struct sbi_pmu *pmu)
{
	return pmu->id.impl != SBI_IMPL_OPENSBI || pmu->id.impl_version >= OPENSBI_VERSION(1, 2);
}

/*
 * Stop the built-in driver, so that there is no other CPU PMU: pmu->builtin. If it is @asked_for
 * also if KVM loses its counters by that. Later failures must call sbi_pmu_give_back().
 * Context: may sleep. Return: NULL, or in words for the log why nothing has been changed.
 */
const char *sbi_pmu_take_over(struct sbi_pmu *pmu, bool asked_for)
{
	struct builtin b = { .pmu = pmu };
	struct device *dev;
	const char *why;

	if (!PERF_PMU_REFUSES_IN_USE)
		return too_old;
	if (!can_start_again(pmu))
		return old_firmware;
	/* Each counter of a guest is an event of the PMU "cpu". */
	if (!asked_for && pmu->caps.has_h && sbi_pmu_lookup("kvm_get_kvm"))
		return kvm_loaded;
	dev = bus_find_device_by_name(&platform_bus_type, NULL, DRIVER);
	if (!dev)
		return "the other driver is not riscv_pmu_sbi";
	/* Not while somebody binds or unbinds it. */
	device_lock(dev);
	why = inspect(&b, dev);
	if (!why && stop(&b))
		why = in_use;
	device_unlock(dev);
	if (why) {
		put_device(dev);
		return why;
	}
	pmu->builtin.device = dev;
	pmu->builtin.samples = b.irq;
	return NULL;
}

/*
 * There is no CPU PMU. If the built-in driver has its device nevertheless, it did not start again
 * when the module was unloaded before: what it left is as after sbi_pmu_take_over().
 */
void sbi_pmu_find_stopped(struct sbi_pmu *pmu)
{
	struct device *dev = bus_find_device_by_name(&platform_bus_type, NULL, DRIVER);
	struct ctl_table_header *sysctl = dev ? find_sysctl(pmu) : NULL;

	/* The probe that has registered it has failed later. */
	if (sysctl)
		unregister_sysctl_table(sysctl);
	if (PERF_PMU_REFUSES_IN_USE && can_start_again(pmu) && pmu->builtin.user_access)
		pmu->builtin.device = dev;
	else
		put_device(dev);
}

/*
 * Start the built-in driver again, if it was stopped; this one uses no counter and no interrupt any
 * more. Context: may sleep.
 */
void sbi_pmu_give_back(struct sbi_pmu *pmu)
{
	void **counters = sbi_pmu_lookup_variable("pmu_ctr_list");
	struct device *dev = pmu->builtin.device;
	struct riscv_pmu *riscv = NULL;
	char *owner = NULL;
	void *old;
	bool taken;

	if (!dev)
		return;
	old = counters ? *counters : NULL;
	/* If its PMU cannot be registered, as another has its name or type, its probe crashes. */
	if ((sbi_pmu_find_pmus(pmu, &owner, &taken) || (pmu->exclusive && !taken)) &&
	    !device_reprobe(dev))
		riscv = pmu_of(dev);
	if (!riscv)
		pr_err("riscv_pmu_sbi has not come back: start the machine again to have it, or load this module\n");
	else if (pmu->builtin.samples && riscv->pmu.capabilities & PERF_PMU_CAP_NO_INTERRUPT)
		pr_err("riscv_pmu_sbi has come back without its interrupt: it takes no samples until the machine is started again\n");
	/* It has made a new list and left the old one, at which KVM may be looking. */
	if (riscv && old && *counters != old && !sbi_pmu_lookup("kvm_get_kvm"))
		kfree(old);
	kfree(owner);
	put_device(dev);
	pmu->builtin.device = NULL;
}
