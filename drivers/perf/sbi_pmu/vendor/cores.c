// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cores of which a table is all that is needed, but for SpacemiT's way to write raw events: names
 * of their events, and which event is right for a standard event that firmware is known to map
 * wrongly. The tables are TSV files, which read-cores.awk describes.
 */
#include <linux/module.h>
#include <linux/of.h>
#include <linux/slab.h>

#include "../sysfs.h"
#include "vendors.h"

static bool map_wish;
module_param_named(firmware_map, map_wish, bool, 0444);
MODULE_PARM_DESC(firmware_map, "count standard events as firmware maps them, also where it is known to map them wrongly on this core; what is replaced is in caps/replaced_events (default: no)");

/* When an event of the core is used for a standard event */
enum when {
	MISSING, /* firmware does not take the standard event */
	PARTIAL, /* firmware counts a part of it, else is left to firmware */
	WRONG,   /* firmware counts something else, else nothing is counted */
	SAME,    /* firmware counts it, too: used so that equal events share a counter */
	USER,    /* no counter filters the standard event by U-mode; events of the core do */
	KERNEL,  /* likewise, S-mode */
};

struct standard {
	u32 idx;           /* event_idx of the standard event */
	u32 selector;      /* the event of the core, 0: none */
	u8 when;           /* enum when */
	const char *name;  /* perf's name of the standard event; NULL: not for the log */
	const char *event; /* its name */
	const char *note;  /* for the log: what it counts, if that is not all; or NULL */
};

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

struct core {
	const char *name, *title;
	const char *tree;     /* its names in device trees, each with a 0 at its end */
	const char *date;     /* month of the newest table that was read */
	const char *names;    /* of the events, each with a 0 at its end */
	const u32 *selectors; /* in the same order */
	const struct standard *standards;
	struct attribute **fields; /* of a selector, for format/ */
	u16 total, standards_total;
	u8 slots; /* micro-ops that a cycle can have at most; 0: no formulas need it */
	u8 unfiltered_first, unfiltered_last; /* events that ignore filters */
	u8 limited_first, limited_last;       /* events that count on some counters only: */
	u32 limited_to;                       /* a bit for each, as in mcounteren */
};

struct core_id {
	const char *pattern; /* mvendorid, marchid and mimpid */
	u16 core;
};

#include "cores.inc"

/* Data of this vendor; NULL: a core of SpacemiT of which only the codes are known */
struct table {
	const struct core *core;
	bool spacemit;
	unsigned int found;                      /* number of events that firmware takes */
	u8 decision[MAX_STANDARDS];              /* enum decision, by row of the core's standards */
	struct attribute_group events, fields;   /* attribute groups */
	const struct attribute_group *groups[4]; /* all of them, for perf core */
	struct attribute **list;                 /* the attributes of @events */
	struct perf_pmu_events_attr *attr;       /* the events */
};

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

static bool is_in_tree(const struct core *core)
{
	struct device_node *node = NULL;

	for (const char *name = core->tree; *name && !node; name += strlen(name) + 1)
		node = of_find_compatible_node(NULL, "cpu", name);
	of_node_put(node);
	return node;
}

/* If several have these ids: the one in the device tree, else the first, whose events all have. */
static const struct core *find_core(const struct sbi_pmu_firmware_id *id)
{
	const struct core *found = NULL;
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

static int core_match(const struct sbi_pmu_firmware_id *id, void **data)
{
	const struct core *core = find_core(id);
	const bool spacemit = id->mvendorid == SPACEMIT;
	struct table *table;

	if (!core)
		return spacemit ? 0 : -ENODEV;
	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->core = core;
	table->spacemit = spacemit;
	*data = table;
	return 0;
}

static void core_remove(void *data)
{
	struct table *table = data;

	if (!table)
		return;
	kvfree(table->list);
	kvfree(table->attr);
	kfree(table);
}

/* Which counters count it? 0: all */
static u32 csrs_of(const struct core *core, u64 selector)
{
	const bool limited = selector >= core->limited_first && selector <= core->limited_last;

	return limited ? core->limited_to : 0;
}

static int core_encode(const void *data, u64 config, struct sbi_pmu_code *code)
{
	const struct table *table = data;

	if ((!table || table->spacemit) && FIELD_GET(SPACEMIT_TYPE, config) == SPACEMIT_TYPE_RAW)
		code->data = config & ~SPACEMIT_TYPE;
	if (table)
		code->csrs = csrs_of(table->core, code->data);
	return 0;
}

/* ---- standard events ---- */

static struct sbi_pmu_code code_of(const struct core *core, u32 selector)
{
	return (struct sbi_pmu_code){
		.idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_RAW),
		.data = selector,
		.csrs = csrs_of(core, selector),
	};
}

/* By the byte that selects an event: other bits must not get around this. */
static bool core_ignores_filters(const void *data, const struct sbi_pmu_code *code)
{
	const struct table *table = data;
	const u8 selector = code->data;

	return table && sbi_pmu_code_is_raw(code) && table->core->unfiltered_last &&
	       selector >= table->core->unfiltered_first &&
	       selector <= table->core->unfiltered_last;
}

static int core_correct(const void *data, struct sbi_pmu_code *code)
{
	const struct table *table = data;

	for (unsigned int n = 0; table && n < table->core->standards_total; n++) {
		const struct standard *row = &table->core->standards[n];

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
static bool core_substitute(const void *data, struct sbi_pmu_code *code)
{
	const u32 flags = code->flags;
	const u32 modes = flags & (SBI_PMU_CFG_FLAG_SET_UINH | SBI_PMU_CFG_FLAG_SET_SINH);
	const struct table *table = data;

	for (unsigned int n = 0; table && n < table->core->standards_total; n++) {
		const struct standard *row = &table->core->standards[n];

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
static enum decision decide(struct sbi_pmu *pmu, const struct core *core,
			    const struct standard *row)
{
	const bool known = is_taken(pmu, (struct sbi_pmu_code){ .idx = row->idx });

	if (map_wish || sbi_pmu_in_kvm(pmu) || row->when == USER || row->when == KERNEL ||
	    (row->when == MISSING && known))
		return LEFT;
	if (row->selector && is_taken(pmu, code_of(core, row->selector)))
		return REPLACED;
	if (row->when == WRONG)
		return REFUSED;
	return known ? LEFT_PART : LEFT;
}

/* ---- sysfs ---- */

/* "branches=br_inst bus-cycles=none" */
static ssize_t replaced_events_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct sbi_pmu *pmu = to_sbi_pmu(dev_get_drvdata(dev));
	const struct table *table = pmu->caps.vendor_data;
	int at = 0;

	for (unsigned int n = 0; n < table->core->standards_total; n++) {
		const struct standard *row = &table->core->standards[n];

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
 * is found out when it is opened; of the first one here, so that each counter has an event.
 */
static void fill_events(struct sbi_pmu *pmu, struct table *table)
{
	const struct core *core = table->core;
	const char *name = core->names;

	for (unsigned int n = 0; n < core->total; n++, name += strlen(name) + 1) {
		const struct sbi_pmu_code code = code_of(core, core->selectors[n]);
		struct perf_pmu_events_attr *ev = &table->attr[table->found];

		if (!sbi_pmu_takes(pmu, code))
			continue;
		if (!table->found)
			is_taken(pmu, code);
		ev->id = code.data;
		ev->attr.show = sbi_pmu_event_show;
		ev->attr.attr.name = name;
		ev->attr.attr.mode = 0444;
		sysfs_attr_init(&ev->attr.attr);
		table->list[table->found++] = &ev->attr.attr;
	}
}

static const struct attribute_group **core_attribute_groups(struct sbi_pmu *pmu, void *data)
{
	static const struct attribute_group *none[] = { NULL };
	struct table *table = data;

	if (!table)
		return none;
	pmu->caps.event_table = table->core->name;
	pmu->caps.slots = table->core->slots;
	table->attr = kvcalloc(table->core->total, sizeof(*table->attr), GFP_KERNEL);
	table->list = kvcalloc(table->core->total + 1, sizeof(*table->list), GFP_KERNEL);
	if (!table->attr || !table->list)
		return NULL;
	for (unsigned int n = 0; n < table->core->standards_total; n++)
		table->decision[n] = decide(pmu, table->core, &table->core->standards[n]);
	fill_events(pmu, table);
	table->events.name = "events";
	table->events.attrs = table->list;
	table->groups[0] = &table->events;
	table->groups[1] = &caps_group;
	if (table->core->fields) {
		table->fields.name = "format";
		table->fields.attrs = table->core->fields;
		table->groups[2] = &table->fields;
	}
	return table->groups;
}

/* ---- the log ---- */

static bool stands_in(struct sbi_pmu *pmu, const struct standard *row, u32 filter)
{
	struct sbi_pmu_code code = { .idx = row->idx, .flags = filter };
	u64 candidates;

	return !sbi_pmu_find_filtered(pmu, &code, SBI_PMU_OPENER_NONE, -ENOENT, &candidates) &&
	       code.idx != row->idx;
}

static void log_standard(struct sbi_pmu *pmu, const struct core *core, const struct standard *row,
			 enum decision decision)
{
	const bool user = row->when == USER;

	if (row->note && (decision == REPLACED || decision == LEFT_PART))
		pr_info("%s: %s\n", core->title, row->note);
	if (decision == LEFT_PART && row->when == PARTIAL)
		pr_warn("%s: firmware may count only a part of them, as it does not take %s (event=%#x); sbi-pmu-map writes a device tree for it that does\n",
			row->name, row->event, row->selector);
	if ((user || row->when == KERNEL) &&
	    stands_in(pmu, row, user ? SBI_PMU_CFG_FLAG_SET_SINH : SBI_PMU_CFG_FLAG_SET_UINH))
		pr_info("%s: %s:%c are counted by %s (event=%#x), as found in documents; not tried on such a core\n",
			core->title, row->name, user ? 'u' : 'k', row->event, row->selector);
}

static void core_log(struct sbi_pmu *pmu, void *data)
{
	const struct table *table = data;
	unsigned int n, replaced = 0;
	const struct core *core;

	if (!table)
		return;
	core = table->core;
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

const struct sbi_pmu_vendor sbi_pmu_cores = {
	.match = core_match,
	.encode = core_encode,
	.ignores_filters = core_ignores_filters,
	.correct = core_correct,
	.substitute = core_substitute,
	.attribute_groups = core_attribute_groups,
	.log = core_log,
	.remove = core_remove,
};
