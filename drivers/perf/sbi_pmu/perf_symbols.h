/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_symbols: what perf core does not export. */
#ifndef SBI_PMU_PERF_SYMBOLS_H
#define SBI_PMU_PERF_SYMBOLS_H

#include "sbi_pmu.h"

int sbi_pmu_find_pmus(int type, char **owner, const char *name, bool *taken);
void sbi_pmu_find_symbols(struct sbi_pmu *pmu);

#endif
