/* SPDX-License-Identifier: GPL-2.0-only */
/* Called by QEMU's CPU code; see xiangshan-hpm.c. */
#ifndef XIANGSHAN_HPM_H
#define XIANGSHAN_HPM_H

void xiangshan_hpm_realize(RISCVCPU *cpu, Error **errp);
void xiangshan_hpm_mode(CPURISCVState *env, target_ulong priv, bool virt);

#endif
