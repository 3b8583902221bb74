// SPDX-License-Identifier: GPL-2.0-only
/*
 * lookup: what perf core does not tell or export.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "sbi_pmu.h"

static int match_type(struct device *dev, const void *type)
{
	const struct pmu *pmu = dev_get_drvdata(dev);

	return pmu && pmu->type == *(const int *)type;
}

/**
 * sbi_pmu_lookup_pmus - who is there already
 * @type: a PMU type that we would like: PERF_TYPE_RAW
 * @owner: the name of the PMU that has it, for kfree(); NULL if none has
 * @name: a name that we would like
 * @taken: whether a PMU has that
 *
 * Registering a type or name that is taken ends in a kernel warning, so look
 * first. The list of PMUs is perf core's own; but any PMU's device leads to
 * the bus of all, and the software PMU is always there.
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int sbi_pmu_lookup_pmus(int type, char **owner, const char *name, bool *taken)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event;
	struct device *dev;
	int ret = 0;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);

	*owner = NULL;
	dev = bus_find_device(event->pmu->dev->bus, NULL, &type, match_type);
	if (dev) {
		*owner = kstrdup(dev_name(dev), GFP_KERNEL);
		if (!*owner)
			ret = -ENOMEM;
		put_device(dev);
	}
	dev = bus_find_device_by_name(event->pmu->dev->bus, NULL, name);
	*taken = dev;
	put_device(dev);
	perf_event_release_kernel(event);
	return ret;
}

/*
 * A kprobe finds any kernel function by name; it is never armed, and removed at
 * once. It may not sit where ftrace patches calls in, which before 6.16 is the
 * first byte of a function; the instruction after that will do.
 */
static void *find(const char *name)
{
	static const unsigned int offsets[] = { 0, 4 };

	for (unsigned int i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct kprobe kp = {
			.symbol_name = name,
			.offset = offsets[i],
			.flags = KPROBE_FLAG_DISABLED,
		};
		void *addr;

		if (register_kprobe(&kp))
			continue;
		addr = (void *)kp.addr - offsets[i];
		unregister_kprobe(&kp);
		return addr;
	}
	return NULL;
}

/**
 * sbi_pmu_lookup_functions - find what perf core does not export
 * @pmu: its overflow and took are filled in; NULL where kprobes are not built in
 */
void sbi_pmu_lookup_functions(struct sbi_pmu *pmu)
{
	pmu->overflow = find("perf_event_overflow");
	pmu->took = find("perf_sample_event_took");
}
