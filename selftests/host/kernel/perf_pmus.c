// SPDX-License-Identifier: GPL-2.0-only
/* perf_pmus: the PMUs of perf core: register them, and look at their files in sysfs. */
#include "../../../drivers/perf/sbi_pmu/csr.h"
#include "perf_core.h"

static struct bus_type *const bus = (struct bus_type *)&perf_core;
enum { SOFTWARE, OTHER, PLATFORM, OURS };
static struct device devices[OURS + PERF_PMUS];

static struct pmu software = {
	.name = "software", .type = PERF_TYPE_SOFTWARE, .task_ctx_nr = -1, .dev = &devices[SOFTWARE],
};

static void add_device(struct device *dev, struct pmu *pmu, const char *name)
{
	*dev = (struct device){ .drvdata = pmu, .name = name, .bus = bus };
	pmu->dev = dev;
}

/* ---- the kernel's built-in driver ---- */

struct bus_type platform_bus_type;
static struct riscv_pmu *other; /* allocated; NULL: it is not there, or was stopped */
static int user_access, has_standard_events;
static struct static_key_false snapshot;

/* Its sysctl, in the root's folder "kernel" after another entry */
static const struct ctl_table folder_table = { .procname = "kernel" },
			      tables[] = { { .procname = "panic" },
					   { .procname = "perf_user_access", .data = &user_access } };
static struct ctl_node folder_node, nodes[2];
static struct ctl_table_header headers[2] = { { &tables[0], 1, &nodes[0] }, { &tables[1], 1, &nodes[1] } };
static struct ctl_node nodes[2] = { { .header = &headers[0] }, { .header = &headers[1] } };
static struct ctl_dir folder = {
	.header = { .ctl_table = &folder_table, .ctl_table_size = 1, .node = &folder_node },
	.root = { &nodes[0].node },
};
static struct ctl_node folder_node = { .header = &folder.header };
static struct ctl_table_root sysctls = { .default_set.dir.root = { &folder_node.node } };
static spinlock_t sysctl_lock;

/* Where that name is there already the kernel loses all of the folder. */
static void register_other_sysctl(void)
{
	assert(!nodes[0].node.next);
	nodes[0].node.next = &nodes[1].node;
}

bool perf_core_unregister_other_sysctl(struct ctl_table_header *header)
{
	if (header != &headers[1])
		return false;
	nodes[0].node.next = NULL;
	return true;
}

static irqreturn_t other_irq(int irq, void *dev)
{
	return IRQ_NONE;
}

static int other_width(int idx)
{
	return 63;
}

static int other_pm(struct notifier_block *nb, unsigned long action, void *data)
{
	return NOTIFY_OK;
}

/* As its probe does, which stops all counters; only one that can be stopped has an interrupt. */
static void start_other(const char *name, int type)
{
	unsigned int cpu;

	register_other_sysctl();
	other = host_alloc(sizeof(*other), GFP_KERNEL);
	other->hw_events = alloc_percpu(struct cpu_hw_events);
	other->ctr_get_width = other_width;
	other->riscv_pm_nb.notifier_call = other_pm;
	other->pmu = (struct pmu){ .name = name, .type = type, .event_unmapped = (void *)abort };
	add_device(&devices[OTHER], &other->pmu, name);
	if (!host.other_leaves || host_request_percpu_irq(14, other_irq, other->hw_events, 4)) {
		other->pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT;
		return;
	}
	for_each_online_cpu(cpu) {
		other->hw_events[cpu].irq = 14;
		host.irq_enabled[cpu] = true;
		fakesbi_harts[cpu].ctr[0].inhibited = true;
		fakesbi_harts[cpu].ctr[2].inhibited = true;
	}
}

/* Another PMU is there when the driver is loaded. Its memory is not counted. */
void perf_core_other_pmu(const char *name, int type)
{
	static const struct device_driver driver = { .name = "riscv-pmu-sbi" };

	user_access = 1;
	start_other(name, type);
	host.allocations -= 2;
	devices[PLATFORM] = (struct device){ .drvdata = &devices[PLATFORM], .name = driver.name,
				      .bus = &platform_bus_type, .driver = &driver };
}

void *perf_core_other_symbol(const char *name)
{
	const struct {
		const char *name;
		void *address;
	} symbols[] = {
		{ "pmu_sbi_ctr_get_width", other_width },
		{ "riscv_pm_pmu_notify", other_pm },
		{ "check_std_events_work", &has_standard_events },
		{ "sbi_pmu_snapshot_available", &snapshot },
		{ "sysctl_perf_user_access", &user_access },
		{ "sysctl_table_root", &sysctls },
		{ "sysctl_lock", &sysctl_lock },
		{ "kvm_get_kvm", host.kvm ? &host : NULL },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(symbols); i++)
		if (!strcmp(symbols[i].name, name))
			return symbols[i].address;
	return NULL;
}

struct device *device_find_child_by_name(struct device *dev, const char *name)
{
	assert(dev == &devices[PLATFORM]);
	return other && !strcmp(other->pmu.name, name) ? &devices[OTHER] : NULL;
}

int device_reprobe(struct device *dev)
{
	host_might_sleep();
	/* It could not register its PMU. */
	assert(dev == &devices[PLATFORM] && !other && !perf_core.pmu);
	if (host.other_fails) {
		register_other_sysctl();
		return -ENOMEM;
	}
	start_other("cpu", PERF_TYPE_RAW);
	return 0;
}

static void open_here(void *unused)
{
	sbi_pmu_csr_open(user_access == 2 ? 7 : 2);
}

/* Write to its sysctl, or read it with -1. */
int perf_core_other_sysctl(int value)
{
	if (!nodes[0].node.next)
		return -ENOENT;
	if (value < 0)
		return user_access;
	user_access = value;
	on_each_cpu(open_here, NULL, true);
	return 0;
}

bool perf_core_other_is_back(void)
{
	for_each_pmu(left)
		return false;
	return !devices[PLATFORM].name || other;
}

/* ---- the list of PMUs ---- */

struct device *bus_find_device(struct bus_type *which, struct device *start, const void *data,
			       int (*match)(struct device *dev, const void *data))
{
	assert(!start);
	for (unsigned int i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i].drvdata && devices[i].bus == which && match(&devices[i], data))
			return &devices[i];
	return NULL;
}

static int match_name(struct device *dev, const void *name)
{
	return !strcmp(dev->name, name);
}

struct device *bus_find_device_by_name(struct bus_type *which, struct device *start,
				       const char *name)
{
	return bus_find_device(which, start, name, match_name);
}

struct perf_event *perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
						    struct task_struct *task, void *overflow,
						    void *context)
{
	static struct perf_event event;

	assert(attr->type == PERF_TYPE_SOFTWARE);
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return ERR_PTR(-ENOMEM);
	event.pmu = &software;
	return &event;
}

int perf_event_release_kernel(struct perf_event *event)
{
	return 0;
}

/* Perf core asks what is visible while it holds the lock of all PMUs. */
static void make_files(struct pmu *pmu, const struct attribute_group **groups)
{
	for (; groups && *groups; groups++)
		for (int n = 0; (*groups)->is_visible && (*groups)->attrs[n]; n++)
			(*groups)->is_visible(&pmu->dev->kobj, (*groups)->attrs[n], n);
}

int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	unsigned int i = 0;

	host_might_sleep();
	assert(!bus_find_device_by_name(bus, NULL, name));
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return -ENOMEM;
	pmu->name = name;
	for_each_pmu(registered)
		assert(registered->type != type);
	while (perf_core.pmus[i])
		assert(++i < PERF_PMUS);
	pmu->type = type >= 0 ? type : PERF_TYPE_MAX + 2 + (int)i;
	pmu->hrtimer_interval_ms = 4;
	perf_core.pmus[i] = pmu;
	perf_core.pmu = perf_core.pmus[0];
	add_device(&devices[OURS + i], pmu, name);
	make_files(pmu, pmu->attr_groups);
	make_files(pmu, pmu->attr_update);
	return 0;
}

void perf_pmu_stop_multiplexing(struct pmu *pmu)
{
	(void)pmu;
	perf_core.mux_until = 0;
}

int perf_pmu_unregister(struct pmu *pmu)
{
	struct perf_model *m;

	host_might_sleep();
	for_each_event(m)
		assert(m->event.pmu != pmu);
	assert(host.now >= perf_core.mux_until); /* it is freed, pending or not */
	if (other && pmu == &other->pmu) {
		other = NULL;
		host.freed_later = true;
	}
	for_each_pmu(registered)
		if (registered == pmu)
			*registered_ = NULL;
	perf_core.pmu = perf_core.pmus[0];
	pmu->dev->drvdata = NULL;
	return 0;
}

/* include/compat/ repeats it until the last event has left. */
void perf_pmu_unregister_last(struct pmu *pmu)
{
	assert(!perf_pmu_unregister(pmu));
}

static const char *show(struct device *dev, const struct attribute_group **groups, const char *dir,
			size_t n, const char *file)
{
	static char text[4096];

	for (; groups && *groups; groups++) {
		const struct attribute_group *g = *groups;
		const char *name = g->name ?: "";

		if (strlen(name) != n || strncmp(name, dir, n))
			continue;
		for (int i = 0; g->attrs[i]; i++) {
			struct device_attribute *attr =
				container_of(g->attrs[i], struct device_attribute, attr);

			if (strcmp(g->attrs[i]->name, file))
				continue;
			if (g->is_visible && !g->is_visible(&dev->kobj, g->attrs[i], i))
				continue;
			text[attr->show(dev, attr, text) - 1] = 0;
			return text;
		}
	}
	return NULL;
}

/* The contents of a file of a PMU in sysfs, as "caps/mode", without newline; NULL: no such file */
const char *perf_sysfs_of(struct pmu *pmu, const char *path)
{
	const char *slash = strchr(path, '/');
	const size_t n = slash ? slash - path : 0;
	const char *file = slash ? slash + 1 : path;

	return show(pmu->dev, pmu->attr_groups, path, n, file) ?:
		       show(pmu->dev, pmu->attr_update, path, n, file);
}

/* Only the software PMU is there. */
void perf_pmus_reset(void)
{
	if (other) {
		free(other->hw_events);
		free(other);
		other = NULL;
	}
	nodes[0].node.next = NULL;
	memset(devices, 0, sizeof(devices));
	add_device(&devices[SOFTWARE], &software, "software");
}
