/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/sched.h>

#ifndef SBI_PMU_COMPAT_SCHED_H
#define SBI_PMU_COMPAT_SCHED_H

/* When a task was switched in last, by sched_clock(); 0 where the kernel does not keep that. */
static inline u64 sbi_pmu_task_arrival(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return task->sched_info.last_arrival;
#else
	return 0;
#endif
}

#endif
