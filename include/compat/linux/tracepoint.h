/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/tracepoint.h>

#ifndef SBI_PMU_COMPAT_TRACEPOINT_H
#define SBI_PMU_COMPAT_TRACEPOINT_H

#include <linux/version.h>

/*
 * Since 7.0 a tracepoint counts its readers by this_cpu_inc() of two counters each, which is
 * several instructions here, with interrupts disabled. If an NMI interrupts that of the first, what
 * the readers in it, which have all ended, add to the first is lost, and not what they add to the
 * second: a grace period would never end. So if the interrupted code has disabled interrupts these
 * counters of this CPU are restored, as if the NMI had no readers. Until then the second ones,
 * which are added up first, are far too low: what adds them up meanwhile finds readers.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0) && defined(CONFIG_TRACEPOINTS) && \
	defined(CONFIG_TREE_SRCU) && !defined(CONFIG_NEED_SRCU_NMI_SAFE)
struct sbi_pmu_tracepoint_readers {
	unsigned long locks, unlocks;
};

/* Without a call of memcpy(), which may be probed */
static __always_inline void
sbi_pmu_tracepoint_readers_save(struct sbi_pmu_tracepoint_readers save[2])
{
	struct srcu_ctr *now = raw_cpu_ptr(tracepoint_srcu.sda)->srcu_ctrs;

	for (unsigned int i = 0; i < 2; i++) {
		save[i].locks = READ_ONCE(now[i].srcu_locks.counter);
		save[i].unlocks = READ_ONCE(now[i].srcu_unlocks.counter);
		WRITE_ONCE(now[i].srcu_unlocks.counter, save[i].unlocks - BIT(40));
	}
}

static __always_inline void
sbi_pmu_tracepoint_readers_restore(const struct sbi_pmu_tracepoint_readers save[2])
{
	struct srcu_ctr *now = raw_cpu_ptr(tracepoint_srcu.sda)->srcu_ctrs;

	for (unsigned int i = 0; i < 2; i++) {
		WRITE_ONCE(now[i].srcu_locks.counter, save[i].locks);
		WRITE_ONCE(now[i].srcu_unlocks.counter, save[i].unlocks);
	}
}
#else
struct sbi_pmu_tracepoint_readers {
};

#define sbi_pmu_tracepoint_readers_save(save)		((void)(save))
#define sbi_pmu_tracepoint_readers_restore(save)	((void)(save))
#endif

#endif
