// SPDX-License-Identifier: GPL-2.0-only
/* What the driver is doing, for whoever looks for an error. */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "probe.h"

/* ---- sbi_calls: number of calls, by CPU and function ---- */

static int sbi_calls_show(struct seq_file *file, void *unused)
{
	static const char * const names[SBI_PMU_FIDS] = {
		"num_counters", "counter_info", "config_matching", "start",
		"stop",         "fw_read",      "fw_read_hi",      "snapshot_shmem",
	};
	int cpu;

	seq_puts(file, "cpu");
	for (unsigned int fid = 0; fid < SBI_PMU_FIDS; fid++)
		seq_printf(file, " %s", names[fid]);
	seq_putc(file, '\n');
	for_each_possible_cpu(cpu) {
		const u64 *calls = per_cpu(sbi_pmu_here, cpu)->sbi_calls;

		seq_printf(file, "%d", cpu);
		for (unsigned int fid = 0; fid < SBI_PMU_FIDS; fid++)
			seq_printf(file, " %llu", READ_ONCE(calls[fid]));
		seq_putc(file, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sbi_calls);

/* ---- a line for each CPU ---- */

#define SHOW_CPUS(file_name, header, format, ...)			\
static int file_name##_show(struct seq_file *file, void *unused)	\
{									\
	const struct sbi_pmu_cpu *cpu;					\
	int i;								\
									\
	seq_puts(file, "cpu " header "\n");				\
	for_each_possible_cpu(i) {					\
		cpu = per_cpu(sbi_pmu_here, i);				\
		seq_printf(file, "%d " format "\n", i, __VA_ARGS__);	\
	}								\
	return 0;							\
}									\
DEFINE_SHOW_ATTRIBUTE(file_name)

/* What went wrong with samples */
SHOW_CPUS(overflow, "lost_irqs wrong_mode irq_off", "%lu %lu %d", READ_ONCE(cpu->irq.times_missed),
	  READ_ONCE(cpu->irq.wrong_mode), READ_ONCE(cpu->irq.off));
/* What programs may read, and reads that came too late */
SHOW_CPUS(user_access, "scounteren trapped_reads", "%#x %lu", READ_ONCE(cpu->scounteren),
	  READ_ONCE(cpu->trapped_reads));

/* ---- counters: what each counter holds, and for how many events ---- */

/* On that CPU, so that the copy is in order. */
static void copy_here(void *copy)
{
	memcpy(copy, raw_cpu_read(sbi_pmu_here), sizeof(struct sbi_pmu_cpu));
}

static int counters_show(struct seq_file *file, void *unused)
{
	struct sbi_pmu_cpu *copy = kvzalloc(sizeof(*copy), GFP_KERNEL);
	unsigned int i;
	int cpu;

	if (!copy)
		return -ENOMEM;
	seq_puts(file, "cpu counter csr/bits event data inhibit shares\n");
	for_each_online_cpu(cpu) {
		if (smp_call_function_single(cpu, copy_here, copy, true))
			continue;
		for_each_counter(i, copy->configured) {
			const struct sbi_pmu_counter *c = &copy->counter[i];

			seq_printf(file, "%d %u ", cpu, i);
			if (c->info->kind == SBI_PMU_COUNTER_FIRMWARE)
				seq_puts(file, "firmware");
			else
				seq_printf(file, "%#x/%u", c->info->csr, c->info->width);
			seq_printf(file, " %#x %#llx %#x %u\n", c->code.idx, c->code.data,
				   c->code.flags, c->shares);
		}
		if (copy->dropped.events)
			seq_printf(file,
				   "%d: firmware refused a counter that was in use, %u times\n",
				   cpu, copy->dropped.events);
		if (copy->shmem.data && !copy->shmem.registered)
			seq_printf(file, "%d: no snapshot shared memory from firmware any more\n",
				   cpu);
	}
	kvfree(copy);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

/* ---- events: which counters took which event, as far as it has been probed ---- */

static int events_show(struct seq_file *file, void *unused)
{
	const struct sbi_pmu_known *known;
	struct sbi_pmu *pmu;

	for_each_kind(pmu) {
		if (pmu->unusable)
			continue;
		seq_printf(file, "event data counters of %s\n", pmu->name);
		mutex_lock(&pmu->cache.lock);
		/* The oldest first */
		list_for_each_entry_reverse(known, &pmu->cache.entries, node)
			if (known->can)
				seq_printf(file, "%#x %#llx %*pbl\n", known->code.idx,
					   known->code.data, SBI_PMU_MAX_COUNTERS, &known->can);
		mutex_unlock(&pmu->cache.lock);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(events);

void sbi_pmu_debugfs_init(void)
{
	struct dentry *folder = debugfs_create_dir("sbi_pmu", NULL);

	debugfs_create_file("counters", 0400, folder, NULL, &counters_fops);
	debugfs_create_file("events", 0400, folder, NULL, &events_fops);
	debugfs_create_file("overflow", 0400, folder, NULL, &overflow_fops);
	debugfs_create_file("sbi_calls", 0400, folder, NULL, &sbi_calls_fops);
	debugfs_create_atomic_t("unfiltered", 0400, folder, &sbi_pmu_the_pmu->unfiltered);
	debugfs_create_file("user_access", 0400, folder, NULL, &user_access_fops);
}
