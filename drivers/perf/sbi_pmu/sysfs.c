// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs: what perf list and people read about the PMU.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "sbi_pmu.h"

static struct sbi_pmu *dev_to_sbi_pmu(struct device *dev)
{
	return to_sbi_pmu(dev_get_drvdata(dev));
}

/* ---- format/ ---- */

struct format_attr {
	struct device_attribute attr;
	u64 mask;
};

static ssize_t format_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct format_attr *fmt = container_of(attr, struct format_attr, attr);

	return sysfs_emit(buf, "config:%*pbl\n", 64, &fmt->mask);
}

#define FORMAT(_name, _mask)					\
	(&((struct format_attr) {				\
		.attr = __ATTR(_name, 0444, format_show, NULL),	\
		.mask = (_mask),				\
	}).attr.attr)

static struct attribute *format_attrs[] = {
	FORMAT(event, SBI_PMU_CFG_EVENT),
	FORMAT(firmware, SBI_PMU_CFG_SPACE),
	NULL
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

/* ---- events/ ---- */

struct event_attr {
	struct device_attribute attr;
	u64 config;
};

static ssize_t event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct event_attr *ev = container_of(attr, struct event_attr, attr);

	return sysfs_emit(buf, "event=0x%llx,firmware=0x%llx\n",
			  FIELD_GET(SBI_PMU_CFG_EVENT, ev->config),
			  FIELD_GET(SBI_PMU_CFG_SPACE, ev->config));
}

#define EVENT(_name, _space, _code)						\
	(&((struct event_attr) {						\
		.attr = { .attr = { .name = _name, .mode = 0444 }, .show = event_show },	\
		.config = FIELD_PREP_CONST(SBI_PMU_CFG_SPACE, _space) | (_code),	\
	}).attr.attr)

#define STANDARD(_name, _idx)	EVENT(_name, SBI_PMU_SPACE_STANDARD, _idx)
#define FIRMWARE(_name, _code)	EVENT(_name, SBI_PMU_SPACE_FIRMWARE, _code)

#define GENERAL_EVENTS(_prefix)								\
	STANDARD(_prefix "cycles", SBI_PMU_GENERAL_CYCLES),				\
	STANDARD(_prefix "instructions", SBI_PMU_GENERAL_INSTRUCTIONS),			\
	STANDARD(_prefix "cache-references", SBI_PMU_GENERAL_CACHE_REFS),		\
	STANDARD(_prefix "cache-misses", SBI_PMU_GENERAL_CACHE_MISSES),			\
	STANDARD(_prefix "branches", SBI_PMU_GENERAL_BRANCHES),				\
	STANDARD(_prefix "branch-misses", SBI_PMU_GENERAL_BRANCH_MISSES),		\
	STANDARD(_prefix "bus-cycles", SBI_PMU_GENERAL_BUS_CYCLES),			\
	STANDARD(_prefix "stalled-cycles-frontend", SBI_PMU_GENERAL_STALL_FRONTEND),	\
	STANDARD(_prefix "stalled-cycles-backend", SBI_PMU_GENERAL_STALL_BACKEND),	\
	STANDARD(_prefix "ref-cycles", SBI_PMU_GENERAL_REF_CYCLES)

/* In the order of their codes, from 0 */
#define FIRMWARE_EVENTS		\
	FIRMWARE("fw_misaligned_load", 0),	\
	FIRMWARE("fw_misaligned_store", 1),	\
	FIRMWARE("fw_access_load", 2),	\
	FIRMWARE("fw_access_store", 3),	\
	FIRMWARE("fw_illegal_insn", 4),	\
	FIRMWARE("fw_set_timer", 5),	\
	FIRMWARE("fw_ipi_sent", 6),	\
	FIRMWARE("fw_ipi_received", 7),	\
	FIRMWARE("fw_fence_i_sent", 8),	\
	FIRMWARE("fw_fence_i_received", 9),	\
	FIRMWARE("fw_sfence_vma_sent", 10),	\
	FIRMWARE("fw_sfence_vma_received", 11),	\
	FIRMWARE("fw_sfence_vma_asid_sent", 12),	\
	FIRMWARE("fw_sfence_vma_asid_received", 13),	\
	FIRMWARE("fw_hfence_gvma_sent", 14),	\
	FIRMWARE("fw_hfence_gvma_received", 15),	\
	FIRMWARE("fw_hfence_gvma_vmid_sent", 16),	\
	FIRMWARE("fw_hfence_gvma_vmid_received", 17),	\
	FIRMWARE("fw_hfence_vvma_sent", 18),	\
	FIRMWARE("fw_hfence_vvma_received", 19),	\
	FIRMWARE("fw_hfence_vvma_asid_sent", 20),	\
	FIRMWARE("fw_hfence_vvma_asid_received", 21)

static struct attribute *event_attrs_sole[] = {
	GENERAL_EVENTS(""), FIRMWARE_EVENTS, NULL
};

/*
 * perf takes a bare "-e cycles" for every PMU that lists an event "cycles".
 * Beside another CPU PMU that is the other's, so ours have names of their own.
 */
static struct attribute *event_attrs_beside[] = {
	GENERAL_EVENTS("hw_"), FIRMWARE_EVENTS, NULL
};

static bool event_supported(struct sbi_pmu *pmu, const struct attribute *attr)
{
	const struct event_attr *ev = container_of(attr, struct event_attr, attr.attr);
	const struct perf_event_attr asked = { .config = ev->config };
	struct sbi_pmu_code code;
	struct sbi_pmu_mask can;

	return !sbi_pmu_event_encode(&pmu->able, &asked, true, &code) &&
	       !sbi_pmu_truth_of(pmu, &code, &can);
}

/* Only what can be counted here is listed. */
static umode_t event_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct sbi_pmu *pmu = dev_to_sbi_pmu(kobj_to_dev(kobj));

	return event_supported(pmu, attr) ? attr->mode : 0;
}

static const struct attribute_group event_group_sole = {
	.name = "events",
	.attrs = event_attrs_sole,
	.is_visible = event_visible,
};

static const struct attribute_group event_group_beside = {
	.name = "events",
	.attrs = event_attrs_beside,
	.is_visible = event_visible,
};

/* ---- caps/ ---- */

static ssize_t mode_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_to_sbi_pmu(dev)->sole ? "sole" : "beside");
}
static DEVICE_ATTR_RO(mode);

static ssize_t overflow_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const names[] = {
		[SBI_PMU_BY_NOTHING] = "none",
		[SBI_PMU_BY_LCOFI] = "lcofi",
		[SBI_PMU_BY_TIMER] = "timer",
	};

	return sysfs_emit(buf, "%s\n", names[dev_to_sbi_pmu(dev)->source]);
}
static DEVICE_ATTR_RO(overflow);

static ssize_t hardware_counters_show(struct device *dev, struct device_attribute *attr,
				      char *buf)
{
	const struct sbi_pmu *pmu = dev_to_sbi_pmu(dev);
	struct sbi_pmu_mask hw = sbi_pmu_inventory_hardware(&pmu->inv);

	return sysfs_emit(buf, "%u\n", sbi_pmu_mask_weight(&hw));
}
static DEVICE_ATTR_RO(hardware_counters);

static ssize_t firmware_counters_show(struct device *dev, struct device_attribute *attr,
				      char *buf)
{
	return sysfs_emit(buf, "%u\n", sbi_pmu_mask_weight(&dev_to_sbi_pmu(dev)->inv.firmware));
}
static DEVICE_ATTR_RO(firmware_counters);

static ssize_t user_read_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", dev_to_sbi_pmu(dev)->direct.able);
}
static DEVICE_ATTR_RO(user_read);

static ssize_t snapshot_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	static const char * const names[] = {
		[SBI_PMU_SNAPSHOT_NONE] = "none",
		[SBI_PMU_SNAPSHOT_UNUSED] = "unused",
		[SBI_PMU_SNAPSHOT_USED] = "used",
	};

	return sysfs_emit(buf, "%s\n", names[dev_to_sbi_pmu(dev)->snapshot]);
}
static DEVICE_ATTR_RO(snapshot);

static struct attribute *caps_attrs[] = {
	&dev_attr_mode.attr,
	&dev_attr_overflow.attr,
	&dev_attr_hardware_counters.attr,
	&dev_attr_firmware_counters.attr,
	&dev_attr_user_read.attr,
	&dev_attr_snapshot.attr,
	NULL
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

/* ---- cpus ---- */

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return cpumap_print_to_pagebuf(true, buf, &dev_to_sbi_pmu(dev)->cpus);
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *cpus_attrs[] = {
	&dev_attr_cpus.attr,
	NULL
};

static const struct attribute_group cpus_group = {
	.attrs = cpus_attrs,
};

/* ---- XiangShan: more of all three, where there is a table ---- */

static struct attribute *selector_attrs[] = {
	FORMAT(event0, SBI_PMU_CFG_EVENT0),
	FORMAT(event1, SBI_PMU_CFG_EVENT1),
	FORMAT(event2, SBI_PMU_CFG_EVENT2),
	FORMAT(event3, SBI_PMU_CFG_EVENT3),
	FORMAT(op0, SBI_PMU_CFG_OP0),
	FORMAT(op1, SBI_PMU_CFG_OP1),
	FORMAT(op2, SBI_PMU_CFG_OP2),
	FORMAT(unit, SBI_PMU_CFG_UNIT),
	NULL
};

static const struct attribute_group selector_group = {
	.name = "format",
	.attrs = selector_attrs,
};

static ssize_t event_table_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_to_sbi_pmu(dev)->xiangshan.table->name);
}
static DEVICE_ATTR_RO(event_table);

static struct attribute *table_attrs[] = {
	&dev_attr_event_table.attr,
	NULL
};

static const struct attribute_group table_group = {
	.name = "caps",
	.attrs = table_attrs,
};

static ssize_t name_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const u64 config = container_of(attr, struct event_attr, attr)->config;
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

/**
 * struct sbi_pmu_names - the files of XiangShan's events
 * @group: their group
 * @groups: all groups that a table adds, for perf core
 * @list: what is in @group
 * @attr: the files themselves
 */
struct sbi_pmu_names {
	struct attribute_group group;
	const struct attribute_group *groups[4];
	struct attribute **list;
	struct event_attr attr[];
};

/**
 * sbi_pmu_sysfs_names - files for the events of the XiangShan table, if there is one
 * @pmu: the driver, before its PMU is registered, its harts up
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int sbi_pmu_sysfs_names(struct sbi_pmu *pmu)
{
	const struct sbi_pmu_table *table = pmu->xiangshan.table;
	struct sbi_pmu_names *names;
	unsigned int found = 0;

	if (!table)
		return 0;
	names = kvzalloc(struct_size(names, attr, table->total), GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	pmu->names = names;
	names->list = kvcalloc(table->total + 1, sizeof(*names->list), GFP_KERNEL);
	if (!names->list)
		return -ENOMEM;
	for (unsigned int n = 0; n < table->total; n++) {
		struct event_attr *ev = &names->attr[found];

		if (!sbi_pmu_xiangshan_counts(pmu, table->names[n].config))
			continue;
		ev->config = table->names[n].config;
		ev->attr.show = name_show;
		ev->attr.attr.name = table->names[n].name;
		ev->attr.attr.mode = 0444;
		sysfs_attr_init(&ev->attr.attr);
		names->list[found++] = &ev->attr.attr;
	}
	names->group.name = "events";
	names->group.attrs = names->list;
	names->groups[0] = &selector_group;
	names->groups[1] = &table_group;
	names->groups[2] = &names->group;
	pmu->pmu.attr_update = names->groups;
	return 0;
}

void sbi_pmu_sysfs_free(struct sbi_pmu *pmu)
{
	if (pmu->names)
		kvfree(pmu->names->list);
	kvfree(pmu->names);
}

const struct attribute_group *sbi_pmu_attr_groups_sole[] = {
	&format_group, &event_group_sole, &caps_group, &cpus_group, NULL
};

/*
 * Beside another CPU PMU there is no "cpus": perf takes a PMU with that file
 * for a kind of core, and would open "-e cycles" on both.
 */
const struct attribute_group *sbi_pmu_attr_groups_beside[] = {
	&format_group, &event_group_beside, &caps_group, NULL
};
