/* SPDX-License-Identifier: GPL-2.0-only */
/* user_access: reads of counters from user space, without a system call. */
#ifndef SBI_PMU_USER_ACCESS_H
#define SBI_PMU_USER_ACCESS_H

#include "sbi_pmu.h"

void sbi_pmu_user_access_init(struct sbi_pmu *pmu);
void sbi_pmu_user_access_exit(struct sbi_pmu *pmu);
void sbi_pmu_user_access_online(struct sbi_pmu_cpu *cpu);
void sbi_pmu_user_access_resume(struct sbi_pmu_cpu *cpu);
void sbi_pmu_user_access_offline(struct sbi_pmu_cpu *cpu);
void sbi_pmu_user_access_write(struct sbi_pmu_cpu *cpu);

void sbi_pmu_user_access_open(struct sbi_pmu_perf_event *e);
bool sbi_pmu_user_access_map(struct sbi_pmu_perf_event *e, struct mm_struct *mm);
void sbi_pmu_user_access_hide(struct sbi_pmu_perf_event *e);
void sbi_pmu_user_access_close(struct sbi_pmu_perf_event *e);

void sbi_pmu_user_access_publish(struct sbi_pmu_perf_event *e);
void sbi_pmu_publish_page(struct sbi_pmu_perf_event *e);
void sbi_pmu_event_changed(struct sbi_pmu_event *event);
int sbi_pmu_event_shown(const struct sbi_pmu_perf_event *e);

/**
 * sbi_pmu_user_access_update() - open to user space what the running task may read
 * @cpu: this CPU; most of the time no program has mapped an event, and nothing is to do
 * Context: interrupts disabled.
 */
static inline void sbi_pmu_user_access_update(struct sbi_pmu_cpu *cpu)
{
	if (READ_ONCE(cpu->pmu->user_access.count) || cpu->scounteren != cpu->open_to_all)
		sbi_pmu_user_access_write(cpu);
}

/* Add what was accounted to the perf event's count. Context: on its CPU, interrupts disabled. */
static inline void sbi_pmu_add_count(struct sbi_pmu_perf_event *e)
{
	local64_add(sbi_pmu_event_take(&e->event), &e->perf->count);
	/* Without a page there are no words to keep: those of open stay until it is mapped. */
	if (e->readable && READ_ONCE(e->has_page))
		sbi_pmu_user_access_publish(e);
}

/* Give perf core the count, and write the mmap page. Context: on its CPU, interrupts disabled. */
static inline void sbi_pmu_publish(struct sbi_pmu_perf_event *e)
{
	if (READ_ONCE(e->has_page))
		sbi_pmu_publish_page(e);
	else
		local64_add(sbi_pmu_event_take(&e->event), &e->perf->count);
}

#endif
