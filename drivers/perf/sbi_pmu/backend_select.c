// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/io.h>

#include "backend_select.h"
#include "delegation.h"

static int shmem_alloc(struct sbi_pmu_shmem *shmem)
{
	shmem->data = (struct riscv_pmu_snapshot_data *)get_zeroed_page(GFP_KERNEL);
	if (!shmem->data)
		return -ENOMEM;
	shmem->address = virt_to_phys(shmem->data);
	return 0;
}

/* A page that firmware may still write to is never used again. */
static void shmem_free(struct sbi_pmu_shmem *shmem)
{
	if (shmem->may_be_registered)
		pr_err("firmware does not unregister the snapshot shared memory at %#llx: this page is leaked\n",
		       shmem->address);
	else
		free_page((unsigned long)shmem->data);
	memset(shmem, 0, sizeof(*shmem));
}

/* On one CPU, interrupts disabled; the others are taken to be like it. */
static void probe_here(void *arg)
{
	struct sbi_pmu *pmu = arg;
	struct sbi_pmu_counters *c = &this_cpu_ptr(pmu->cpu)->counters;

	/* Without the shared memory only KVM's counters read in another way than usual. */
	if (!sbi_pmu_shmem_register(&c->backend) && !sbi_pmu_in_kvm(pmu)) {
		sbi_pmu_shmem_unregister(&c->backend);
		return;
	}
	sbi_pmu_counters_online(c);
	sbi_pmu_probe_read_method(&c->backend, sched_clock, &pmu->read_method);
	sbi_pmu_counters_offline(c);
}

static int probe_read_method(struct sbi_pmu *pmu)
{
	struct sbi_pmu_backend *be;
	int ret, cpu;

	cpus_read_lock();
	cpu = cpumask_any(cpu_online_mask);
	be = &per_cpu_ptr(pmu->cpu, cpu)->counters.backend;
	ret = shmem_alloc(&be->shmem);
	if (!ret)
		smp_call_function_single(cpu, probe_here, pmu, true);
	shmem_free(&be->shmem);
	cpus_read_unlock();
	return ret;
}

struct delegation_probe {
	struct sbi_pmu *pmu;
	struct sbi_pmu_delegation *found;
	const char *why; /* the counters cannot be used so; NULL: they can */
};

/* On one CPU, interrupts disabled; cpu.c checks the others. */
static void probe_delegation_here(void *arg)
{
	struct delegation_probe *p = arg;
	struct sbi_pmu_counters *c = &this_cpu_ptr(p->pmu->cpu)->counters;

	/* No counter may be in use, in firmware either. */
	sbi_pmu_counters_online(c);
	p->why = sbi_pmu_delegation_probe(&c->backend, p->found);
	if (!p->why)
		p->why = sbi_pmu_delegation_learn(&c->backend, &p->pmu->caps, p->found);
	sbi_pmu_counters_offline(c);
}

/* Return: NULL, or in words for the log why counters cannot be programmed by CSRs. */
static const char *probe_delegation(struct sbi_pmu *pmu)
{
	struct delegation_probe p = { .pmu = pmu, .found = &pmu->delegation };

	/* The other driver has firmware program counters, which must not change meanwhile. */
	if (!pmu->exclusive)
		return "the other PMU uses the counters through firmware";
	if (sbi_pmu_in_kvm(pmu))
		return "the counters of a VM are not delegated";
	cpus_read_lock();
	smp_call_function_single(cpumask_any(cpu_online_mask), probe_delegation_here, &p, true);
	cpus_read_unlock();
	return p.why;
}

/* What backend= can be */
enum choice { AUTO, SBI, SNAPSHOT, CSR };

/* Is the snapshot shared memory to be used? */
static int choose_snapshot(struct sbi_pmu *pmu, enum choice choice)
{
	const struct sbi_pmu_read_method *method = &pmu->read_method;
	const int ret = pmu->exclusive ? probe_read_method(pmu) : 0;

	if (ret)
		return ret;
	if (choice == SNAPSHOT && !method->snapshot_works) {
		if (pmu->exclusive)
			pr_err("backend=snapshot: firmware has no snapshot shared memory (SBI 2.0), or it does not work\n");
		else
			pr_err("backend=snapshot: the other PMU may use the snapshot shared memory\n");
		return -EOPNOTSUPP;
	}
	if (!method->snapshot_works)
		return 0;
	pmu->snapshot = SBI_PMU_SNAPSHOT_UNUSED;
	if (choice == SNAPSHOT || (choice == AUTO && method->snapshot_is_faster)) {
		pmu->snapshot = SBI_PMU_SNAPSHOT_USED;
		pmu->backend = SBI_PMU_BACKEND_SNAPSHOT;
	}
	return 0;
}

static void use_csr(struct sbi_pmu *pmu)
{
	pmu->backend = SBI_PMU_BACKEND_CSR;
	sbi_pmu_delegation_caps(&pmu->delegation, &pmu->caps);
}

static int choose_csr(struct sbi_pmu *pmu)
{
	const char *why = probe_delegation(pmu);

	if (why) {
		pr_err("backend=csr: %s\n", why);
		return -EOPNOTSUPP;
	}
	use_csr(pmu);
	return 0;
}

/* Are the counters of all CPUs delegated alike? Else some CPUs would have no events. */
static bool is_delegated_everywhere(struct sbi_pmu *pmu)
{
	struct delegation_probe p = { .pmu = pmu };
	bool alike = true;
	int cpu;

	p.found = kzalloc(sizeof(*p.found), GFP_KERNEL);
	if (!p.found)
		return false;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		memset(p.found, 0, sizeof(*p.found));
		smp_call_function_single(cpu, probe_delegation_here, &p, true);
		alike = alike && !p.why && sbi_pmu_delegation_equal(p.found, &pmu->delegation);
	}
	cpus_read_unlock();
	kfree(p.found);
	return alike;
}

/*
 * Without being asked, CSRs are used only where a vendor's table says which counters count what,
 * since firmware, which knows it, is not asked about raw events; where events do not stick,
 * since counters that keep them count M-mode; and on all CPUs. Return: are they used?
 */
static bool choose_csr_by_table(struct sbi_pmu *pmu)
{
	const struct sbi_pmu_vendor *vendor = pmu->caps.vendor;

	if (!vendor || !vendor->standard || probe_delegation(pmu) || pmu->delegation.sticks ||
	    !is_delegated_everywhere(pmu))
		return false;
	pr_info("delegated counters are programmed by CSRs, as the event table says what they count; backend=sbi has firmware program them\n");
	use_csr(pmu);
	return true;
}

static int prepare_cpu(const struct sbi_pmu *pmu, struct sbi_pmu_backend *be)
{
	static const struct sbi_pmu_backend_ops * const ops[] = {
		[SBI_PMU_BACKEND_SBI] = &sbi_pmu_backend_sbi,
		[SBI_PMU_BACKEND_SNAPSHOT] = &sbi_pmu_backend_snapshot,
		[SBI_PMU_BACKEND_CSR] = &sbi_pmu_backend_csr,
	};

	be->ops = ops[pmu->backend];
	be->accumulates = pmu->read_method.accumulates;
	be->in_vm = sbi_pmu_in_kvm(pmu);
	return pmu->snapshot == SBI_PMU_SNAPSHOT_USED ? shmem_alloc(&be->shmem) : 0;
}

/**
 * sbi_pmu_backend_select() - choose how counters are programmed and read
 * @pmu: the driver
 * @wanted: the module parameter
 *
 * By default by CSRs where a vendor's table says what delegated counters count; else through the
 * snapshot shared memory where that is faster, else by SBI calls.
 * Context: may sleep.
 * Return: 0, or an errno: also if the parameter asks for what does not work.
 */
int sbi_pmu_backend_select(struct sbi_pmu *pmu, const char *wanted)
{
	static const char * const choices[] = {
		[AUTO] = "auto",
		[SBI] = "sbi",
		[SNAPSHOT] = "snapshot",
		[CSR] = "csr",
	};
	const int choice = match_string(choices, ARRAY_SIZE(choices), wanted);
	int ret, cpu;

	if (choice < 0) {
		pr_err("backend=%s: auto, sbi, snapshot and csr are known\n", wanted);
		return -EINVAL;
	}
	if (choice == CSR)
		ret = choose_csr(pmu);
	else if (choice == AUTO && choose_csr_by_table(pmu))
		ret = 0;
	else
		ret = choose_snapshot(pmu, choice);
	for_each_possible_cpu(cpu)
		if (!ret)
			ret = prepare_cpu(pmu, &per_cpu_ptr(pmu->cpu, cpu)->counters.backend);
	return ret;
}

/* Free the shared memory of all CPUs, whose counters are offline. */
void sbi_pmu_backend_free(struct sbi_pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		shmem_free(&per_cpu_ptr(pmu->cpu, cpu)->counters.backend.shmem);
}
