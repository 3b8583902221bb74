// SPDX-License-Identifier: GPL-2.0-only
/* The overflow interrupts of cores, one row each. */
#include <linux/cpufeature.h>
#include <linux/smp.h>

#include <asm/cpufeature.h>
#include <asm/hwcap.h>
#include <asm/vendor_extensions.h>
#include <asm/vendor_extensions/andes.h>
#include <asm/vendorid_list.h>

#include "csr.h"
#include "irq_source.h"
#include "sbi.h"

#define THEAD	0x5b7 /* mvendorid (JEDEC) */

/* K230's C908; other chips with this marchid have another interrupt */
#define THEAD_C908	0x8000000009140d00
#define K230		0x50000 /* mimpid */

#define XIANGSHAN	25 /* marchid */

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

/*
 * Does this CPU lack a CSR of the interrupt? CPUs with other cores are not looked at. In a KVM
 * guest scountovf is not used, and may trap.
 */
static void check_here(void *arg)
{
	struct sbi_pmu *pmu = arg;
	const struct sbi_pmu_irq_source *source = pmu->irq_source;

	if (!sbi_pmu_sbi_same_core(&pmu->id))
		return;
	if ((!sbi_pmu_in_kvm(pmu) && !sbi_pmu_csr_exists(source->overflow)) ||
	    !sbi_pmu_csr_exists(source->pending) || !sbi_pmu_csr_exists(source->enable) ||
	    !sbi_pmu_csr_can_enable(source->enable, source->mask))
		WRITE_ONCE(pmu->irq_missing, true);
}

/*
 * Can the overflow interrupt be enabled on all CPUs with this core? QEMU 10 and 11 have Sscofpmf,
 * but the enable bit is read-only zero.
 */
bool sbi_pmu_irq_source_exists(struct sbi_pmu *pmu)
{
	on_each_cpu(check_here, pmu, true);
	return !pmu->irq_missing;
}

/*
 * Find the overflow interrupt of the cores; whether it works is tested later. A device tree may
 * lack Sscofpmf though the cores have it. KVM does not virtualise scountovf.
 */
void sbi_pmu_irq_source_probe(struct sbi_pmu *pmu)
{
	const struct sbi_pmu_firmware_id *core = &pmu->id;

	if (riscv_isa_extension_available(NULL, SSCOFPMF))
		pmu->irq_source = &sources[LCOFI];
	else if (sbi_pmu_may_have_one_filter(core) ||
		 (core->mvendorid == THEAD && core->marchid == THEAD_C908 && core->mimpid == K230))
		pmu->irq_source = &sources[THEAD_IRQ];
	else if (riscv_isa_vendor_extension_available(ANDES_VENDOR_ID, XANDESPMU))
		pmu->irq_source = &sources[ANDES_IRQ];
	if (pmu->irq_source) {
		pmu->caps.filter = pmu->irq_source->filters;
	} else if (!sbi_pmu_in_kvm(pmu)) {
		pmu->irq_source = &sources[LCOFI];
		if (!sbi_pmu_irq_source_exists(pmu))
			pmu->irq_source = NULL;
	}
	/*
	 * T-Head's cores lose overflows that come while firmware clears others; marchid 25 some,
	 * in RTL before September 2026.
	 */
	pmu->loses_irqs = pmu->irq_source == &sources[THEAD_IRQ] || core->marchid == XIANGSHAN;
}

const struct sbi_pmu_irq_source *sbi_pmu_irq_source_named(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	return NULL;
}
