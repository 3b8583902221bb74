/* SPDX-License-Identifier: GPL-2.0-only */
/* Called by QEMU's CPU code; see vendor-pmu.c. */
#ifndef VENDOR_PMU_H
#define VENDOR_PMU_H

void vendor_pmu_realize(RISCVCPU *cpu, Error **errp);
void vendor_pmu_mode(CPURISCVState *env, target_ulong priv);
target_ulong vendor_pmu_cause(CPURISCVState *env, target_ulong cause, bool async);

#endif
