// SPDX-License-Identifier: GPL-2.0-only
/* SpacemiT: cycles by mode are counted by events of the core, since cycle cannot filter. */
#include "../../sbi.h"
#include "../../sbi_pmu.h"
#include "core.h"
#include "stand_in.h"

static int spacemit_match(void **data)
{
	unsigned long vendor, arch;
	const struct sbi_pmu_stand_ins *stand_ins;

	sbi_pmu_sbi_core_ids(&vendor, &arch);
	stand_ins = sbi_pmu_stand_ins_find(vendor, arch);
	if (!stand_ins)
		return -ENODEV;
	/* Only read: all who get it take it as const. */
	*data = (void *)stand_ins;
	return 0;
}

static bool is_used(struct sbi_pmu *pmu, const struct sbi_pmu_stand_in *row)
{
	struct sbi_pmu_event_code code = { .idx = row->event, .flags = row->filter };
	u64 candidates;

	return !sbi_pmu_support_filtered(&pmu->support, &code, -ENOENT, &candidates) &&
	       code.idx != row->event;
}

static void spacemit_log(struct sbi_pmu *pmu, void *data)
{
	const struct sbi_pmu_stand_ins *stand_ins = data;

	for (const struct sbi_pmu_stand_in *row = stand_ins->row; row->event; row++)
		if (is_used(pmu, row))
			pr_info("SpacemiT %s: cycles:%s are counted by %s (event=%#llx), as found in documents; not tried on such a core\n",
				stand_ins->core,
				row->filter == SBI_PMU_CFG_FLAG_SET_SINH ? "u" : "k", row->name,
				row->raw);
}

const struct sbi_pmu_vendor sbi_pmu_spacemit = {
	.match = spacemit_match,
	.substitute = sbi_pmu_stand_in_substitute,
	.log = spacemit_log,
};
