// SPDX-License-Identifier: GPL-2.0-only
/* What firmware takes of the events of a core's table, and what is replaced: sysfs and the log. */
#include <linux/module.h>
#include <linux/slab.h>

#include "../probe.h"
#include "cores.h"

static bool firmware_map;
module_param(firmware_map, bool, 0444);
MODULE_PARM_DESC(firmware_map, "count standard events as firmware maps them, also where it is known to map them wrongly on this core; what is replaced is in caps/replaced_events (default: no)");

static bool xiangshan_all;
module_param(xiangshan_all, bool, 0444);
MODULE_PARM_DESC(xiangshan_all, "list the withheld names of XiangShan events, too: those that in the RTL of the table's date never count, or count something else (default: no)");

/* Does firmware take this event, on counters that are not in use? */
static bool is_taken(struct sbi_pmu *pmu, struct sbi_pmu_code code)
{
	u64 candidates;

	return !sbi_pmu_find_counters(pmu, &code, &candidates);
}

/* Standard events of a KVM guest are those of its host's perf, whatever that makes of them. */
static enum sbi_pmu_decision decide(struct sbi_pmu *pmu, const struct sbi_pmu_core *core,
				    const struct sbi_pmu_standard *row)
{
	const struct sbi_pmu_code code = { .idx = row->idx };

	if (firmware_map || sbi_pmu_in_kvm(pmu) || row->when >= USER ||
	    (row->when == MISSING && is_taken(pmu, code)))
		return SBI_PMU_LEFT;
	if (row->selector && is_taken(pmu, sbi_pmu_core_code(core, row->selector)))
		return SBI_PMU_REPLACED;
	if (row->when == WRONG)
		return SBI_PMU_REFUSED;
	return is_taken(pmu, code) ? SBI_PMU_LEFT_PART : SBI_PMU_LEFT;
}

/* ---- sysfs ---- */

/* "branches=br_inst bus-cycles=none" */
static ssize_t replaced_events_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct sbi_pmu *pmu = to_sbi_pmu(dev_get_drvdata(dev));
	const struct sbi_pmu_table *table = pmu->caps.table;
	int at = 0;

	for (unsigned int n = 0; n < table->core->standards_total; n++) {
		const struct sbi_pmu_standard *row = &table->core->standards[n];

		if (row->name && table->decision[n] >= SBI_PMU_REPLACED)
			at += sysfs_emit_at(buf, at, "%s%s=%s", at ? " " : "", row->name,
					    table->decision[n] == SBI_PMU_REFUSED ? "none" :
										    row->event);
	}
	return at + sysfs_emit_at(buf, at, "%s\n", at ? "" : "none");
}
static DEVICE_ATTR_RO(replaced_events);

static struct attribute *caps_attrs[] = {
	&dev_attr_replaced_events.attr,
	NULL,
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

/*
 * Add a file for each event that firmware takes: three SBI calls for each. Which counters take an
 * event is found out when it is opened; of the first event here, so that each counter has one. With
 * units few events are on each counter: of all events here.
 */
static void fill_events(struct sbi_pmu *pmu, struct sbi_pmu_table *table)
{
	const struct sbi_pmu_core *core = table->core;
	const bool units = sbi_pmu_has_units(core);
	const char *name = core->names;

	for (unsigned int n = 0; n < table->wanted; n++, name += strlen(name) + 1) {
		const struct sbi_pmu_code code = sbi_pmu_core_code(core, core->selectors[n]);
		struct perf_pmu_events_attr *ev = &table->attr[table->found];

		if (units ? !is_taken(pmu, code) : !sbi_pmu_is_supported(pmu, code))
			continue;
		if (!units && !table->found)
			is_taken(pmu, code);
		ev->id = code.data;
		ev->attr.show = units ? sbi_pmu_xiangshan_event_show : sbi_pmu_event_show;
		ev->attr.attr.name = name;
		ev->attr.attr.mode = 0444;
		sysfs_attr_init(&ev->attr.attr);
		table->list[table->found++] = &ev->attr.attr;
		table->found_withheld += n >= core->total - core->withheld;
	}
}

const struct attribute_group **sbi_pmu_table_attribute_groups(struct sbi_pmu *pmu)
{
	struct sbi_pmu_table *table = pmu->caps.table;
	const struct sbi_pmu_core *core = table->core;
	const struct attribute_group **group = table->groups;

	if (core == &sbi_pmu_unknown_core)
		return table->groups;
	pmu->caps.event_table = core->name;
	pmu->caps.slots = core->slots;
	table->wanted = core->total - (xiangshan_all ? 0 : core->withheld);
	table->attr = kvcalloc(table->wanted, sizeof(*table->attr), GFP_KERNEL);
	table->list = kvcalloc(table->wanted + 1, sizeof(*table->list), GFP_KERNEL);
	if (!table->attr || !table->list)
		return NULL;
	for (unsigned int n = 0; n < core->standards_total; n++)
		table->decision[n] = decide(pmu, core, &core->standards[n]);
	fill_events(pmu, table);
	table->events.name = "events";
	table->events.attrs = table->list;
	*group++ = &table->events;
	if (core->fields) {
		table->fields.name = "format";
		table->fields.attrs = core->fields;
		*group++ = &table->fields;
	}
	if (!sbi_pmu_has_units(core))
		*group++ = &caps_group;
	return table->groups;
}

/* ---- the log ---- */

static void log_standard(struct sbi_pmu *pmu, const struct sbi_pmu_core *core,
			 const struct sbi_pmu_standard *row, enum sbi_pmu_decision decision)
{
	const bool user = row->when == USER;
	struct sbi_pmu_event e = { .code = { .idx = row->idx } };

	if (row->note && (decision == SBI_PMU_REPLACED || decision == SBI_PMU_LEFT_PART))
		pr_info("%s: %s\n", core->title, row->note);
	if (decision == SBI_PMU_LEFT_PART && row->when == PARTIAL)
		pr_warn("%s: firmware may count only a part of them, as it does not take %s (event=%#llx); sbi-pmu-map writes a device tree for it that does\n",
			row->name, row->event, row->selector);
	if (!user && row->when != KERNEL)
		return;
	e.code.flags = user ? SBI_PMU_CFG_FLAG_SET_SINH : SBI_PMU_CFG_FLAG_SET_UINH;
	if (!sbi_pmu_find_event(pmu, &e, false) && e.code.idx != row->idx)
		pr_info("%s: %s:%c are counted by %s (event=%#llx), as found in documents; not tried on such a core\n",
			core->title, row->name, user ? 'u' : 'k', row->event, row->selector);
	sbi_pmu_known_put(e.known);
}

static void log_units(const struct sbi_pmu_table *table)
{
	const struct sbi_pmu_core *core = table->core;
	u64 all = 0;

	pr_info("XiangShan events by table %s of RTL to %s (%s), %u of %u names; xiangshan= selects another table, or off\n",
		core->name, core->date, table->why, table->found, table->wanted);
	if (table->found_withheld)
		pr_info("xiangshan_all: %u of these names count nothing or something else in RTL to %s; 'make docs' writes pages with the reasons\n",
			table->found_withheld, core->date);
	for (unsigned int n = 0; n < table->found; n++)
		all |= table->attr[n].id;
	if (!table->found)
		pr_warn("firmware maps no raw events to XiangShan's counters: its device tree needs a riscv,pmu node: make dts\n");
	else if (!(all & ~RISCV_PMU_RAW_EVENT_MASK))
		pr_info("sums of three and four events cannot be counted: firmware has no raw events v2 (SBI 3.0)\n");
}

void sbi_pmu_table_log(struct sbi_pmu *pmu)
{
	const struct sbi_pmu_table *table = pmu->caps.table;
	const struct sbi_pmu_core *core = table->core;
	unsigned int n, replaced = 0;

	if (sbi_pmu_has_units(core))
		log_units(table);
	if (sbi_pmu_has_units(core) || core == &sbi_pmu_unknown_core)
		return;
	pr_info("%s: events by table %s of %s, firmware takes %u of %u\n", core->title, core->name,
		core->date, table->found, core->total);
	if (!table->found)
		pr_warn("firmware takes no event of this core: its device tree needs a riscv,pmu node with raw events: sbi-pmu-map writes one\n");
	for (n = 0; n < core->standards_total; n++) {
		replaced += core->standards[n].name && table->decision[n] >= SBI_PMU_REPLACED;
		log_standard(pmu, core, &core->standards[n], table->decision[n]);
	}
	if (replaced)
		pr_info("%u standard events, which firmware of such cores maps wrongly or not at all, are counted by events of the core or refused: caps/replaced_events; firmware_map=1 leaves them to firmware\n",
			replaced);
}
