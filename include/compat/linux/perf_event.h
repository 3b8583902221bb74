/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SBI_PMU_COMPAT_PERF_EVENT_H
#define SBI_PMU_COMPAT_PERF_EVENT_H

/*
 * Inside the guard: asm/perf_event.h of 6.6 includes this file from the middle of the kernel's
 * header, and the macros below must come after all of that.
 */
#include_next <linux/perf_event.h>
#include <linux/version.h>

#ifndef __uninitialized /* older kernels: cleared in vain, where the compiler clears all */
#define __uninitialized
#endif

/* Since 6.8 a branch can have counts of events, too. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define perf_sample_save_brstack(data, event, stack, counts) \
	perf_sample_save_brstack(data, event, stack)
#endif

/*
 * pmu->sched_task is given the task, too, since 6.15 and some 6.12.y: define @name, for
 * SCHED_TASK(@name), as a function that calls @function(pmu_ctx, sched_in).
 */
#define DEFINE_SCHED_TASK(name, function)						\
	static void __maybe_unused name##_of_task(struct perf_event_pmu_context *pmu_ctx,	\
						  struct task_struct *task, bool sched_in)	\
	{										\
		function(pmu_ctx, sched_in);						\
	}										\
	static void __maybe_unused name(struct perf_event_pmu_context *pmu_ctx,		\
					bool sched_in)					\
	{										\
		function(pmu_ctx, sched_in);						\
	}
#define SCHED_TASK(name)								\
	__builtin_choose_expr(								\
		__builtin_types_compatible_p(						\
			typeof(((struct pmu *)NULL)->sched_task),			\
			void (*)(struct perf_event_pmu_context *, bool)),		\
		name, name##_of_task)

/* All of an attr's config words but the first; there are more of them by and by. */
static inline u64 perf_attr_further_config(const struct perf_event_attr *attr)
{
	u64 further = attr->config1 | attr->config2 | attr->config3;

#ifdef PERF_ATTR_SIZE_VER9 /* 6.18 */
	further |= attr->config4;
#endif
	return further;
}

#endif
