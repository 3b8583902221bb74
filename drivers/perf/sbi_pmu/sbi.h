/* SPDX-License-Identifier: GPL-2.0-only */
/* sbi: calls of the PMU extension. */
#ifndef SBI_PMU_SBI_H
#define SBI_PMU_SBI_H

#include "sbi_pmu.h"

#define OPENSBI_VERSION(major, minor)	((major) << 16 | (minor))

void sbi_pmu_sbi_probe(struct sbi_pmu_firmware_id *id);
bool sbi_pmu_sbi_same_core(const struct sbi_pmu_firmware_id *id);
int __must_check sbi_pmu_sbi_value(struct sbi_pmu_cpu *cpu, unsigned int fid, unsigned int idx,
				   u64 *value);
int __must_check sbi_pmu_sbi_config(struct sbi_pmu_cpu *cpu, u64 mask,
				    const struct sbi_pmu_code *code, unsigned int *got);
int __must_check sbi_pmu_sbi_start(struct sbi_pmu_cpu *cpu, u64 mask, unsigned long flags,
				   u64 value);
int sbi_pmu_sbi_stop(struct sbi_pmu_cpu *cpu, u64 mask, unsigned long flags);
void sbi_pmu_sbi_release(struct sbi_pmu_cpu *cpu, unsigned int idx);
int sbi_pmu_sbi_set_shmem(struct sbi_pmu_cpu *cpu, u64 address);

#endif
