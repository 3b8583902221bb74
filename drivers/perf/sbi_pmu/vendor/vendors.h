/* SPDX-License-Identifier: GPL-2.0-only */
/* vendors: all of them. */
#ifndef SBI_PMU_VENDORS_H
#define SBI_PMU_VENDORS_H

#include "../vendor.h"

extern const struct sbi_pmu_vendor sbi_pmu_cores;
extern const struct sbi_pmu_vendor sbi_pmu_xiangshan;

#endif
