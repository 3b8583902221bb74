/* SPDX-License-Identifier: GPL-2.0-only */
/* sysfs: format/, events/, caps/ and cpus of the PMU. */
#ifndef SBI_PMU_SYSFS_H
#define SBI_PMU_SYSFS_H

#include <linux/device.h>
#include <linux/sysfs.h>

#include "sbi_pmu.h"

struct sbi_pmu_format_attr {
	struct device_attribute attr;
	u64 mask;
};

struct sbi_pmu_event_attr {
	struct device_attribute attr;
	u64 config;
};

void sbi_pmu_event_attr_init(struct sbi_pmu_event_attr *ev, const char *name, u64 config,
			     ssize_t (*show)(struct device *dev, struct device_attribute *attr,
					     char *buf));
ssize_t sbi_pmu_event_show(struct device *dev, struct device_attribute *attr, char *buf);
ssize_t sbi_pmu_format_show(struct device *dev, struct device_attribute *attr, char *buf);

#define SBI_PMU_FORMAT(_name, _mask)					\
	(&((struct sbi_pmu_format_attr) {				\
		.attr = __ATTR(_name, 0444, sbi_pmu_format_show, NULL),	\
		.mask = (_mask),					\
	}).attr.attr)

const char *sbi_pmu_first_event(struct sbi_pmu *pmu);
const char *sbi_pmu_free_running_names(const struct sbi_pmu_counters *counters);
const struct attribute_group **sbi_pmu_attr_groups(const struct sbi_pmu *pmu);

#endif
