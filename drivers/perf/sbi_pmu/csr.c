// SPDX-License-Identifier: GPL-2.0-only
/*
 * csr: the only place that touches CSRs.
 */
#include <asm/csr.h>

#include "sbi_pmu.h"

/* A CSR's number is part of the instruction, hence one instruction each. */
#define READ_1(n)	case n: return csr_read(n)
#define READ_2(n)	READ_1(n); READ_1((n) + 1)
#define READ_4(n)	READ_2(n); READ_2((n) + 2)
#define READ_8(n)	READ_4(n); READ_4((n) + 4)
#define READ_16(n)	READ_8(n); READ_8((n) + 8)

/**
 * sbi_pmu_csr_read - read a counter
 * @csr: one that the inventory has let in
 *
 * Context: on the hart whose counter is meant.
 */
u64 sbi_pmu_csr_read(unsigned int csr)
{
	switch (csr) {
	READ_16(CSR_CYCLE);
	READ_16(CSR_CYCLE + 16);
	default:
		WARN_ON_ONCE(1);
		return 0;
	}
}
