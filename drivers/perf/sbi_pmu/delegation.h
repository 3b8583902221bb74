/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * delegation: are the counters of this CPU delegated to S-mode (Smcdeleg, Ssccfg), what can
 * they do, and by which selectors do they count standard events?
 */
#ifndef SBI_PMU_DELEGATION_H
#define SBI_PMU_DELEGATION_H

#include "backend.h"
#include "event.h"

const char *sbi_pmu_delegation_probe(struct sbi_pmu_backend *be, struct sbi_pmu_delegation *found);
const char *sbi_pmu_delegation_learn(struct sbi_pmu_backend *be, const struct sbi_pmu_caps *caps,
				     struct sbi_pmu_delegation *found);
void sbi_pmu_delegation_caps(const struct sbi_pmu_delegation *d, struct sbi_pmu_caps *caps);
bool sbi_pmu_delegation_equal(const struct sbi_pmu_delegation *a,
			      const struct sbi_pmu_delegation *b);

#endif
