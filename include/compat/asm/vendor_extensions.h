/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/version.h>

#ifndef SBI_PMU_COMPAT_VENDOR_EXTENSIONS_H
#define SBI_PMU_COMPAT_VENDOR_EXTENSIONS_H

/* Kernels before 6.12 do not look for extensions of vendors in this way: no core has any. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include_next <asm/vendor_extensions.h>
#else
#define riscv_isa_vendor_extension_available(vendor, ...)	((void)(vendor), false)
#endif

#endif
