/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs: for those who look after the driver. Not an ABI. */
#ifndef SBI_PMU_DEBUGFS_H
#define SBI_PMU_DEBUGFS_H

#include "sbi_pmu.h"

void sbi_pmu_debugfs_init(struct sbi_pmu *pmu);
void sbi_pmu_debugfs_exit(struct sbi_pmu *pmu);

#endif
