/* SPDX-License-Identifier: GPL-2.0-only */
/* sysfs: format/, events/, caps/ and cpus of the PMU. */
#ifndef SBI_PMU_SYSFS_H
#define SBI_PMU_SYSFS_H

#include <linux/device.h>
#include <linux/sysfs.h>

#include "sbi_pmu.h"

ssize_t sbi_pmu_event_show(struct device *dev, struct device_attribute *attr, char *buf);
ssize_t sbi_pmu_format_show(struct device *dev, struct device_attribute *attr, char *buf);

/* The id of an event is its config, that of a file in format/ the mask of its bits. */
#define SBI_PMU_FORMAT(_name, _mask) PMU_EVENT_ATTR_ID(_name, sbi_pmu_format_show, _mask)

const char *sbi_pmu_first_event(struct sbi_pmu *pmu);
const char *sbi_pmu_free_running_names(const struct sbi_pmu_layout *layout);
extern const struct attribute_group *sbi_pmu_attr_groups[];

#endif
