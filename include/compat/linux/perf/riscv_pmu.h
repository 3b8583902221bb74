/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/perf/riscv_pmu.h>

#ifndef SBI_PMU_COMPAT_RISCV_PMU_H
#define SBI_PMU_COMPAT_RISCV_PMU_H

/* Without it no part of the kernel writes user pages, nor asks for a width. */
#ifndef CONFIG_RISCV_PMU
struct riscv_pmu {
	struct pmu pmu;
	int (*ctr_get_width)(int idx);
};
#endif

#endif
