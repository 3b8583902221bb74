// SPDX-License-Identifier: GPL-2.0-only
/*
 * XiangShan: which event table a core has, what mhpmevent holds, which counters take it.
 *
 * Each cycle up to four events of one unit, of 6 bits each, are combined:
 * (event0 op0 event1) op2 (event2 op1 event3).
 */
#include <linux/module.h>
#include <linux/of.h>
#include <linux/smp.h>

#include "cores.h"

static char *xiangshan = "auto";
module_param(xiangshan, charp, 0444);
MODULE_PARM_DESC(xiangshan, "XiangShan's event table: user-guide, v2r2-2025, v2r2-2026, v3, off, or auto (default): by the device tree, or by the core if that is clear");

/* ---- which table ---- */

#define ARCH_XIANGSHAN	25
#define VENDOR_BOSC	0x86f

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

/*
 * Find the event table of this core among @cores, and how it was chosen (@why). A wrong table gives
 * plausible numbers of other events, so in doubt there is no table, and the log says why. The
 * device tree is trusted whatever the ids are: its author knows which events its firmware maps.
 * Context: may sleep. Return: 0, -ENODEV if there is none, -EINVAL if the module parameter names
 * none.
 */
int sbi_pmu_xiangshan_find(const struct sbi_pmu_firmware_id *id, const struct sbi_pmu_core *cores,
			   unsigned int n, const struct sbi_pmu_core **core, const char **why)
{
	const bool by_itself = !strcmp(xiangshan, "auto");
	const char *name = by_itself ? stated_table() : xiangshan;

	if (!strcmp(xiangshan, "off") || (!name && id->marchid != ARCH_XIANGSHAN))
		return -ENODEV;
	if (!name && id->mvendorid == VENDOR_BOSC && has_smcntrpmf()) {
		name = "v3";
		*why = "mvendorid 0x86f, Smcntrpmf";
	} else if (!name) {
		/* A device tree may not list the extension although the core has it. */
		*why = id->mvendorid == VENDOR_BOSC ?
			       "V2, and V3 if no device tree lists its Smcntrpmf, look the same" :
			       "cores with this mvendorid have had three different tables";
	} else {
		*why = by_itself ? "the device tree says so" : "asked for";
	}
	for (*core = cores; name && *core < cores + n; ++*core)
		if (sbi_pmu_has_units(*core) && !strcmp((*core)->name, name))
			return 0;
	if (!by_itself) {
		pr_err("xiangshan=%s: auto, off, user-guide, v2r2-2025, v2r2-2026 and v3 are known\n",
		       xiangshan);
		return -EINVAL;
	}
	pr_info("XiangShan events have no names, as it is not clear which table of them this core has: %s; choose one: xiangshan=user-guide, v2r2-2025, v2r2-2026 or v3\n",
		name ? "the device tree names an unknown table" : *why);
	return -ENODEV;
}

/* ---- mhpmevent ---- */

/* Fields of config, and except for the unit of the register. sysfs prints them. */
#define EVENT_BITS	10
#define OP_BITS		5
#define OPS_SHIFT	40
#define CFG_EVENT(_n)	GENMASK_ULL((_n) * EVENT_BITS + 9, (_n) * EVENT_BITS)
#define CFG_OP(_n)	GENMASK_ULL(OPS_SHIFT + (_n) * OP_BITS + 4, OPS_SHIFT + (_n) * OP_BITS)
#define CFG_UNIT	GENMASK_ULL(58, 56)

/* Hardware ignores the upper two bits; in event0 they are a tag of the unit for device trees. */
#define EVENT_INDEX	GENMASK_ULL(7, 0)
#define EVENT_TAG	GENMASK_ULL(9, 8)

/* Operators; the register ignores other codes. */
enum { OP_OR = 0, OP_AND = 1, OP_XOR = 2, OP_ADD = 4 };

static unsigned int event_of(u64 config, unsigned int n)
{
	return config >> n * EVENT_BITS & CFG_EVENT(0);
}

static unsigned int op_of(u64 config, unsigned int n)
{
	return config >> (OPS_SHIFT + n * OP_BITS) & GENMASK(OP_BITS - 1, 0);
}

static unsigned int tagged_unit(u64 event)
{
	return FIELD_GET(EVENT_TAG, event) + SBI_PMU_UNIT_FRONTEND;
}

/* The counters of the unit in a selector's tag, as struct sbi_pmu_code has them */
u32 sbi_pmu_xiangshan_csrs(u64 selector)
{
	static const u32 of_unit[SBI_PMU_UNITS] = { 0, 0x7f8, 0x7f800, 0x7f80000, 0xf8000000 };

	return of_unit[tagged_unit(selector)];
}

/* Can the result be more than 0, if the operands can? Index 0 never counts. */
static bool can_count(unsigned int op, bool a, bool b)
{
	return op == OP_AND ? a && b : a || b;
}

/*
 * Encode config, in the fields above, as mhpmevent: @code has its data, with the unit as tag in
 * event0, and the unit's counters as csrs.
 * Return: 0, or -EINVAL for what can never count, or what the hardware would take for something
 * else: unknown operators, indices of more bits than are decoded, events of two units.
 */
int sbi_pmu_xiangshan_encode(const struct sbi_pmu_core *core, u64 config, struct sbi_pmu_code *code)
{
	const unsigned long legal = BIT(OP_OR) | BIT(OP_AND) | BIT(OP_XOR) | BIT(OP_ADD);
	const u64 ops = config & (CFG_OP(0) | CFG_OP(1) | CFG_OP(2));
	unsigned int unit = FIELD_GET(CFG_UNIT, config);
	u64 index[4], data = ops;

	for (unsigned int i = 0; i < 4; i++) {
		const unsigned int event = event_of(config, i);

		index[i] = event & EVENT_INDEX;
		data |= index[i] << i * EVENT_BITS;
		/* Tag 0 goes with any unit. */
		if (tagged_unit(event) == SBI_PMU_UNIT_FRONTEND)
			continue;
		if (unit != SBI_PMU_UNIT_ANY && unit != tagged_unit(event))
			return -EINVAL;
		unit = tagged_unit(event);
	}
	if (unit >= SBI_PMU_UNITS || config & ~(GENMASK_ULL(54, 0) | CFG_UNIT))
		return -EINVAL;
	if ((index[0] | index[1] | index[2] | index[3]) >> core->bits[unit])
		return -EINVAL;
	for (unsigned int i = 0; i < 3; i++)
		if (!(legal >> op_of(ops, i) & 1))
			return -EINVAL;
	if (!can_count(op_of(ops, 2), can_count(op_of(ops, 0), index[0], index[1]),
		       can_count(op_of(ops, 1), index[2], index[3])))
		return -EINVAL;

	code->data = data;
	if (unit == SBI_PMU_UNIT_ANY)
		return 0;
	code->data |= FIELD_PREP(EVENT_TAG, unit - SBI_PMU_UNIT_FRONTEND);
	code->csrs = sbi_pmu_xiangshan_csrs(code->data);
	return 0;
}

/* ---- sysfs ---- */

struct attribute *sbi_pmu_xiangshan_fields[] = {
	SBI_PMU_FORMAT(event0, CFG_EVENT(0)),
	SBI_PMU_FORMAT(event1, CFG_EVENT(1)),
	SBI_PMU_FORMAT(event2, CFG_EVENT(2)),
	SBI_PMU_FORMAT(event3, CFG_EVENT(3)),
	SBI_PMU_FORMAT(op0, CFG_OP(0)),
	SBI_PMU_FORMAT(op1, CFG_OP(1)),
	SBI_PMU_FORMAT(op2, CFG_OP(2)),
	SBI_PMU_FORMAT(unit, CFG_UNIT),
	NULL,
};

ssize_t sbi_pmu_xiangshan_event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const u64 selector = container_of(attr, struct perf_pmu_events_attr, attr)->id;
	int at = sysfs_emit(buf, "event0=0x%llx", selector & EVENT_INDEX);

	for (unsigned int i = 1; i < 4; i++)
		if (event_of(selector, i))
			at += sysfs_emit_at(buf, at, ",event%u=0x%x", i, event_of(selector, i));
	for (unsigned int i = 0; i < 3; i++)
		if (op_of(selector, i))
			at += sysfs_emit_at(buf, at, ",op%u=0x%x", i, op_of(selector, i));
	return at + sysfs_emit_at(buf, at, ",unit=0x%x\n", tagged_unit(selector));
}
