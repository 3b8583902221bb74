/* SPDX-License-Identifier: GPL-2.0-only */

/* Kernels before 6.12 have no such function; what it would find is taken not to be there. */
#define riscv_isa_vendor_extension_available(...)	false
