/* SPDX-License-Identifier: GPL-2.0-only */
/* sbi: the ecall. */
#ifndef SBI_PMU_SBI_H
#define SBI_PMU_SBI_H

#include "backend_sbi.h"

struct sbi_pmu_firmware_id {
	unsigned long spec;         /* SBI version, as the base extension encodes it */
	unsigned long impl;         /* implementation id */
	unsigned long impl_version; /* its version, in its own encoding */
};

int sbi_pmu_sbi_probe(struct sbi_pmu_firmware_id *id);
void sbi_pmu_sbi_core_ids(unsigned long *mvendorid, unsigned long *marchid);
unsigned long sbi_pmu_sbi_mimpid(void);
struct sbiret sbi_pmu_sbi_ecall(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS]);

#endif
