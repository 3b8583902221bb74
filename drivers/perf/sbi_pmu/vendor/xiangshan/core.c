// SPDX-License-Identifier: GPL-2.0-only
/* XiangShan: choose the event table, show its events in sysfs. */
#include <linux/module.h>
#include <linux/of.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "../../sysfs.h"
#include "xiangshan.h"

static char *table_wish = "auto";
module_param_named(xiangshan, table_wish, charp, 0444);
MODULE_PARM_DESC(xiangshan, "XiangShan's event table: user-guide, v2r2-2025, v2r2-2026, v3, off, or auto (default): by the device tree, or by the core if that is clear");

static bool all_wish;
module_param_named(xiangshan_all, all_wish, bool, 0444);
MODULE_PARM_DESC(xiangshan_all, "list the withheld names of XiangShan events, too: those that in the RTL of the table's date never count, or count something else (default: no)");

/* Data of this vendor */
struct xiangshan {
	struct sbi_pmu_choice choice;            /* the event table */
	unsigned int found;                      /* number of its names that can be counted here */
	unsigned int found_wide;                 /* those that are sums of three or four events */
	unsigned int found_withheld;             /* those that are listed only on demand */
	struct attribute_group group;            /* attribute group of its events */
	const struct attribute_group *groups[4]; /* all attribute groups, for perf core */
	struct attribute **list;                 /* the attributes of @group */
	struct perf_pmu_events_attr *attr;       /* the events */
};

/* ---- match ---- */

/* OpenSBI removes its own properties from this node before Linux sees it, not this one. */
static const char *stated_table(void)
{
	struct device_node *node = of_find_compatible_node(NULL, NULL, "riscv,pmu");
	const char *table = NULL;

	/* A property that is no string names no table. The tree, and so the string, stays. */
	if (node && of_property_read_string(node, "openxiangshan,event-table", &table) &&
	    of_property_present(node, "openxiangshan,event-table"))
		table = "";
	of_node_put(node);
	return table;
}

/* Not all kernels know this extension, so look at the device tree. */
static bool has_smcntrpmf(void)
{
	struct device_node *node = of_get_cpu_node(raw_smp_processor_id(), NULL);
	bool has = false;
	const char *isa;

	if (!node)
		return false;
	if (of_property_match_string(node, "riscv,isa-extensions", "smcntrpmf") >= 0)
		has = true;
	else if (!of_property_read_string(node, "riscv,isa", &isa))
		has = strstr(isa, "smcntrpmf");
	of_node_put(node);
	return has;
}

static int xiangshan_match(const struct sbi_pmu_firmware_id *id, void **data)
{
	const struct sbi_pmu_core core = {
		.vendor = id->mvendorid,
		.arch = id->marchid,
		.stated = stated_table(),
		.smcntrpmf = has_smcntrpmf(),
	};
	struct sbi_pmu_choice choice;
	struct xiangshan *xs;

	if (sbi_pmu_table_choose(table_wish, &core, &choice)) {
		pr_err("xiangshan=%s: auto, off, user-guide, v2r2-2025, v2r2-2026 and v3 are known\n",
		       table_wish);
		return -EINVAL;
	}
	if (!choice.table && choice.why)
		pr_info("XiangShan events have no names, as it is not clear which table of them this core has: %s; choose one: xiangshan=user-guide, v2r2-2025, v2r2-2026 or v3\n",
			choice.why);
	if (!choice.table)
		return -ENODEV;
	xs = kzalloc(sizeof(*xs), GFP_KERNEL);
	if (!xs)
		return -ENOMEM;
	xs->choice = choice;
	*data = xs;
	return 0;
}

static void xiangshan_remove(void *data)
{
	struct xiangshan *xs = data;

	kvfree(xs->list);
	kvfree(xs->attr);
	kfree(xs);
}

static int xiangshan_encode(const void *data, u64 config, struct sbi_pmu_code *code)
{
	const struct xiangshan *xs = data;

	return sbi_pmu_selector_encode(xs->choice.table->bits, config, &code->data, &code->csrs);
}

static bool xiangshan_standard(const void *data, u32 idx, struct sbi_pmu_code *code)
{
	const struct xiangshan *xs = data;
	const u64 config = sbi_pmu_table_standard(xs->choice.table, idx);

	return config && !xiangshan_encode(data, config, code);
}

/* ---- sysfs ---- */

static struct attribute *format_attrs[] = {
	SBI_PMU_FORMAT(event0, SBI_PMU_CFG_EVENT0),
	SBI_PMU_FORMAT(event1, SBI_PMU_CFG_EVENT1),
	SBI_PMU_FORMAT(event2, SBI_PMU_CFG_EVENT2),
	SBI_PMU_FORMAT(event3, SBI_PMU_CFG_EVENT3),
	SBI_PMU_FORMAT(op0, SBI_PMU_CFG_OP0),
	SBI_PMU_FORMAT(op1, SBI_PMU_CFG_OP1),
	SBI_PMU_FORMAT(op2, SBI_PMU_CFG_OP2),
	SBI_PMU_FORMAT(unit, SBI_PMU_CFG_UNIT),
	NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

static ssize_t event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const u64 config = container_of(attr, struct perf_pmu_events_attr, attr)->id;
	const struct {
		const char *name;
		u64 value;
	} terms[] = {
		{ "event1", FIELD_GET(SBI_PMU_CFG_EVENT1, config) },
		{ "event2", FIELD_GET(SBI_PMU_CFG_EVENT2, config) },
		{ "event3", FIELD_GET(SBI_PMU_CFG_EVENT3, config) },
		{ "op0", FIELD_GET(SBI_PMU_CFG_OP0, config) },
		{ "op1", FIELD_GET(SBI_PMU_CFG_OP1, config) },
		{ "op2", FIELD_GET(SBI_PMU_CFG_OP2, config) },
	};
	int at = sysfs_emit(buf, "event0=0x%llx", FIELD_GET(SBI_PMU_CFG_EVENT0, config));

	for (unsigned int i = 0; i < ARRAY_SIZE(terms); i++)
		if (terms[i].value)
			at += sysfs_emit_at(buf, at, ",%s=0x%llx", terms[i].name, terms[i].value);
	return at + sysfs_emit_at(buf, at, ",unit=0x%llx\n", FIELD_GET(SBI_PMU_CFG_UNIT, config));
}

/* How to count a named event; an errno if it cannot be counted here. */
static int find_event(struct sbi_pmu *pmu, u64 config, struct sbi_pmu_code *code, u64 *candidates)
{
	const struct perf_event_attr attr = { .config = config };
	int ret = sbi_pmu_event_encode(&pmu->caps, &attr, true, code);

	return ret ?: sbi_pmu_find_counters(pmu, code, candidates);
}

/* The number of names to list, if they can be counted here */
static unsigned int names_wanted(const struct sbi_pmu_table *table)
{
	return table->total - (all_wish ? 0 : sbi_pmu_table_withheld(table));
}

/* Add a file for each name of the table that can be counted here. */
static void fill_events(struct sbi_pmu *pmu, struct xiangshan *xs)
{
	const struct sbi_pmu_table *table = xs->choice.table;
	struct sbi_pmu_code code;
	u64 candidates;

	for (unsigned int n = 0; n < table->total; n++) {
		const struct sbi_pmu_name *name = &table->names[n];
		struct perf_pmu_events_attr *ev = &xs->attr[xs->found];

		if (name->withheld && !all_wish)
			continue;
		if (find_event(pmu, name->config, &code, &candidates))
			continue;
		ev->id = name->config;
		ev->attr.show = event_show;
		ev->attr.attr.name = name->name;
		ev->attr.attr.mode = 0444;
		sysfs_attr_init(&ev->attr.attr);
		xs->list[xs->found++] = &ev->attr.attr;
		if (name->config & SBI_PMU_CFG_OP2)
			xs->found_wide++;
		if (name->withheld)
			xs->found_withheld++;
	}
}

static const struct attribute_group **xiangshan_attribute_groups(struct sbi_pmu *pmu, void *data)
{
	struct xiangshan *xs = data;
	const unsigned int total = xs->choice.table->total;

	pmu->caps.event_table = xs->choice.table->name;
	pmu->caps.slots = xs->choice.table->slots;
	xs->attr = kvcalloc(total, sizeof(*xs->attr), GFP_KERNEL);
	xs->list = kvcalloc(total + 1, sizeof(*xs->list), GFP_KERNEL);
	if (!xs->attr || !xs->list)
		return NULL;
	fill_events(pmu, xs);
	xs->group.name = "events";
	xs->group.attrs = xs->list;
	xs->groups[0] = &format_group;
	xs->groups[1] = &xs->group;
	return xs->groups;
}

static void xiangshan_log(struct sbi_pmu *pmu, void *data)
{
	const struct xiangshan *xs = data;
	const struct sbi_pmu_table *table = xs->choice.table;

	pr_info("XiangShan events by table %s of RTL to %s (%s), %u of %u names; xiangshan= selects another table, or off\n",
		table->name, table->rtl_date, xs->choice.why, xs->found, names_wanted(table));
	if (xs->found_withheld)
		pr_info("xiangshan_all: %u of these names count nothing or something else in RTL to %s; 'make docs' writes pages with the reasons\n",
			xs->found_withheld, table->rtl_date);
	if (!xs->found)
		pr_warn("firmware maps no raw events to XiangShan's counters: its device tree needs a riscv,pmu node: make dts\n");
	else if (!xs->found_wide)
		pr_info("sums of three and four events cannot be counted: firmware has no raw events v2 (SBI 3.0)\n");
}

const struct sbi_pmu_vendor sbi_pmu_xiangshan = {
	.match = xiangshan_match,
	.encode = xiangshan_encode,
	.standard = xiangshan_standard,
	.attribute_groups = xiangshan_attribute_groups,
	.log = xiangshan_log,
	.remove = xiangshan_remove,
};
