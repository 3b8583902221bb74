// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi: the only place that makes an ecall.
 */
#include <asm/sbi.h>

#include "sbi_pmu.h"

struct sbi_pmu_ret sbi_pmu_sbi_call(unsigned int fid, const xlen_t arg[SBI_PMU_ARGS])
{
	struct sbiret ret = sbi_ecall(SBI_PMU_EID, fid, arg[0], arg[1], arg[2],
				      arg[3], arg[4], arg[5]);

	return (struct sbi_pmu_ret) { .error = ret.error, .value = ret.value };
}

static unsigned long base_get(unsigned long fid, unsigned long arg)
{
	struct sbiret ret = sbi_ecall(SBI_BASE_EID, fid, arg, 0, 0, 0, 0, 0);

	return ret.error ? 0 : ret.value;
}

/**
 * sbi_pmu_sbi_probe - is there a PMU extension, and whose
 * @id: filled in
 *
 * Return: 0, -ENODEV if firmware has no PMU extension.
 */
int sbi_pmu_sbi_probe(struct sbi_pmu_firmware_id *id)
{
	id->spec = base_get(SBI_BASE_FID_SPEC_VERSION, 0);
	id->impl = base_get(SBI_BASE_FID_IMPL_ID, 0);
	id->impl_version = base_get(SBI_BASE_FID_IMPL_VERSION, 0);
	/* The extension is there since 0.3; before 0.2 nothing can be probed. */
	if (!FIELD_GET(SBI_SPEC_MAJOR, id->spec) && FIELD_GET(SBI_SPEC_MINOR, id->spec) < 3)
		return -ENODEV;
	return base_get(SBI_BASE_FID_PROBE, SBI_PMU_EID) ? 0 : -ENODEV;
}

/* Whose core this is: mvendorid and marchid, 0 where nobody says. */
void sbi_pmu_sbi_core(unsigned long *vendor, unsigned long *arch)
{
	*vendor = base_get(SBI_BASE_FID_MVENDORID, 0);
	*arch = base_get(SBI_BASE_FID_MARCHID, 0);
}
