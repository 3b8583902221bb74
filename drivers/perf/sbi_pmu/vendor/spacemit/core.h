/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SBI_PMU_SPACEMIT_CORE_H
#define SBI_PMU_SPACEMIT_CORE_H

#include "../../vendor.h"

extern const struct sbi_pmu_vendor sbi_pmu_spacemit;

#endif
