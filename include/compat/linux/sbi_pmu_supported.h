/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernels that this driver is for; forced in front of every file. */
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
#error "sbi_pmu needs Linux 6.6 or newer (no per-PMU task contexts and no pmu->filter before)"
#endif
#ifndef CONFIG_RISCV
#error "sbi_pmu is for RISC-V kernels: set ARCH=riscv, CROSS_COMPILE and KDIR"
#endif
#ifndef CONFIG_64BIT
#error "sbi_pmu needs a 64-bit kernel: nothing of it has been tried on RV32"
#endif
#ifndef CONFIG_RISCV_SBI
#error "sbi_pmu needs a kernel that runs on SBI firmware (CONFIG_RISCV_SBI)"
#endif
