/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/sysctl.h>
#include <linux/version.h>

#ifndef SBI_PMU_COMPAT_SYSCTL_H
#define SBI_PMU_COMPAT_SYSCTL_H

/* What a handler is given; const since 6.11. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
typedef struct ctl_table sbi_pmu_ctl_table;
#else
typedef const struct ctl_table sbi_pmu_ctl_table;
#endif

#endif
