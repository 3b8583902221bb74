// SPDX-License-Identifier: GPL-2.0-only
/* main: the module, its parameters, what is probed in which order, and the log line. */
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/hwcap.h>

#include <sbi_pmu/version.h>

#include "branch.h"
#include "counter_info.h"
#include "counters.h"
#include "cpu.h"
#include "overflow.h"
#include "perf_symbols.h"
#include "probe.h"
#include "sbi.h"
#include "sysfs.h"
#include "takeover.h"
#include "user_access.h"
#include "vendor.h"

static char *mode = "auto";
module_param(mode, charp, 0444);
MODULE_PARM_DESC(mode, "beside the kernel's built-in driver: exclusive (stop that while the module is loaded, else do not load), shared (use the counters that are left), or auto (default): exclusive if nobody counts and KVM is not loaded, else shared");

static unsigned int width = 64;
module_param(width, uint, 0444);
MODULE_PARM_DESC(width, "bits that hardware counters have at most, where firmware says more than is true and they cannot be measured (27-64, default 64)");

static char *overflow = "auto";
module_param(overflow, charp, 0444);
MODULE_PARM_DESC(overflow, "what makes samples: an overflow interrupt (lcofi, thead, andes), timer, none, or auto (default): the interrupt where it works, else timer");

static char *backend = "auto";
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend, "how counters are programmed: csr (delegated counters, no SBI calls; experimental), snapshot (shared memory, all counters by one call), sbi (single SBI calls), or auto (default): csr if firmware delegates the counters and it is known what they count, else sbi");

static unsigned int branches = 32;
module_param(branches, uint, 0444);
MODULE_PARM_DESC(branches, "branches that a sample has at most, on cores that record them (16, 32 or 64, default 32; 0: none)");

static bool unfiltered;
module_param(unfiltered, bool, 0644);
MODULE_PARM_DESC(unfiltered, "events of a user's own tasks count in all modes where no counter can leave out those that they exclude (:u, :k), in place of being refused (default 0; SECURITY.md says what that shows)");

static const char boot_argument[] =
	"boot with initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit for exclusive mode";
static const char without_names[] =
	"exclusive mode needs CONFIG_KALLSYMS, or no CONFIG_RISCV_PMU_SBI and _LEGACY";

/* What to do in shared mode. The kernel finds the functions of the boot argument by their names. */
static const char *for_exclusive_mode(void)
{
	return IS_ENABLED(CONFIG_KALLSYMS) ? boot_argument : without_names;
}

static const char * const mode_names[] = { "auto", "exclusive", "shared" };
static const char * const backend_names[] = { "auto", "sbi", "snapshot", "csr" };
/* Besides the names of interrupts (irq_source.c) */
static const char * const overflow_names[] = { "auto", "timer", "none" };

/* The first kind of core, for functions that get none, and for what the machine has once */
struct sbi_pmu *sbi_pmu_the_pmu;

/* "SBI 3.0 (OpenSBI 1.9)" and the like, from implementation ids (SBI 3.0, 4.9). */
static void describe_firmware(const struct sbi_pmu_firmware_id *id, char *buf, size_t size)
{
	static const char * const names[] = {
		"BBL",    "OpenSBI", "Xvisor",        "KVM",      "RustSBI", "Diosix",
		"Coffer", "Xen",     "PolarFire HSS", "coreboot", "oreboot", "bhyve",
	};
	const char *name = id->impl < ARRAY_SIZE(names) ? names[id->impl] : "unknown firmware";
	const unsigned long major = id->spec >> SBI_SPEC_VERSION_MAJOR_SHIFT &
				    SBI_SPEC_VERSION_MAJOR_MASK;
	const unsigned long minor = id->spec & SBI_SPEC_VERSION_MINOR_MASK;

	if (id->impl == SBI_IMPL_OPENSBI)
		snprintf(buf, size, "SBI %lu.%lu (%s %lu.%lu)", major, minor, name,
			 id->impl_version >> 16, id->impl_version & 0xffff);
	else
		snprintf(buf, size, "SBI %lu.%lu (%s %#lx)", major, minor, name, id->impl_version);
}

/* @owner: the PMU beside this one, or NULL; @shared: why it is there, see choose_mode() */
static void log_found(struct sbi_pmu *pmu, const char *owner, const char *shared)
{
	const u64 hw = sbi_pmu_hardware(&pmu->layout);
	const char *event = sbi_pmu_first_event(pmu);
	const struct sbi_pmu_code cycles = { .idx = SBI_PMU_HW_CPU_CYCLES };
	u64 candidates;
	char firmware[64], sampling[96], records[48] = "";

	describe_firmware(&pmu->id, firmware, sizeof(firmware));
	if (pmu->no_irq)
		snprintf(sampling, sizeof(sampling), "%s (%s)",
			 pmu->source == SBI_PMU_OVERFLOW_TIMER ? "sampling by timer" :
								 "counting only",
			 pmu->no_irq);
	else
		snprintf(sampling, sizeof(sampling), "sampling by %s", pmu->irq_source->title);
	if (pmu->branch.entries)
		snprintf(records, sizeof(records), ", %u branch records%s", pmu->branch.entries,
			 pmu->branch.tells_types ? "" : " without types");
	pr_info("%s: %s PMU on %s: %u hardware + %u firmware counters, %s%s, %s%s%s\n",
		SBI_PMU_VERSION, pmu->name, firmware, (unsigned int)hweight64(hw),
		(unsigned int)hweight64(pmu->layout.firmware),
		owner ? "shared with PMU " : "exclusive",
		owner               ? owner :
		pmu->builtin.device ? " (taken over from riscv_pmu_sbi, rmmod gives it back)" :
				      "",
		sampling, pmu->backend->in_log ?: "", records);
	if (pmu != sbi_pmu_the_pmu)
		pr_info("PMU %s is that of CPUs %*pbl\n", pmu->name, cpumask_pr_args(&pmu->cpus));
	if (pmu->layout.free_running)
		pr_info("firmware has no counter for %s: their CSRs are read as they run, without :u and :k, and sampled by timer; what a device tree can change is in sbi-pmu.rst\n",
			sbi_pmu_free_running_names(&pmu->layout));
	if (pmu->backend == &sbi_pmu_backend_csr && !strcmp(backend, "auto"))
		pr_info("delegated counters are programmed by CSRs; backend=sbi has firmware program them\n");
	if (owner)
		pr_info("shared mode: %s; %s\n", shared, for_exclusive_mode());
	else if (pmu->builtin.device && pmu->caps.has_h)
		pr_info("KVM guests have no counters of this host while the module is loaded; mode=shared leaves them theirs\n");
	if (sbi_pmu_in_kvm(pmu) && sbi_pmu_find_counters(pmu, &cycles, &candidates))
		pr_info("the host has no cycles for this guest, or denies them (KVM_SET_PMU_EVENT_FILTER): perf record samples the CPU clock\n");
	if (event)
		pr_info("try, as root: perf stat -e %s/%s/ sleep 1; all events: /sys/bus/event_source/devices/%s/events\n",
			pmu->name, event, pmu->name);
	/* KVM denies them by hstateen0. vsctrctl keeps guests from recording, not from reading. */
	if (pmu->branch.entries && pmu->caps.has_h &&
	    !riscv_isa_extension_available(NULL, SMSTATEEN))
		pr_warn("no Smstateen: KVM guests can read the host's branch records, also those of user mode; with branches=0 there are none\n");
	if (pmu->layout.beyond)
		pr_warn("%lu counters past index %u are not used\n", pmu->layout.beyond,
			SBI_PMU_MAX_COUNTERS - 1);
	if (pmu->layout.without_csr)
		pr_warn("%u counters are not used: firmware names a CSR for them that is no counter, or that another counter has\n",
			pmu->layout.without_csr);
	if (pmu->layout.narrow)
		pr_warn("%u hardware counters of less than %u bits are not used: they wrap too soon\n",
			pmu->layout.narrow, SBI_PMU_MIN_WIDTH);
}

/* Ask one CPU, with which cpu.c compares the others. Return: 0, -ENXIO if it is offline. */
static int on_probed_cpu(struct sbi_pmu *pmu, void (*function)(void *arg), void *arg)
{
	const int ret = smp_call_function_single(pmu->probed_cpu, function, arg, true);

	if (ret)
		pr_err("CPU %u went offline while it was probed: load the module again\n",
		       pmu->probed_cpu);
	return ret;
}

/* If firmware returns an error there are no counters. */
static void probe_machine_here(void *arg)
{
	struct sbi_pmu *pmu = arg;

	sbi_pmu_sbi_probe(&pmu->id);
	memset(pmu->max_width, width, sizeof(pmu->max_width));
	if (pmu->id.has_pmu)
		sbi_pmu_probe_layout(this_cpu_ptr(pmu->cpu), pmu->max_width, &pmu->layout);
}

static int probe_machine(struct sbi_pmu *pmu)
{
	char firmware[64];
	int ret;

	ret = on_probed_cpu(pmu, probe_machine_here, pmu);
	if (ret)
		return ret;
	if (!pmu->id.has_pmu) {
		describe_firmware(&pmu->id, firmware, sizeof(firmware));
		pr_err("firmware %s has no PMU extension: update it, OpenSBI has had one since 1.0\n",
		       firmware);
		return -ENODEV;
	}
	pmu->wrap_ns = sbi_pmu_wrap_ns(&pmu->layout);
	if (!(sbi_pmu_hardware(&pmu->layout) | pmu->layout.firmware)) {
		pr_err("firmware offers no counters: check its device tree, or the CPU model of the emulator\n");
		return -ENODEV;
	}

	sbi_pmu_irq_source_probe(pmu);
	pmu->caps.unfiltered = &unfiltered;
	pmu->caps.has_h = riscv_isa_extension_available(NULL, H);
	/* OpenSBI before 1.5 uses any code as an index into its own memory. */
	pmu->caps.nonstandard_fw = pmu->id.impl != SBI_IMPL_OPENSBI ||
				   pmu->id.impl_version >= OPENSBI_VERSION(1, 5);
	sbi_pmu_find_symbols(pmu);
	return sbi_pmu_table_find(&pmu->id, &pmu->caps.table);
}

/* ---- how counters are programmed ---- */

/* Return: NULL, or in words for the log why counters cannot be programmed by CSRs. */
static const char *probe_delegation(struct sbi_pmu *pmu)
{
	/* The other driver has firmware program counters, which must not change meanwhile. */
	if (!pmu->exclusive)
		return "the other PMU uses the counters through firmware";
	if (sbi_pmu_in_kvm(pmu))
		return "the counters of a VM are not delegated";
	return sbi_pmu_delegation_probe(pmu);
}

/*
 * On one CPU, interrupts disabled; cpu.c checks the others. In shared mode only OpenSBI's refusals
 * are understood. pmu->backend becomes NULL if it does not work.
 */
static void probe_reads_here(void *arg)
{
	struct sbi_pmu *pmu = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);

	sbi_pmu_counters_online(cpu);
	if (sbi_pmu_in_kvm(pmu))
		pmu->accumulates = cpu->accumulates = sbi_pmu_probe_accumulates(cpu);
	if (pmu->backend == &sbi_pmu_backend_snapshot && !sbi_pmu_snapshot_works(cpu))
		pmu->backend = NULL;
	if (pmu->exclusive || pmu->id.impl == SBI_IMPL_OPENSBI)
		pmu->layout.free_running = sbi_pmu_probe_free_running(cpu);
	sbi_pmu_counters_offline(cpu);
}

/*
 * backend=auto picks CSRs only if the core's table says which counters count what, and if clearing
 * mhpmevent really clears the event, as counters that keep it count M-mode.
 */
static int choose_backend(struct sbi_pmu *pmu, const char *name)
{
	static const struct sbi_pmu_backend * const backends[] = {
		NULL,
		&sbi_pmu_backend_sbi,
		&sbi_pmu_backend_snapshot,
		&sbi_pmu_backend_csr,
	};
	struct sbi_pmu_caps *caps = &pmu->caps;
	struct sbi_pmu_code cycles;
	const char *why = NULL;
	int ret;

	pmu->backend = backends[match_string(backend_names, ARRAY_SIZE(backend_names), name)];
	if (pmu->backend == &sbi_pmu_backend_csr)
		why = probe_delegation(pmu);
	else if (pmu->backend == &sbi_pmu_backend_snapshot)
		why = sbi_pmu_snapshot_alloc(pmu);
	if (why) {
		pr_err("backend=%s: %s\n", name, why);
		return -EOPNOTSUPP;
	}
	if (!pmu->backend) {
		const bool csr =
			sbi_pmu_table_standard(caps->table, SBI_PMU_HW_CPU_CYCLES, &cycles) &&
			!probe_delegation(pmu) && !pmu->delegation.sticks;

		pmu->backend = csr ? &sbi_pmu_backend_csr : &sbi_pmu_backend_sbi;
	}
	if (pmu->backend == &sbi_pmu_backend_csr) {
		/*
		 * The filter of M-mode is firmware's. Where programmable counters do not filter,
		 * they count M-mode and cycle and instret may not: then it matters which counter
		 * an event has.
		 */
		caps->filter = caps->filter && pmu->delegation.filters;
		caps->fixed_filters = pmu->delegation.fixed_filters ? pmu->layout.fixed : 0;
		caps->m_mode_fixed = caps->filter && pmu->delegation.fixed_filters;
		return 0;
	}
	ret = on_probed_cpu(pmu, probe_reads_here, pmu);
	if (ret || pmu->backend)
		return ret;
	pr_err("backend=snapshot: firmware has no snapshot shared memory (SBI 2.0), or it does not work\n");
	return -EOPNOTSUPP;
}

/* ---- beside another PMU, or alone ---- */

/*
 * Is there another CPU PMU, such as riscv_pmu_sbi's, that stays? @owner is its name, for kfree(),
 * and @shared why it stays, for the log. From here on a failure has to call sbi_pmu_give_back().
 */
static int choose_mode(struct sbi_pmu *pmu, char **owner, const char **shared)
{
	const bool exclusive = !strcmp(mode, "exclusive");
	bool taken;
	int ret = sbi_pmu_find_pmus(pmu, owner, &taken);

	*shared = "mode=shared";
	if (!ret && !pmu->exclusive && strcmp(mode, "shared")) {
		*shared = sbi_pmu_take_over(pmu, exclusive);
		if (*shared && exclusive) {
			pr_err("mode=exclusive: %s\n", *shared);
			return -EBUSY;
		}
		if (!*shared) {
			kfree(*owner);
			*owner = NULL;
			ret = sbi_pmu_find_pmus(pmu, owner, &taken);
		}
	}
	if (ret)
		return ret;
	if (pmu->exclusive && !pmu->builtin.device)
		sbi_pmu_find_stopped(pmu);
	/* KVM has one counter for cycles, instructions and each firmware event, and one shmem. */
	if (!pmu->exclusive && sbi_pmu_in_kvm(pmu)) {
		pr_err("PMU '%s' uses this guest's counters, and KVM has no others: %s; %s\n",
		       *owner, *shared, for_exclusive_mode());
		return -EBUSY;
	}
	if (taken) {
		pr_err("there is a PMU '%s' already (see /sys/bus/event_source/devices): unload the module that registered it\n",
		       pmu->name);
		return -EBUSY; /* -EEXIST from a module's init means: loaded already */
	}
	return 0;
}

/* What makes samples. Without what is asked for the module does not load. */
static int choose_overflow(struct sbi_pmu *pmu)
{
	enum { AUTO, TIMER, NONE };
	const int n = match_string(overflow_names, ARRAY_SIZE(overflow_names), overflow);
	const struct sbi_pmu_irq_source *wanted = sbi_pmu_irq_source_named(overflow);

	if (!pmu->perf_event_overflow)
		pmu->no_irq = "perf_event_overflow not found: is CONFIG_KALLSYMS on?";
	else if (n == TIMER || n == NONE)
		pmu->no_irq = "asked for";
	else if (wanted && wanted != pmu->irq_source)
		pmu->no_irq = wanted->missing;
	else
		pmu->no_irq = sbi_pmu_overflow_request(pmu);

	if (!pmu->no_irq)
		pmu->source = SBI_PMU_OVERFLOW_IRQ;
	else if (pmu->perf_event_overflow && n != NONE && !wanted)
		pmu->source = SBI_PMU_OVERFLOW_TIMER;
	pmu->sample_by_timer = pmu->source != SBI_PMU_OVERFLOW_NONE && !wanted;
	if (pmu == sbi_pmu_the_pmu && ((wanted && pmu->source != SBI_PMU_OVERFLOW_IRQ) ||
				       (n == TIMER && pmu->source != SBI_PMU_OVERFLOW_TIMER))) {
		pr_err("overflow=%s: %s\n", overflow, pmu->no_irq);
		return -EOPNOTSUPP;
	}
	return 0;
}

/* ---- a kind of core ---- */

static struct sbi_pmu *pmu_alloc(unsigned int probed_cpu)
{
	struct sbi_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);

	if (!pmu)
		return NULL;
	pmu->probed_cpu = probed_cpu;
	hash_init(pmu->user_access.readers);
	spin_lock_init(&pmu->user_access.lock);
	pmu->user_access.mode = &pmu->user_access.own;
	mutex_init(&pmu->cache.lock);
	INIT_LIST_HEAD(&pmu->cache.entries);
	if (!sbi_pmu_cpu_alloc(pmu))
		return pmu;
	kfree(pmu);
	return NULL;
}

/* How its counters are used: of the first kind as is asked for, of others as well as they can. */
static int set_up(struct sbi_pmu *pmu)
{
	int ret;

	/* M-mode has a part of it that only firmware can set. */
	pmu->layout.one_filter = pmu->exclusive && !pmu->caps.filter && !sbi_pmu_in_kvm(pmu) &&
				 sbi_pmu_may_have_one_filter(&pmu->id);
	pmu->caps.m_mode_fixed = pmu->layout.one_filter;
	/* OpenSBI writes out of bounds if it has no free firmware counter for such an event. */
	pmu->caps.platform_fw = pmu->exclusive || pmu->id.impl != SBI_IMPL_OPENSBI;

	cpus_read_lock();
	ret = choose_backend(pmu, backend);
	if (ret && pmu != sbi_pmu_the_pmu)
		ret = choose_backend(pmu, "auto");
	cpus_read_unlock();
	return ret ?: choose_overflow(pmu) ?: sbi_pmu_branch_probe(pmu, branches);
}

/* By the device tree, as "cpu_a100"; else (ACPI), or if that is taken, by the number of the CPU */
static void name_kind(struct sbi_pmu *pmu)
{
	struct device_node *node = of_get_cpu_node(pmu->probed_cpu, NULL);
	const char *core = "";
	const struct sbi_pmu *other;

	of_property_read_string(node, "compatible", &core);
	core = strchr(core, ',');
	snprintf(pmu->own_name, sizeof(pmu->own_name), "cpu_%s", core ? core + 1 : "");
	of_node_put(node);
	for_each_kind(other)
		if (!core || (!other->unusable && !strcmp(other->name, pmu->own_name)))
			snprintf(pmu->own_name, sizeof(pmu->own_name), "cpu_%u", pmu->probed_cpu);
	pmu->name = pmu->own_name;
}

/* Is the CPU online, and like none that was probed? Not while one comes online. */
static bool is_of_no_kind(unsigned int id)
{
	const struct sbi_pmu *pmu;
	bool of_none;

	cpus_read_lock();
	of_none = cpu_online(id);
	for_each_kind(pmu)
		of_none = of_none && !cpumask_test_cpu(id, &pmu->homogeneous);
	cpus_read_unlock();
	return of_none;
}

/*
 * A PMU for the kind of CPU @id, which is like none that was probed. Return: false if it cannot be
 * used: the log says why, and it has no events. Likewise a later CPU of that kind, unprobed.
 */
static bool add_kind(unsigned int id)
{
	struct sbi_pmu *pmu = pmu_alloc(id), *last;

	if (!pmu)
		return false;
	pmu->exclusive = true;
	name_kind(pmu);
	pmu->unusable = probe_machine(pmu) || set_up(pmu);
	for (last = sbi_pmu_the_pmu; last->next;)
		last = last->next;
	/* Not while a CPU comes online. */
	cpus_read_lock();
	last->next = pmu;
	cpus_read_unlock();
	sbi_pmu_cpu_retry();
	return !pmu->unusable;
}

static void measure_here(void *arg)
{
	struct sbi_pmu *pmu = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);
	u64 unwritable;

	if (!cpu->online)
		return;
	unwritable = sbi_pmu_probe_widths(cpu, &pmu->cache.examples, pmu->max_width);
	if (pmu->exclusive)
		pmu->openable = sbi_pmu_csr_openable() &
				~sbi_pmu_csr_bits(&pmu->layout, unwritable);
}

static int register_pmu(struct sbi_pmu *pmu)
{
	int ret;

	sbi_pmu_pmu_init(pmu);
	/* Before perf core makes the sysfs files, as it holds a lock then. */
	sbi_pmu_probe_standard(pmu);
	/* What S-mode writes it has read back: see sbi_pmu_delegation_probe(). */
	if (pmu->backend != &sbi_pmu_backend_csr)
		sbi_pmu_probe_filters(pmu);
	sbi_pmu_probe_tied(pmu);
	pmu->pmu.attr_update = sbi_pmu_table_attribute_groups(pmu);
	if (!pmu->pmu.attr_update)
		return -ENOMEM;
	/*
	 * Measure widths after all probes: then as many counters as possible have an event. A CPU
	 * that comes online is compared with the result, so none may come meanwhile.
	 */
	cpus_read_lock();
	smp_call_function_single(cpumask_any(&pmu->cpus), measure_here, pmu, true);
	if (sbi_pmu_lower_widths(&pmu->layout, pmu->max_width)) {
		pmu->wrap_ns = sbi_pmu_wrap_ns(&pmu->layout);
		/* Counters may have gone. */
		sbi_pmu_probe_cache_free(&pmu->cache);
		sbi_pmu_probe_standard(pmu);
	}
	cpus_read_unlock();
	pmu->pmu.attr_groups = sbi_pmu_attr_groups;
	ret = perf_pmu_register(&pmu->pmu, pmu->name,
				pmu->exclusive && pmu == sbi_pmu_the_pmu ? PERF_TYPE_RAW : -1);
	if (ret)
		pr_err("perf core refuses PMU '%s' (%d)\n", pmu->name, ret);
	pmu->registered = !ret;
	return ret;
}

/* Before anything is taken from the other driver */
static int check_parameters(void)
{
	if (width < SBI_PMU_MIN_WIDTH || width > 64) {
		pr_err("width=%u: counters of %u to 64 bits can be used\n", width,
		       SBI_PMU_MIN_WIDTH);
		return -EINVAL;
	}
	if (branches && branches != 16 && branches != 32 && branches != 64) {
		pr_err("branches=%u: 0, 16, 32 and 64 are known\n", branches);
		return -EINVAL;
	}
	if (match_string(mode_names, ARRAY_SIZE(mode_names), mode) < 0) {
		pr_err("mode=%s: auto, exclusive and shared are known\n", mode);
		return -EINVAL;
	}
	if (match_string(backend_names, ARRAY_SIZE(backend_names), backend) < 0) {
		pr_err("backend=%s: auto, sbi, snapshot and csr are known\n", backend);
		return -EINVAL;
	}
	if (match_string(overflow_names, ARRAY_SIZE(overflow_names), overflow) < 0 &&
	    !sbi_pmu_irq_source_named(overflow)) {
		pr_err("overflow=%s: auto, lcofi, thead, andes, timer and none are known\n",
		       overflow);
		return -EINVAL;
	}
	return 0;
}

/* Free all kinds; no CPU uses them. */
static void free_kinds(void)
{
	struct sbi_pmu *pmu, *next;
	int cpu;

	for_each_kind(pmu)
		sbi_pmu_overflow_free(pmu);
	sbi_pmu_give_back(sbi_pmu_the_pmu);
	for (pmu = sbi_pmu_the_pmu; pmu; pmu = next) {
		next = pmu->next;
		sbi_pmu_snapshot_free(pmu);
		for_each_possible_cpu(cpu)
			kfree(per_cpu_ptr(pmu->cpu, cpu)->branch.stack);
		sbi_pmu_table_free(pmu->caps.table);
		sbi_pmu_probe_cache_free(&pmu->cache);
		free_percpu(pmu->cpu);
		kfree(pmu);
	}
}

static int __init sbi_pmu_init(void)
{
	struct sbi_pmu *first, *pmu;
	const char *shared;
	char *owner = NULL;
	unsigned int cpu;
	int ret;

	ret = check_parameters();
	if (ret)
		return ret;
	first = pmu_alloc(cpumask_first(cpu_online_mask));
	if (!first)
		return -ENOMEM;
	sbi_pmu_the_pmu = first;
	ret = probe_machine(first) ?: choose_mode(first, &owner, &shared) ?: set_up(first);
	ret = ret ?: sbi_pmu_cpu_start(first);
	if (ret)
		goto err_free;
	for_each_possible_cpu(cpu)
		if (first->exclusive && is_of_no_kind(cpu) && !add_kind(cpu))
			pr_warn("no PMU for the kind of CPU %u\n", cpu);
	sbi_pmu_user_access_init(first);
	ret = register_pmu(first);
	if (ret)
		goto err_user_access;
	/* Events of the first may be open: without another one its CPUs have none. */
	for (pmu = first->next; pmu; pmu = pmu->next)
		if (!cpumask_empty(&pmu->cpus) && register_pmu(pmu))
			pr_warn("no PMU for the kind of CPU %u\n", pmu->probed_cpu);
	sbi_pmu_user_access_start(first);
	sbi_pmu_debugfs_init();
	if (unfiltered)
		pr_info("unfiltered=1: :u and :k events of a user's own tasks count in all modes where no counter can filter\n");
	for_each_kind(pmu) {
		if (!pmu->registered)
			continue;
		log_found(pmu, owner, shared);
		sbi_pmu_table_log(pmu);
	}
	kfree(owner);
	return 0;

err_user_access:
	sbi_pmu_user_access_exit(first);
	sbi_pmu_cpu_stop(first);
err_free:
	free_kinds();
	kfree(owner);
	return ret;
}

/* No event exists: an open one holds the module. Each CPU releases its counters in cpu_stop(). */
static void __exit sbi_pmu_exit(void)
{
	struct sbi_pmu *pmu;
	int cpu;

	debugfs_lookup_and_remove("sbi_pmu", NULL);
	for_each_kind(pmu) {
		/* It calls perf core for this PMU. */
		for_each_possible_cpu(cpu)
			irq_work_sync(&per_cpu_ptr(pmu->cpu, cpu)->dropped.work);
		if (pmu->registered) {
			perf_pmu_stop_multiplexing(&pmu->pmu);
			perf_pmu_unregister_last(&pmu->pmu);
		}
	}
	sbi_pmu_user_access_exit(sbi_pmu_the_pmu);
	sbi_pmu_cpu_stop(sbi_pmu_the_pmu);
	free_kinds();
}

module_init(sbi_pmu_init);
module_exit(sbi_pmu_exit);

MODULE_DESCRIPTION("perf PMU on the RISC-V SBI PMU extension");
MODULE_VERSION(SBI_PMU_VERSION);
MODULE_LICENSE("GPL");
