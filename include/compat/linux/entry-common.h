/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/entry-common.h>

#ifndef SBI_PMU_COMPAT_ENTRY_COMMON_H
#define SBI_PMU_COMPAT_ENTRY_COMMON_H

/*
 * Copy what a trap of the kernel overwrites before it has saved anything. By words: memcpy() may be
 * probed.
 */
static __always_inline void sbi_pmu_trap_space_copy(struct thread_info *to,
						    const struct thread_info *from)
{
	to->kernel_sp = from->kernel_sp;
	to->user_sp = from->user_sp;
	/* a0 to a2, since 6.12 */
	for (size_t i = offsetofend(struct thread_info, syscall_work); i < sizeof(*to);
	     i += sizeof(long))
		WRITE_ONCE(*(long *)((char *)to + i), READ_ONCE(*(long *)((char *)from + i)));
}

/* Without this lockdep finds in an NMI that interrupts are enabled. Return: what was set before. */
static __always_inline int sbi_pmu_trace_irqs(int enabled)
{
#if defined(CONFIG_TRACE_IRQFLAGS) && !defined(CONFIG_TRACE_IRQFLAGS_NMI_SUPPORT)
	const int old = raw_cpu_read(hardirqs_enabled);

	raw_cpu_write(hardirqs_enabled, enabled);
	return old;
#else
	return 0;
#endif
}

#endif
