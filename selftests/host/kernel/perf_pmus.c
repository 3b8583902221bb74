// SPDX-License-Identifier: GPL-2.0-only
/* perf_pmus: the PMUs of perf core: register them, and look at their files in sysfs. */
#include "../../../drivers/perf/sbi_pmu/sbi_pmu.h"
#include "perf_core.h"

static struct bus_type *const bus = (struct bus_type *)&perf_core;
static struct device devices[4];

static struct pmu software = {
	.name = "software", .type = PERF_TYPE_SOFTWARE, .task_ctx_nr = -1, .dev = &devices[0],
};

static struct pmu other;

static void add_device(struct device *dev, struct pmu *pmu, const char *name)
{
	*dev = (struct device){ .drvdata = pmu, .name = name, .bus = bus };
	pmu->dev = dev;
}

/* Another PMU is there when the driver is loaded. */
void perf_core_other_pmu(const char *name, int type)
{
	other = (struct pmu){ .name = name, .type = type };
	add_device(&devices[1], &other, name);
}

/* In place of takeover.c: the other PMU leaves, if it can, and comes back. */
static const int others_user_access = 1;

const char *sbi_pmu_take_over(struct sbi_pmu *pmu, bool asked_for)
{
	if (!host.other_leaves)
		return asked_for ? "it stays" : "it stays, unless it is asked for";
	devices[1].drvdata = NULL;
	pmu->builtin.device = &devices[1];
	pmu->builtin.user_access = &others_user_access;
	return NULL;
}

void sbi_pmu_give_back(struct sbi_pmu *pmu)
{
	if (!pmu->builtin.device)
		return;
	/* It could not come back. */
	assert(!perf_core.pmu && !host.handler);
	devices[1].drvdata = &other;
}

bool perf_core_other_is_back(void)
{
	return !other.name || devices[1].drvdata == &other;
}

struct device *bus_find_device(struct bus_type *which, struct device *start, const void *data,
			       int (*match)(struct device *dev, const void *data))
{
	assert(which == bus && !start);
	for (unsigned int i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i].drvdata && match(&devices[i], data))
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
static void make_files(const struct attribute_group **groups)
{
	for (; groups && *groups; groups++)
		for (int n = 0; (*groups)->is_visible && (*groups)->attrs[n]; n++)
			(*groups)->is_visible(&perf_core.pmu->dev->kobj, (*groups)->attrs[n], n);
}

int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	host_might_sleep();
	assert(!bus_find_device_by_name(bus, NULL, name) && !perf_core.pmu);
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return -ENOMEM;
	pmu->name = name;
	pmu->type = type >= 0 ? type : PERF_TYPE_MAX + 2;
	pmu->hrtimer_interval_ms = 4;
	perf_core.pmu = pmu;
	add_device(&devices[2], pmu, name);
	make_files(pmu->attr_groups);
	make_files(pmu->attr_update);
	return 0;
}

int perf_pmu_unregister(struct pmu *pmu)
{
	struct perf_model *m;

	host_might_sleep();
	for_each_event(m)
		assert(m->event.pmu != pmu);
	assert(host.now >= perf_core.mux_until); /* it is freed, pending or not */
	perf_core.pmu = NULL;
	devices[2].drvdata = NULL;
	return 0;
}

static const char *show(const struct attribute_group **groups, const char *dir, size_t n,
			const char *file)
{
	static char text[4096];
	struct device *dev = perf_core.pmu->dev;

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

/* The contents of a file of the PMU in sysfs, as "caps/mode", without newline; NULL: no such file */
const char *perf_sysfs(const char *path)
{
	const char *slash = strchr(path, '/');
	const size_t n = slash ? slash - path : 0;
	const char *text = show(perf_core.pmu->attr_groups, path, n, slash ? slash + 1 : path);

	return text ?: show(perf_core.pmu->attr_update, path, n, slash ? slash + 1 : path);
}

/* Only the software PMU is there. */
void perf_pmus_reset(void)
{
	memset(devices, 0, sizeof(devices));
	other.name = NULL;
	add_device(&devices[0], &software, "software");
}
