// SPDX-License-Identifier: GPL-2.0-only
/* All vendors. The first that matches is used. */
#include "vendors.h"

const struct sbi_pmu_vendor * const sbi_pmu_vendors[] = {
	&sbi_pmu_xiangshan,
	&sbi_pmu_cores,
	NULL,
};
