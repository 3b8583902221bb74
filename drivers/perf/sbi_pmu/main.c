// SPDX-License-Identifier: GPL-2.0-only
/*
 * main: the module comes and goes, and so do harts.
 */
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpufeature.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/hwcap.h>
#include <asm/io.h>

#include "sbi_pmu.h"

static unsigned int width = 64;
module_param(width, uint, 0444);
MODULE_PARM_DESC(width, "bits that hardware counters have at most, where firmware says more than is true (27-64, default 64)");

static char *overflow = "auto";
module_param(overflow, charp, 0444);
MODULE_PARM_DESC(overflow, "what makes samples: lcofi (the interrupt), timer, none, or auto (default): lcofi where it works, timer else");

static char *snapshot = "auto";
module_param(snapshot, charp, 0444);
MODULE_PARM_DESC(snapshot, "have firmware tell of all counters at once, through shared memory: on, off, or auto (default): where that is quicker than to read them");

static char *xiangshan = "auto";
module_param(xiangshan, charp, 0444);
MODULE_PARM_DESC(xiangshan, "XiangShan's event table: user-guide, v2r2-2025, v2r2-2026, v3, off, or auto (default): what the device tree says, or the core if it is clear");

static bool xiangshan_check;
module_param(xiangshan_check, bool, 0444);
MODULE_PARM_DESC(xiangshan_check, "at load, count two XiangShan events that happen on every cycle, and say so if the table is wrong (default: no)");

/* The core hands hotplug callbacks a CPU and nothing else. */
static struct sbi_pmu *the_pmu;
static enum cpuhp_state hotplug_state;

/* ---- harts ---- */

static void cpu_up(void *arg)
{
	struct sbi_pmu_cpu *cpu = arg;

	sbi_pmu_slots_up(&cpu->slots);
	sbi_pmu_direct_up(cpu);
}

static void cpu_down(void *arg)
{
	struct sbi_pmu_cpu *cpu = arg;

	sbi_pmu_slots_down(&cpu->slots);
	sbi_pmu_direct_down(cpu);
}

/* On the hart, before tasks run there. */
static int hotplug_online(unsigned int cpu)
{
	struct sbi_pmu *pmu = the_pmu;
	struct sbi_pmu_cpu *hart = per_cpu_ptr(pmu->cpu, cpu);
	struct sbi_pmu_inventory *inv;
	int ret;

	inv = kzalloc(sizeof(*inv), GFP_KERNEL);
	if (!inv)
		return -ENOMEM;
	ret = sbi_pmu_fw_inventory(&hart->slots.fw, inv);
	if (ret || !sbi_pmu_inventory_equal(inv, &pmu->inv)) {
		cpumask_clear_cpu(cpu, &pmu->alike);
		if (ret)
			pr_warn("CPU %u: firmware does not say what counters it has (%d): no events on it\n",
				cpu, ret);
		else
			pr_warn("CPU %u has other counters than the one probed: no events on it\n",
				cpu);
	} else {
		smp_call_function_single(cpu, cpu_up, hart, true);
		cpumask_set_cpu(cpu, &pmu->alike);
		cpumask_set_cpu(cpu, &pmu->cpus);
		sbi_pmu_overflow_up(pmu);
	}
	kfree(inv);
	return 0;
}

static int hotplug_offline(unsigned int cpu)
{
	struct sbi_pmu *pmu = the_pmu;
	struct sbi_pmu_cpu *hart = per_cpu_ptr(pmu->cpu, cpu);

	if (!cpumask_test_and_clear_cpu(cpu, &pmu->cpus))
		return 0;
	sbi_pmu_overflow_down(pmu);
	smp_call_function_single(cpu, cpu_down, hart, true);
	sbi_pmu_timer_stop(hart);
	return 0;
}

/* On the hart that goes to sleep or wakes, interrupts off. */
static int power_notify(struct notifier_block *nb, unsigned long action, void *unused)
{
	struct sbi_pmu *pmu = container_of(nb, struct sbi_pmu, sleep);
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);
	struct sbi_pmu_slots *slots = &cpu->slots;

	if (!slots->online)
		return NOTIFY_OK;
	switch (action) {
	case CPU_PM_ENTER:
		sbi_pmu_slots_suspend(slots);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		sbi_pmu_slots_resume(slots);
		sbi_pmu_overflow_arm(cpu);
		sbi_pmu_direct_up(cpu);
		break;
	}
	return NOTIFY_OK;
}

/* ---- the module ---- */

/* "OpenSBI 1.9" and the like, from ids that the SBI specification lists. */
static void firmware_name(const struct sbi_pmu_firmware_id *id, char *buf, size_t size)
{
	static const char * const names[] = {
		"BBL", "OpenSBI", "Xvisor", "KVM", "RustSBI", "Diosix", "Coffer",
		"Xen", "PolarFire HSS", "coreboot", "oreboot", "bhyve",
	};
	const char *name = id->impl < ARRAY_SIZE(names) ? names[id->impl] : "unknown firmware";

	if (id->impl == SBI_IMPL_OPENSBI)
		snprintf(buf, size, "%s %lu.%lu", name, id->impl_version >> 16,
			 id->impl_version & 0xffff);
	else
		snprintf(buf, size, "%s %#lx", name, id->impl_version);
}

static void log_found(const struct sbi_pmu *pmu, const char *owner, const char *sampling)
{
	struct sbi_pmu_mask hw = sbi_pmu_inventory_hardware(&pmu->inv);
	char firmware[48];

	firmware_name(&pmu->id, firmware, sizeof(firmware));
	pr_info("%s: %s PMU on SBI %lu.%lu (%s): %u hardware + %u firmware counters, %s%s, %s%s\n",
		SBI_PMU_VERSION, pmu->name,
		FIELD_GET(SBI_SPEC_MAJOR, pmu->id.spec), FIELD_GET(SBI_SPEC_MINOR, pmu->id.spec),
		firmware, sbi_pmu_mask_weight(&hw), sbi_pmu_mask_weight(&pmu->inv.firmware),
		owner ? "beside PMU " : "sole owner", owner ?: "", sampling,
		pmu->snapshot == SBI_PMU_SNAPSHOT_USED ? ", read by snapshot" : "");
	if (owner)
		pr_info("to own the PMU boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit\n");
	if (pmu->inv.beyond)
		pr_warn("%lu counters past index %u are not used\n", pmu->inv.beyond,
			SBI_PMU_MAX_CTRS - 1);
	if (pmu->inv.narrow)
		pr_warn("%u hardware counters of less than %u bits are not used: they come round too soon\n",
			pmu->inv.narrow, SBI_PMU_MIN_WIDTH);
}

static int learn_machine(struct sbi_pmu *pmu)
{
	struct sbi_pmu_mask all;
	int ret, cpu;

	ret = sbi_pmu_sbi_probe(&pmu->id);
	if (ret) {
		pr_err("firmware (SBI %lu.%lu) has no PMU extension: update it, OpenSBI has had one since 1.0\n",
		       FIELD_GET(SBI_SPEC_MAJOR, pmu->id.spec),
		       FIELD_GET(SBI_SPEC_MINOR, pmu->id.spec));
		return ret;
	}

	/* They are events of KVM's kernel, as the others are. */
	for_each_possible_cpu(cpu)
		per_cpu_ptr(pmu->cpu, cpu)->slots.fw.alike = sbi_pmu_in_kvm(pmu);
	/* Any hart will do: those that turn out different are left out. */
	preempt_disable();
	ret = sbi_pmu_fw_inventory(&this_cpu_ptr(pmu->cpu)->slots.fw, &pmu->inv);
	preempt_enable();
	pmu->wrap_ns = sbi_pmu_inventory_wrap_ns(&pmu->inv);
	all = sbi_pmu_inventory_all(&pmu->inv);
	if (ret || sbi_pmu_mask_empty(&all)) {
		pr_err("firmware offers no counters: check its device tree, or the CPU model of the emulator\n");
		return ret ?: -ENODEV;
	}

	pmu->able.filter = riscv_isa_extension_available(NULL, SSCOFPMF);
	/* OpenSBI before 1.5 takes any code for an index into its own memory. */
	pmu->able.further = pmu->id.impl != SBI_IMPL_OPENSBI ||
			    pmu->id.impl_version >= SBI_OPENSBI_VERSION(1, 5);
	pmu->able.guests = riscv_isa_extension_available(NULL, h);
	sbi_pmu_lookup_functions(pmu);
	return 0;
}

#define NAME_SOLE	"cpu"
#define NAME_BESIDE	"sbi_pmu"

/* Sole owner of the CPU PMU, or beside another? @owner is for kfree(). */
static int choose_mode(struct sbi_pmu *pmu, char **owner)
{
	bool taken;
	int ret, cpu;

	ret = sbi_pmu_lookup_pmus(PERF_TYPE_RAW, owner, NAME_BESIDE, &taken);
	if (!ret && !*owner)
		ret = sbi_pmu_lookup_pmus(PERF_TYPE_RAW, owner, NAME_SOLE, &taken);
	if (ret)
		return ret;
	pmu->sole = !*owner;
	pmu->name = pmu->sole ? NAME_SOLE : NAME_BESIDE;
	/*
	 * KVM has cycles, instructions and each firmware event once, for whoever asks
	 * last, and one snapshot memory.
	 */
	if (!pmu->sole && sbi_pmu_in_kvm(pmu)) {
		pr_err("PMU '%s' has this guest's counters, and KVM has no others: boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit\n",
		       *owner);
		kfree(*owner);
		return -EBUSY;
	}
	if (taken) {
		pr_err("there is a PMU '%s' already (see /sys/bus/event_source/devices): unload the module that brought it\n",
		       pmu->name);
		kfree(*owner);
		return -EBUSY;	/* -EEXIST from a module's init means: loaded already */
	}
	for_each_possible_cpu(cpu)
		per_cpu_ptr(pmu->cpu, cpu)->slots.sole = pmu->sole;
	return 0;
}

/* ---- how counters are read ---- */

static int give_memory(struct sbi_pmu_slots *slots)
{
	slots->memory = (struct sbi_pmu_snapshot *)get_zeroed_page(GFP_KERNEL);
	if (!slots->memory)
		return -ENOMEM;
	slots->address = virt_to_phys(slots->memory);
	return 0;
}

/* Memory that firmware does not give back is nobody else's for ever. */
static void free_memory(struct sbi_pmu_slots *slots)
{
	if (slots->owed)
		pr_err("firmware keeps the snapshot memory at %#llx: that page is lost\n",
		       slots->address);
	else
		free_page((unsigned long)slots->memory);
	slots->memory = NULL;
	slots->lent = slots->owed = false;
}

/* Context: on a hart, interrupts off. Each other is taken to be like it. */
static void learn_manner(void *arg)
{
	struct sbi_pmu *pmu = arg;
	struct sbi_pmu_slots *slots = &this_cpu_ptr(pmu->cpu)->slots;

	/* Other firmware has no such memory, and is what it always was. */
	if (!sbi_pmu_slots_lend(slots) && !sbi_pmu_in_kvm(pmu)) {
		sbi_pmu_slots_take_back(slots);
		return;
	}
	sbi_pmu_slots_up(slots);
	sbi_pmu_slots_manner(slots, sched_clock, &pmu->manner);
	sbi_pmu_slots_down(slots);
}

/* By memory, or one by one? */
static int choose_reading(struct sbi_pmu *pmu)
{
	enum { AUTO, ON, OFF };
	static const char * const choices[] = { [AUTO] = "auto", [ON] = "on", [OFF] = "off" };
	const int choice = match_string(choices, ARRAY_SIZE(choices), snapshot);
	int ret, cpu = 0;

	if (choice < 0) {
		pr_err("snapshot=%s: auto, on and off are known\n", snapshot);
		return -EINVAL;
	}
	if (pmu->sole) {
		cpus_read_lock();
		cpu = cpumask_any(cpu_online_mask);
		ret = give_memory(&per_cpu_ptr(pmu->cpu, cpu)->slots);
		if (!ret)
			smp_call_function_single(cpu, learn_manner, pmu, true);
		free_memory(&per_cpu_ptr(pmu->cpu, cpu)->slots);
		cpus_read_unlock();
		if (ret)
			return ret;
	}
	if (choice == ON && !pmu->manner.tells) {
		pr_err("snapshot=on: %s\n", pmu->sole ?
		       "firmware has no snapshot memory (SBI 2.0), or it does not work" :
		       "the other PMU may use the snapshot memory");
		return -EOPNOTSUPP;
	}
	if (pmu->manner.tells)
		pmu->snapshot = choice == ON || (choice == AUTO && pmu->manner.pays) ?
				SBI_PMU_SNAPSHOT_USED : SBI_PMU_SNAPSHOT_UNUSED;
	for_each_possible_cpu(cpu) {
		struct sbi_pmu_slots *slots = &per_cpu_ptr(pmu->cpu, cpu)->slots;

		slots->sums = pmu->manner.sums;
		slots->guest = sbi_pmu_in_kvm(pmu);
		if (pmu->snapshot == SBI_PMU_SNAPSHOT_USED && give_memory(slots))
			return -ENOMEM;
	}
	return 0;
}

/*
 * What makes samples? @text is told in words for the log. Where the interrupt is
 * wanted and cannot be had, the module does not load: better than less than asked.
 */
static int choose_source(struct sbi_pmu *pmu, char *text, size_t size)
{
	enum { AUTO, LCOFI, TIMER, NONE };
	static const char * const choices[] = {
		[AUTO] = "auto", [LCOFI] = "lcofi", [TIMER] = "timer", [NONE] = "none",
	};
	const int choice = match_string(choices, ARRAY_SIZE(choices), overflow);
	const char *why = "asked for";

	if (choice < 0) {
		pr_err("overflow=%s: auto, lcofi, timer and none are known\n", overflow);
		return -EINVAL;
	}
	if (!pmu->overflow)
		why = "perf_event_overflow not found: is CONFIG_KPROBES on?";
	if (!pmu->overflow && (choice == LCOFI || choice == TIMER)) {
		pr_err("overflow=%s: %s\n", overflow, why);
		return -EOPNOTSUPP;
	}
	if (choice == NONE || !pmu->overflow) {
		snprintf(text, size, "counting only (%s)", why);
		return 0;
	}
	if (choice != TIMER)
		why = sbi_pmu_overflow_probe(pmu);
	if (choice == LCOFI && why) {
		pr_err("overflow=lcofi: %s\n", why);
		return -EOPNOTSUPP;
	}
	pmu->poll = choice != LCOFI;
	pmu->source = why ? SBI_PMU_BY_TIMER : SBI_PMU_BY_LCOFI;
	if (why)
		snprintf(text, size, "overflow by timer (%s)", why);
	else
		snprintf(text, size, "overflow by LCOFI");
	return 0;
}

static int register_pmu(struct sbi_pmu *pmu)
{
	int ret;

	sbi_pmu_perf_init(pmu);
	/* Now, not under the lock that perf core holds while it makes the files. */
	sbi_pmu_truth_learn(pmu);
	ret = sbi_pmu_sysfs_names(pmu);
	if (ret)
		return ret;
	pmu->pmu.attr_groups = pmu->sole ? sbi_pmu_attr_groups_sole : sbi_pmu_attr_groups_beside;
	ret = perf_pmu_register(&pmu->pmu, pmu->name, pmu->sole ? PERF_TYPE_RAW : -1);
	if (ret)
		pr_err("perf core refuses PMU '%s' (%d)\n", pmu->name, ret);
	return ret;
}

static struct sbi_pmu *pmu_alloc(void)
{
	struct sbi_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);
	int cpu;

	if (!pmu)
		return NULL;
	mutex_init(&pmu->truth_lock);
	hash_init(pmu->truths);
	pmu->direct.openable = ~0;
	hash_init(pmu->direct.readers);
	spin_lock_init(&pmu->direct.lock);
	pmu->sleep.notifier_call = power_notify;
	pmu->cpu = alloc_percpu(struct sbi_pmu_cpu);
	if (!pmu->cpu) {
		kfree(pmu);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		struct sbi_pmu_cpu *hart = per_cpu_ptr(pmu->cpu, cpu);

		hart->pmu = pmu;
		hart->slots.inv = &pmu->inv;
		hart->slots.fw.call = sbi_pmu_sbi_call;
		hart->slots.fw.width_limit = width;
		hart->slots.read_csr = sbi_pmu_csr_read;
		sbi_pmu_timer_init(hart);
	}
	return pmu;
}

static void pmu_free(struct sbi_pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		free_memory(&per_cpu_ptr(pmu->cpu, cpu)->slots);
	sbi_pmu_sysfs_free(pmu);
	sbi_pmu_truth_free(pmu);
	free_percpu(pmu->cpu);
	kfree(pmu);
}

static int __init sbi_pmu_init(void)
{
	struct sbi_pmu *pmu;
	char *owner, sampling[96];
	int ret;

	if (width < SBI_PMU_MIN_WIDTH || width > 64) {
		pr_err("width=%u: counters of %u to 64 bits can be used\n", width,
		       SBI_PMU_MIN_WIDTH);
		return -EINVAL;
	}
	pmu = pmu_alloc();
	if (!pmu)
		return -ENOMEM;
	ret = learn_machine(pmu);
	if (ret)
		goto err_free;
	ret = sbi_pmu_xiangshan_choose(pmu, xiangshan);
	if (ret)
		goto err_free;

	ret = choose_mode(pmu, &owner);
	if (ret)
		goto err_free;

	ret = choose_reading(pmu);
	if (ret)
		goto err_owner;

	ret = choose_source(pmu, sampling, sizeof(sampling));
	if (ret)
		goto err_owner;

	the_pmu = pmu;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/sbi_pmu:online",
				hotplug_online, hotplug_offline);
	if (ret < 0)
		goto err_source;
	hotplug_state = ret;

	ret = cpu_pm_register_notifier(&pmu->sleep);
	if (ret)
		goto err_hotplug;
	sbi_pmu_direct_init(pmu);
	ret = register_pmu(pmu);
	if (ret)
		goto err_direct;
	sbi_pmu_debugfs_init(pmu);
	log_found(pmu, owner, sampling);
	sbi_pmu_xiangshan_log(pmu, xiangshan_check);
	kfree(owner);
	return 0;

err_direct:
	sbi_pmu_direct_exit(pmu);
	cpu_pm_unregister_notifier(&pmu->sleep);
err_hotplug:
	cpuhp_remove_state(hotplug_state);
err_source:
	the_pmu = NULL;
	sbi_pmu_overflow_free(pmu);
err_owner:
	kfree(owner);
err_free:
	pmu_free(pmu);
	return ret;
}

static void __exit sbi_pmu_exit(void)
{
	struct sbi_pmu *pmu = the_pmu;

	sbi_pmu_debugfs_exit(pmu);
	perf_pmu_unregister(&pmu->pmu);
	sbi_pmu_direct_exit(pmu);
	cpu_pm_unregister_notifier(&pmu->sleep);
	cpuhp_remove_state(hotplug_state);
	the_pmu = NULL;
	sbi_pmu_overflow_free(pmu);
	pmu_free(pmu);
}

module_init(sbi_pmu_init);
module_exit(sbi_pmu_exit);

MODULE_DESCRIPTION("perf PMU on the RISC-V SBI PMU extension");
MODULE_VERSION(SBI_PMU_VERSION);
MODULE_LICENSE("GPL");
