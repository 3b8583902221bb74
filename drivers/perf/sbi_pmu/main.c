// SPDX-License-Identifier: GPL-2.0-only
/* main: the module, its parameters, what is probed in which order, and the log line. */
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/hwcap.h>
#include <asm/vendor_extensions.h>
#include <asm/vendor_extensions/andes.h>
#include <asm/vendorid_list.h>

#include "backend_select.h"
#include "cpu.h"
#include "debugfs.h"
#include "overflow.h"
#include "perf_symbols.h"
#include "pmu.h"
#include "sbi.h"
#include "sysfs.h"
#include "user_access.h"

static unsigned int width = 64;
module_param(width, uint, 0444);
MODULE_PARM_DESC(width, "bits that hardware counters have at most, where firmware says more than is true and they cannot be measured (27-64, default 64)");

static char *overflow = "auto";
module_param(overflow, charp, 0444);
MODULE_PARM_DESC(overflow, "what makes samples: an overflow interrupt (lcofi, thead, andes), timer, none, or auto (default): the interrupt where it works, else timer");

static char *backend = "auto";
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend, "how counters are programmed: csr (delegated counters, no SBI calls; experimental), snapshot (shared memory, all counters by one call), sbi (single SBI calls), or auto (default): csr if the core has an event table and firmware delegates its counters, else snapshot if it is faster than sbi");

/* The only instance, for module_exit() */
static struct sbi_pmu *the_pmu;

/* "OpenSBI 1.9" and the like, from implementation ids (SBI 3.0, 4.9). */
static void firmware_name(const struct sbi_pmu_firmware_id *id, char *buf, size_t size)
{
	static const char * const names[] = {
		"BBL",    "OpenSBI", "Xvisor",        "KVM",      "RustSBI", "Diosix",
		"Coffer", "Xen",     "PolarFire HSS", "coreboot", "oreboot", "bhyve",
	};
	const char *name = id->impl < ARRAY_SIZE(names) ? names[id->impl] : "unknown firmware";

	if (id->impl == SBI_IMPL_OPENSBI)
		snprintf(buf, size, "%s %lu.%lu", name, id->impl_version >> 16,
			 id->impl_version & 0xffff);
	else
		snprintf(buf, size, "%s %#lx", name, id->impl_version);
}

static unsigned long spec_major(const struct sbi_pmu *pmu)
{
	return pmu->id.spec >> SBI_SPEC_VERSION_MAJOR_SHIFT & SBI_SPEC_VERSION_MAJOR_MASK;
}

static unsigned long spec_minor(const struct sbi_pmu *pmu)
{
	return pmu->id.spec & SBI_SPEC_VERSION_MINOR_MASK;
}

static void log_found(const struct sbi_pmu *pmu, const char *owner, const char *sampling)
{
	static const char * const backend_text[] = {
		[SBI_PMU_BACKEND_SBI] = "",
		[SBI_PMU_BACKEND_SNAPSHOT] = ", read by snapshot",
		[SBI_PMU_BACKEND_CSR] = ", delegated counters",
	};
	const u64 hw = sbi_pmu_inventory_hardware(&pmu->inv);
	char firmware[48];

	firmware_name(&pmu->id, firmware, sizeof(firmware));
	pr_info("%s: %s PMU on SBI %lu.%lu (%s): %u hardware + %u firmware counters, %s%s, %s%s\n",
		SBI_PMU_VERSION, pmu->name, spec_major(pmu), spec_minor(pmu), firmware,
		(unsigned int)hweight64(hw), (unsigned int)hweight64(pmu->inv.firmware),
		owner ? "shared with PMU " : "exclusive", owner ?: "", sampling,
		backend_text[pmu->backend]);
	if (pmu->inv.free_running)
		pr_info("firmware has no counter for %s: their CSRs are read as they run, without :u and :k, and sampled by timer; what a device tree can change is in sbi-pmu.rst\n",
			sbi_pmu_free_running_names(&pmu->inv));
	if (owner)
		pr_info("for exclusive mode boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit\n");
	if (pmu->inv.beyond)
		pr_warn("%lu counters past index %u are not used\n", pmu->inv.beyond,
			SBI_PMU_MAX_COUNTERS - 1);
	if (pmu->inv.without_csr)
		pr_warn("%u counters are not used: firmware names a CSR for them that is no counter, or that another counter has\n",
			pmu->inv.without_csr);
	if (pmu->inv.narrow)
		pr_warn("%u hardware counters of less than %u bits are not used: they wrap too soon\n",
			pmu->inv.narrow, SBI_PMU_MIN_WIDTH);
}

/* The overflow interrupt of the cores, and what their counters can do. */
static void probe_irq_source(struct sbi_pmu *pmu)
{
	struct sbi_pmu_irq_ids ids = {
		.sscofpmf = riscv_isa_extension_available(NULL, SSCOFPMF),
		.xandespmu = riscv_isa_vendor_extension_available(ANDES_VENDOR_ID, XANDESPMU),
		.mimpid = sbi_pmu_sbi_mimpid(),
	};

	sbi_pmu_sbi_core_ids(&ids.mvendorid, &ids.marchid);
	pmu->irq_source = sbi_pmu_irq_source_of(&ids);
	pmu->caps.filter = pmu->irq_source && pmu->irq_source->filters;
	pmu->caps.fixed_alike = pmu->irq_source && pmu->irq_source->fixed;
}

static int probe_machine(struct sbi_pmu *pmu)
{
	u64 all;
	int ret;

	ret = sbi_pmu_sbi_probe(&pmu->id);
	if (ret) {
		pr_err("firmware (SBI %lu.%lu) has no PMU extension: update it, OpenSBI has had one since 1.0\n",
		       spec_major(pmu), spec_minor(pmu));
		return ret;
	}

	memset(pmu->limits.width, width, sizeof(pmu->limits.width));
	pmu->limits.homogeneous = sbi_pmu_in_kvm(pmu);
	/* Any CPU will do: those that turn out to be different are not used. */
	preempt_disable();
	ret = sbi_pmu_probe_inventory(&this_cpu_ptr(pmu->cpu)->counters.backend.sbi, &pmu->limits,
				      &pmu->inv);
	preempt_enable();
	pmu->wrap_ns = sbi_pmu_inventory_wrap_ns(&pmu->inv);
	all = sbi_pmu_inventory_all(&pmu->inv);
	if (ret || !all) {
		pr_err("firmware offers no counters: check its device tree, or the CPU model of the emulator\n");
		return ret ?: -ENODEV;
	}

	probe_irq_source(pmu);
	pmu->caps.has_h = riscv_isa_extension_available(NULL, h);
	/* OpenSBI before 1.5 uses any code as an index into its own memory. */
	pmu->caps.nonstandard_fw = pmu->id.impl != SBI_IMPL_OPENSBI ||
				   pmu->id.impl_version >= OPENSBI_VERSION(1, 5);
	sbi_pmu_find_symbols(pmu);
	return 0;
}

static int match_vendor(struct sbi_pmu *pmu)
{
	for (const struct sbi_pmu_vendor * const *v = sbi_pmu_vendors; *v; v++) {
		const int ret = (*v)->match(&pmu->caps.vendor_data);

		if (!ret)
			pmu->caps.vendor = *v;
		if (ret != -ENODEV)
			return ret;
	}
	return 0;
}

/* On one CPU; cpu.c checks the others. In shared mode only OpenSBI's refusals are understood. */
static void find_free_running(struct sbi_pmu *pmu)
{
	struct sbi_pmu_counters *c;
	unsigned long flags;

	if (!pmu->exclusive && pmu->id.impl != SBI_IMPL_OPENSBI)
		return;
	/* Delegated ones need nobody to hand them out. */
	if (pmu->backend == SBI_PMU_BACKEND_CSR)
		return;
	local_irq_save(flags);
	c = &this_cpu_ptr(pmu->cpu)->counters;
	sbi_pmu_counters_online(c);
	pmu->inv.free_running = sbi_pmu_probe_free_running(&c->backend, &c->plan, sched_clock);
	sbi_pmu_counters_offline(c);
	local_irq_restore(flags);
}

#define NAME_EXCLUSIVE	"cpu"
#define NAME_SHARED	"sbi_pmu"

/* Is there another CPU PMU, such as riscv_pmu_sbi's? @owner is its name, for kfree(). */
static int choose_mode(struct sbi_pmu *pmu, char **owner)
{
	bool taken;
	int ret, cpu;

	ret = sbi_pmu_find_pmus(PERF_TYPE_RAW, owner, NAME_SHARED, &taken);
	if (!ret && !*owner)
		ret = sbi_pmu_find_pmus(PERF_TYPE_RAW, owner, NAME_EXCLUSIVE, &taken);
	if (ret)
		return ret;
	pmu->exclusive = !*owner;
	pmu->name = pmu->exclusive ? NAME_EXCLUSIVE : NAME_SHARED;
	/* OpenSBI writes out of bounds if it has no free firmware counter for such an event. */
	pmu->caps.platform_fw = pmu->exclusive || pmu->id.impl != SBI_IMPL_OPENSBI;
	/* KVM has one counter for cycles, instructions and each firmware event, and one shmem. */
	if (!pmu->exclusive && sbi_pmu_in_kvm(pmu)) {
		pr_err("PMU '%s' uses this guest's counters, and KVM has no others: boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit\n",
		       *owner);
		kfree(*owner);
		return -EBUSY;
	}
	if (taken) {
		pr_err("there is a PMU '%s' already (see /sys/bus/event_source/devices): unload the module that registered it\n",
		       pmu->name);
		kfree(*owner);
		return -EBUSY; /* -EEXIST from a module's init means: loaded already */
	}
	for_each_possible_cpu(cpu)
		per_cpu_ptr(pmu->cpu, cpu)->counters.backend.exclusive = pmu->exclusive;
	return 0;
}

/* @text is for the log. Without an interrupt that is asked for, the module does not load. */
static int choose_overflow(struct sbi_pmu *pmu, char *text, size_t size)
{
	enum { AUTO, TIMER, NONE, INTERRUPT };
	static const char * const choices[] = {
		[AUTO] = "auto",
		[TIMER] = "timer",
		[NONE] = "none",
	};
	const struct sbi_pmu_irq_source *wanted = sbi_pmu_irq_source_named(overflow);
	const int choice = wanted ? INTERRUPT :
				    match_string(choices, ARRAY_SIZE(choices), overflow);
	const char *why = "asked for";

	if (choice < 0) {
		pr_err("overflow=%s: auto, lcofi, thead, andes, timer and none are known\n",
		       overflow);
		return -EINVAL;
	}
	if (!pmu->perf_event_overflow)
		why = "perf_event_overflow not found: is CONFIG_KPROBES on?";
	if (!pmu->perf_event_overflow && (wanted || choice == TIMER)) {
		pr_err("overflow=%s: %s\n", overflow, why);
		return -EOPNOTSUPP;
	}
	if (choice == NONE || !pmu->perf_event_overflow) {
		snprintf(text, size, "counting only (%s)", why);
		return 0;
	}
	if (wanted && wanted != pmu->irq_source)
		why = wanted->missing;
	else if (choice != TIMER)
		why = sbi_pmu_overflow_request(pmu);
	if (wanted && why) {
		pr_err("overflow=%s: %s\n", overflow, why);
		return -EOPNOTSUPP;
	}
	pmu->poll = !wanted;
	pmu->source = why ? SBI_PMU_OVERFLOW_TIMER : SBI_PMU_OVERFLOW_IRQ;
	if (why)
		snprintf(text, size, "sampling by timer (%s)", why);
	else
		snprintf(text, size, "sampling by %s", pmu->irq_source->title);
	return 0;
}

static struct sbi_pmu *pmu_alloc(void)
{
	struct sbi_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);

	if (!pmu)
		return NULL;
	hash_init(pmu->user_access.readers);
	spin_lock_init(&pmu->user_access.lock);
	sbi_pmu_support_init(&pmu->support);
	if (sbi_pmu_cpu_alloc(pmu)) {
		kfree(pmu);
		return NULL;
	}
	return pmu;
}

static void pmu_free(struct sbi_pmu *pmu)
{
	sbi_pmu_backend_free(pmu);
	if (pmu->caps.vendor && pmu->caps.vendor->remove)
		pmu->caps.vendor->remove(pmu->caps.vendor_data);
	sbi_pmu_support_free(&pmu->support);
	sbi_pmu_cpu_free(pmu);
	kfree(pmu);
}

static void measure_here(void *arg)
{
	struct sbi_pmu *pmu = arg;
	struct sbi_pmu_counters *c = &this_cpu_ptr(pmu->cpu)->counters;

	if (c->online)
		sbi_pmu_probe_widths(&c->backend, &c->plan, &pmu->support.examples, &pmu->limits);
}

static void log_widths(const struct sbi_pmu *pmu, const struct sbi_pmu_inventory *now)
{
	unsigned int i, n = 0, first = 0;

	for_each_counter(i, pmu->inv.programmable) {
		if (pmu->inv.info[i].width == now->info[i].width)
			continue;
		first = n++ ? first : i;
	}
	pr_warn("firmware says that counter %u has %u bits, and it has %u; %u counters are such, their true width is used\n",
		first, pmu->inv.info[first].width, pmu->limits.width[first], n);
}

/* The counters of a CPU that comes online are compared with the result: none may come meanwhile. */
static int measure_widths(struct sbi_pmu *pmu)
{
	struct sbi_pmu_inventory *now = kzalloc(sizeof(*now), GFP_KERNEL);
	int ret;

	if (!now)
		return -ENOMEM;
	cpus_read_lock();
	smp_call_function_single(cpumask_any(&pmu->cpus), measure_here, pmu, true);
	preempt_disable();
	ret = sbi_pmu_probe_inventory(&this_cpu_ptr(pmu->cpu)->counters.backend.sbi, &pmu->limits,
				      now);
	preempt_enable();
	now->free_running = pmu->inv.free_running;
	if (!ret && !sbi_pmu_inventory_equal(now, &pmu->inv)) {
		log_widths(pmu, now);
		pmu->inv = *now;
		pmu->wrap_ns = sbi_pmu_inventory_wrap_ns(&pmu->inv);
		/* Counters may have gone. */
		sbi_pmu_support_free(&pmu->support);
		sbi_pmu_support_probe_all(&pmu->support);
	}
	cpus_read_unlock();
	kfree(now);
	return ret;
}

static int register_pmu(struct sbi_pmu *pmu)
{
	const struct sbi_pmu_vendor *vendor = pmu->caps.vendor;
	int ret;

	sbi_pmu_pmu_init(pmu);
	/* Before perf core makes the sysfs files, as it holds a lock then. */
	sbi_pmu_support_probe_all(&pmu->support);
	if (vendor && vendor->attribute_groups) {
		pmu->pmu.attr_update = vendor->attribute_groups(pmu, pmu->caps.vendor_data);
		if (!pmu->pmu.attr_update)
			return -ENOMEM;
	}
	/* After all probes, so that there is an event for as many counters as possible. */
	ret = measure_widths(pmu);
	if (ret)
		return ret;
	pmu->pmu.attr_groups = sbi_pmu_attr_groups(pmu);
	ret = perf_pmu_register(&pmu->pmu, pmu->name, pmu->exclusive ? PERF_TYPE_RAW : -1);
	if (ret)
		pr_err("perf core refuses PMU '%s' (%d)\n", pmu->name, ret);
	return ret;
}

static void support_init(struct sbi_pmu *pmu)
{
	pmu->support.inv = &pmu->inv;
	pmu->support.caps = &pmu->caps;
	pmu->support.exclusive = pmu->exclusive;
	pmu->support.in_vm = sbi_pmu_in_kvm(pmu);
	pmu->support.cpus = &pmu->cpus;
	pmu->support.this_cpu = sbi_pmu_cpu_counters;
	pmu->support.restart = sbi_pmu_cpu_restart;
}

static int __init sbi_pmu_init(void)
{
	struct sbi_pmu *pmu;
	char *owner = NULL, sampling[96];
	int ret;

	if (width < SBI_PMU_MIN_WIDTH || width > 64) {
		pr_err("width=%u: counters of %u to 64 bits can be used\n", width,
		       SBI_PMU_MIN_WIDTH);
		return -EINVAL;
	}
	pmu = pmu_alloc();
	if (!pmu)
		return -ENOMEM;
	ret = probe_machine(pmu);
	if (ret)
		goto err_free;
	ret = match_vendor(pmu);
	if (ret)
		goto err_free;
	ret = choose_mode(pmu, &owner);
	if (ret)
		goto err_free;
	support_init(pmu);

	ret = sbi_pmu_backend_select(pmu, backend);
	if (ret)
		goto err_owner;
	find_free_running(pmu);
	ret = choose_overflow(pmu, sampling, sizeof(sampling));
	if (ret)
		goto err_owner;
	ret = sbi_pmu_cpu_init();
	if (ret)
		goto err_overflow;
	ret = sbi_pmu_cpu_start(pmu);
	if (ret)
		goto err_cpu;
	sbi_pmu_user_access_init(pmu);
	ret = register_pmu(pmu);
	if (ret)
		goto err_user_access;
	sbi_pmu_debugfs_init(pmu);
	log_found(pmu, owner, sampling);
	if (pmu->caps.vendor && pmu->caps.vendor->log)
		pmu->caps.vendor->log(pmu, pmu->caps.vendor_data);
	kfree(owner);
	the_pmu = pmu;
	return 0;

err_user_access:
	sbi_pmu_user_access_exit(pmu);
	sbi_pmu_cpu_stop(pmu);
err_cpu:
	sbi_pmu_cpu_exit();
err_overflow:
	sbi_pmu_overflow_free(pmu);
err_owner:
	kfree(owner);
err_free:
	pmu_free(pmu);
	return ret;
}

/* No event exists: an open one holds the module. Each CPU releases its counters in cpu_stop(). */
static void __exit sbi_pmu_exit(void)
{
	struct sbi_pmu *pmu = the_pmu;

	sbi_pmu_debugfs_exit(pmu);
	perf_pmu_unregister(&pmu->pmu);
	sbi_pmu_user_access_exit(pmu);
	sbi_pmu_cpu_stop(pmu);
	sbi_pmu_cpu_exit();
	sbi_pmu_overflow_free(pmu);
	pmu_free(pmu);
}

module_init(sbi_pmu_init);
module_exit(sbi_pmu_exit);

MODULE_DESCRIPTION("perf PMU on the RISC-V SBI PMU extension");
MODULE_VERSION(SBI_PMU_VERSION);
MODULE_LICENSE("GPL");
