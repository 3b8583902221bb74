/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/hrtimer.h>
#include <linux/version.h>

#ifndef SBI_PMU_COMPAT_HRTIMER_H
#define SBI_PMU_COMPAT_HRTIMER_H

/* Another name, as some older kernels have the function, too */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define hrtimer_setup sbi_pmu_hrtimer_setup
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
