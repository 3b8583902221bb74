/* SPDX-License-Identifier: GPL-2.0-only */
/* user_trap: reads of counters from user space that trap, before the kernel kills the program. */
#ifndef SBI_PMU_USER_TRAP_H
#define SBI_PMU_USER_TRAP_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

/* A probe on the kernel's function for fatal traps, armed while programs can read counters */
struct sbi_pmu_user_trap {
	struct kprobe probe;
	/* may the program go on whose read of a counter trapped? Preemption is disabled. */
	bool (*handle)(struct sbi_pmu_user_trap *ut, struct pt_regs *regs);
	const struct task_struct *tester; /* the self-test's program: @handle returns true */
	bool caught;                      /* the self-test's read came to @handle */
	atomic_t users;                   /* events that programs can read */
	bool armed;                       /* the probe is in place */
	struct mutex lock;                /* for changes of @armed */
	struct delayed_work disarm;       /* after the last user has gone */
};

const char *sbi_pmu_user_trap_init(struct sbi_pmu_user_trap *ut,
				   bool (*handle)(struct sbi_pmu_user_trap *ut,
						  struct pt_regs *regs),
				   const struct cpumask *cpus);
void sbi_pmu_user_trap_exit(struct sbi_pmu_user_trap *ut);
bool sbi_pmu_user_trap_get(struct sbi_pmu_user_trap *ut);
void sbi_pmu_user_trap_put(struct sbi_pmu_user_trap *ut);

#endif
