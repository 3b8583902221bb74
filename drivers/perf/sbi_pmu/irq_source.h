/* SPDX-License-Identifier: GPL-2.0-only */
/* irq_source: the overflow interrupts of cores. */
#ifndef SBI_PMU_IRQ_SOURCE_H
#define SBI_PMU_IRQ_SOURCE_H

#include "sbi_pmu.h"

struct sbi_pmu_irq_source {
	const char *name;    /* in caps/overflow, and a value of overflow= */
	const char *title;   /* in the log */
	const char *missing; /* in the log, if it is asked for on other cores */
	u16 hwirq;           /* its number at the interrupt controller of the core */
	u16 overflow;       /* CSR with a bit for each counter that has overflowed, by CSR number */
	u16 pending;        /* CSR of the pending bit */
	u16 enable;         /* CSR of the enable bit, at the same place */
	unsigned long mask; /* the two bits */
	bool filters;       /* programmable counters should filter by privilege mode */
};

void sbi_pmu_irq_source_probe(struct sbi_pmu *pmu);
bool sbi_pmu_irq_source_exists(struct sbi_pmu *pmu);
const struct sbi_pmu_irq_source *sbi_pmu_irq_source_named(const char *name);
bool sbi_pmu_may_have_one_filter(const struct sbi_pmu_firmware_id *core);

#endif
