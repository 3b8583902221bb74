/* SPDX-License-Identifier: GPL-2.0-only */
/* vendors: all of them. */
#ifndef SBI_PMU_VENDORS_H
#define SBI_PMU_VENDORS_H

#include "../vendor.h"

extern const struct sbi_pmu_vendor sbi_pmu_cores;
extern const struct sbi_pmu_vendor sbi_pmu_spacemit;
extern const struct sbi_pmu_vendor sbi_pmu_xiangshan;

/* Functions of sbi_pmu_cores, for vendors whose cores also need code; @data as from the first */
int sbi_pmu_core_match(const struct sbi_pmu_firmware_id *id, void **data);
bool sbi_pmu_core_ignores_filters(const void *data, const struct sbi_pmu_code *code);
int sbi_pmu_core_correct(const void *data, struct sbi_pmu_code *code);
bool sbi_pmu_core_substitute(const void *data, struct sbi_pmu_code *code);
const struct attribute_group **sbi_pmu_core_attribute_groups(struct sbi_pmu *pmu, void *data);
void sbi_pmu_core_log(struct sbi_pmu *pmu, void *data);
void sbi_pmu_core_remove(void *data);

#endif
