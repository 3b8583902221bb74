/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SBI_PMU_COMPAT_PERF_EVENT_H
#define SBI_PMU_COMPAT_PERF_EVENT_H

/*
 * Inside the guard: asm/perf_event.h of 6.6 includes this file from the middle of the kernel's
 * header, and the macros below must come after all of that.
 */
#include_next <linux/perf_event.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/version.h>

#ifndef __uninitialized /* older kernels: cleared in vain, where the compiler clears all */
#define __uninitialized
#endif

/*
 * Since 6.8, and in some 6.6.y, a branch can have counts of events, too. Pointers, as either call
 * must compile with both.
 */
static inline void sbi_pmu_save_brstack(struct perf_sample_data *data, struct perf_event *event,
					struct perf_branch_stack *stack, u64 *counts)
{
	void (*older)(struct perf_sample_data *data, struct perf_event *event,
		      struct perf_branch_stack *stack) = (void *)perf_sample_save_brstack;
	void (*newer)(struct perf_sample_data *data, struct perf_event *event,
		      struct perf_branch_stack *stack,
		      u64 *counts) = (void *)perf_sample_save_brstack;

	static_assert(__same_type(perf_sample_save_brstack, *older) ||
		      __same_type(perf_sample_save_brstack, *newer));
	if (__same_type(perf_sample_save_brstack, *older))
		older(data, event, stack);
	else
		newer(data, event, stack, counts);
}

#define perf_sample_save_brstack sbi_pmu_save_brstack

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

/*
 * The timers that multiplex a PMU's events may be pending when perf core frees them, for as long as
 * root has set. Since 6.15 a CPU that never had an event has none. Context: may sleep.
 */
static inline void perf_pmu_stop_multiplexing(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *c;
	void *p;
	int cpu;

	for_each_possible_cpu(cpu) {
		p = per_cpu_ptr(pmu->cpu_pmu_context, cpu);
		if (__same_type(typeof(per_cpu_ptr(pmu->cpu_pmu_context, cpu)), typeof(c)))
			c = p;
		else
			c = *(void **)p;
		if (!c)
			continue;
		hrtimer_cancel(&c->hrtimer);
		/* For an event that was opened meanwhile */
		raw_spin_lock_irq(&c->hrtimer_lock);
		c->hrtimer_active = 0;
		raw_spin_unlock_irq(&c->hrtimer_lock);
	}
}

/* Since 6.16 perf core knows which events a PMU has, and unregisters none that has some. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define PERF_PMU_REFUSES_IN_USE	true
static inline int perf_pmu_unregister_unused(struct pmu *pmu)
{
	/* To find that out, perf core lets all opens fail for a while. */
	if (!list_empty(&pmu->events))
		return -EBUSY;
	perf_pmu_stop_multiplexing(pmu);
	return perf_pmu_unregister(pmu);
}

/* An event that ends lets the module go before it has left the PMU's list. */
static inline void perf_pmu_unregister_last(struct pmu *pmu)
{
	while (perf_pmu_unregister(pmu))
		msleep(20);
}
#else
#define perf_pmu_unregister_last	perf_pmu_unregister
#define PERF_PMU_REFUSES_IN_USE	false
static inline int perf_pmu_unregister_unused(struct pmu *pmu)
{
	return -EBUSY;
}
#endif

/* All of an attr's config words but config and config2; there are more of them by and by. */
static inline u64 perf_attr_unused_config(const struct perf_event_attr *attr)
{
	u64 unused = attr->config1 | attr->config3;

#ifdef PERF_ATTR_SIZE_VER9 /* 6.18 */
	unused |= attr->config4;
#endif
	return unused;
}

#endif
