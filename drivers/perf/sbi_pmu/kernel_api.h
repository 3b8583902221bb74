/* SPDX-License-Identifier: GPL-2.0-only */
/* What host-testable files use of the kernel. The host build has kernel_api_host.h in its place. */
#ifndef SBI_PMU_KERNEL_API_H
#define SBI_PMU_KERNEL_API_H

#include <linux/bitfield.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/perf_event.h>

#include <asm/csr.h>
#include <asm/sbi.h>

#endif
