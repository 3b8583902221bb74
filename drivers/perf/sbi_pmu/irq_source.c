// SPDX-License-Identifier: GPL-2.0-only
/* The overflow interrupts of cores, one row each. */
#include "sbi_pmu.h"

#define THEAD	0x5b7 /* mvendorid (JEDEC) */

/* K230's C908; other chips with this marchid have another interrupt */
#define THEAD_C908	0x8000000009140d00
#define K230		0x50000 /* mimpid */

static bool has_sscofpmf(const struct sbi_pmu_irq_ids *ids)
{
	return ids->sscofpmf;
}

/* Most return 0 for marchid and mimpid. Those that have Sscofpmf match the row of that. */
static bool is_thead_c9xx(const struct sbi_pmu_irq_ids *ids)
{
	const struct sbi_pmu_firmware_id *core = ids->core;

	return core->mvendorid == THEAD &&
	       ((!core->marchid && !core->mimpid) ||
		(core->marchid == THEAD_C908 && core->mimpid == K230));
}

static bool has_xandespmu(const struct sbi_pmu_irq_ids *ids)
{
	return ids->xandespmu;
}

/* The first row that matches counts. All CSRs have the layout of Sscofpmf, but for the mask. */
static const struct sbi_pmu_irq_source sources[] = {
	{
		.name = "lcofi",
		.title = "LCOFI",
		.missing = "no Sscofpmf",
		.is_of = has_sscofpmf,
		.hwirq = 13,
		.overflow = CSR_SCOUNTOVF,
		.pending = CSR_SIP,
		.enable = CSR_SIE,
		.mask = BIT(13),
		.filters = true,
	},
	{
		.name = "thead",
		.title = "T-Head's interrupt",
		.missing = "no core T-Head C9xx",
		.is_of = is_thead_c9xx,
		.hwirq = 17,
		.overflow = SBI_PMU_CSR_THEAD_SCOUNTEROF,
		.pending = CSR_SIP,
		.enable = CSR_SIE,
		.mask = BIT(17),
	},
	{
		/* hwirq: Linux numbers the interrupts of Andes' own CSRs from 256. */
		.name = "andes",
		.title = "Andes' interrupt",
		.missing = "no Xandespmu",
		.is_of = has_xandespmu,
		.hwirq = 256 + 18,
		.overflow = SBI_PMU_CSR_ANDES_SCOUNTEROF,
		.pending = SBI_PMU_CSR_ANDES_SLIP,
		.enable = SBI_PMU_CSR_ANDES_SLIE,
		.mask = BIT(18),
		.filters = true,
	},
};

/* The overflow interrupt of a core, NULL if none is known. */
const struct sbi_pmu_irq_source *sbi_pmu_irq_source_of(const struct sbi_pmu_irq_ids *ids)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		if (sources[i].is_of(ids))
			return &sources[i];
	return NULL;
}

const struct sbi_pmu_irq_source *sbi_pmu_irq_source_named(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	return NULL;
}
