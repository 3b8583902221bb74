// SPDX-License-Identifier: GPL-2.0-only
#include <asm/sbi.h>

#include "sbi.h"

struct sbiret sbi_pmu_sbi_ecall(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	return sbi_ecall(SBI_EXT_PMU, fid, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

static unsigned long base_get(unsigned long fid, unsigned long arg)
{
	const struct sbiret ret = sbi_ecall(SBI_EXT_BASE, fid, arg, 0, 0, 0, 0, 0);

	return ret.error ? 0 : ret.value;
}

/**
 * sbi_pmu_sbi_probe() - ask for the implementation, and whether it has the PMU extension
 * @id: filled in
 * Return: 0, -ENODEV without the PMU extension.
 */
int sbi_pmu_sbi_probe(struct sbi_pmu_firmware_id *id)
{
	id->spec = base_get(SBI_EXT_BASE_GET_SPEC_VERSION, 0);
	id->impl = base_get(SBI_EXT_BASE_GET_IMP_ID, 0);
	id->impl_version = base_get(SBI_EXT_BASE_GET_IMP_VERSION, 0);
	/* The PMU extension came with 0.3; before 0.2 there was no call to probe. */
	if (id->spec < sbi_mk_version(0, 3))
		return -ENODEV;
	return base_get(SBI_EXT_BASE_PROBE_EXT, SBI_EXT_PMU) ? 0 : -ENODEV;
}

/* mvendorid and marchid of the cores, 0 if they are not known. */
void sbi_pmu_sbi_core_ids(unsigned long *mvendorid, unsigned long *marchid)
{
	*mvendorid = base_get(SBI_EXT_BASE_GET_MVENDORID, 0);
	*marchid = base_get(SBI_EXT_BASE_GET_MARCHID, 0);
}

unsigned long sbi_pmu_sbi_mimpid(void)
{
	return base_get(SBI_EXT_BASE_GET_MIMPID, 0);
}
