// SPDX-License-Identifier: GPL-2.0-only
/* SpacemiT: codes as the vendor writes them. The rest is data: spacemit/x60.tsv. */
#include "vendors.h"

#define SPACEMIT	0x710 /* mvendorid (JEDEC) */

/* "Perf Usage Note" (Bianbu documentation, development/perf): r0400000000000008 is event 8. */
#define RAW_TYPE	GENMASK_ULL(63, 56)
#define RAW_TYPE_RAW	4 /* as PERF_TYPE_RAW */

static int encode(const void *data, u64 config, struct sbi_pmu_code *code)
{
	if (FIELD_GET(RAW_TYPE, config) == RAW_TYPE_RAW)
		code->data = config & ~RAW_TYPE;
	return 0;
}

/* Of other cores than X60 only the codes are known. */
static int spacemit_match(const struct sbi_pmu_firmware_id *id, void **data)
{
	const int ret = id->mvendorid == SPACEMIT ? sbi_pmu_core_match(id, data) : -ENODEV;

	return id->mvendorid == SPACEMIT && ret == -ENODEV ? 0 : ret;
}

const struct sbi_pmu_vendor sbi_pmu_spacemit = {
	.match = spacemit_match,
	.encode = encode,
	.ignores_filters = sbi_pmu_core_ignores_filters,
	.correct = sbi_pmu_core_correct,
	.substitute = sbi_pmu_core_substitute,
	.attribute_groups = sbi_pmu_core_attribute_groups,
	.log = sbi_pmu_core_log,
	.remove = sbi_pmu_core_remove,
};
