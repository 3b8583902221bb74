// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cores of which there is a table: names of their events, and which event is right for a standard
 * event that firmware is known to map wrongly, or has not been asked for. The tables are TSV files,
 * which read.awk describes. What is not in them: how XiangShan's are chosen, and its selectors
 * (xiangshan.c); SpacemiT's way to write raw events.
 */
#include <linux/module.h>
#include <linux/of.h>
#include <linux/slab.h>

#include "cores.h"

static bool firmware_map;
module_param(firmware_map, bool, 0444);
MODULE_PARM_DESC(firmware_map, "count standard events as firmware maps them, also where it is known to map them wrongly on this core; what is replaced is in caps/replaced_events (default: no)");

static bool xiangshan_all;
module_param(xiangshan_all, bool, 0444);
MODULE_PARM_DESC(xiangshan_all, "list the withheld names of XiangShan events, too: those that in the RTL of the table's date never count, or count something else (default: no)");

#define SPACEMIT	0x710 /* mvendorid (JEDEC) */

/* "Perf Usage Note" (Bianbu documentation, development/perf): r0400000000000008 is event 8. */
#define SPACEMIT_TYPE		GENMASK_ULL(63, 56)
#define SPACEMIT_TYPE_RAW	4 /* as PERF_TYPE_RAW */

/* Who decides what counts as a standard event */
enum decision {
	LEFT,      /* firmware; nothing is known to be wrong */
	LEFT_PART, /* firmware, though it may count a part only: it does not take the right event */
	REPLACED,  /* the event of the core is counted */
	REFUSED,   /* none is counted */
};

struct core_id {
	const char *pattern; /* mvendorid, marchid and mimpid */
	u16 core;
};

#include "cores.inc"

/* Of this nothing is known, but how SpacemiT writes codes. */
static const struct sbi_pmu_core unknown;

struct sbi_pmu_table {
	const struct sbi_pmu_core *core;
	const char *why; /* how it was chosen, for the log; NULL: by ids */
	bool spacemit;
	unsigned int wanted;                   /* number of events to list, if they can be */
	unsigned int found;                    /* of these, those that firmware takes */
	unsigned int found_withheld;           /* of these, those that are listed only on demand */
	struct attribute_group events, fields; /* attribute groups */
	const struct attribute_group *groups[4]; /* all of them, for perf core */
	struct attribute **list;                 /* the attributes of @events */
	struct perf_pmu_events_attr *attr;       /* the events */
	u8 decision[];                           /* enum decision, by row of the core's standards */
};

static bool has_units(const struct sbi_pmu_core *core)
{
	return core->bits[SBI_PMU_UNIT_ANY];
}

/* ---- ids ---- */

/* In a pattern, [1-9a] is one of these characters, and * at its end is any text. */
static bool is_like(const char *text, const char *pattern)
{
	for (; *pattern && *pattern != '*'; text++, pattern++) {
		bool found = *pattern == *text;

		if (*pattern == '[')
			while (*++pattern != ']') {
				const char first = *pattern;

				if (pattern[1] == '-')
					pattern += 2;
				found |= *text >= first && *text <= *pattern;
			}
		if (!found)
			return false;
	}
	return *pattern || !*text;
}

static bool is_in_tree(const struct sbi_pmu_core *core)
{
	struct device_node *node = NULL;

	for (const char *name = core->tree; *name && !node; name += strlen(name) + 1)
		node = of_find_compatible_node(NULL, "cpu", name);
	of_node_put(node);
	return node;
}

/* If several have these ids: the one in the device tree, else the first, whose events all have. */
static const struct sbi_pmu_core *find_core(const struct sbi_pmu_firmware_id *id)
{
	const struct sbi_pmu_core *found = NULL;
	bool several = false;
	char text[64];

	snprintf(text, sizeof(text), "0x%lx 0x%lx 0x%lx", id->mvendorid, id->marchid, id->mimpid);
	for (const struct core_id *i = ids; i < ids + ARRAY_SIZE(ids); i++) {
		if (!is_like(text, i->pattern))
			continue;
		if (is_in_tree(&cores[i->core]))
			return &cores[i->core];
		several = found;
		found = found ?: &cores[i->core];
	}
	if (several)
		pr_info("%s: the device tree names no core with these ids, and others have more events\n",
			found->title);
	return found;
}

/* The table of this name of cores with units, NULL if there is none */
const struct sbi_pmu_core *sbi_pmu_core_with_units(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(cores); i++)
		if (has_units(&cores[i]) && !strcmp(cores[i].name, name))
			return &cores[i];
	return NULL;
}

int sbi_pmu_table_find(const struct sbi_pmu_firmware_id *id, struct sbi_pmu_table **table)
{
	const struct sbi_pmu_core *core;
	const char *why = NULL;
	const int ret = sbi_pmu_xiangshan_find(id, &core, &why);

	if (ret == -EINVAL)
		return ret;
	if (ret)
		core = find_core(id) ?: &unknown;
	*table = kzalloc(struct_size(*table, decision, core->standards_total), GFP_KERNEL);
	if (!*table)
		return -ENOMEM;
	(*table)->core = core;
	(*table)->why = why;
	(*table)->spacemit = id->mvendorid == SPACEMIT;
	return 0;
}

void sbi_pmu_table_free(struct sbi_pmu_table *table)
{
	if (!table)
		return;
	kvfree(table->list);
	kvfree(table->attr);
	kfree(table);
}

/* Which counters count it? 0: all */
static u32 csrs_of(const struct sbi_pmu_core *core, u64 selector)
{
	const bool limited = selector >= core->limited_first && selector <= core->limited_last;

	if (has_units(core))
		return sbi_pmu_xiangshan_csrs(selector);
	return limited ? core->limited_to : 0;
}

int sbi_pmu_table_encode(const struct sbi_pmu_table *table, u64 config, struct sbi_pmu_code *code)
{
	if (has_units(table->core))
		return sbi_pmu_xiangshan_encode(table->core, config, code);
	code->data = config;
	if (table->spacemit && FIELD_GET(SPACEMIT_TYPE, config) == SPACEMIT_TYPE_RAW)
		code->data &= ~SPACEMIT_TYPE;
	code->csrs = csrs_of(table->core, code->data);
	return 0;
}

/* ---- standard events ---- */

static struct sbi_pmu_code code_of(const struct sbi_pmu_core *core, u64 selector)
{
	const u32 type = selector & ~RISCV_PMU_RAW_EVENT_MASK ? SBI_PMU_EVENT_TYPE_RAW_V2 :
								SBI_PMU_EVENT_TYPE_RAW;

	return (struct sbi_pmu_code){
		.idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, type),
		.data = selector,
		.csrs = csrs_of(core, selector),
	};
}

bool sbi_pmu_table_standard(const struct sbi_pmu_table *table, u32 idx, struct sbi_pmu_code *code)
{
	const struct sbi_pmu_core *core = table->core;

	for (unsigned int n = 0; n < core->standards_total; n++)
		if (core->standards[n].when == DELEGATED && core->standards[n].idx == idx) {
			*code = code_of(core, core->standards[n].selector);
			return true;
		}
	return false;
}

/* By the byte that selects an event: other bits must not get around this. */
bool sbi_pmu_table_ignores_filters(const struct sbi_pmu_table *table,
				   const struct sbi_pmu_code *code)
{
	const u8 selector = code->data;

	return sbi_pmu_code_is_raw(code) && table->core->unfiltered_last &&
	       selector >= table->core->unfiltered_first &&
	       selector <= table->core->unfiltered_last;
}

int sbi_pmu_table_correct(const struct sbi_pmu_table *table, struct sbi_pmu_code *code)
{
	for (unsigned int n = 0; n < table->core->standards_total; n++) {
		const struct sbi_pmu_standard *row = &table->core->standards[n];

		if (row->idx != code->idx || table->decision[n] < REPLACED)
			continue;
		if (table->decision[n] == REFUSED)
			return -ENOENT;
		*code = code_of(table->core, row->selector);
		return 0;
	}
	return 0;
}

/* Replace an event by one that counts the same; its flags stay. Return: is there one? */
bool sbi_pmu_table_substitute(const struct sbi_pmu_table *table, struct sbi_pmu_code *code)
{
	const u32 flags = code->flags;
	const u32 modes = flags & (SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH);

	for (unsigned int n = 0; n < table->core->standards_total; n++) {
		const struct sbi_pmu_standard *row = &table->core->standards[n];

		if (row->idx != code->idx ||
		    !((row->when == USER && modes == SBI_PMU_CFG_FLAG_SET_SINH) ||
		      (row->when == KERNEL && modes == SBI_PMU_CFG_FLAG_SET_UINH)))
			continue;
		*code = code_of(table->core, row->selector);
		code->flags = flags;
		return true;
	}
	return false;
}

/* Does firmware take this event, on counters that are not in use? */
static bool is_taken(struct sbi_pmu *pmu, struct sbi_pmu_code code)
{
	u64 candidates;

	return !sbi_pmu_find_counters(pmu, &code, &candidates);
}

/* Standard events of a KVM guest are those of its host's perf, whatever that makes of them. */
static enum decision decide(struct sbi_pmu *pmu, const struct sbi_pmu_core *core,
			    const struct sbi_pmu_standard *row)
{
	const struct sbi_pmu_code code = { .idx = row->idx };

	if (firmware_map || sbi_pmu_in_kvm(pmu) || row->when >= USER ||
	    (row->when == MISSING && is_taken(pmu, code)))
		return LEFT;
	if (row->selector && is_taken(pmu, code_of(core, row->selector)))
		return REPLACED;
	if (row->when == WRONG)
		return REFUSED;
	return is_taken(pmu, code) ? LEFT_PART : LEFT;
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

		if (row->name && table->decision[n] >= REPLACED)
			at += sysfs_emit_at(buf, at, "%s%s=%s", at ? " " : "", row->name,
					    table->decision[n] == REFUSED ? "none" : row->event);
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
 * Add a file for each event that firmware takes: three SBI calls for each. Which counters take it
 * is found out when it is opened; of the first one here, so that each counter has an event. Events
 * of units are few on each counter: all here.
 */
static void fill_events(struct sbi_pmu *pmu, struct sbi_pmu_table *table)
{
	const struct sbi_pmu_core *core = table->core;
	const char *name = core->names;

	for (unsigned int n = 0; n < table->wanted; n++, name += strlen(name) + 1) {
		const struct sbi_pmu_code code = code_of(core, core->selectors[n]);
		struct perf_pmu_events_attr *ev = &table->attr[table->found];

		if (has_units(core) ? !is_taken(pmu, code) : !sbi_pmu_is_supported(pmu, code))
			continue;
		if (!has_units(core) && !table->found)
			is_taken(pmu, code);
		ev->id = code.data;
		ev->attr.show = has_units(core) ? sbi_pmu_xiangshan_event_show : sbi_pmu_event_show;
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

	if (core == &unknown)
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
	if (!has_units(core))
		*group++ = &caps_group;
	return table->groups;
}

/* ---- the log ---- */

static void log_standard(struct sbi_pmu *pmu, const struct sbi_pmu_core *core,
			 const struct sbi_pmu_standard *row, enum decision decision)
{
	const bool user = row->when == USER;
	struct sbi_pmu_event e = { .code = { .idx = row->idx } };

	if (row->note && (decision == REPLACED || decision == LEFT_PART))
		pr_info("%s: %s\n", core->title, row->note);
	if (decision == LEFT_PART && row->when == PARTIAL)
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

	if (has_units(core))
		log_units(table);
	if (has_units(core) || core == &unknown)
		return;
	pr_info("%s: events by table %s of %s, firmware takes %u of %u\n", core->title, core->name,
		core->date, table->found, core->total);
	if (!table->found)
		pr_warn("firmware takes no event of this core: its device tree needs a riscv,pmu node with raw events: sbi-pmu-map writes one\n");
	for (n = 0; n < core->standards_total; n++) {
		replaced += core->standards[n].name && table->decision[n] >= REPLACED;
		log_standard(pmu, core, &core->standards[n], table->decision[n]);
	}
	if (replaced)
		pr_info("%u standard events, which firmware of such cores maps wrongly or not at all, are counted by events of the core or refused: caps/replaced_events; firmware_map=1 leaves them to firmware\n",
			replaced);
}
