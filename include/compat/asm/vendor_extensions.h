/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/version.h>

#ifndef SBI_PMU_COMPAT_VENDOR_EXTENSIONS_H
#define SBI_PMU_COMPAT_VENDOR_EXTENSIONS_H

/* Kernels before 6.12 have no such function; what it would find is taken not to be there. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include_next <asm/vendor_extensions.h>
#else
#define riscv_isa_vendor_extension_available(...)	false
#endif

#endif
