// SPDX-License-Identifier: GPL-2.0-only
/* user_trap: in place of the driver's, which needs a kprobe that fires and a program that traps. */
#include "../../../drivers/perf/sbi_pmu/sbi_pmu.h"
#include "perf_core.h"

static struct sbi_pmu_user_trap *trap;

const char *sbi_pmu_user_trap_init(struct sbi_pmu_user_trap *ut, const struct cpumask *cpus)
{
	(void)cpus;
	trap = ut;
	return host.user_trap_fails;
}

void sbi_pmu_user_trap_exit(struct sbi_pmu_user_trap *ut)
{
	assert(!atomic_read(&ut->users));
	trap = NULL;
}

bool sbi_pmu_user_trap_get(struct sbi_pmu_user_trap *ut)
{
	atomic_inc(&ut->users);
	ut->armed = true;
	return true;
}

void sbi_pmu_user_trap_put(struct sbi_pmu_user_trap *ut)
{
	assert(atomic_read(&ut->users) > 0);
	atomic_dec(&ut->users);
}

void sbi_pmu_user_trap_disarm(struct sbi_pmu_user_trap *ut)
{
	if (!atomic_read(&ut->users))
		ut->armed = false;
}

bool host_user_trap_armed(void)
{
	return trap && trap->armed;
}

/* A program's read of a counter trapped. Return: may it go on? Else the kernel kills it. */
bool host_user_trap(struct pt_regs *regs)
{
	return host_user_trap_armed() && sbi_pmu_user_access_catch(trap, regs);
}
