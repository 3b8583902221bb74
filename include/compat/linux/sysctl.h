/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/sysctl.h>

#ifndef SBI_PMU_COMPAT_SYSCTL_H
#define SBI_PMU_COMPAT_SYSCTL_H

/* What a handler is given; const since 6.11. */
typedef int sbi_pmu_old_handler(struct ctl_table *, int, void *, size_t *, loff_t *);
typedef typeof(*__builtin_choose_expr(__same_type(proc_handler, sbi_pmu_old_handler),
				      (struct ctl_table *)NULL,
				      (const struct ctl_table *)NULL)) sbi_pmu_ctl_table;

#endif
