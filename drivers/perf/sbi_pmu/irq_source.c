// SPDX-License-Identifier: GPL-2.0-only
/* The overflow interrupts of cores, one row each. */
#include "sbi_pmu.h"

#define THEAD	0x5b7 /* mvendorid (JEDEC) */

/* K230's C908; other chips with this marchid have another interrupt */
#define THEAD_C908	0x8000000009140d00
#define K230		0x50000 /* mimpid */

enum { LCOFI, THEAD_IRQ, ANDES_IRQ };

/* All CSRs have the layout of Sscofpmf, but for the mask. */
static const struct sbi_pmu_irq_source sources[] = {
	[LCOFI] = {
		.name = "lcofi",
		.title = "LCOFI",
		.missing = "no Sscofpmf",
		.hwirq = 13,
		.overflow = CSR_SCOUNTOVF,
		.pending = CSR_SIP,
		.enable = CSR_SIE,
		.mask = BIT(13),
		.filters = true,
	},
	[THEAD_IRQ] = {
		.name = "thead",
		.title = "T-Head's interrupt",
		.missing = "no core T-Head C9xx",
		.hwirq = 17,
		.overflow = SBI_PMU_CSR_THEAD_SCOUNTEROF,
		.pending = CSR_SIP,
		.enable = CSR_SIE,
		.mask = BIT(17),
		.loses = true,
	},
	[ANDES_IRQ] = {
		/* hwirq: Linux numbers the interrupts of Andes' own CSRs from 256. */
		.name = "andes",
		.title = "Andes' interrupt",
		.missing = "no Xandespmu",
		.hwirq = 256 + 18,
		.overflow = SBI_PMU_CSR_ANDES_SCOUNTEROF,
		.pending = SBI_PMU_CSR_ANDES_SLIP,
		.enable = SBI_PMU_CSR_ANDES_SLIE,
		.mask = BIT(18),
		.filters = true,
	},
};

/* C906, C910 and C920v1, which return 0 for marchid and mimpid */
bool sbi_pmu_may_have_one_filter(const struct sbi_pmu_firmware_id *core)
{
	return core->mvendorid == THEAD && !core->marchid && !core->mimpid;
}

/* The overflow interrupt of a core with these ISA extensions, NULL if none is known. */
const struct sbi_pmu_irq_source *sbi_pmu_irq_source_of(const struct sbi_pmu_firmware_id *core,
						       bool sscofpmf, bool xandespmu)
{
	if (sscofpmf)
		return &sources[LCOFI];
	if (sbi_pmu_may_have_one_filter(core) ||
	    (core->mvendorid == THEAD && core->marchid == THEAD_C908 && core->mimpid == K230))
		return &sources[THEAD_IRQ];
	return xandespmu ? &sources[ANDES_IRQ] : NULL;
}

const struct sbi_pmu_irq_source *sbi_pmu_irq_source_named(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	return NULL;
}
