/* SPDX-License-Identifier: GPL-2.0-only */
/* branch: records of branches, for samples. */
#ifndef SBI_PMU_BRANCH_H
#define SBI_PMU_BRANCH_H

#include "csr.h"
#include "sbi_pmu.h"

/* Of an event that asks for the calls that have not returned: those of its task while that waits */
struct sbi_pmu_branch_calls {
	const struct task_struct *task; /* whose they are; only compared */
	unsigned long switches;         /* how often it had been switched out then */
	unsigned int count;
	struct sbi_pmu_branch_record record[];
};

int sbi_pmu_branch_probe(struct sbi_pmu *pmu, unsigned int wanted);
bool sbi_pmu_branch_is_alike(const struct sbi_pmu *pmu);
int sbi_pmu_branch_filter(const struct sbi_pmu *pmu, struct perf_event *event,
			  struct sbi_pmu_branch_request *request);
int sbi_pmu_branch_open(const struct sbi_pmu *pmu, struct sbi_pmu_event *e);
bool sbi_pmu_branch_go_together(const struct sbi_pmu *pmu, const struct sbi_pmu_branch_request *a,
				const struct sbi_pmu_branch_request *b);
bool sbi_pmu_branch_add(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_branch_del(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_branch_switch(struct sbi_pmu_cpu *cpu, bool in);
void sbi_pmu_branch_online(struct sbi_pmu_cpu *cpu);
void sbi_pmu_branch_offline(struct sbi_pmu_cpu *cpu);
void sbi_pmu_branch_sample(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e,
			   struct perf_sample_data *data);

/* The overflow interrupt has frozen the records: its handler has looked at them. */
static inline void sbi_pmu_branch_go_on(const struct sbi_pmu_cpu *cpu)
{
	if (unlikely(!hlist_empty(&cpu->branch.events)) && cpu->branch.on)
		sbi_pmu_csr_branch_unfreeze();
}

#endif
