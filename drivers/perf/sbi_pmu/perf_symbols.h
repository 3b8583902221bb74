/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_symbols: what perf core does not export. */
#ifndef SBI_PMU_PERF_SYMBOLS_H
#define SBI_PMU_PERF_SYMBOLS_H

#include "sbi_pmu.h"

int sbi_pmu_find_pmus(struct sbi_pmu *pmu, char **owner, bool *taken);
void *sbi_pmu_lookup(const char *name);
void *sbi_pmu_lookup_variable(const char *name);
void sbi_pmu_find_symbols(struct sbi_pmu *pmu);

#endif
