/* SPDX-License-Identifier: GPL-2.0-only */
/* user_access: which events programs can read. */
#ifndef SBI_PMU_USER_ACCESS_H
#define SBI_PMU_USER_ACCESS_H

#include "sbi_pmu.h"

enum sbi_pmu_user_access_mode {
	SBI_PMU_USER_ACCESS_NONE,  /* programs read no counter */
	SBI_PMU_USER_ACCESS_OWN,   /* those of their own events that they have mapped */
	SBI_PMU_USER_ACCESS_FIXED, /* also cycle and instret, without an event */
};

void sbi_pmu_user_access_init(struct sbi_pmu *pmu);
void sbi_pmu_user_access_start(struct sbi_pmu *pmu);
void sbi_pmu_user_access_exit(struct sbi_pmu *pmu);
void sbi_pmu_user_access_resume(struct sbi_pmu_cpu *cpu);
void sbi_pmu_user_access_offline(struct sbi_pmu_cpu *cpu);
void sbi_pmu_user_access_open(struct sbi_pmu_event *e);
bool sbi_pmu_user_access_map(struct sbi_pmu_event *e, struct mm_struct *mm);
void sbi_pmu_user_access_close(struct sbi_pmu_event *e);

#endif
