/* SPDX-License-Identifier: GPL-2.0-only */
#include <asm/vendorid_list.h>

/* Never available: some kernels before 6.12 have the function, but for other vendors. */
#define RISCV_ISA_VENDOR_EXT_XANDESPMU	RISCV_ISA_VENDOR_EXT_MAX

#ifndef ANDES_VENDOR_ID /* 6.9; its name was ANDESTECH_VENDOR_ID */
#define ANDES_VENDOR_ID			ANDESTECH_VENDOR_ID
#endif
