/* SPDX-License-Identifier: GPL-2.0-only */
/* irq_source: the overflow interrupts of cores, one row each. */
#ifndef SBI_PMU_IRQ_SOURCE_H
#define SBI_PMU_IRQ_SOURCE_H

#include "kernel_api.h"

/* CSRs of overflow interrupts that asm/csr.h does not have */
#define SBI_PMU_CSR_THEAD_SCOUNTEROF	0x5c5
#define SBI_PMU_CSR_ANDES_SLIE		0x9c4
#define SBI_PMU_CSR_ANDES_SLIP		0x9c5
#define SBI_PMU_CSR_ANDES_SCOUNTEROF	0x9d4

/* What the overflow interrupt of a core is found by */
struct sbi_pmu_irq_ids {
	bool sscofpmf;  /* ISA extension of all cores */
	bool xandespmu; /* likewise */
	unsigned long mvendorid, marchid, mimpid;
};

struct sbi_pmu_irq_source {
	const char *name;    /* in caps/overflow, and a value of overflow= */
	const char *title;   /* in the log */
	const char *missing; /* in the log, if it is asked for on other cores */
	bool (*is_of)(const struct sbi_pmu_irq_ids *ids); /* does the core have it? */
	u16 hwirq;          /* its number at the interrupt controller of the core */
	u16 overflow;       /* CSR with a bit for each counter that has overflowed, by CSR number */
	u16 pending;        /* CSR of the pending bit */
	u16 enable;         /* CSR of the enable bit, at the same place */
	unsigned long mask; /* the two bits */
	bool filters;       /* programmable counters can be inhibited by privilege mode */
	bool fixed;         /* cycle and instret interrupt, and filter if the others do */
};

const struct sbi_pmu_irq_source *sbi_pmu_irq_source_of(const struct sbi_pmu_irq_ids *ids);
const struct sbi_pmu_irq_source *sbi_pmu_irq_source_named(const char *name);

#endif
