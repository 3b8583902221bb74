// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
/*
 * pfmlib_riscv.c - RISC-V cores, for libpfm4. "make libpfm4" of sbi_pmu writes their tables of
 * events, events/riscv_events.h. Each is a raw event of the CPUs' PMU, whichever driver that has.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "pfmlib_priv.h"
#include "pfmlib_perf_event_priv.h"

/* Four tables of XiangShan share their ids: the driver sbi_pmu knows which it is. */
#define EVENT_TABLE "/sys/bus/event_source/devices/cpu/caps/event_table"

struct riscv_entry {
	const char *name;
	const char *desc;
	uint64_t code;
};

static int core_found;

/* The driver's name of the core's table, or "MVENDORID-MARCHID-MIMPID" */
static void riscv_core(char *core, size_t size)
{
	char line[256], vendor[32] = "", arch[32] = "", imp[32] = "";
	FILE *fp = fopen(EVENT_TABLE, "r");
	int found = 0;

	if (fp && fgets(core, size, fp)) {
		core[strcspn(core, "\n")] = '\0';
		fclose(fp);
		return;
	}
	if (fp)
		fclose(fp);
	fp = fopen("/proc/cpuinfo", "r");
	while (fp && found < 3 && fgets(line, sizeof(line), fp))
		found += sscanf(line, "mvendorid : %31s", vendor) == 1 ||
			 sscanf(line, "marchid : %31s", arch) == 1 ||
			 sscanf(line, "mimpid : %31s", imp) == 1;
	if (fp)
		fclose(fp);
	snprintf(core, size, "%s-%s-%s", vendor, arch, imp);
}

static int riscv_detect(const char *patterns)
{
	char core[128], list[256], *pattern, *rest = list;

	riscv_core(core, sizeof(core));
	snprintf(list, sizeof(list), "%s", patterns);
	while ((pattern = strtok_r(NULL, " ", &rest))) {
		if (fnmatch(pattern, core, 0))
			continue;
		core_found = 1;
		return PFM_SUCCESS;
	}
	return PFM_ERR_NOTSUPP;
}

static int riscv_first(void *this)
{
	return 0;
}

static int riscv_next(void *this, int idx)
{
	return idx + 1 < ((pfmlib_pmu_t *)this)->pme_count ? idx + 1 : -1;
}

static int riscv_is_valid(void *this, int idx)
{
	return idx >= 0 && idx < ((pfmlib_pmu_t *)this)->pme_count;
}

static int riscv_info(void *this, int idx, pfm_event_info_t *info)
{
	const struct riscv_entry *event = (const struct riscv_entry *)this_pe(this) + idx;

	info->name = event->name;
	info->desc = event->desc;
	info->code = event->code;
	info->equiv = NULL;
	info->idx = idx;
	info->pmu = ((pfmlib_pmu_t *)this)->pmu;
	info->nattrs = 0;
	return PFM_SUCCESS;
}

static int riscv_attr_info(void *this, int idx, int attr, pfmlib_event_attr_info_t *info)
{
	return PFM_ERR_ATTR;
}

static unsigned int riscv_nattrs(void *this, int idx)
{
	return 0;
}

static int riscv_encode(void *this, pfmlib_event_desc_t *e)
{
	const struct riscv_entry *event = (const struct riscv_entry *)this_pe(this) + e->event;
	struct perf_event_attr *attr = e->os_data;

	if (attr) {
		attr->type = this == &riscv_other_support ? PERF_TYPE_HARDWARE : PERF_TYPE_RAW;
		attr->config = event->code;
	}
	e->codes[0] = event->code;
	e->count = 1;
	evt_strcat(e->fstr, "%s", event->name);
	return PFM_SUCCESS;
}

/* At most 29 counters can be programmed. The kernel says at open whether events fit. */
#define RISCV_CORE(core, id, title, detect)					\
pfmlib_pmu_t riscv_##core##_support = {						\
	.desc = title,								\
	.name = "riscv_" #core,							\
	.perf_name = "cpu",							\
	.pmu = PFM_PMU_RISCV_##id,						\
	.type = PFM_PMU_TYPE_CORE,						\
	.pe = riscv_##core##_pe,						\
	.pme_count = LIBPFM_ARRAY_SIZE(riscv_##core##_pe),			\
	.supported_plm = PFM_PLM0 | PFM_PLM3,					\
	.max_encoding = 1,							\
	.num_cntrs = 29,							\
	.num_fixed_cntrs = 2,							\
	.pmu_detect = detect,							\
	.get_event_encoding = { riscv_encode, riscv_encode, riscv_encode },	\
	.get_event_first = riscv_first,						\
	.get_event_next = riscv_next,						\
	.event_is_valid = riscv_is_valid,					\
	.get_event_info = riscv_info,						\
	.get_event_attr_info = riscv_attr_info,					\
	.get_event_nattrs = riscv_nattrs,					\
}

#define RISCV_TABLE(core, id, title, patterns)					\
static int riscv_##core##_detect(void *this)					\
{										\
	return riscv_detect(patterns);						\
}										\
RISCV_CORE(core, id, title, riscv_##core##_detect)

#include "events/riscv_events.h"

/* The last one, for a core without a table, as PAPI does not count without a core */
static const struct riscv_entry riscv_other_pe[] = {
	{ "cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", "instructions", PERF_COUNT_HW_INSTRUCTIONS },
};

static int riscv_other_detect(void *this)
{
	return core_found ? PFM_ERR_NOTSUPP : PFM_SUCCESS;
}

RISCV_CORE(other, OTHER, "RISC-V", riscv_other_detect);
