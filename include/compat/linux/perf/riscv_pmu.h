/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/perf/riscv_pmu.h>
#include <linux/version.h>

#ifndef SBI_PMU_COMPAT_RISCV_PMU_H
#define SBI_PMU_COMPAT_RISCV_PMU_H

/* Without it no part of the kernel writes user pages, nor asks for a width, nor has such a PMU. */
#ifndef CONFIG_RISCV_PMU
struct cpu_hw_events {
	int irq;
};

struct riscv_pmu {
	struct pmu pmu;
	int (*ctr_get_width)(int idx);
	struct cpu_hw_events __percpu *hw_events;
	struct hlist_node node;
	struct notifier_block riscv_pm_nb;
};
#endif

/* The memory to which firmware writes this CPU's counters (6.10), NULL: none */
static inline void *riscv_pmu_snapshot_page(const struct cpu_hw_events *events)
{
#if defined(CONFIG_RISCV_PMU) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	return events->snapshot_addr;
#else
	return NULL;
#endif
}

#endif
