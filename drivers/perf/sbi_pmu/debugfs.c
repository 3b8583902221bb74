// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs: for those who look after the driver itself. Not an ABI.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "sbi_pmu.h"

/* ---- calls: made to firmware, by CPU and function ---- */

static int calls_show(struct seq_file *file, void *unused)
{
	static const char * const names[SBI_PMU_FIDS] = {
		"num_counters", "counter_info", "config_matching", "start", "stop",
		"fw_read", "fw_read_hi", "snapshot_shmem", "event_info",
	};
	const struct sbi_pmu *pmu = file->private;
	int cpu;

	seq_puts(file, "cpu");
	for (unsigned int fid = 0; fid < SBI_PMU_FIDS; fid++)
		seq_printf(file, " %s", names[fid]);
	seq_putc(file, '\n');
	for_each_possible_cpu(cpu) {
		const struct sbi_pmu_fw *fw = &per_cpu_ptr(pmu->cpu, cpu)->slots.fw;

		seq_printf(file, "%d", cpu);
		for (unsigned int fid = 0; fid < SBI_PMU_FIDS; fid++)
			seq_printf(file, " %llu", READ_ONCE(fw->calls[fid]));
		seq_putc(file, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(calls);

/* ---- overflow: what went wrong with samples, by CPU ---- */

static int overflow_show(struct seq_file *file, void *unused)
{
	const struct sbi_pmu *pmu = file->private;
	int cpu;

	seq_puts(file, "cpu lost_irqs wrong_mode\n");
	for_each_possible_cpu(cpu) {
		const struct sbi_pmu_cpu *hart = per_cpu_ptr(pmu->cpu, cpu);

		seq_printf(file, "%d %lu %lu\n", cpu, READ_ONCE(hart->rescues),
			   READ_ONCE(hart->skidded));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(overflow);

/* ---- direct: what programs may read, and how often they were too late, by CPU ---- */

static int direct_show(struct seq_file *file, void *unused)
{
	const struct sbi_pmu *pmu = file->private;
	int cpu;

	seq_puts(file, "cpu scounteren trapped_reads\n");
	for_each_possible_cpu(cpu) {
		const struct sbi_pmu_cpu *hart = per_cpu_ptr(pmu->cpu, cpu);

		seq_printf(file, "%d %#x %lu\n", cpu, READ_ONCE(hart->open),
			   READ_ONCE(hart->astray));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(direct);

/* ---- slots: what each counter holds, and for how many ---- */

/**
 * struct slots_view - a hart's slots, copied on that hart
 * @pmu: whose
 * @plan: what holds what
 * @users: by counter, how many count on it
 * @stranded: as in the slots
 * @robbed: firmware does not have this hart's snapshot memory any more
 */
struct slots_view {
	struct sbi_pmu *pmu;
	struct sbi_pmu_plan plan;
	unsigned int users[SBI_PMU_MAX_CTRS];
	unsigned int stranded;
	bool robbed;
};

static void slots_copy(void *arg)
{
	struct slots_view *view = arg;
	struct sbi_pmu_slots *slots = &this_cpu_ptr(view->pmu->cpu)->slots;
	const struct sbi_pmu_user *user;
	unsigned int i;

	view->plan = slots->plan;
	view->stranded = slots->stranded;
	view->robbed = slots->memory && !slots->lent;
	sbi_pmu_mask_for_each(i, &view->plan.configured) {
		view->users[i] = 0;
		list_for_each_entry(user, &slots->users[i], node)
			view->users[i]++;
	}
}

static void slots_print(struct seq_file *file, int cpu, const struct slots_view *view)
{
	const struct sbi_pmu_inventory *inv = &view->pmu->inv;
	unsigned int i;

	sbi_pmu_mask_for_each(i, &view->plan.configured) {
		const struct sbi_pmu_code *code = &view->plan.code[i];

		seq_printf(file, "%d %u ", cpu, i);
		if (inv->ctr[i].kind == SBI_PMU_CTR_FIRMWARE)
			seq_puts(file, "firmware");
		else
			seq_printf(file, "%#x/%u", inv->ctr[i].csr, inv->ctr[i].width);
		seq_printf(file, " %#x %#llx %#x %u\n", code->idx, code->data, code->flags,
			   view->users[i]);
	}
	if (view->stranded)
		seq_printf(file, "%d: firmware took a counter in use away, %u times\n", cpu,
			   view->stranded);
	if (view->robbed)
		seq_printf(file, "%d: firmware does not take the snapshot memory, counters are read one by one\n",
			   cpu);
}

static int slots_show(struct seq_file *file, void *unused)
{
	struct sbi_pmu *pmu = file->private;
	struct slots_view *view = kzalloc(sizeof(*view), GFP_KERNEL);
	int cpu;

	if (!view)
		return -ENOMEM;
	view->pmu = pmu;
	seq_puts(file, "cpu counter csr/bits event data inhibit users\n");
	for_each_cpu(cpu, &pmu->cpus)
		if (!smp_call_function_single(cpu, slots_copy, view, true))
			slots_print(file, cpu, view);
	kfree(view);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slots);

void sbi_pmu_debugfs_init(struct sbi_pmu *pmu)
{
	pmu->debugfs = debugfs_create_dir("sbi_pmu", NULL);
	debugfs_create_file("sbi_calls", 0400, pmu->debugfs, pmu, &calls_fops);
	debugfs_create_file("user_access", 0400, pmu->debugfs, pmu, &direct_fops);
	debugfs_create_file("overflow", 0400, pmu->debugfs, pmu, &overflow_fops);
	debugfs_create_file("counters", 0400, pmu->debugfs, pmu, &slots_fops);
}

void sbi_pmu_debugfs_exit(struct sbi_pmu *pmu)
{
	debugfs_remove(pmu->debugfs);
}
