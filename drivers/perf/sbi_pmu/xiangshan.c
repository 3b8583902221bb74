// SPDX-License-Identifier: GPL-2.0-only
/*
 * xiangshan: which of XiangShan's event tables is this core's, and which of its
 * names can be counted here.
 */
#include <linux/delay.h>
#include <linux/of.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "sbi_pmu.h"

/*
 * OpenSBI takes its own properties off this node before it hands the tree on, and
 * leaves the rest of it.
 */
static const char *stated_table(void)
{
	struct device_node *node = of_find_compatible_node(NULL, NULL, "riscv,pmu");
	const char *table = NULL;

	/* The string is the tree's, which stays. One that is none is no table's name. */
	if (node && of_property_read_string(node, "openxiangshan,event-table", &table) &&
	    of_property_present(node, "openxiangshan,event-table"))
		table = "";
	of_node_put(node);
	return table;
}

/* Not all kernels know this extension, so ask the tree. */
static void find_smcntrpmf(struct sbi_pmu_core *core)
{
	struct device_node *node = of_get_cpu_node(raw_smp_processor_id(), NULL);
	const char *isa;

	if (!node)
		return;
	if (of_property_match_string(node, "riscv,isa-extensions", "smcntrpmf") >= 0)
		core->smcntrpmf = true;
	else if (!of_property_read_string(node, "riscv,isa", &isa))
		core->smcntrpmf = strstr(isa, "smcntrpmf");
	of_node_put(node);
}

/**
 * sbi_pmu_xiangshan_choose - which event table is this core's?
 * @pmu: xiangshan and able.units are filled in
 * @wish: auto, off or a table's name
 *
 * Return: 0, or -EINVAL if there is no such table.
 */
int sbi_pmu_xiangshan_choose(struct sbi_pmu *pmu, const char *wish)
{
	struct sbi_pmu_core core = { .stated = stated_table() };
	int ret;

	sbi_pmu_sbi_core(&core.vendor, &core.arch);
	find_smcntrpmf(&core);
	ret = sbi_pmu_table_choose(wish, &core, &pmu->xiangshan);
	if (ret)
		pr_err("xiangshan=%s: auto, off, user-guide, v2r2-2025, v2r2-2026 and v3 are known\n",
		       wish);
	pmu->able.units = pmu->xiangshan.table ? pmu->xiangshan.table->bits : NULL;
	return ret;
}

/* How to open an event of the table, and where; an errno if it cannot be had. */
static int name_truth(struct sbi_pmu *pmu, u64 config, struct sbi_pmu_code *code,
		      struct sbi_pmu_mask *can)
{
	const struct perf_event_attr attr = { .config = config };
	int ret = sbi_pmu_event_encode(&pmu->able, &attr, true, code);

	return ret ?: sbi_pmu_truth_find(pmu, code, can);
}

/* Can an event of the table be counted here? Asked once for each, for sysfs. */
bool sbi_pmu_xiangshan_counts(struct sbi_pmu *pmu, u64 config)
{
	struct sbi_pmu_code code;
	struct sbi_pmu_mask can;

	if (name_truth(pmu, config, &code, &can))
		return false;
	pmu->names_found++;
	if (config & SBI_PMU_CFG_OP2)
		pmu->names_wide++;
	return true;
}

/* ---- the self check ---- */

struct check {
	struct sbi_pmu *pmu;
	struct sbi_pmu_code code[SBI_PMU_WITNESSES];
	struct sbi_pmu_mask can[SBI_PMU_WITNESSES];
	struct sbi_pmu_measure measure;
	int ret;
};

static void check_wait(void)
{
	mdelay(1);
}

static void check_on_cpu(void *arg)
{
	struct check *c = arg;

	c->ret = sbi_pmu_table_measure(&this_cpu_ptr(c->pmu->cpu)->slots, c->code, c->can,
				       check_wait, &c->measure);
}

/* A hart that is held up each time is not to be measured. */
#define CHECKS	50

static int check_measure(struct check *c)
{
	const struct sbi_pmu_table *table = c->pmu->xiangshan.table;
	int ret;

	for (unsigned int n = 0; n < SBI_PMU_WITNESSES; n++) {
		ret = name_truth(c->pmu, sbi_pmu_table_witness(table, n), &c->code[n],
				 &c->can[n]);
		if (ret)
			return ret;
	}
	for (unsigned int n = 0; n < CHECKS; n++) {
		ret = smp_call_function_single(cpumask_any(&c->pmu->cpus), check_on_cpu, c, true);
		if (ret || c->ret || sbi_pmu_table_verdict(&c->measure))
			break;
	}
	return ret ?: c->ret;
}

/* Events that happen on every cycle, if the table is right: do they? */
static void check_table(struct sbi_pmu *pmu)
{
	struct check *c = kzalloc(sizeof(*c), GFP_KERNEL);
	const char *name, *what;
	u64 memory, backend;
	int ret = -ENOMEM;

	if (c) {
		c->pmu = pmu;
		ret = check_measure(c);
	}
	if (ret) {
		pr_warn("xiangshan_check: cannot count cycles_memory and cycles_backend (%d)\n",
			ret);
		kfree(c);
		return;
	}
	name = pmu->xiangshan.table->name;
	what = c->measure.cycles ? "cycles" : "cycles of memory (the cycle counter stands still)";
	memory = c->measure.witness[SBI_PMU_WITNESS_MEMORY];
	backend = c->measure.witness[SBI_PMU_WITNESS_BACKEND];
	switch (sbi_pmu_table_verdict(&c->measure)) {
	case SBI_PMU_PLAUSIBLE:
		pr_info("xiangshan_check: table %s may be right: in %llu %s, %llu of cycles_memory and %llu of cycles_backend\n",
			name, c->measure.least, what, memory, backend);
		break;
	case SBI_PMU_WRONG:
		pr_warn("xiangshan_check: table %s is not this core's: in %llu %s, %llu of cycles_memory and %llu of cycles_backend; its names lie, choose another with xiangshan=\n",
			name, c->measure.least, what, memory, backend);
		break;
	case SBI_PMU_UNCLEAR:
		pr_warn("xiangshan_check: cannot tell: the hart is held up all the time; load the module again when it is not\n");
		break;
	}
	kfree(c);
}

/* ---- what the log says ---- */

/**
 * sbi_pmu_xiangshan_log - say which table it is, why, and how to change that
 * @pmu: the driver, its trials done
 * @check: have events that must count every cycle do so
 */
void sbi_pmu_xiangshan_log(struct sbi_pmu *pmu, bool check)
{
	const struct sbi_pmu_choice *choice = &pmu->xiangshan;

	if (!choice->table) {
		if (choice->why)
			pr_info("XiangShan events have no names, as it is not clear which table of them this core has: %s; choose one: xiangshan=user-guide, v2r2-2025, v2r2-2026 or v3\n",
				choice->why);
		return;
	}
	pr_info("XiangShan events by table %s (%s), %u of %u names; xiangshan= chooses another table, or off\n",
		choice->table->name, choice->why, pmu->names_found, choice->table->total);
	if (!pmu->names_found)
		pr_warn("firmware maps no raw events to XiangShan's counters: its device tree needs a riscv,pmu node, see dts/\n");
	else if (!pmu->names_wide)
		pr_info("sums of three events and more are not there: firmware has no raw events v2 (SBI 3.0)\n");
	if (check)
		check_table(pmu);
}
