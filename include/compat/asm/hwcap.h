/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <asm/hwcap.h>

#ifndef RISCV_ISA_EXT_SMSTATEEN /* 6.7; before, neither the kernel nor KVM uses it */
#define RISCV_ISA_EXT_SMSTATEEN	RISCV_ISA_EXT_MAX /* never available */
#endif

#ifndef RISCV_ISA_EXT_H /* 7.3; its name was RISCV_ISA_EXT_h */
#define RISCV_ISA_EXT_H		RISCV_ISA_EXT_h
#endif
