// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include <asm/io.h>

#include "backend_select.h"

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

/**
 * sbi_pmu_backend_select() - choose by probes and parameter whether snapshot is used
 * @pmu: the driver
 * @snapshot: the module parameter
 *
 * Context: may sleep.
 * Return: 0, or an errno: also if the parameter asks for what does not work.
 */
int sbi_pmu_backend_select(struct sbi_pmu *pmu, const char *snapshot)
{
	enum { AUTO, ON, OFF };
	static const char * const choices[] = { [AUTO] = "auto", [ON] = "on", [OFF] = "off" };
	const int choice = match_string(choices, ARRAY_SIZE(choices), snapshot);
	const struct sbi_pmu_read_method *method = &pmu->read_method;
	int ret, cpu;

	if (choice < 0) {
		pr_err("snapshot=%s: auto, on and off are known\n", snapshot);
		return -EINVAL;
	}
	ret = pmu->exclusive ? probe_read_method(pmu) : 0;
	if (ret)
		return ret;
	if (choice == ON && !method->snapshot_works) {
		if (pmu->exclusive)
			pr_err("snapshot=on: firmware has no snapshot shared memory (SBI 2.0), or it does not work\n");
		else
			pr_err("snapshot=on: the other PMU may use the snapshot shared memory\n");
		return -EOPNOTSUPP;
	}
	if (method->snapshot_works)
		pmu->snapshot = choice == ON || (choice == AUTO && method->snapshot_is_faster) ?
					SBI_PMU_SNAPSHOT_USED :
					SBI_PMU_SNAPSHOT_UNUSED;
	for_each_possible_cpu(cpu) {
		struct sbi_pmu_backend *be = &per_cpu_ptr(pmu->cpu, cpu)->counters.backend;

		be->accumulates = method->accumulates;
		be->in_vm = sbi_pmu_in_kvm(pmu);
		if (pmu->snapshot != SBI_PMU_SNAPSHOT_USED)
			continue;
		be->ops = &sbi_pmu_backend_snapshot;
		if (shmem_alloc(&be->shmem))
			return -ENOMEM;
	}
	return 0;
}

/* Free the shared memory of all CPUs, whose counters are offline. */
void sbi_pmu_backend_free(struct sbi_pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		shmem_free(&per_cpu_ptr(pmu->cpu, cpu)->counters.backend.shmem);
}
