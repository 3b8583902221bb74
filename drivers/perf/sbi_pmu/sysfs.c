// SPDX-License-Identifier: GPL-2.0-only
/* format/, events/, caps/ and cpus of the PMU; what a table of the core adds: vendor/events.c */
#include "backend.h"
#include "event.h"
#include "irq_source.h"
#include "probe.h"
#include "sysfs.h"

static struct sbi_pmu *dev_to_sbi_pmu(struct device *dev)
{
	return to_sbi_pmu(dev_get_drvdata(dev));
}

static u64 id_of(const struct device_attribute *attr)
{
	return container_of(attr, struct perf_pmu_events_attr, attr)->id;
}

ssize_t sbi_pmu_format_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const u64 mask = id_of(attr);

	return sysfs_emit(buf, "config:%*pbl\n", 64, &mask);
}

static ssize_t counterid_mask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "config2:0-31\n");
}
static DEVICE_ATTR_RO(counterid_mask);

static struct attribute *format_attrs[] = {
	SBI_PMU_FORMAT(event, SBI_PMU_CFG_EVENT),
	SBI_PMU_FORMAT(firmware, SBI_PMU_CFG_SPACE),
	&dev_attr_counterid_mask.attr,
	NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

ssize_t sbi_pmu_event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const u64 config = id_of(attr);

	return sysfs_emit(buf, "event=0x%llx,firmware=0x%llx\n",
			  FIELD_GET(SBI_PMU_CFG_EVENT, config),
			  FIELD_GET(SBI_PMU_CFG_SPACE, config));
}

/*
 * As PMU_EVENT_ATTR_ID(), for names with a "-". A shift: with GENMASK_ULL() of Linux 6.6, gcc 12
 * takes no FIELD_PREP_CONST() as a constant.
 */
#define EVENT(_name, _space, _code)						\
	(&((struct perf_pmu_events_attr) {						\
		.attr = { .attr = { .name = _name, .mode = 0444 },			\
			  .show = sbi_pmu_event_show },					\
		.id = (u64)(_space) << SBI_PMU_CFG_SPACE_SHIFT | (_code),		\
	}).attr.attr)

#define STANDARD(_name, _idx)	EVENT(_name, SBI_PMU_SPACE_STANDARD, _idx)
#define FIRMWARE(_name, _code)	EVENT(_name, SBI_PMU_SPACE_FIRMWARE, _code)

#define GENERAL_EVENTS(_prefix)								\
	STANDARD(_prefix "cycles", SBI_PMU_HW_CPU_CYCLES),				\
	STANDARD(_prefix "instructions", SBI_PMU_HW_INSTRUCTIONS),			\
	STANDARD(_prefix "cache-references", SBI_PMU_HW_CACHE_REFERENCES),		\
	STANDARD(_prefix "cache-misses", SBI_PMU_HW_CACHE_MISSES),			\
	STANDARD(_prefix "branches", SBI_PMU_HW_BRANCH_INSTRUCTIONS),				\
	STANDARD(_prefix "branch-misses", SBI_PMU_HW_BRANCH_MISSES),		\
	STANDARD(_prefix "bus-cycles", SBI_PMU_HW_BUS_CYCLES),			\
	STANDARD(_prefix "stalled-cycles-frontend", SBI_PMU_HW_STALLED_CYCLES_FRONTEND),	\
	STANDARD(_prefix "stalled-cycles-backend", SBI_PMU_HW_STALLED_CYCLES_BACKEND),	\
	STANDARD(_prefix "ref-cycles", SBI_PMU_HW_REF_CPU_CYCLES)

#define FIRMWARE_EVENTS		\
	FIRMWARE("fw_misaligned_load", SBI_PMU_FW_MISALIGNED_LOAD),	\
	FIRMWARE("fw_misaligned_store", SBI_PMU_FW_MISALIGNED_STORE),	\
	FIRMWARE("fw_access_load", SBI_PMU_FW_ACCESS_LOAD),	\
	FIRMWARE("fw_access_store", SBI_PMU_FW_ACCESS_STORE),	\
	FIRMWARE("fw_illegal_insn", SBI_PMU_FW_ILLEGAL_INSN),	\
	FIRMWARE("fw_set_timer", SBI_PMU_FW_SET_TIMER),	\
	FIRMWARE("fw_ipi_sent", SBI_PMU_FW_IPI_SENT),	\
	FIRMWARE("fw_ipi_received", SBI_PMU_FW_IPI_RCVD),	\
	FIRMWARE("fw_fence_i_sent", SBI_PMU_FW_FENCE_I_SENT),	\
	FIRMWARE("fw_fence_i_received", SBI_PMU_FW_FENCE_I_RCVD),	\
	FIRMWARE("fw_sfence_vma_sent", SBI_PMU_FW_SFENCE_VMA_SENT),	\
	FIRMWARE("fw_sfence_vma_received", SBI_PMU_FW_SFENCE_VMA_RCVD),	\
	FIRMWARE("fw_sfence_vma_asid_sent", SBI_PMU_FW_SFENCE_VMA_ASID_SENT),	\
	FIRMWARE("fw_sfence_vma_asid_received", SBI_PMU_FW_SFENCE_VMA_ASID_RCVD),	\
	FIRMWARE("fw_hfence_gvma_sent", SBI_PMU_FW_HFENCE_GVMA_SENT),	\
	FIRMWARE("fw_hfence_gvma_received", SBI_PMU_FW_HFENCE_GVMA_RCVD),	\
	FIRMWARE("fw_hfence_gvma_vmid_sent", SBI_PMU_FW_HFENCE_GVMA_VMID_SENT),	\
	FIRMWARE("fw_hfence_gvma_vmid_received", SBI_PMU_FW_HFENCE_GVMA_VMID_RCVD),	\
	FIRMWARE("fw_hfence_vvma_sent", SBI_PMU_FW_HFENCE_VVMA_SENT),	\
	FIRMWARE("fw_hfence_vvma_received", SBI_PMU_FW_HFENCE_VVMA_RCVD),	\
	FIRMWARE("fw_hfence_vvma_asid_sent", SBI_PMU_FW_HFENCE_VVMA_ASID_SENT),	\
	FIRMWARE("fw_hfence_vvma_asid_received", SBI_PMU_FW_HFENCE_VVMA_ASID_RCVD)

/* The event_idx of a cache event: perf and SBI number them alike (SBI 3.0, 11.5.2). */
#define CACHE_IDX(_cache, _op, _result)							\
	(FIELD_PREP_CONST(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_CACHE) |	\
	 FIELD_PREP_CONST(SBI_PMU_EVENT_CACHE_ID_CODE_MASK, PERF_COUNT_HW_CACHE_##_cache) |	\
	 FIELD_PREP_CONST(SBI_PMU_EVENT_CACHE_OP_ID_CODE_MASK, PERF_COUNT_HW_CACHE_##_op) |	\
	 FIELD_PREP_CONST(SBI_PMU_EVENT_CACHE_RESULT_ID_CODE_MASK, PERF_COUNT_HW_CACHE_##_result))

#define CACHE_EVENT(_name, _cache, _op, _result)	\
	STANDARD("hw_" _name, CACHE_IDX(_cache, _op, _result))

/* perf's names. A name in sysfs must not mix upper and lower case. */
#define CACHE_EVENTS(_name, _cache)						\
	CACHE_EVENT(_name "-loads", _cache, OP_READ, RESULT_ACCESS),			\
	CACHE_EVENT(_name "-load-misses", _cache, OP_READ, RESULT_MISS),			\
	CACHE_EVENT(_name "-stores", _cache, OP_WRITE, RESULT_ACCESS),			\
	CACHE_EVENT(_name "-store-misses", _cache, OP_WRITE, RESULT_MISS),		\
	CACHE_EVENT(_name "-prefetches", _cache, OP_PREFETCH, RESULT_ACCESS),		\
	CACHE_EVENT(_name "-prefetch-misses", _cache, OP_PREFETCH, RESULT_MISS)

/*
 * perf opens a bare "-e cycles" on every PMU that lists it. In shared mode that is the other PMU's,
 * so ours begins with hw_; cache events need a name, as PERF_TYPE_HW_CACHE is the other's, too.
 */
static struct attribute *event_attrs[] = {
	GENERAL_EVENTS(""),
	GENERAL_EVENTS("hw_"),
	CACHE_EVENTS("l1-dcache", L1D),
	CACHE_EVENTS("l1-icache", L1I),
	CACHE_EVENTS("llc", LL),
	CACHE_EVENTS("dtlb", DTLB),
	CACHE_EVENTS("itlb", ITLB),
	CACHE_EVENTS("branch", BPU),
	CACHE_EVENTS("node", NODE),
	FIRMWARE_EVENTS,
	NULL,
};

static bool event_exists(struct sbi_pmu *pmu, const struct attribute *attr)
{
	const struct device_attribute *file = container_of(attr, struct device_attribute, attr);
	const struct perf_event_attr asked = { .config = id_of(file) };
	struct sbi_pmu_code code;
	u64 candidates;

	if (!strstarts(attr->name, "fw_") && strstarts(attr->name, "hw_") == pmu->exclusive)
		return false;
	return !sbi_pmu_event_encode(&pmu->caps, &asked, true, &code) &&
	       !sbi_pmu_find_counters(pmu, &code, &candidates);
}

static umode_t event_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return event_exists(dev_to_sbi_pmu(kobj_to_dev(kobj)), attr) ? attr->mode : 0;
}

static const struct attribute_group event_group = {
	.name = "events",
	.attrs = event_attrs,
	.is_visible = event_visible,
};

/* The first event that exists, by its name in events/; NULL: none of these does. */
const char *sbi_pmu_first_event(struct sbi_pmu *pmu)
{
	struct attribute **a = event_attrs;

	while (*a && !event_exists(pmu, *a))
		a++;
	return *a ? (*a)->name : NULL;
}

/* The events that free-running counters count, as perf -e takes them */
const char *sbi_pmu_free_running_names(const struct sbi_pmu_layout *layout)
{
	static const char * const names[] = { "none", "cycles", "instructions",
					      "cycles,instructions" };
	unsigned int i, which = 0;

	for_each_counter(i, layout->free_running)
		which |= layout->info[i].csr == CSR_CYCLE ? 1 : 2;
	return names[which];
}

static const char *overflow_name(const struct sbi_pmu *pmu)
{
	if (pmu->source == SBI_PMU_OVERFLOW_IRQ)
		return pmu->irq_source->name;
	return pmu->source == SBI_PMU_OVERFLOW_TIMER ? "timer" : "none";
}

/* A file in caps/ */
#define CAP(_name, _format, _value)						\
	static ssize_t _name##_show(struct device *dev,				\
				    struct device_attribute *attr, char *buf)	\
	{									\
		const struct sbi_pmu *pmu = dev_to_sbi_pmu(dev);		\
										\
		return sysfs_emit(buf, _format "\n", _value);			\
	}									\
	static DEVICE_ATTR_RO(_name)

CAP(mode, "%s", pmu->exclusive ? "exclusive" : "shared");
CAP(overflow, "%s", overflow_name(pmu));
CAP(hardware_counters, "%u", (unsigned int)hweight64(sbi_pmu_hardware(&pmu->layout)));
CAP(firmware_counters, "%u", (unsigned int)hweight64(pmu->layout.firmware));
CAP(user_read, "%d", pmu->openable && sbi_pmu_the_pmu->user_access.available);
CAP(backend, "%s", pmu->backend->name);
CAP(event_table, "%s", pmu->caps.event_table);
CAP(slots, "0x%08x", pmu->caps.slots); /* in the format of arm64 */
CAP(free_running, "%s", sbi_pmu_free_running_names(&pmu->layout));
CAP(branches, "%u", pmu->branch.entries);
CAP(unfiltered, "%d", READ_ONCE(*pmu->caps.unfiltered));

static struct attribute *caps_attrs[] = {
	&dev_attr_mode.attr,
	&dev_attr_overflow.attr,
	&dev_attr_hardware_counters.attr,
	&dev_attr_firmware_counters.attr,
	&dev_attr_user_read.attr,
	&dev_attr_backend.attr,
	&dev_attr_event_table.attr,
	&dev_attr_slots.attr,
	&dev_attr_free_running.attr,
	&dev_attr_branches.attr,
	&dev_attr_unfiltered.attr,
	NULL,
};

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(&dev_to_sbi_pmu(dev)->cpus));
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *cpus_attrs[] = { &dev_attr_cpus.attr, NULL };

/* cpus only in exclusive mode: to perf it makes a kind of core, which has "-e cycles", too. */
static umode_t file_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	const struct sbi_pmu *pmu = dev_to_sbi_pmu(kobj_to_dev(kobj));

	if ((attr == &dev_attr_slots.attr && !pmu->caps.slots) ||
	    (attr == &dev_attr_event_table.attr && !pmu->caps.event_table) ||
	    (attr == &dev_attr_cpus.attr && !pmu->exclusive))
		return 0;
	return attr->mode;
}

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
	.is_visible = file_visible,
};

static const struct attribute_group cpus_group = {
	.attrs = cpus_attrs,
	.is_visible = file_visible,
};

const struct attribute_group *sbi_pmu_attr_groups[] = {
	&format_group, &event_group, &caps_group, &cpus_group, NULL,
};
